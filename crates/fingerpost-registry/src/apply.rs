//! Applies changes: the single implementation for every kind of write.
//!
//! Changes of different levels are first checked one by one against the stored data (permissions, precondition, regulated link
//! types), and then together (approval, the rule across levels). They are written as one revision, all in the caller's
//! transaction:
//!
//! - A level that already holds exactly the record keeps its revision: no history, no audit record.
//! - A change that needs a second person's approval becomes a proposal.
//! - [`Mode::Atomic`]: all are written, or all proposed, or none. [`Mode::Each`]: a refused change does not stop the rest.
//!
//! A dry run does the same in a transaction that is rolled back.

use std::collections::HashMap;

use fingerpost_resolver::write_record;
use fingerpost_store::{
    Batch, MissingDefault, MissingDefaultCause, Revision, StoreError, Transaction,
};
use serde_json::value::RawValue;

use crate::change::Change;
use crate::documents::{Document, save};
use crate::events::concerning;
use crate::fault::Fault;
use crate::judge::{Judged, Mode, WriteRequest};
use crate::registry::Inner;
use crate::rights::Access;
use crate::{
    Caller, Id, Outcome, Proposal, ProposalState, ProposedChange, Registry, RegistryError,
};

/// The outcomes of changes that were applied together.
#[derive(Debug, Default)]
pub struct Applied {
    /// The written revision, if anything was written.
    pub revision: Option<Revision>,
    /// The proposal of the changes that need approval.
    pub proposal: Option<Id>,
    /// The outcome of each change with its index, in order. For a refused atomic set, only the changes at fault.
    pub outcomes: Vec<(usize, Result<Outcome, RegistryError>)>,
}

impl Registry {
    /// Applies changes of different levels in one transaction, as one revision. A refused change does not stop the rest.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_registry::{Caller, Change, Outcome, Registry, RegistryOptions};
    /// # use fingerpost_resolver::read_record;
    /// # use fingerpost_store::{Store, StoreOptions};
    /// # let dir = tempfile::tempdir()?;
    /// # let store = Arc::new(Store::open(dir.path(), StoreOptions::default())?);
    /// let registry = Registry::new(store, RegistryOptions::new());
    /// let record = br#"{"anchor": "/01/09506000134352", "links": [
    ///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
    ///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    /// let changes = [Change::put(read_record(record, &registry.rules())?)];
    /// let caller = Caller::local("example");
    /// let first = registry.apply(&caller, &changes)?;
    /// assert!(matches!(first.outcomes[0], (0, Ok(Outcome::Written { created: true, .. }))));
    /// let second = registry.apply(&caller, &changes)?;
    /// assert!(matches!(second.outcomes[0], (0, Ok(Outcome::Unchanged { .. }))));
    /// assert_eq!(second.revision, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], [`RegistryError::TooLarge`] for too many changes that need approval, or an error of
    /// the store.
    pub fn apply(&self, caller: &Caller, changes: &[Change]) -> Result<Applied, RegistryError> {
        self.inner.store.transact_alone(|tx| {
            let access = &Access::of(tx, caller, self.inner.now())?;
            let request = WriteRequest { caller, access, mode: Mode::Each, approves: None };
            self.inner.apply(tx, &request, changes)
        })
    }
}

impl Inner {
    /// Applies changes of different levels.
    pub(crate) fn apply<'c>(
        &self,
        tx: &mut Transaction<'_>,
        request: &WriteRequest<'_>,
        changes: impl IntoIterator<Item = &'c Change>,
    ) -> Result<Applied, RegistryError> {
        let (judged, refused) = request.judge_all(tx, changes)?;
        let outcomes = refused.into_iter().map(|(place, error)| (place, Err(error)));
        let mut applied = Applied { outcomes: outcomes.collect(), ..Applied::default() };
        if request.mode == Mode::Atomic && !applied.outcomes.is_empty() {
            return Ok(applied);
        }
        let (waiting, judged) = request.split_waiting(judged);
        self.write(tx, request, judged, &mut applied)?;
        let is_refused = applied.outcomes.iter().any(|(_, outcome)| outcome.is_err());
        let may_propose = request.mode == Mode::Each || !is_refused;
        if !waiting.is_empty() && may_propose {
            let id = propose(tx, self, request, &waiting)?;
            applied.proposal = Some(id);
            applied.outcomes.extend(waiting.iter().map(|one| {
                let warnings = one.change.warnings().to_vec();
                (one.place, Ok(Outcome::Proposed { id, warnings }))
            }));
        }
        applied.outcomes.sort_by_key(|(place, _)| *place);
        Ok(applied)
    }

    /// Writes the changes that satisfy the rule across levels; for an atomic set, all or nothing.
    fn write(
        &self,
        tx: &mut Transaction<'_>,
        request: &WriteRequest<'_>,
        mut judged: Vec<Judged<'_>>,
        applied: &mut Applied,
    ) -> Result<(), RegistryError> {
        let mut batch = Batch::new();
        judged.iter().for_each(|one| one.add_to(&mut batch));
        let event = self.event_of_changes(request, &judged, &batch);
        let revision = loop {
            match tx.write(&batch, event.clone()) {
                Ok(revision) => break revision,
                Err(StoreError::MissingDefault { levels }) => {
                    // Qualified levels may lack only a refused key level, so they are checked again without it.
                    let has_key_level = levels.iter().any(|missing| missing.level().is_key_level());
                    let is_first = |missing: &&MissingDefault| {
                        request.mode == Mode::Atomic
                            || missing.level().is_key_level() == has_key_level
                    };
                    let missing: HashMap<_, _> = levels
                        .iter()
                        .filter(is_first)
                        .map(|missing| (missing.level(), missing))
                        .collect();
                    for one in judged.extract_if(.., |one| missing.contains_key(one.change.level()))
                    {
                        batch.withdraw(one.change.level());
                        let fault = missing_default(missing[one.change.level()]);
                        let error = RegistryError::MissingDefault(vec![fault]);
                        applied.outcomes.push((one.place, Err(error)));
                    }
                    if request.mode == Mode::Atomic {
                        return Ok(());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        applied.revision = Some(revision).filter(|_| !batch.is_empty());
        applied.outcomes.extend(judged.iter().map(|one| (one.place, Ok(one.outcome(revision)))));
        Ok(())
    }

    /// Returns the audit event of these changes.
    fn event_of_changes(
        &self,
        request: &WriteRequest<'_>,
        judged: &[Judged<'_>],
        batch: &Batch,
    ) -> fingerpost_store::Event {
        let mut event = self.event("links.write", request.caller);
        if batch.len() == 1 {
            event = batch.changes().fold(event, |event, (level, _)| event.subject(level.as_str()));
        }
        if let Some(proposal) = request.approves {
            event = event
                .detail("proposal", proposal.id.as_str())
                .detail("proposedBy", proposal.by.to_string());
        }
        concerning(event, judged.iter().filter_map(|one| one.owner))
    }
}

/// Stores changes as a proposal for another person's approval.
fn propose(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    request: &WriteRequest<'_>,
    changes: &[Judged<'_>],
) -> Result<Id, RegistryError> {
    if changes.len() > MAX_CHANGES {
        return Err(RegistryError::TooLarge {
            what: "changes that wait for approval together",
            limit: MAX_CHANGES as u64,
        });
    }
    let id = Id::random();
    let mut kept = Vec::with_capacity(changes.len());
    for Judged { change, base, .. } in changes {
        let record = change.entry().map(|entry| RawValue::from_string(write_record(entry)));
        let record = record.transpose().map_err(|_| RegistryError::Damaged {
            collection: Proposal::COLLECTION,
            id: id.to_string(),
        })?;
        kept.push(ProposedChange { key: change.level().clone(), base: *base, record });
    }
    let proposal = Proposal {
        id,
        by: request.caller.actor.clone(),
        person: request.access.person.clone(),
        at: inner.now(),
        state: ProposalState::Open,
        by_name: None,
        decided_by: None,
        decided_by_name: None,
        decided_at: None,
        reason: None,
        changes: kept,
    };
    save(tx, id.as_str(), &proposal)?;
    let event = inner.event("proposal.created", request.caller).subject(id.as_str());
    let event = event.detail("levels", proposal.changes.len());
    tx.record(concerning(event, changes.iter().filter_map(|change| change.owner)))?;
    Ok(id)
}

impl Applied {
    /// Returns the outcome of the only change.
    pub(crate) fn only(self) -> Result<Outcome, RegistryError> {
        let only = self.outcomes.into_iter().next();
        only.map(|(_, outcome)| outcome).expect("a change has an outcome")
    }
}

/// Why a transaction is rolled back.
pub(crate) enum Ended<T> {
    Refused(RegistryError),
    /// A dry run has finished.
    Checked(T),
}

impl<T> Ended<T> {
    pub(crate) fn result(result: Result<T, Ended<T>>) -> Result<T, RegistryError> {
        match result {
            Ok(done) | Err(Ended::Checked(done)) => Ok(done),
            Err(Ended::Refused(error)) => Err(error),
        }
    }
}

impl<T> From<RegistryError> for Ended<T> {
    fn from(error: RegistryError) -> Self {
        Ended::Refused(error)
    }
}

impl<T> From<StoreError> for Ended<T> {
    fn from(error: StoreError) -> Self {
        Ended::Refused(error.into())
    }
}

/// Returns the fault of a change that would leave a level without a default link.
fn missing_default(missing: &MissingDefault) -> Fault {
    let level = missing.level();
    let key_level = level.key_level();
    let detail = match missing.cause() {
        MissingDefaultCause::KeyLevelUnregistered => format!(
            "expected a default link at /{key_level}, above this level, found nothing registered there: \
             register /{key_level} with a gs1:defaultLink first, or in the same batch"
        ),
        MissingDefaultCause::KeyLevelWithoutDefault if level.is_key_level() => format!(
            "expected a gs1:defaultLink without a validity window, found none: add one to /{key_level}"
        ),
        MissingDefaultCause::KeyLevelWithoutDefault => format!(
            "expected a default link at /{key_level}, above this level, found none that always stands: \
             add a gs1:defaultLink without a validity window there first, or in the same batch"
        ),
        MissingDefaultCause::QualifiedLevelsRemain { first } => format!(
            "expected no levels below /{key_level}, found {}: delete them first, or in the same batch",
            first.iter().map(|level| format!("/{level}")).collect::<Vec<_>>().join(", ")
        ),
        _ => missing.to_string(),
    };
    Fault::new("", "RES-2.5.9-1", detail)
}

/// Maximum number of changes in one proposal: as many as a person can review.
const MAX_CHANGES: usize = 1_000;
