//! Approval: changes that wait for a second person.

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Refused, write_record};
use fingerpost_store::{Revision, Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::apply::{Judged, Request};
use crate::change::Change;
use crate::documents::{Document, load, load_page, save};
use crate::events::concerning;
use crate::fault::{Fault, faults};
use crate::registry::Inner;
use crate::rights::Access;
use crate::roles::Verb;
use crate::stored::{StoredKey, StoredUser};
use crate::{
    Actor, Caller, Denial, Id, Mode, Outcome, Page, Precondition, Registry, RegistryError, outcome,
    ownership,
};

/// Changes that somebody asked for and somebody else releases, all together.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// The id.
    pub id: Id,
    /// Who asked.
    pub by: Actor,
    /// The person behind them.
    pub person: Actor,
    /// When.
    pub at: Timestamp,
    /// How it stands.
    pub state: ProposalState,
    /// How people call who asked, unless that was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_name: Option<String>,
    /// Who released or rejected it.
    pub decided_by: Option<Actor>,
    /// How people call them, unless that was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by_name: Option<String>,
    /// When.
    pub decided_at: Option<Timestamp>,
    /// Why it was rejected.
    pub reason: Option<String>,
    /// The changes.
    pub changes: Vec<ProposedChange>,
}

/// The state of a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ProposalState {
    /// It waits for a decision.
    Open,
    /// It was approved and written.
    Approved,
    /// It was rejected, or withdrawn.
    Rejected,
}

/// One level that is to change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProposedChange {
    /// The level.
    #[serde(with = "crate::key_levels::one")]
    pub key: EntityKey,
    /// The revision that it had; the proposal fits only that.
    #[serde(with = "outcome::optional_revision")]
    pub base: Option<Revision>,
    /// The record that it is to hold; `None`: it is to be deleted.
    pub record: Option<Box<RawValue>>,
}

impl Document for Proposal {
    const COLLECTION: &'static str = "proposals";
}

/// Keeps changes for somebody else to approve.
pub(crate) fn propose(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    request: &Request<'_>,
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

impl Registry {
    /// Proposals whose levels the caller may all read, newest last.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], or the store's.
    pub fn proposals(
        &self,
        caller: &Caller,
        state: Option<ProposalState>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Proposal>, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            crate::pages::page(
                after,
                limit,
                |after, limit| load_page::<Proposal>(view, after, limit),
                |proposal: Proposal| {
                    let is_wanted = state.is_none_or(|state| proposal.state == state);
                    if is_wanted && proposal.is_visible(view, &access)? {
                        proposal.with_names(view).map(Some)
                    } else {
                        Ok(None)
                    }
                },
            )
        })
    }

    /// A proposal.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NotFound`] if there is none, or the caller may not read all its levels.
    pub fn proposal(&self, caller: &Caller, id: &Id) -> Result<Proposal, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            Proposal::find(view, &access, id)?.with_names(view)
        })
    }

    /// Releases a proposal: checks everything again, as it is now, and writes all its changes.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Conflict`] if one of its levels was changed meanwhile, or it was decided; it stays open in the first
    /// case. [`RegistryError::Forbidden`] for the person who proposed it, or one who may not release. What rules of today
    /// refuse.
    pub fn approve(&self, caller: &Caller, id: &Id) -> Result<Revision, RegistryError> {
        let inner = self.inner.clone();
        let caller = caller.clone();
        let id = *id;
        self.inner.store.transact(move |tx| {
            let now = inner.now();
            let access = Access::of(tx, &caller, now)?;
            let mut proposal = Proposal::find(tx, &access, &id)?;
            for change in &proposal.changes {
                access.on_level(tx, Verb::Approve, &change.key)?;
            }
            if access.person == proposal.person || caller.actor == proposal.by {
                return Err(Denial::SamePerson.into());
            }
            proposal.must_be_open()?;
            let changes = proposal.to_changes(&inner)?;
            let (mode, approves) = (Mode::Atomic, Some(&proposal));
            let request = Request { caller: &caller, access: &access, mode, approves };
            let applied = inner.apply(tx, &request, &changes)?;
            let revision = applied.revision.map_or_else(|| tx.revision(), Ok)?;
            refused(applied.outcomes)?;
            proposal.decide(&caller, ProposalState::Approved, now);
            save(tx, id.as_str(), &proposal)?;
            Ok(revision)
        })
    }

    /// Rejects a proposal, or takes one's own back. Its changes are never written.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NotFound`], [`RegistryError::Forbidden`], or [`RegistryError::Conflict`] if it was decided.
    pub fn reject(
        &self,
        caller: &Caller,
        id: &Id,
        reason: Option<&str>,
    ) -> Result<Proposal, RegistryError> {
        let inner = self.inner.clone();
        let caller = caller.clone();
        let id = *id;
        let reason =
            reason.map(|reason| reason[..reason.floor_char_boundary(MAX_REASON_BYTES)].to_owned());
        self.inner.store.transact(move |tx| {
            let now = inner.now();
            let access = Access::of(tx, &caller, now)?;
            let mut proposal = Proposal::find(tx, &access, &id)?;
            let mut owners = Vec::new();
            for change in &proposal.changes {
                let owner = ownership::owner(tx, &change.key)?;
                owners.extend(owner);
                // Taking back takes what proposing took.
                let is_own = access.person == proposal.person;
                let verb = if is_own { Verb::Write } else { Verb::Approve };
                if !access.reaches(verb, &change.key, owner) {
                    return Err(Denial::Operation.into());
                }
            }
            proposal.must_be_open()?;
            proposal.decide(&caller, ProposalState::Rejected, now);
            proposal.reason = reason.clone();
            save(tx, id.as_str(), &proposal)?;
            let event = inner.event("proposal.rejected", &caller).subject(id.as_str());
            tx.record(concerning(event, owners))?;
            proposal.with_names(tx)
        })
    }
}

/// The faults for which a proposal cannot be approved, if there are any: levels that were changed first, then rules.
fn refused(outcomes: Vec<(usize, Result<Outcome, RegistryError>)>) -> Result<(), RegistryError> {
    let (mut conflicts, mut invalid, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for (index, outcome) in outcomes {
        let pointer = format!("/changes/{index}");
        match outcome {
            Ok(_) => {}
            Err(error @ RegistryError::PreconditionFailed { .. }) => {
                conflicts.push(Fault::new(pointer, "conflict", error.to_string()));
            }
            Err(RegistryError::Invalid { faults, .. }) => {
                invalid.extend(within(&format!("{pointer}/record"), faults));
            }
            Err(RegistryError::MissingDefault(faults)) => {
                missing.extend(within(&pointer, faults));
            }
            Err(error) => return Err(error),
        }
    }
    match () {
        () if !conflicts.is_empty() => Err(RegistryError::Conflict(conflicts)),
        () if !invalid.is_empty() => Err(RegistryError::invalid(invalid)),
        () if !missing.is_empty() => Err(RegistryError::MissingDefault(missing)),
        () => Ok(()),
    }
}

fn within(pointer: &str, faults: Vec<Fault>) -> impl Iterator<Item = Fault> {
    faults.into_iter().map(move |fault| fault.within(pointer))
}

impl ProposedChange {
    fn to_change(&self, inner: &Inner) -> Result<Change, Refused> {
        let precondition = self.base.map_or(Precondition::None, Precondition::Revision);
        let change = match self.record.as_deref().map(RawValue::get) {
            Some(record) => inner.read_change(Some(&self.key), record.as_bytes())?,
            None => Change::delete(self.key.clone()),
        };
        Ok(change.only_if(Some(precondition)))
    }
}

impl Proposal {
    fn find(view: &View<'_>, access: &Access, id: &Id) -> Result<Proposal, RegistryError> {
        let proposal: Proposal = load(view, id.as_str())?.ok_or(RegistryError::NotFound)?;
        if proposal.is_visible(view, access)? { Ok(proposal) } else { Err(RegistryError::NotFound) }
    }

    fn is_visible(&self, view: &View<'_>, access: &Access) -> Result<bool, RegistryError> {
        for change in &self.changes {
            let owner = ownership::owner(view, &change.key)?;
            if !access.reaches(Verb::Read, &change.key, owner) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Names are looked up when they are shown, so that none outlives its person.
    fn with_names(mut self, view: &View<'_>) -> Result<Proposal, RegistryError> {
        self.by_name = name_of(view, &self.by)?;
        if let Some(decided_by) = &self.decided_by {
            self.decided_by_name = name_of(view, decided_by)?;
        }
        Ok(self)
    }

    /// The changes, with their records read by the current rules.
    fn to_changes(&self, inner: &Inner) -> Result<Vec<Change>, RegistryError> {
        let (mut changes, mut invalid) = (Vec::new(), Vec::new());
        for (index, change) in self.changes.iter().enumerate() {
            match change.to_change(inner) {
                Ok(change) => changes.push(change),
                Err(refused) => {
                    let pointer = format!("/changes/{index}/record");
                    invalid.extend(within(&pointer, faults(&refused.faults)));
                }
            }
        }
        if invalid.is_empty() { Ok(changes) } else { Err(RegistryError::invalid(invalid)) }
    }

    fn must_be_open(&self) -> Result<(), RegistryError> {
        if self.state == ProposalState::Open {
            return Ok(());
        }
        let detail = "expected a proposal that waits, found one that was decided";
        Err(RegistryError::Conflict(vec![Fault::new("", "decided", detail)]))
    }

    fn decide(&mut self, caller: &Caller, state: ProposalState, now: Timestamp) {
        self.state = state;
        self.decided_by = Some(caller.actor.clone());
        self.decided_at = Some(now);
    }
}

fn name_of(view: &View<'_>, actor: &Actor) -> Result<Option<String>, RegistryError> {
    Ok(match actor {
        Actor::User(id) => load::<StoredUser>(view, id.as_str())?.map(|stored| stored.user.name),
        Actor::Key(id) => load::<StoredKey>(view, id.as_str())?.map(|stored| stored.key.label),
        Actor::Local(_) => None,
    })
}

/// Changes of one proposal: as many as a person can look through.
const MAX_CHANGES: usize = 1_000;

/// Bytes kept of the reason of a rejection.
const MAX_REASON_BYTES: usize = 1_000;
