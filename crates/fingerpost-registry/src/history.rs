//! Reads the states of a level.

use fingerpost_resolver::{Anchor, Entry, write_record};
use fingerpost_store::{ChangeKind, Revision, State, View};
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::author::{Authorship, author};
use crate::change_sets::ChangeSet;
use crate::difference::{Difference, differences};
use crate::limits::MAX_PAGE;
use crate::pages::Budget;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Author, Caller, Page, Registry, RegistryError, Via};

/// A state of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = State))]
pub struct LevelState {
    /// The revision with which it began.
    #[serde(serialize_with = "crate::outcome::revision")]
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub revision: Revision,
    /// When it began, if that is still known.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub at: Option<Timestamp>,
    /// Who wrote it, if that is still known.
    pub by: Option<Author>,
    /// Who proposed it, if `by` approved it.
    #[serde(rename = "proposedBy", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub proposed_by: Option<Author>,
    /// The way of the request.
    pub via: Option<Via>,
    /// The change set that it belongs to, if the caller can find it.
    #[serde(
        rename = "changeSet",
        with = "crate::outcome::optional_revision",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub change_set: Option<Revision>,
    /// Whether nothing was registered.
    pub deleted: bool,
    /// The record; absent in lists.
    #[serde(
        rename = "record",
        serialize_with = "as_record",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(value_type = Option<fingerpost_resolver::schema::Record>))]
    pub entry: Option<Entry>,
}

/// Serializes an entry as its record.
pub(crate) fn as_record<S: Serializer>(
    entry: &Option<Entry>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match entry {
        Some(entry) => crate::levels::as_record(entry, serializer),
        None => serializer.serialize_none(),
    }
}

impl LevelState {
    /// Returns the record; `None` if the level was deleted.
    pub fn record(&self) -> Option<String> {
        self.entry.as_ref().map(write_record)
    }
}

impl Registry {
    /// Returns all states of a level that are still stored, the newest first.
    ///
    /// Fails with [`RegistryError::Forbidden`] for a level without permission,
    /// [`RegistryError::NotFound`] if it never held anything, or an error of the store.
    pub fn history(&self, caller: &Caller, key: &Anchor) -> Result<Vec<LevelState>, RegistryError> {
        self.reading(caller, key, |view, access| {
            let states = view.states(key)?;
            if states.is_empty() {
                return Err(RegistryError::NotFound);
            }
            states.into_iter().map(|state| with_author(view, access, caller, state)).collect()
        })
    }

    /// Returns a page of the states of a level that are still stored, the newest first, without
    /// their records. `before` is the value of [`Page::next`]: a revision.
    pub fn revisions(
        &self,
        caller: &Caller,
        key: &Anchor,
        before: Option<Revision>,
        limit: usize,
    ) -> Result<Page<LevelState>, RegistryError> {
        self.reading(caller, key, |view, access| {
            let mut budget = Budget::new(limit);
            let mut items: Vec<LevelState> = Vec::new();
            let found = view.revisions(key, before, limit.min(MAX_PAGE) + 1)?;
            if found.is_empty() && before.is_none() {
                return Err(RegistryError::NotFound);
            }
            for (revision, kind) in found {
                let Authorship { at, by, via, proposed_by, change_set } = author(view, revision)?;
                let change_set = ChangeSet::visible(view, access, caller, change_set)?;
                let deleted = kind == ChangeKind::Delete;
                let entry = None;
                let state =
                    LevelState { revision, at, by, proposed_by, via, change_set, deleted, entry };
                if !budget.look(0) || !budget.show(&state) {
                    let next = items.last().map(|last| last.revision.to_string());
                    return Ok(Page { items, next });
                }
                items.push(state);
            }
            Ok(Page { items, next: None })
        })
    }

    /// Returns the state of a level after a revision.
    pub fn state(
        &self,
        caller: &Caller,
        key: &Anchor,
        revision: Revision,
    ) -> Result<LevelState, RegistryError> {
        self.reading(caller, key, |view, access| {
            let state = view.state_at(key, revision)?.ok_or(RegistryError::NotFound)?;
            with_author(view, access, caller, state)
        })
    }

    /// Returns the differences of a level's record between two revisions; without the second one,
    /// to the current record.
    pub fn difference(
        &self,
        caller: &Caller,
        key: &Anchor,
        from: Revision,
        to: Option<Revision>,
    ) -> Result<Vec<Difference>, RegistryError> {
        self.reading(caller, key, |view, _| {
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

    fn reading<T>(
        &self,
        caller: &Caller,
        key: &Anchor,
        read: impl FnOnce(&View<'_>, &Access) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        self.view_as(caller, |view, access| {
            access.on_level(view, Verb::Read, key)?;
            read(view, access)
        })
    }
}

fn with_author(
    view: &View<'_>,
    access: &Access,
    caller: &Caller,
    state: State,
) -> Result<LevelState, RegistryError> {
    let revision = state.revision();
    let Authorship { at, by, via, proposed_by, change_set } = author(view, revision)?;
    let change_set = ChangeSet::visible(view, access, caller, change_set)?;
    let entry = state.into_entry();
    let deleted = entry.is_none();
    Ok(LevelState { revision, at, by, proposed_by, via, change_set, deleted, entry })
}
