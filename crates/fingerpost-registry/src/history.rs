//! Reads the states of a level, and the changes since a revision.

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

/// The value of a level from one revision on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelState {
    /// The revision that created this state.
    pub revision: Revision,
    /// The entry; `None` if the level was deleted.
    pub entry: Option<Arc<Entry>>,
    /// The time of the change; `None` if no longer known.
    pub at: Option<Timestamp>,
    /// The author of the change.
    pub by: Option<Author>,
}

impl LevelState {
    /// Returns the record; `None` if the level was deleted.
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
    /// Returns all states of a level that are still stored, the newest first.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for a level without permission, [`RegistryError::NotFound`] if it never held anything, or
    /// an error of the store.
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

    /// Returns the state of a level after a revision.
    ///
    /// # Errors
    ///
    /// The errors of [`Registry::history`]; [`RegistryError::NotFound`] if that state is not known.
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

    /// Returns the differences of a level's record between two revisions; without the second one, to the current record.
    ///
    /// # Errors
    ///
    /// The errors of [`Registry::state`].
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
                // JSON written by this crate can always be parsed.
                let record = state.entry().map(|entry| serde_json::from_str(&write_record(entry)));
                Ok(record.and_then(Result::ok).unwrap_or(Value::Null))
            };
            Ok(differences(&record(from)?, &record(to)?))
        })
    }

    /// Returns the changes after a revision that the caller can read, in the order of revisions and levels.
    ///
    /// `after` is a revision, or the value of [`Page::next`]: `revision/level`.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], or an error of the store.
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
