//! Which levels a caller can read, for lists of other crates.

use fingerpost_resolver::Anchor;

use crate::list::{Filter, ranges};
use crate::ownership::Neighbours;
use crate::roles::Verb;
use crate::{Caller, Registry, RegistryError};

impl Registry {
    /// Returns the beginnings of the canonical texts of all levels that the caller can read and
    /// whose keys the filter accepts: disjoint and in order. Other levels can begin with them,
    /// too; see [`Registry::can_read`].
    ///
    /// Fails with [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn readable_ranges(
        &self,
        caller: &Caller,
        filter: &Filter,
    ) -> Result<Vec<String>, RegistryError> {
        self.view_as(caller, |view, access| ranges::of(view, access, filter))
    }

    /// Returns for each of these canonical texts of levels whether the caller can read the level,
    /// and the filter accepts its key. Fast if they are in order.
    ///
    /// Fails with [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn can_read(
        &self,
        caller: &Caller,
        filter: &Filter,
        levels: &[&str],
    ) -> Result<Vec<bool>, RegistryError> {
        self.view_as(caller, |view, access| {
            let mut owners = Neighbours::default();
            let mut can_read = |level: &&str| {
                let Some(anchor) = Anchor::from_canonical(level) else { return Ok(false) };
                let owner = owners.owner(view, &anchor)?;
                Ok(access.reaches(Verb::Read, &anchor, owner) && filter.accepts_key(&anchor))
            };
            levels.iter().map(&mut can_read).collect()
        })
    }
}
