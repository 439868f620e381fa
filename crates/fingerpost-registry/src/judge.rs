//! Checks changes one by one: permissions, precondition, and the rules that depend on the owner of
//! the level.

use std::collections::{HashMap, HashSet};
use std::thread;

use fingerpost_resolver::{Anchor, Entry, ResolverRoot, Term, TermClass};
use fingerpost_store::{Change as Write, Revision, View};
use serde::{Deserialize, Serialize};

use crate::change::RecordChange;
use crate::fault::Fault;
use crate::ownership::Owners;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{
    Caller, ChangeOutcome, ChangeSetRequest, ChangeStatus, Denial, Id, Precondition, Proposal,
    RegistryError, running_recalls, successors, target_hosts,
};

/// Whether rows depend on each other.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum BatchMode {
    /// All rows are written as one revision, or none.
    #[default]
    Atomic,
    /// Each row is written or refused by itself; the report lists every row.
    Each,
}

/// The caller who requests changes, and the reason.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteRequest<'r> {
    pub(crate) caller: &'r Caller,
    pub(crate) access: &'r Access,
    pub(crate) mode: BatchMode,
    /// The root of this resolver, if one is configured.
    pub(crate) root: Option<&'r ResolverRoot>,
    /// The proposal that these changes approve.
    pub(crate) approves: Option<&'r Proposal>,
    /// The change set that they belong to.
    pub(crate) set: Option<ChangeSetRequest>,
}

/// A change, and the operation that it requires.
#[derive(Clone, Debug)]
pub(crate) struct Judged<'c> {
    pub(crate) change: &'c RecordChange,
    /// The current revision of the level.
    pub(crate) base: Option<Revision>,
    pub(crate) owner: Option<Id>,
    /// The index among the changes of the request.
    pub(crate) position: usize,
    action: Action,
    needs_approval: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Create,
    Replace,
    Delete,
    /// The level already holds exactly this record.
    Nothing(Revision),
}

/// Changes that are acceptable by themselves, and the refused ones with their indexes.
type JudgedAll<'c> = (Vec<Judged<'c>>, Vec<(usize, RegistryError)>);

impl WriteRequest<'_> {
    /// Checks changes one by one: permissions, precondition, and the rules that depend on the owner
    /// of the level.
    pub(crate) fn judge_all<'c>(
        &self,
        view: &View<'_>,
        changes: impl IntoIterator<Item = &'c RecordChange>,
    ) -> Result<JudgedAll<'c>, RegistryError> {
        let changes: Vec<&RecordChange> = changes.into_iter().collect();
        let mut owners = Owners::of(view, changes.len())?;
        let (mut judged, mut refused) = (Vec::new(), Vec::new());
        let mut levels = Levels::default();
        let mut succeeded = HashMap::new();
        for (position, &change) in changes.iter().enumerate() {
            if position % AT_ONCE == 0 {
                thread::yield_now(); // to the public listener
            }
            if position % READ_AT_ONCE == 0 {
                let next = changes[position..].iter().take(READ_AT_ONCE);
                view.prefetch(&owners.prefetch(next.map(|change| change.level())))?;
            }
            let result = match levels.insert(change.level()) {
                true => self.judge(view, &mut owners, position, change),
                false => Err(twice(change.level())),
            };
            let result = match result {
                Ok(one) => no_circle(view, one, &mut succeeded)?,
                refused => refused,
            };
            match result {
                Ok(one) => judged.push(one),
                Err(error) if is_about_one_change(&error) => refused.push((position, error)),
                Err(error) => return Err(error),
            }
        }
        Ok((judged, refused))
    }

    fn judge<'c>(
        &self,
        view: &View<'_>,
        owners: &mut Owners<'_, '_>,
        position: usize,
        change: &'c RecordChange,
    ) -> Result<Judged<'c>, RegistryError> {
        let level = change.level();
        let (owner_id, owner) = owners.owner(level)?;
        let verb = if self.approves.is_some() { Verb::Approve } else { Verb::Write };
        self.access.permits(verb, level, owner_id)?;
        self.access.check_not_suspended(owner)?;
        let (current, is_damaged) = match view.level(level) {
            Err(error) if error.is_damaged_row() => (None, true),
            current => (current?, false),
        };
        let base = current.as_ref().map(|(_, revision)| *revision);
        let holds = |expected: &Precondition| !is_damaged && expected.holds(base);
        if let Some(expected) = change.precondition().filter(|expected| !holds(expected)) {
            let found = base.filter(|_| self.access.reaches(Verb::Read, level, owner_id));
            return Err(RegistryError::PreconditionFailed { expected, found });
        }
        // A proposal was judged when it was made, and its levels have not changed since.
        if self.approves.is_none()
            && let Some((present, _)) = &current
            && let Some(fault) = running_recalls::silent_end(change, present)
        {
            let warnings = change.warnings().to_vec();
            return Err(RegistryError::Invalid { faults: vec![fault], warnings });
        }
        let action = match (change.entry(), current) {
            // A damaged record can be replaced and deleted.
            (Some(_), None) if is_damaged => Action::Replace,
            (None, None) if is_damaged => Action::Delete,
            (None, None) => return Err(RegistryError::NotFound),
            (None, Some(_)) => Action::Delete,
            (Some(_), None) => Action::Create,
            (Some(entry), Some((present, revision))) if **entry == present => {
                Action::Nothing(revision)
            }
            (Some(_), Some(_)) => Action::Replace,
        };
        if let Some(entry) = change.entry()
            && !self.access.may_use_regulated(owner)
        {
            let faults = regulated_links(entry);
            if !faults.is_empty() {
                let warnings = change.warnings().to_vec();
                return Err(RegistryError::Invalid { faults, warnings });
            }
        }
        if let Some(entry) = change.entry().filter(|_| !matches!(action, Action::Nothing(_))) {
            let faults = target_hosts::faults(entry, owner, self.root);
            if !faults.is_empty() {
                let warnings = change.warnings().to_vec();
                return Err(RegistryError::Invalid { faults, warnings });
            }
        }
        let needs_approval = self.approves.is_none() && self.access.needs_approval(owner);
        Ok(Judged { change, base, owner: owner_id, position, action, needs_approval })
    }

    /// Splits changes into those that need a second person's approval and the rest. If any change
    /// of an atomic set needs approval, all of them wait.
    pub(crate) fn split_waiting<'c>(
        &self,
        judged: Vec<Judged<'c>>,
    ) -> (Vec<Judged<'c>>, Vec<Judged<'c>>) {
        let waits = |one: &Judged<'_>| one.needs_approval && one.changes_something();
        let all_wait = self.mode == BatchMode::Atomic && judged.iter().any(waits);
        judged.into_iter().partition(|one| waits(one) || (all_wait && one.changes_something()))
    }
}

impl Judged<'_> {
    /// Returns whether the level holds nothing yet.
    pub(crate) fn creates(&self) -> bool {
        self.action == Action::Create
    }

    /// Returns whether anything needs to be written.
    fn changes_something(&self) -> bool {
        !matches!(self.action, Action::Nothing(_))
    }

    /// Returns what is to be written, if anything is.
    pub(crate) fn to_write(&self) -> Option<(Anchor, Write)> {
        let write = match self.change.entry() {
            _ if !self.changes_something() => return None,
            Some(entry) => Write::Put(entry.clone()),
            None => Write::Delete,
        };
        Some((self.change.level().clone(), write))
    }

    /// Returns the outcome after the change was written as this revision.
    pub(crate) fn outcome(&self, revision: Revision) -> ChangeOutcome {
        let (status, revision) = match self.action {
            Action::Create => (ChangeStatus::Created, revision),
            Action::Replace => (ChangeStatus::Replaced, revision),
            Action::Delete => (ChangeStatus::Deleted, revision),
            Action::Nothing(revision) => (ChangeStatus::Unchanged, revision),
        };
        ChangeOutcome {
            revision: Some(revision),
            ..ChangeOutcome::new(status, self.change.warnings())
        }
    }
}

/// The levels of changes so far. A bulk load comes in the order of levels, and then no set of them
/// is needed.
#[derive(Default)]
struct Levels<'c> {
    ascending: Vec<&'c Anchor>,
    others: HashSet<&'c Anchor>,
}

impl<'c> Levels<'c> {
    /// Adds a level; returns whether it is new.
    fn insert(&mut self, level: &'c Anchor) -> bool {
        if self.ascending.last().is_none_or(|last| *last < level) {
            self.ascending.push(level);
            return !self.others.contains(level);
        }
        self.ascending.binary_search(&level).is_err() && self.others.insert(level)
    }
}

/// Refuses a record whose successors lead back to it; `succeeded` are those that this request has
/// written so far.
fn no_circle<'c>(
    view: &View<'_>,
    judged: Judged<'c>,
    succeeded: &mut HashMap<&'c Anchor, &'c Entry>,
) -> Result<Result<Judged<'c>, RegistryError>, RegistryError> {
    let change = judged.change;
    let Some(entry) = change.entry().filter(|entry| entry.is_succeeded()) else {
        return Ok(Ok(judged));
    };
    if let Some(fault) = successors::circle(view, entry, |key| succeeded.get(key).copied())? {
        let warnings = change.warnings().to_vec();
        return Ok(Err(RegistryError::Invalid { faults: vec![fault], warnings }));
    }
    succeeded.insert(change.level(), entry);
    Ok(Ok(judged))
}

/// Number of changes checked before other threads get a turn: a tenth of a millisecond.
const AT_ONCE: usize = 32;

/// Number of levels that a database is asked for together: all of a large batch would not fit into
/// the cache of its writer.
pub(crate) const READ_AT_ONCE: usize = 1000;

/// Returns whether an error refuses only one change; any other error ends the operation.
fn is_about_one_change(error: &RegistryError) -> bool {
    matches!(
        error,
        RegistryError::Invalid { .. }
            | RegistryError::Forbidden(Denial::Level | Denial::Operation | Denial::Suspended)
            | RegistryError::NotFound
            | RegistryError::PreconditionFailed { .. }
    )
}

fn twice(level: &Anchor) -> RegistryError {
    let detail = format!("/{level} has a change already: give one change for each level");
    RegistryError::invalid(vec![Fault::new("", "batch", detail)])
}

/// Returns faults for links whose types only some organisations may use (GS1 Web Vocabulary;
/// GS1-Conformant Resolver 1.2.0, section 2.5.2).
fn regulated_links(entry: &Entry) -> Vec<Fault> {
    let is_regulated = |term: &Term| term.class() == TermClass::Regulated;
    let links = entry.links().filter_map(|link| Some((link.index(), link.term()?)));
    links
        .filter(|(_, term)| is_regulated(term))
        .map(|(index, term)| {
            let name = term.name();
            let detail = format!(
                "expected a link type that your organisation may use, found the regulated gs1:{name}: \
                 an administrator of the installation can permit it"
            );
            Fault::new(format!("/links/{index}/linkType"), "RES-2.5.2-2", detail)
        })
        .collect()
}
