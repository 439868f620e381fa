//! The states of a level, and what changed since a revision.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, write_record};
use fingerpost_store::{ChangeKind, Revision, State, View};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::difference::{Difference, differences};
use crate::levels::{Author, author};
use crate::pages::MAX_PAGE;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, Page, Registry, RegistryError, ownership};

/// What a level held from a revision on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelState {
    /// The revision that brought it about.
    pub revision: Revision,
    /// What it held; `None`: it was deleted.
    pub entry: Option<Arc<Entry>>,
    /// When that was; `None` if that is not known any more.
    pub at: Option<Timestamp>,
    /// By whom.
    pub by: Option<Author>,
}

impl LevelState {
    /// The record, unless the level was deleted.
    #[must_use]
    pub fn record(&self) -> Option<String> {
        self.entry.as_deref().map(write_record)
    }
}

/// A change of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LevelChange {
    /// The revision.
    #[serde(serialize_with = "crate::outcome::revision::serialize")]
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub revision: Revision,
    /// The level.
    #[serde(serialize_with = "crate::key_levels::bare")]
    #[cfg_attr(feature = "schema", schema(value_type = crate::text::schema::LevelKey))]
    pub key: EntityKey,
    /// Whether it was deleted.
    pub deleted: bool,
}

impl Registry {
    /// Every state of a level that is still kept, the newest first.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for a level outside the rights, [`RegistryError::NotFound`] if it never held anything, or the
    /// store's.
    pub fn history(
        &self,
        caller: &Caller,
        key: &EntityKey,
    ) -> Result<Vec<LevelState>, RegistryError> {
        self.reading(caller, key, |view| {
            let states = view.states(key)?;
            if states.is_empty() {
                return Err(RegistryError::NotFound);
            }
            states.into_iter().map(|state| with_author(view, state)).collect()
        })
    }

    /// What a level was after a revision.
    ///
    /// # Errors
    ///
    /// As [`Registry::history`]; [`RegistryError::NotFound`] if that is not known.
    pub fn state(
        &self,
        caller: &Caller,
        key: &EntityKey,
        revision: Revision,
    ) -> Result<LevelState, RegistryError> {
        self.reading(caller, key, |view| {
            let state = view.state_at(key, revision)?.ok_or(RegistryError::NotFound)?;
            with_author(view, state)
        })
    }

    /// How the record of a level differs between two revisions; without the second, from what it is now.
    ///
    /// # Errors
    ///
    /// As [`Registry::state`].
    pub fn difference(
        &self,
        caller: &Caller,
        key: &EntityKey,
        from: Revision,
        to: Option<Revision>,
    ) -> Result<Vec<Difference>, RegistryError> {
        self.reading(caller, key, |view| {
            let to = to.map_or_else(|| view.revision(), Ok)?;
            let record = |revision| -> Result<Value, RegistryError> {
                let state = view.state_at(key, revision)?.ok_or(RegistryError::NotFound)?;
                // Our own JSON can be read.
                let record = state.entry().map(|entry| serde_json::from_str(&write_record(entry)));
                Ok(record.and_then(Result::ok).unwrap_or(Value::Null))
            };
            Ok(differences(&record(from)?, &record(to)?))
        })
    }

    /// What changed after a revision, as far as the caller may read it, in the order of revisions and levels.
    ///
    /// `after` is a revision, or what [`Page::next`] told: `revision/level`.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], or the store's.
    pub fn changes(
        &self,
        caller: &Caller,
        after: Revision,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page<LevelChange>, RegistryError> {
        let now = self.inner.now();
        let limit = limit.clamp(1, MAX_PAGE);
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            let mut at = cursor.and_then(read_cursor);
            let mut items: Vec<LevelChange> = Vec::new();
            loop {
                let found = match &at {
                    Some((revision, level)) => {
                        view.changes_after(*revision, level, LOADED_AT_ONCE)?
                    }
                    None => view.changes(after, LOADED_AT_ONCE)?,
                };
                let is_end = found.len() < LOADED_AT_ONCE;
                for (revision, key, kind) in found {
                    at = Some((revision, key.clone()));
                    let owner = ownership::owner(view, &key)?;
                    if !access.reaches(Verb::Read, &key, owner) {
                        continue;
                    }
                    if items.len() == limit {
                        let next =
                            items.last().map(|last| format!("{}/{}", last.revision, last.key));
                        return Ok(Page { items, next });
                    }
                    items.push(LevelChange { revision, key, deleted: kind == ChangeKind::Delete });
                }
                if is_end {
                    return Ok(Page { items, next: None });
                }
            }
        })
    }

    fn reading<T>(
        &self,
        caller: &Caller,
        key: &EntityKey,
        read: impl FnOnce(&View<'_>) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            Access::of(view, caller, now)?.on_level(view, Verb::Read, key)?;
            read(view)
        })
    }
}

fn with_author(view: &View<'_>, state: State) -> Result<LevelState, RegistryError> {
    let revision = state.revision();
    let (at, by) = author(view, revision)?;
    Ok(LevelState { revision, entry: state.into_entry().map(Arc::new), at, by })
}

fn read_cursor(cursor: &str) -> Option<(Revision, EntityKey)> {
    let (revision, level) = cursor.split_once('/')?;
    Some((Revision::new(revision.parse().ok()?), EntityKey::from_canonical(level)?))
}

const LOADED_AT_ONCE: usize = 500;
