//! Looks up keys that somebody searches for: the record that answers for a key, its deletion, and
//! which of several keys are registered.

use fingerpost_resolver::{Anchor, AnchorForm};
use fingerpost_store::{ChangeKind, View};

use crate::author::{Authorship, author};
use crate::change_sets::ChangeSet;
use crate::levels::Level;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, LevelState, Registry, RegistryError};

/// What is known about a key.
#[derive(Clone, Debug, Default)]
pub struct LookUp {
    /// The most specific record that applies to the key: its own, of a range, of the product.
    pub nearest: Option<Level>,
    /// The deletion of its own record, if it had one.
    pub deleted: Option<LevelState>,
}

impl Registry {
    /// Looks up a key, as far as the caller can read: keys without permission appear as unknown.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_registry::{Caller, Conditions, Registry, RegistryOptions};
    /// # use fingerpost_store::Store;
    /// let registry = Registry::new(Arc::new(Store::in_memory()), RegistryOptions::new());
    /// let caller = Caller::local("example");
    /// let record = br#"{"anchor": "/01/09506000134352", "links": [
    ///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
    ///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    /// registry.put(&caller, None, record, Conditions::none())?;
    /// let product = "01/09506000134352".parse()?;
    /// let found = registry.look_up(&caller, &"01/09506000134352/10/A".parse()?)?;
    /// assert_eq!(found.nearest.map(|level| level.key).as_ref(), Some(&product));
    /// registry.delete(&caller, &product, Conditions::none())?;
    /// assert!(registry.look_up(&caller, &product)?.deleted.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Fails with [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn look_up(&self, caller: &Caller, key: &Anchor) -> Result<LookUp, RegistryError> {
        self.view_as(caller, |view, access| {
            let nearest = nearest(view, access, key)?;
            let is_own = nearest.as_ref().is_some_and(|level| level.key == *key);
            let deleted = if is_own { None } else { deletion(view, access, caller, key)? };
            Ok(LookUp { nearest, deleted })
        })
    }

    /// Returns the nearest registered levels of keys, each once, without those of company prefixes,
    /// which apply to every key.
    pub fn registered(
        &self,
        caller: &Caller,
        keys: &[Anchor],
    ) -> Result<Vec<Level>, RegistryError> {
        self.view_as(caller, |view, access| {
            let mut found: Vec<Level> = Vec::new();
            for key in keys {
                let level = nearest(view, access, key)?
                    .filter(|level| !matches!(level.key.form(), AnchorForm::CompanyPrefix(_)));
                found.extend(level.filter(|new| found.iter().all(|level| level.key != new.key)));
            }
            Ok(found)
        })
    }
}

/// Returns the most specific level that applies to a key and that the caller can read.
fn nearest(view: &View<'_>, access: &Access, key: &Anchor) -> Result<Option<Level>, RegistryError> {
    let applying = match key.entity() {
        Some(entity) => view.applying(entity)?.iter().map(|entry| entry.anchor().clone()).collect(),
        None => [Some(key.clone()), Anchor::from_canonical(key.key_level())]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>(),
    };
    for anchor in applying {
        if !can_read(view, access, &anchor)? {
            continue;
        }
        if let Some((entry, revision)) = view.level(&anchor)? {
            let Authorship { at, by, proposed_by, .. } = author(view, revision)?;
            return Ok(Some(Level { key: anchor, entry, revision, at, by, proposed_by }));
        }
    }
    Ok(None)
}

/// Returns the deletion of a level without a record, if it had one.
fn deletion(
    view: &View<'_>,
    access: &Access,
    caller: &Caller,
    key: &Anchor,
) -> Result<Option<LevelState>, RegistryError> {
    if !can_read(view, access, key)? {
        return Ok(None);
    }
    let Some((revision, ChangeKind::Delete)) = view.revisions(key, None, 1)?.pop() else {
        return Ok(None);
    };
    let Authorship { at, by, via, proposed_by, change_set } = author(view, revision)?;
    let change_set = ChangeSet::visible(view, access, caller, change_set)?;
    let entry = None;
    Ok(Some(LevelState { revision, at, by, proposed_by, via, change_set, deleted: true, entry }))
}

fn can_read(view: &View<'_>, access: &Access, key: &Anchor) -> Result<bool, RegistryError> {
    match access.on_level(view, Verb::Read, key) {
        Ok(_) => Ok(true),
        Err(RegistryError::Forbidden(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
