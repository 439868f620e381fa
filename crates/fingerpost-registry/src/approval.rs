//! Approval: lists proposals, and lets a second person decide them.

use std::collections::BTreeSet;

use fingerpost_store::{Revision, View};

use crate::events::concerning;
use crate::fault::{Fault, within};
use crate::judge::{Mode, WriteRequest};
use crate::rights::Access;
use crate::roles::Verb;
use crate::{
    Caller, Denial, Id, Outcome, Page, Proposal, ProposalFilter, ProposalState, Registry,
    RegistryError, ownership,
};

impl Registry {
    /// Returns proposals of which the caller can read all levels, newest last, without their changes.
    pub fn proposals(
        &self,
        caller: &Caller,
        filter: &ProposalFilter,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Proposal>, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            crate::pages::page(
                after,
                limit,
                |after, limit| Proposal::some(view, &access, after, limit),
                |proposal: Proposal| {
                    if filter.wants(&proposal) && proposal.is_listed(view, &access)? {
                        proposal.without_changes().with_names(view).map(Some)
                    } else {
                        Ok(None)
                    }
                },
            )
        })
    }

    /// Returns a proposal.
    pub fn proposal(&self, caller: &Caller, id: &Id) -> Result<Proposal, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            Proposal::find(view, &access, id)?.with_names(view)
        })
    }

    /// Approves a proposal: checks everything again against current data, and writes all its changes.
    ///
    /// Fails with [`RegistryError::Conflict`] if one of its levels was changed meanwhile, or if it was already decided; in the first case
    /// it stays open. [`RegistryError::Forbidden`] for the user who proposed it, or for callers without permission to approve.
    /// The errors of changes that the current rules refuse.
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
            if access.person == proposal.person || caller.actor.to_string() == proposal.by.actor {
                return Err(Denial::SamePerson.into());
            }
            if !access.principals.are_independent_of(&proposal.principals) {
                return Err(Denial::Dependent.into());
            }
            proposal.must_be_open()?;
            let changes = proposal.to_changes(&inner)?;
            let (mode, approves) = (Mode::Atomic, Some(&proposal));
            let request = WriteRequest { caller: &caller, access: &access, mode, approves };
            let applied = inner.apply(tx, &request, &changes)?;
            let revision = applied.revision.map_or_else(|| tx.revision(), Ok)?;
            refused(applied.outcomes)?;
            proposal.decide(&caller, ProposalState::Approved, now);
            proposal.store(tx)?;
            Ok(revision)
        })
    }

    /// Rejects a proposal, or withdraws the caller's own. Its changes are never written.
    ///
    /// Fails with [`RegistryError::NotFound`], [`RegistryError::Forbidden`], or [`RegistryError::Conflict`] if it was already decided.
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
            let owners = owners_if_decidable(tx, &access, &proposal)?;
            proposal.must_be_open()?;
            proposal.decide(&caller, ProposalState::Rejected, now);
            proposal.reason = reason.clone();
            proposal.clone().store(tx)?;
            for owner in owners {
                let event = inner.event("proposal.rejected", &caller).subject(id.as_str());
                tx.record(concerning(event, owner))?;
            }
            proposal.with_names(tx)
        })
    }
}

/// Returns the owners of the levels of a proposal that the caller can reject or withdraw.
pub(crate) fn owners_if_decidable(
    view: &View<'_>,
    access: &Access,
    proposal: &Proposal,
) -> Result<BTreeSet<Option<Id>>, RegistryError> {
    // Withdrawing needs the same permission as proposing.
    let is_own = access.person == proposal.person;
    let verb = if is_own { Verb::Write } else { Verb::Approve };
    let mut owners = BTreeSet::new();
    for key in &proposal.keys {
        let owner = ownership::owner(view, key)?;
        owners.insert(owner);
        if !access.reaches(verb, key, owner) {
            return Err(Denial::Operation.into());
        }
    }
    Ok(owners)
}

/// Fails with the faults for which a proposal cannot be approved, if any: changed levels first, then rules.
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

/// Maximum number of bytes of the reason of a rejection.
const MAX_REASON_BYTES: usize = 1_000;
