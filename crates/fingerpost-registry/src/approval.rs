//! Approval: lists proposals, and lets a second person decide them.

use fingerpost_store::Revision;

use crate::events::concerning;
use crate::fault::{Fault, within};
use crate::judge::{BatchMode, WriteRequest};
use crate::limits::MAX_REASON_BYTES;
use crate::registry::Context;
use crate::rights::Proposer;
use crate::{
    Caller, ChangeOutcome, ChangeSetRequest, Id, Page, Proposal, ProposalFilter, ProposalState,
    Registry, RegistryError,
};

impl Registry {
    /// Returns proposals of which the caller can read all levels, newest last, without their
    /// changes.
    pub fn proposals(
        &self,
        caller: &Caller,
        filter: &ProposalFilter,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Proposal>, RegistryError> {
        self.view_as(caller, |view, access| {
            crate::pages::page(
                after,
                limit,
                |after, limit| Proposal::some(view, access, after, limit),
                |proposal: Proposal| {
                    if filter.wants(&proposal) && proposal.is_listed(view, access)? {
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
        self.view_as(caller, |view, access| Proposal::find(view, access, id)?.with_names(view))
    }

    /// Approves a proposal: checks everything again against current data, and writes all its
    /// changes.
    ///
    /// Fails with [`RegistryError::Conflict`] if one of its levels was changed meanwhile, or if it
    /// was already decided; in the first case it stays open. [`RegistryError::Forbidden`] for
    /// the user who proposed it, or for callers without permission to approve. The errors of
    /// changes that the current rules refuse.
    pub fn approve(&self, caller: &Caller, id: &Id) -> Result<Revision, RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            let mut proposal = Proposal::find(tx, access, &id)?;
            let Proposal { person, principals, .. } = &proposal;
            let proposer = Proposer { person, actor: &proposal.by.actor, principals };
            let levels = proposal.changes.iter().map(|change| &change.key);
            access.check_approves(tx, caller, &proposer, levels)?;
            proposal.must_be_open()?;
            let changes = proposal.to_changes(inner)?;
            let (mode, approves) = (BatchMode::Atomic, Some(&proposal));
            let set = proposal.kind.map(ChangeSetRequest::new);
            let root = inner.options.root.as_ref();
            let request = WriteRequest { caller, access, mode, approves, set, root };
            let applied = inner.apply(tx, &request, &changes)?;
            let revision = applied.revision.map_or_else(|| tx.revision(), Ok)?;
            refused(applied.outcomes)?;
            proposal.decide(caller, ProposalState::Approved, now);
            proposal.store(tx)?;
            Ok(revision)
        })
    }

    /// Rejects a proposal, or withdraws the caller's own. Its changes are never written.
    ///
    /// Fails with [`RegistryError::NotFound`], [`RegistryError::Forbidden`], or
    /// [`RegistryError::Conflict`] if it was already decided.
    pub fn reject(
        &self,
        caller: &Caller,
        id: &Id,
        reason: Option<&str>,
    ) -> Result<Proposal, RegistryError> {
        let id = *id;
        let reason =
            reason.map(|reason| reason[..reason.floor_char_boundary(MAX_REASON_BYTES)].to_owned());
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            let mut proposal = Proposal::find(tx, access, &id)?;
            let owners = access.owners_if_decidable(tx, &proposal.person, &proposal.keys)?;
            proposal.must_be_open()?;
            proposal.decide(caller, ProposalState::Rejected, now);
            proposal.reason = reason.clone();
            proposal.clone().store(tx)?;
            for owner in owners {
                let event = inner.event("proposal.rejected", caller).subject(id.as_str());
                tx.record(concerning(event, owner))?;
            }
            proposal.with_names(tx)
        })
    }
}

/// Fails with the faults for which a proposal cannot be approved, if any: changed levels first,
/// then rules.
fn refused(
    outcomes: Vec<(usize, Result<ChangeOutcome, RegistryError>)>,
) -> Result<(), RegistryError> {
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
