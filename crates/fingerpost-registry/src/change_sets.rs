//! Change sets: the changes of one import, batch or recall, which are one entry of the history and
//! can be taken back together (`undo.rs`), however many revisions they were written in.
//!
//! A set is named by its first revision. Its document lists its revisions; the audit records of
//! these name the set in `changeSet`, so that the history of a level leads to it.

use std::collections::BTreeSet;

use fingerpost_store::{Revision, Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::author::name_of;
use crate::documents::{Document, load, load_page, remove, save};
use crate::judge::WriteRequest;
use crate::limits::{CHANGE_SETS_KEPT, MAX_PAGE, MAX_READ_ROWS};
use crate::registry::Inner;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{
    Author, Caller, ChangeOutcome, ChangeSetKind, ChangeSetRequest, ChangeStatus, Id, Page,
    Registry, RegistryError, outcome,
};

/// The changes of one import, batch or recall, or those that took such a set back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeSet {
    /// The number of the set: its first revision.
    #[serde(serialize_with = "outcome::revision", deserialize_with = "outcome::read_revision")]
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub id: Revision,
    /// What made the changes.
    pub kind: ChangeSetKind,
    /// Who made them.
    pub by: Author,
    /// When they began.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub at: Timestamp,
    /// Number of levels that were registered.
    pub created: u64,
    /// Number of levels that were replaced.
    pub replaced: u64,
    /// Number of levels that were deleted.
    pub deleted: u64,
    /// The set that this one took back.
    #[serde(default, with = "outcome::optional_revision", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub undoes: Option<Revision>,
    /// The set that took this one back.
    #[serde(default, with = "outcome::optional_revision", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub undone_by: Option<Revision>,
    /// The first and the last revision of each run of revisions; absent in what callers get.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(ignore))]
    pub(crate) revisions: Vec<(u64, u64)>,
    /// The organisations that own the levels; absent in what callers get.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    #[cfg_attr(feature = "schema", schema(ignore))]
    pub(crate) owners: BTreeSet<Option<Id>>,
}

impl Document for ChangeSet {
    const COLLECTION: &'static str = "changeSets";
}

/// Returns the id of the document of a set: the newest sets come first.
fn name(id: Revision) -> String {
    format!("{:020}", u64::MAX - id.number())
}

impl ChangeSet {
    /// Returns a set that the caller can see.
    pub(crate) fn find(
        view: &View<'_>,
        access: &Access,
        caller: &Caller,
        id: Revision,
    ) -> Result<ChangeSet, RegistryError> {
        let found = load::<ChangeSet>(view, &name(id))?;
        found.filter(|set| set.is_visible(access, caller)).ok_or(RegistryError::NotFound)
    }

    /// Returns the name of a set if the caller can find it.
    pub(crate) fn visible(
        view: &View<'_>,
        access: &Access,
        caller: &Caller,
        id: Option<Revision>,
    ) -> Result<Option<Revision>, RegistryError> {
        match id.map(|id| Self::find(view, access, caller, id)).transpose() {
            Ok(found) => Ok(found.map(|set| set.id)),
            Err(RegistryError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the caller made the changes, or can read everything of their owners.
    fn is_visible(&self, access: &Access, caller: &Caller) -> bool {
        self.by.actor == caller.actor.to_string()
            || self.owners.iter().all(|owner| match owner {
                Some(id) => access.in_organisation(Verb::Read, id),
                None => access.in_installation(Verb::Read),
            })
    }

    fn shown(self, view: &View<'_>) -> Result<ChangeSet, RegistryError> {
        let name = name_of(view, &self.by.actor)?;
        let by = Author { name, ..self.by };
        Ok(ChangeSet { by, revisions: Vec::new(), owners: BTreeSet::new(), ..self })
    }
}

impl Registry {
    /// Returns a change set.
    ///
    /// Fails with [`RegistryError::NotFound`] for sets that do not exist, are no longer kept, or
    /// have changes that the caller cannot read, or an error of the store.
    pub fn change_set(&self, caller: &Caller, id: Revision) -> Result<ChangeSet, RegistryError> {
        self.view_as(caller, |view, access| ChangeSet::find(view, access, caller, id)?.shown(view))
    }

    /// Returns the change sets that the caller can see, the newest first. `after` is the value of
    /// [`Page::next`].
    pub fn change_sets(
        &self,
        caller: &Caller,
        after: Option<Revision>,
        limit: usize,
    ) -> Result<Page<ChangeSet>, RegistryError> {
        self.view_as(caller, |view, access| {
            let limit = limit.clamp(1, MAX_PAGE);
            let (mut items, mut looked) = (Vec::new(), 0);
            let mut at = after.map(name);
            loop {
                let found = load_page::<ChangeSet>(view, at.as_deref(), limit)?;
                let is_end = found.len() < limit;
                for (id, set) in found {
                    if items.len() == limit || looked == MAX_READ_ROWS {
                        let last = at.and_then(|at| at.parse::<u64>().ok());
                        let next = last.map(|last| (u64::MAX - last).to_string());
                        return Ok(Page { items, next });
                    }
                    looked += 1;
                    at = Some(id);
                    if set.is_visible(access, caller) {
                        items.push(set.shown(view)?);
                    }
                }
                if is_end {
                    return Ok(Page { items, next: None });
                }
            }
        })
    }
}

/// The set of changes that are about to be written.
pub(crate) struct Begun {
    pub(crate) id: Revision,
    request: ChangeSetRequest,
    /// The set before these changes.
    present: Option<ChangeSet>,
    first: Revision,
    owners: BTreeSet<Option<Id>>,
}

/// Begins a set, or finds the one that is to be continued.
pub(crate) fn begin(
    tx: &Transaction<'_>,
    request: &WriteRequest<'_>,
    owners: BTreeSet<Option<Id>>,
) -> Result<Option<Begun>, RegistryError> {
    let Some(set) = request.set else { return Ok(None) };
    let first = tx.revision()?.next();
    let present = match set.joins {
        None => None,
        Some(id) => {
            let own = load::<ChangeSet>(tx, &name(id))?
                .filter(|own| own.by.actor == request.caller.actor.to_string());
            Some(own.ok_or(RegistryError::NotFound)?)
        }
    };
    let id = set.joins.unwrap_or(first);
    Ok(Some(Begun { id, request: set, present, first, owners }))
}

impl Begun {
    /// Notes what was written; returns the set, if anything was written in it.
    pub(crate) fn finish(
        self,
        inner: &Inner,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        outcomes: &[(usize, Result<ChangeOutcome, RegistryError>)],
    ) -> Result<Option<Revision>, RegistryError> {
        let last = tx.revision()?;
        if last < self.first {
            return Ok(self.request.joins);
        }
        let now = inner.now();
        let is_new = self.present.is_none();
        let mut set = self.present.unwrap_or_else(|| ChangeSet {
            id: self.id,
            kind: self.request.kind,
            by: Author { actor: caller.actor.to_string(), name: None },
            at: now,
            created: 0,
            replaced: 0,
            deleted: 0,
            undoes: self.request.undoes,
            undone_by: None,
            revisions: Vec::new(),
            owners: BTreeSet::new(),
        });
        for (_, outcome) in outcomes {
            match outcome.as_ref().map(|outcome| outcome.status) {
                Ok(ChangeStatus::Created) => set.created += 1,
                Ok(ChangeStatus::Replaced) => set.replaced += 1,
                Ok(ChangeStatus::Deleted) => set.deleted += 1,
                Ok(_) | Err(_) => {}
            }
        }
        let (first, last) = (self.first.number(), last.number());
        match set.revisions.last_mut() {
            Some((_, end)) if *end + 1 == first => *end = last,
            _ => set.revisions.push((first, last)),
        }
        set.owners.extend(self.owners);
        save(tx, &name(self.id), &set)?;
        if is_new {
            note_undone(tx, &set)?;
            remove_old(tx, now)?;
        }
        Ok(Some(self.id))
    }
}

/// Marks the set that a new one takes back. What that one had taken back is in force again.
fn note_undone(tx: &mut Transaction<'_>, set: &ChangeSet) -> Result<(), RegistryError> {
    let Some(undone) = set.undoes else { return Ok(()) };
    let Some(mut undone) = load::<ChangeSet>(tx, &name(undone))? else { return Ok(()) };
    undone.undone_by = Some(set.id);
    save(tx, &name(undone.id), &undone)?;
    let Some(again) = undone.undoes else { return Ok(()) };
    let Some(mut again) = load::<ChangeSet>(tx, &name(again))? else { return Ok(()) };
    again.undone_by = None;
    save(tx, &name(again.id), &again)
}

/// Removes some of the sets that are no longer kept: more than are added.
fn remove_old(tx: &mut Transaction<'_>, now: Timestamp) -> Result<(), RegistryError> {
    let Ok(before) = now.checked_sub(CHANGE_SETS_KEPT) else { return Ok(()) };
    let kept = tx.first_revision_since(before)?;
    for (id, _) in load_page::<ChangeSet>(tx, Some(&name(kept)), REMOVED_AT_ONCE)? {
        remove::<ChangeSet>(tx, &id)?;
    }
    Ok(())
}

/// Number of old sets that are removed when a set is added.
const REMOVED_AT_ONCE: usize = 2;
