//! Applies changes: the single implementation for every kind of write.
//!
//! Changes of different levels are first checked one by one against the stored data (permissions,
//! precondition, regulated link types), and then together (approval, the rule across levels,
//! quotas). They are written as one revision for each organisation that owns any of them, all in
//! the caller's transaction:
//!
//! - A level that already holds exactly the record keeps its revision: no history, no audit record.
//! - A change that needs a second person's approval becomes a proposal.
//! - [`BatchMode::Atomic`]: all are written, or all proposed, or none. [`BatchMode::Each`]: a
//!   refused change does not stop the rest.
//!
//! A dry run does the same in a transaction that is rolled back.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fingerpost_resolver::{Anchor, write_record};
use fingerpost_store::{Prefetch, Revision, StoreError, Transaction, View};
use serde_json::json;
use serde_json::value::RawValue;

use crate::change::RecordChange;
use crate::documents::{Document, Quantity};
use crate::events::concerning;
use crate::judge::{BatchMode, Judged, READ_AT_ONCE, WriteRequest};
use crate::limits::{MAX_PROPOSAL_BYTES, MAX_PROPOSAL_CHANGES};
use crate::quotas::allow_one_more;
use crate::registry::Inner;
use crate::rights::Access;
use crate::webhooks::{Concerned, raise};
use crate::{
    Author, Caller, ChangeOutcome, ChangeSetRequest, ChangeStatus, EventKind, Id, Proposal,
    ProposalState, ProposedChange, Registry, RegistryError, Verb, change_sets,
};

mod write;

/// The outcomes of changes that were applied together.
#[derive(Debug, Default)]
pub struct Applied {
    /// The last written revision, if anything was written.
    pub revision: Option<Revision>,
    /// The proposal of the changes that need approval.
    pub proposal: Option<Id>,
    /// The change set that the written changes belong to, if one was requested.
    pub change_set: Option<Revision>,
    /// The outcome of each change with its index, in order. For a refused atomic set, only the
    /// changes at fault.
    pub outcomes: Vec<(usize, Result<ChangeOutcome, RegistryError>)>,
}

impl Registry {
    /// Applies changes of different levels in one transaction, as one revision. A refused change
    /// does not stop the rest.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_registry::{Caller, RecordChange, ChangeStatus, Registry, RegistryOptions};
    /// # use fingerpost_resolver::read_record;
    /// # use fingerpost_store::{Store, StoreOptions};
    /// # let dir = tempfile::tempdir()?;
    /// # let store = Arc::new(Store::open(dir.path(), StoreOptions::default())?);
    /// let registry = Registry::new(store, RegistryOptions::new());
    /// let record = br#"{"anchor": "/01/09506000134352", "links": [
    ///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
    ///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    /// let changes = [RecordChange::put(read_record(record, &registry.rules())?)];
    /// let caller = Caller::local("example");
    /// let first = registry.apply(&caller, &changes)?;
    /// let status = |applied: &fingerpost_registry::Applied| Some(applied.outcomes[0].1.as_ref().ok()?.status);
    /// assert_eq!(status(&first), Some(ChangeStatus::Created));
    /// let second = registry.apply(&caller, &changes)?;
    /// assert_eq!(status(&second), Some(ChangeStatus::Unchanged));
    /// assert_eq!(second.revision, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Fails with [`RegistryError::Unauthenticated`], [`RegistryError::TooLarge`] for too many
    /// changes that need approval, or an error of the store.
    pub fn apply(
        &self,
        caller: &Caller,
        changes: &[RecordChange],
    ) -> Result<Applied, RegistryError> {
        self.apply_in(caller, changes, None)
    }

    /// Applies changes as [`Registry::apply`] does, as a part of a change set.
    ///
    /// Fails with [`RegistryError::NotFound`] for a set of another caller, and as
    /// [`Registry::apply`] does.
    pub fn apply_in(
        &self,
        caller: &Caller,
        changes: &[RecordChange],
        set: Option<ChangeSetRequest>,
    ) -> Result<Applied, RegistryError> {
        self.inner.store.transact_alone(|tx| {
            let access = &Access::of(tx, caller, self.inner.now())?;
            let request = WriteRequest {
                caller,
                access,
                mode: BatchMode::Each,
                approves: None,
                set,
                root: self.inner.options.root.as_ref(),
            };
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
        changes: impl IntoIterator<Item = &'c RecordChange>,
    ) -> Result<Applied, RegistryError> {
        let changes: Vec<&RecordChange> = changes.into_iter().collect();
        let (changes, mut refused) = self.with_rests(tx, request, &changes)?;
        let (judged, others) = request.judge_all(tx, changes.iter().map(Cow::as_ref))?;
        refused.retain(|(position, _)| judged.iter().any(|one| one.position == *position));
        let judged = without(judged, &refused);
        let outcomes = others.into_iter().chain(refused);
        let outcomes = outcomes.map(|(position, error)| (position, Err(error)));
        let mut applied = Applied { outcomes: outcomes.collect(), ..Applied::default() };
        if request.mode == BatchMode::Atomic && !applied.outcomes.is_empty() {
            return Ok(applied);
        }
        let (waiting, judged) = request.split_waiting(judged);
        let owners = judged.iter().map(|one| one.owner).collect();
        let set = change_sets::begin(tx, request, owners)?;
        write::write(self, tx, request, set.as_ref().map(|set| set.id), judged, &mut applied)?;
        if let Some(set) = set {
            applied.change_set = set.finish(self, tx, request.caller, &applied.outcomes)?;
        }
        let is_refused = applied.outcomes.iter().any(|(_, outcome)| outcome.is_err());
        let may_propose = request.mode == BatchMode::Each || !is_refused;
        if !waiting.is_empty() && may_propose {
            let id = propose(tx, self, request, &waiting)?;
            applied.proposal = Some(id);
            applied.outcomes.extend(waiting.iter().map(|one| {
                let outcome = ChangeOutcome::new(ChangeStatus::Proposed, one.change.warnings());
                (one.position, Ok(ChangeOutcome { proposal: Some(id), ..outcome }))
            }));
        }
        if request.mode == BatchMode::Atomic && applied.outcomes.iter().any(|(_, one)| one.is_err())
        {
            // The caller rolls back what was written.
            applied.revision = None;
            applied.change_set = None;
            applied.outcomes.retain(|(_, one)| one.is_err());
        }
        applied.outcomes.sort_by_key(|(position, _)| *position);
        Ok(applied)
    }
}

impl Inner {
    /// Adds to changes what they keep of the current records; returns the faults of those whose
    /// record breaks rules then.
    fn with_rests<'c>(
        &self,
        view: &View<'_>,
        request: &WriteRequest<'_>,
        changes: &[&'c RecordChange],
    ) -> Result<(Vec<Cow<'c, RecordChange>>, Refused), RegistryError> {
        let mut refused = Vec::new();
        let mut complete = Vec::with_capacity(changes.len());
        for (position, &change) in changes.iter().enumerate() {
            if position % READ_AT_ONCE == 0 {
                let next = changes[position..].iter().take(READ_AT_ONCE);
                let next = next.filter(|change| change.keeps_rest());
                let rows = next.fold(Prefetch::default(), |rows, one| rows.level(one.level()));
                view.prefetch(&rows)?;
            }
            let mut made = Cow::Borrowed(change);
            // Who may not write there learns nothing about the record.
            if change.keeps_rest()
                && request.access.on_level(view, Verb::Write, change.level()).is_ok()
                && let Some((current, _)) = view.level(change.level())?
            {
                match change.over(&current, &self.rules()) {
                    Ok(change) => made = Cow::Owned(change),
                    Err(error) => refused.push((position, error.into())),
                }
            }
            complete.push(made);
        }
        Ok((complete, refused))
    }
}

/// Refused changes, each with its position.
type Refused = Vec<(usize, RegistryError)>;

fn without<'c>(mut judged: Vec<Judged<'c>>, refused: &Refused) -> Vec<Judged<'c>> {
    if !refused.is_empty() {
        judged.retain(|one| refused.iter().all(|(position, _)| *position != one.position));
    }
    judged
}

/// Stores changes as a proposal for another person's approval.
fn propose(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    request: &WriteRequest<'_>,
    changes: &[Judged<'_>],
) -> Result<Id, RegistryError> {
    if changes.len() > MAX_PROPOSAL_CHANGES {
        return Err(RegistryError::TooLarge {
            what: "changes that wait for approval together",
            limit: MAX_PROPOSAL_CHANGES as u64,
        });
    }
    let organisations: BTreeSet<Id> = changes.iter().filter_map(|change| change.owner).collect();
    let organisations: Vec<Id> = organisations.into_iter().collect();
    for id in &organisations {
        allow_one_more(inner, tx, id, Quantity::Proposals)?;
    }
    let id = Id::random();
    let mut kept = Vec::with_capacity(changes.len());
    let mut bytes = 0;
    for Judged { change, base, .. } in changes {
        let record = change.entry().map(|entry| RawValue::from_string(write_record(entry)));
        bytes += record.iter().flatten().map(|record| record.get().len()).sum::<usize>();
        if bytes > MAX_PROPOSAL_BYTES {
            return Err(RegistryError::TooLarge {
                what: "bytes of records that wait for approval together",
                limit: MAX_PROPOSAL_BYTES as u64,
            });
        }
        let record = record.transpose().map_err(|_| RegistryError::Damaged {
            collection: Proposal::COLLECTION,
            id: id.to_string(),
        })?;
        kept.push(ProposedChange { key: change.level().clone(), base: *base, record });
    }
    let proposal = Proposal {
        id,
        by: Author { actor: request.caller.actor.to_string(), name: None },
        person: request.access.person.clone(),
        principals: request.access.principals.clone(),
        at: inner.now(),
        state: ProposalState::Open,
        kind: request.set.map(|set| set.kind),
        decided_by: None,
        decided_at: None,
        reason: None,
        organisations,
        unowned: changes.iter().any(|change| change.owner.is_none()),
        keys: Vec::new(),
        item: None,
        changes: kept,
    };
    proposal.store(tx)?;
    // A record for each organisation, which tells its administrators about their levels and no
    // others.
    for owner in changes.iter().map(|change| change.owner).collect::<BTreeSet<_>>() {
        let event = inner.event("proposal.created", request.caller).subject(id.as_str());
        let own = changes.iter().filter(|change| change.owner == owner).count();
        tx.record(concerning(event.detail("levels", own), owner))?;
    }
    let keys: Vec<&Anchor> = changes.iter().map(|change| change.change.level()).collect();
    let concerned = Concerned::Owners(&keys);
    raise(tx, inner, EventKind::ProposalWaiting, id.as_str(), &concerned, |own| {
        let keys: Vec<String> = own.iter().map(|key| format!("/{}", key.as_str())).collect();
        json!({ "proposal": format!("/v1/proposals/{id}"), "keys": keys })
    })?;
    Ok(id)
}

impl Applied {
    /// Returns the outcome of the only change.
    pub(crate) fn only(self) -> Result<ChangeOutcome, RegistryError> {
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
