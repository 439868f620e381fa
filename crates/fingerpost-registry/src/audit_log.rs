//! The audit log: reads and verifies it, and prunes history.

use fingerpost_store::{AuditHead, AuditRecord, AuditReport, Revision, View};
use jiff::Timestamp;
use serde_json::Value;

use crate::events::ORGANISATIONS;
use crate::pages::MAX_PAGE;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, Denial, Id, Page, Registry, RegistryError};

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
    /// Whether the newest records come first. `from` is then the highest number, or 0 for the last record.
    pub newest_first: bool,
}

impl Registry {
    /// Returns records from number `from` on. Administrators of the installation see all records; those of organisations see
    /// records that concern only their organisations.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for others, or an error of the store.
    pub fn audit(
        &self,
        caller: &Caller,
        from: u64,
        limit: usize,
        filter: &AuditFilter,
    ) -> Result<Page<AuditRecord>, RegistryError> {
        let now = self.inner.now();
        let limit = limit.clamp(1, MAX_PAGE);
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            if !access.is_admin_somewhere() {
                return Err(Denial::Operation.into());
            }
            let mut items: Vec<AuditRecord> = Vec::new();
            let mut at = Some(if filter.newest_first && from == 0 { u64::MAX } else { from });
            while let Some(from) = at {
                let (found, next) = records(view, from, filter.newest_first)?;
                at = next;
                for record in found {
                    if !filter.matches(&record) || !is_visible(&access, &record) {
                        continue;
                    }
                    if items.len() == limit {
                        let next =
                            items.last().map(|last: &AuditRecord| match filter.newest_first {
                                true => last.seq() - 1,
                                false => last.seq() + 1,
                            });
                        let next = next.map(|next| next.to_string());
                        return Ok(Page { items, next });
                    }
                    items.push(record);
                }
            }
            Ok(Page { items, next: None })
        })
    }

    /// Verifies the whole audit log, and that history and levels match it. `expect` is a head noted outside of the store. This
    /// takes as long as reading all data.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] unless the caller administers the installation, or an error of the store. Faults are in the
    /// report.
    pub fn verify_audit(
        &self,
        caller: &Caller,
        expect: Option<AuditHead>,
    ) -> Result<AuditReport, RegistryError> {
        self.require_installation_admin(caller)?;
        Ok(self.inner.store.verify(expect)?)
    }

    /// Deletes states of levels that were replaced before an instant; returns the number of deleted states. Registered levels
    /// and the audit log stay; the audit log records the pruning.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] unless the caller administers the installation, or an error of the store.
    pub fn prune_history(&self, caller: &Caller, before: Timestamp) -> Result<u64, RegistryError> {
        let mut forgotten = 0;
        loop {
            let registry = self.clone();
            let caller = caller.clone();
            let pruned = self.inner.store.transact(move |tx| {
                require_installation(tx, &registry, &caller)?;
                let first_kept = tx.first_revision_since(before)?;
                let revision = Revision::new(first_kept.number().saturating_sub(1));
                let event = registry.inner.event("history.pruned", &caller);
                Ok::<_, RegistryError>(tx.prune_history(revision, PRUNED_AT_ONCE, event)?)
            })?;
            forgotten += pruned;
            if pruned < PRUNED_AT_ONCE as u64 {
                return Ok(forgotten);
            }
        }
    }

    /// Checks that the caller administers the installation: for operations of the store such as verifying the audit log.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`], or an error of the store.
    pub fn require_installation_admin(&self, caller: &Caller) -> Result<(), RegistryError> {
        self.inner.store.view(|view| require_installation(view, self, caller))
    }
}

/// Returns some records from a number on, upwards or downwards, and the number from which to continue.
fn records(
    view: &View<'_>,
    from: u64,
    newest_first: bool,
) -> Result<(Vec<AuditRecord>, Option<u64>), RegistryError> {
    if !newest_first {
        let found = view.audit_from(from.max(1), LOADED_AT_ONCE)?;
        let last = found.last().filter(|_| found.len() == LOADED_AT_ONCE);
        let next = last.map(|last| last.seq() + 1);
        return Ok((found, next));
    }
    let highest = from.min(view.audit_head()?.seq());
    let lowest = highest.saturating_sub(LOADED_AT_ONCE as u64 - 1).max(1);
    let mut found = view.audit_from(lowest, LOADED_AT_ONCE)?;
    found.retain(|record| record.seq() <= highest);
    found.reverse();
    Ok((found, (lowest > 1).then(|| lowest - 1)))
}

fn require_installation(
    view: &View<'_>,
    registry: &Registry,
    caller: &Caller,
) -> Result<(), RegistryError> {
    let access = Access::of(view, caller, registry.inner.now())?;
    if access.in_installation(Verb::Admin) { Ok(()) } else { Err(Denial::Operation.into()) }
}

impl AuditFilter {
    fn matches(&self, record: &AuditRecord) -> bool {
        self.action.as_deref().is_none_or(|action| record.action().starts_with(action))
            && self.actor.as_deref().is_none_or(|actor| record.actor() == actor)
            && self.subject.as_deref().is_none_or(|subject| record.subject() == Some(subject))
            && self.since.is_none_or(|since| record.at() >= since)
            && self.until.is_none_or(|until| record.at() < until)
    }
}

/// Returns whether the record concerns only organisations that the caller administers.
fn is_visible(access: &Access, record: &AuditRecord) -> bool {
    if access.in_installation(Verb::Admin) {
        return true;
    }
    let organisations = record.details().get(ORGANISATIONS).and_then(Value::as_array);
    organisations.is_some_and(|ids| {
        ids.iter().all(|id| {
            let id = id.as_str().and_then(Id::parse);
            id.is_some_and(|id| access.in_organisation(Verb::Admin, &id))
        })
    })
}

const LOADED_AT_ONCE: usize = 500;

/// Maximum number of states deleted in one transaction, to keep the wait of other writers short.
const PRUNED_AT_ONCE: usize = 10_000;
