//! The audit log: who did what, when; read, verified, and shortened.

use fingerpost_store::{AuditHead, AuditRecord, AuditReport, Revision, View};
use jiff::Timestamp;
use serde_json::Value;

use crate::events::ORGANISATIONS;
use crate::pages::MAX_PAGE;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, Denial, Id, Page, Registry, RegistryError};

/// Which records are wanted: those for which everything given is so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// What was done begins with this, such as `links` or `key.created`.
    pub action: Option<String>,
    /// Who did it, such as `user:…`.
    pub actor: Option<String>,
    /// To what.
    pub subject: Option<String>,
    /// Not before this.
    pub since: Option<Timestamp>,
    /// Before this.
    pub until: Option<Timestamp>,
    /// The newest first: `from` is the highest number then, 0 for the last one.
    pub newest_first: bool,
}

impl Registry {
    /// Records from number `from` on. Administrators of the installation see all, those of organisations what concerns theirs
    /// alone.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for others, or the store's.
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

    /// Verifies the whole audit log, and that history and levels match it. `expect` is a head that was noted outside.
    /// Takes as long as reading everything.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] unless the caller administers the installation, or the store's. What is wrong is in the report.
    pub fn verify_audit(
        &self,
        caller: &Caller,
        expect: Option<AuditHead>,
    ) -> Result<AuditReport, RegistryError> {
        self.require_installation_admin(caller)?;
        Ok(self.inner.store.verify(expect)?)
    }

    /// Forgets states of levels that were replaced before an instant. What is registered stays, and so does the audit log, which
    /// tells that this happened. Returns how many states were forgotten.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] unless the caller administers the installation, or the store's.
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

    /// Fails unless the caller administers the installation: for operations of the store such as verifying the audit log.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`], or the store's.
    pub fn require_installation_admin(&self, caller: &Caller) -> Result<(), RegistryError> {
        self.inner.store.view(|view| require_installation(view, self, caller))
    }
}

/// Some records from a number on, upwards or downwards, and where the next ones are.
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

/// States forgotten in one transaction, so that others need not wait long.
const PRUNED_AT_ONCE: usize = 10_000;
