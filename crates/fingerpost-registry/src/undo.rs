//! Takes a change set back: each of its levels returns to the state before the set.
//!
//! The changes are those of a batch, so permissions, approval by a second person, rules, history
//! and audit are the same, and the result is a change set that can be taken back itself. A level
//! that was changed after the set is refused, because the later change would be lost.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use fingerpost_resolver::Anchor;
use fingerpost_store::{Revision, View};

use crate::batch::{Refusal, Row};
use crate::change_sets::ChangeSet;
use crate::clock::pruned_through;
use crate::fault::Fault;
use crate::limits::MAX_UNDONE_LEVELS;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{
    BatchMode, BatchReport, Caller, ChangeSetKind, ChangeSetRequest, Conditions, Precondition,
    RecordChange, Registry, RegistryError,
};

/// A level that a set changed.
struct Touched {
    level: Anchor,
    first: Revision,
    last: Revision,
}

impl Registry {
    /// Takes a change set back. The lines of the report are the positions of its levels, from 1.
    ///
    /// With [`BatchMode::Atomic`], all levels return to their state before the set, or none. With
    /// [`BatchMode::Each`], a refused level does not stop the rest.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_registry::{BatchMode, Caller, Conditions, Registry, RegistryOptions};
    /// # use fingerpost_store::Store;
    /// let registry = Registry::new(Arc::new(Store::in_memory()), RegistryOptions::new());
    /// let caller = Caller::local("example");
    /// let rows = br#"{"anchor": "/01/09506000134352", "links": [{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"}, {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    /// let report = registry.batch(&caller, &rows[..], BatchMode::Atomic, Conditions::none())?;
    /// let set = report.change_set.expect("something was written");
    /// let report = registry.undo(&caller, set, BatchMode::Atomic, Conditions::none())?;
    /// assert_eq!(report.deleted, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Fails as [`Registry::batch`] and [`Registry::change_set`] do, and with
    /// [`RegistryError::TooLarge`] for a set with too many levels.
    pub fn undo(
        &self,
        caller: &Caller,
        id: Revision,
        mode: BatchMode,
        conditions: Conditions,
    ) -> Result<BatchReport, RegistryError> {
        self.require_write(caller, None)?;
        let (kind, levels) = self.view_as(caller, |view, access| {
            let set = ChangeSet::find(view, access, caller, id)?;
            Ok((set.kind, touched(view, &set)?))
        })?;
        let ends_recall = matches!(kind, ChangeSetKind::Recall | ChangeSetKind::Undo);
        let rows = (1..).zip(levels).map(|(line, touched)| {
            self.view_as(caller, |view, access| {
                let change = match self.back(view, access, &touched) {
                    Ok(change) if ends_recall => Ok(change.ending_recall()),
                    Ok(change) => Ok(change),
                    Err(error @ RegistryError::Store(_)) => return Err(error),
                    Err(error) => Err(Refusal::from(error)),
                };
                Ok(Row { line, key: Some(touched.level.clone()), change })
            })
        });
        let set =
            ChangeSetRequest { undoes: Some(id), ..ChangeSetRequest::new(ChangeSetKind::Undo) };
        self.batch_of(caller, rows, mode, &Conditions { set: Some(set), ..conditions })
    }

    /// Returns the change of a level to its state before the set.
    fn back(
        &self,
        view: &View<'_>,
        access: &Access,
        Touched { level, first, last }: &Touched,
    ) -> Result<RecordChange, RegistryError> {
        access.on_level(view, Verb::Write, level)?;
        let newest = view.revisions(level, None, 1)?.first().map(|(revision, _)| *revision);
        let now = view.level(level)?.map(|(_, revision)| revision);
        if newest != Some(*last) {
            let expected = Precondition::Revision(*last);
            return Err(RegistryError::PreconditionFailed { expected, found: now });
        }
        if *first <= pruned_through(view)? {
            let detail =
                format!("the state of /{level} before the change is no longer in the history");
            return Err(RegistryError::invalid(vec![Fault::new("", "history", detail)]));
        }
        let before = Revision::new(first.number().saturating_sub(1));
        let state = view.state_at(level, before)?;
        let change =
            self.inner.change_back(level, state.as_ref().and_then(|state| state.entry()))?;
        Ok(change.only_if(Some(now.map_or(Precondition::None, Precondition::Revision))))
    }
}

/// Returns the levels of a set in an order in which they can be taken back part by part: products
/// before what is below them are registered, and deleted after it.
fn touched(view: &View<'_>, set: &ChangeSet) -> Result<Vec<Touched>, RegistryError> {
    let mut found = BTreeMap::<String, (Revision, Revision)>::new();
    for (first, last) in &set.revisions {
        let from = Bound::Included((Revision::new(*first), ""));
        view.visit_changes(from, |revision, level, _| -> Result<_, RegistryError> {
            if revision.number() > *last {
                return Ok(ControlFlow::Break(()));
            }
            if found.len() == MAX_UNDONE_LEVELS && !found.contains_key(level) {
                let limit = MAX_UNDONE_LEVELS as u64;
                return Err(RegistryError::TooLarge { what: "records to take back", limit });
            }
            found.entry(level.to_owned()).or_insert((revision, revision)).1 = revision;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    let (mut registered, mut deleted) = (Vec::new(), Vec::new());
    for (text, (first, last)) in found {
        let Some(level) = Anchor::from_canonical(&text) else { continue };
        if level.is_of_registry() {
            continue; // no record
        }
        let before = Revision::new(first.number().saturating_sub(1));
        let was_there = view.state_at(&level, before)?.is_some_and(|state| state.entry().is_some());
        let touched = Touched { level, first, last };
        if was_there { &mut registered } else { &mut deleted }.push(touched);
    }
    registered.extend(deleted.into_iter().rev());
    Ok(registered)
}
