//! The audit log: reads and verifies it, and prunes history.

use std::ops::RangeInclusive;

use fingerpost_store::{AuditHead, AuditRecord, AuditReport, Revision, View};
use jiff::Timestamp;

use crate::clock::note_pruned;
use crate::events::ORGANISATIONS;
use crate::pages::Budget;
use crate::registry::Context;
use crate::roles::Verb;
use crate::{Caller, Id, Page, Registry, RegistryError};

/// A filter for audit records. Records match if they meet all given conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// The beginning of the action, such as `links` or `key.created`.
    pub action: Option<String>,
    /// The actor, such as `user:…`.
    pub actor: Option<String>,
    /// The subject.
    pub subject: Option<String>,
    /// The earliest time.
    pub since: Option<Timestamp>,
    /// The end of the time range, exclusive.
    pub until: Option<Timestamp>,
    /// Whether the newest records come first. `from` is then the highest number, or 0 for the last
    /// record.
    pub newest_first: bool,
}

impl Registry {
    /// Returns records from number `from` on. Administrators of the installation see all records;
    /// those of organisations see records that concern only their organisations.
    pub fn audit(
        &self,
        caller: &Caller,
        from: u64,
        limit: usize,
        filter: &AuditFilter,
    ) -> Result<Page<AuditRecord>, RegistryError> {
        self.view_as(caller, |view, access| {
            access.anywhere(Verb::Admin)?;
            let mut budget = Budget::new(limit);
            let mut items = Vec::new();
            let (first, last) = filter.numbers(view, from)?;
            let mut left = first..=last;
            while !left.is_empty() {
                for record in records(view, &left, filter.newest_first)? {
                    let next = record.seq();
                    let page = || Some(next.to_string());
                    let bytes = record.json().len();
                    if !budget.look(bytes) {
                        return Ok(Page { items, next: page() });
                    }
                    if filter.matches(&record)
                        && access.sees_audit_of(organisations(&record).as_deref())
                    {
                        if !budget.pay(bytes + FRAME_BYTES) {
                            return Ok(Page { items, next: page() });
                        }
                        items.push(record);
                    }
                    left = match filter.newest_first {
                        true => *left.start()..=next - 1,
                        false => next + 1..=*left.end(),
                    };
                }
            }
            Ok(Page { items, next: None })
        })
    }

    /// Verifies the whole audit log, and that history and levels match it. `expect` is a head noted
    /// outside of the store. This takes as long as reading all data.
    ///
    /// Fails with [`RegistryError::Forbidden`] unless the caller administers the installation, or
    /// an error of the store. Faults are in the report.
    pub fn verify_audit(
        &self,
        caller: &Caller,
        expect: Option<AuditHead>,
    ) -> Result<AuditReport, RegistryError> {
        self.require_installation_admin(caller)?;
        Ok(crate::verify(&self.inner.store, expect.as_slice())?)
    }

    /// Checks that the caller administers the installation.
    pub fn require_installation_admin(&self, caller: &Caller) -> Result<(), RegistryError> {
        self.view_as(caller, |_, access| access.check_installation(Verb::Admin))
    }

    /// Deletes states of levels that were replaced before an instant; returns the number of deleted
    /// states. Registered levels and the audit log stay; the audit log records the pruning.
    pub fn prune_history(&self, caller: &Caller, before: Timestamp) -> Result<u64, RegistryError> {
        let mut forgotten = 0;
        loop {
            let pruned =
                self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
                    access.check_installation(Verb::Admin)?;
                    let first_kept = tx.first_revision_since(before)?;
                    let revision = Revision::new(first_kept.number().saturating_sub(1));
                    let event = inner.event("history.pruned", caller);
                    let pruned = tx.prune_history(revision, PRUNED_AT_ONCE, event)?;
                    if pruned > 0 {
                        note_pruned(tx, revision)?;
                    }
                    Ok::<_, RegistryError>(pruned)
                })?;
            forgotten += pruned;
            if pruned < PRUNED_AT_ONCE as u64 {
                return Ok(forgotten);
            }
        }
    }
}

/// Returns some of the records with these numbers, from the first one on or from the last one back.
fn records(
    view: &View<'_>,
    numbers: &RangeInclusive<u64>,
    newest_first: bool,
) -> Result<Vec<AuditRecord>, RegistryError> {
    let (first, last) = (*numbers.start(), *numbers.end());
    let count = (last - first).saturating_add(1).min(LOADED_AT_ONCE);
    let begin = if newest_first { last - (count - 1) } else { first };
    let mut found = view.audit_from(begin, usize::try_from(count).unwrap_or(usize::MAX))?;
    let expected = begin..begin + count;
    if !found.iter().map(AuditRecord::seq).eq(expected.clone()) {
        let id = format!("{} to {}", expected.start, expected.end - 1);
        return Err(RegistryError::Damaged { collection: "audit", id });
    }
    if newest_first {
        found.reverse();
    }
    Ok(found)
}

impl AuditFilter {
    /// Returns the first and the last number of the records to look at: times never decrease in the
    /// log.
    fn numbers(&self, view: &View<'_>, from: u64) -> Result<(u64, u64), RegistryError> {
        let mut first = self.since.map_or(Ok(1), |since| view.first_audit_since(since))?;
        let mut last = view.audit_head()?.seq();
        if let Some(until) = self.until {
            last = last.min(view.first_audit_since(until)? - 1);
        }
        match self.newest_first {
            true if from > 0 => last = last.min(from),
            true => {}
            false => first = first.max(from),
        }
        Ok((first, last))
    }

    fn matches(&self, record: &AuditRecord) -> bool {
        self.action.as_deref().is_none_or(|action| record.action().starts_with(action))
            && self.actor.as_deref().is_none_or(|actor| record.actor() == actor)
            && self.subject.as_deref().is_none_or(|subject| record.subject() == Some(subject))
    }
}

/// Returns the organisations that a record concerns; `None` for a record of the installation.
fn organisations(record: &AuditRecord) -> Option<Vec<Id>> {
    let ids = record.details().get(ORGANISATIONS)?.as_array()?;
    ids.iter().map(|id| Id::parse(id.as_str()?)).collect()
}

const LOADED_AT_ONCE: u64 = 100;

/// Number of bytes in an answer that a record has besides its JSON: number, hash and personal data.
const FRAME_BYTES: usize = 500;

/// Maximum number of states deleted in one transaction, to keep the wait of other writers short.
const PRUNED_AT_ONCE: usize = 10_000;
