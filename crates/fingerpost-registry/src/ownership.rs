//! Owners of levels, decided from the key alone.
//!
//! Single keys take precedence over the organisation whose company prefix the key contains at the
//! position of its prefix. No two organisations have overlapping prefixes, so there is at most one.

use std::collections::{HashMap, HashSet};

use fingerpost_resolver::Anchor;
use fingerpost_store::{Prefetch, View};

use crate::documents::load;
use crate::stored::Index;
use crate::{CompanyPrefix, Id, Organisation, RegistryError};

/// Returns the organisation that owns a level, if any.
pub(crate) fn owner(view: &View<'_>, key: &Anchor) -> Result<Option<Id>, RegistryError> {
    if let Some(id) = Index::Owned.find(view, key.key_level())? {
        return Ok(Some(id));
    }
    owner_by_prefix(view, key)
}

/// Returns the organisation with the company prefix of a key, even if another one owns the single
/// key.
pub(crate) fn owner_by_prefix(view: &View<'_>, key: &Anchor) -> Result<Option<Id>, RegistryError> {
    Ok(by_prefix(view, key)?.map(|(id, _)| id))
}

/// Returns the organisation with the company prefix of a key, and the length of the prefix.
fn by_prefix(view: &View<'_>, key: &Anchor) -> Result<Option<(Id, usize)>, RegistryError> {
    for digits in prefixes(key) {
        if let Some(id) = Index::Prefix.find(view, &digits)? {
            return Ok(Some((id, digits.len())));
        }
    }
    Ok(None)
}

/// Returns all that can be the company prefix of a key, the shortest first.
fn prefixes(key: &Anchor) -> impl Iterator<Item = String> {
    let part = key.company_prefix_part().unwrap_or_default();
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    CompanyPrefix::LENGTHS
        .take_while(move |length| *length <= digits)
        .map(move |length| part[..length].to_owned())
}

/// Adds the documents from which [`owner`] reads.
pub(crate) fn prefetch(rows: Prefetch, key: &Anchor) -> Prefetch {
    let rows = rows.document(Index::Owned.collection(), key.key_level());
    prefixes(key).fold(rows, |rows, digits| rows.document(Index::Prefix.collection(), &digits))
}

/// Looks up the owners of levels in key order: levels of one key follow each other, and so do keys
/// of one company prefix. One row is read for a key, where [`owner`] reads up to ten.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    key: Option<(String, Option<Id>)>,
    prefix: Option<(String, Id)>,
}

impl Neighbours {
    /// Returns the organisation that owns a level, if any.
    pub(crate) fn owner(
        &mut self,
        view: &View<'_>,
        key: &Anchor,
    ) -> Result<Option<Id>, RegistryError> {
        if let Some((_, owner)) = self.key.as_ref().filter(|(known, _)| known == key.key_level()) {
            return Ok(*owner);
        }
        let owner = match Index::Owned.find(view, key.key_level())? {
            Some(id) => Some(id),
            None => self.by_prefix(view, key)?,
        };
        self.key = Some((key.key_level().to_owned(), owner));
        Ok(owner)
    }

    fn by_prefix(&mut self, view: &View<'_>, key: &Anchor) -> Result<Option<Id>, RegistryError> {
        let part = key.company_prefix_part().unwrap_or_default();
        // No two prefixes overlap, so a key that begins with a known one has no other.
        if let Some((_, id)) = self.prefix.as_ref().filter(|(known, _)| part.starts_with(known)) {
            return Ok(Some(*id));
        }
        let found = by_prefix(view, key)?;
        if let Some((id, length)) = found {
            self.prefix = Some((part[..length].to_owned(), id));
        }
        Ok(found.map(|(id, _)| id))
    }
}

/// Loads the organisation with an id from an index.
pub(crate) fn organisation(
    view: &View<'_>,
    id: Option<Id>,
) -> Result<Option<Organisation>, RegistryError> {
    match id {
        Some(id) => load(view, id.as_str()),
        None => Ok(None),
    }
}

/// Looks up the owners of many levels; reads each organisation once.
pub(crate) struct Owners<'v, 't> {
    view: &'v View<'t>,
    /// Whether any organisation owns anything. If not, no lookups are needed.
    is_any: bool,
    organisations: HashMap<Id, Option<Organisation>>,
}

impl<'v, 't> Owners<'v, 't> {
    /// Prepares to look up the owners of so many levels.
    pub(crate) fn of(view: &'v View<'t>, levels: usize) -> Result<Owners<'v, 't>, RegistryError> {
        // For a single level, the two questions cost more than they save.
        let is_any = levels < 2 || Index::Owned.is_any(view)? || Index::Prefix.is_any(view)?;
        Ok(Owners { view, is_any, organisations: HashMap::new() })
    }

    /// Returns the rows of levels, and those from which their owners are looked up.
    pub(crate) fn prefetch<'l>(&self, levels: impl Iterator<Item = &'l Anchor>) -> Prefetch {
        let mut known = HashSet::new();
        levels.fold(Prefetch::default(), |rows, level| {
            let rows = rows.level(level);
            if !self.is_any || !known.insert(level.key_level().to_owned()) {
                return rows;
            }
            let rows = rows.document(Index::Owned.collection(), level.key_level());
            let new = prefixes(level).filter(|digits| known.insert(digits.clone()));
            new.fold(rows, |rows, digits| rows.document(Index::Prefix.collection(), &digits))
        })
    }

    /// Returns the owner of a level: its id, and the organisation itself.
    pub(crate) fn owner(
        &mut self,
        level: &Anchor,
    ) -> Result<(Option<Id>, Option<&Organisation>), RegistryError> {
        if !self.is_any {
            return Ok((None, None));
        }
        let Some(id) = owner(self.view, level)? else { return Ok((None, None)) };
        if !self.organisations.contains_key(&id) {
            self.organisations.insert(id, organisation(self.view, Some(id))?);
        }
        Ok((Some(id), self.organisations[&id].as_ref()))
    }
}
