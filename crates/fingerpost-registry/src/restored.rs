//! What a restored backup brings back: credentials that ended after it was made.

use fingerpost_store::Transaction;

use crate::documents::{Document, load_page, remove};
use crate::invitations::StoredInvitation;
use crate::outbox::Outgoing;
use crate::password_reset::StoredReset;
use crate::registry::Context;
use crate::rights::key_counts;
use crate::stored::{Index, StoredKey, StoredUser};
use crate::synchronise::synchronise;
use crate::verified::check;
use crate::{Caller, Registry, RegistryError, Session, Verb, webhooks};

/// The credentials in a restored backup.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Revived {
    /// Sessions that were stored.
    pub sessions: u64,
    /// API keys that were valid.
    pub keys: u64,
    /// Users who can sign in.
    pub users: u64,
    /// Users who are disabled.
    pub disabled: u64,
}

impl Registry {
    /// Records that a store was taken back to a revision, while accounts, keys and proposals stayed
    /// as they are, so that the audit log covers them as they are.
    pub fn after_rewind(&self, caller: &Caller) -> Result<(), RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            access.check_installation(Verb::Admin)?;
            let revision = tx.revision()?.number();
            let documents = tx.cover_differing(&check)?;
            let event = inner.event("store.rewound", caller);
            let event = event.detail("revision", revision).detail("documents", documents);
            // Suspensions are entries, which went back.
            synchronise(tx, None, None, event)
        })
    }

    /// Counts the credentials in a store, and ends all sessions and links in mails, revokes all API
    /// keys and pauses all webhooks, unless `keep`. A backup does not tell which of them ended
    /// after it was made.
    pub fn after_restore(&self, caller: &Caller, keep: bool) -> Result<Revived, RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            access.check_installation(Verb::Admin)?;
            let mut revived = Revived::default();
            let mut after: Option<String> = None;
            loop {
                let users = load_page::<StoredUser>(tx, after.as_deref(), AT_ONCE)?;
                let Some((last, _)) = users.last() else { break };
                after = Some(last.clone());
                let disabled = users.iter().filter(|(_, stored)| stored.user.disabled).count();
                revived.disabled += disabled as u64;
                revived.users += (users.len() - disabled) as u64;
            }
            let mut after: Option<String> = None;
            loop {
                let keys = load_page::<StoredKey>(tx, after.as_deref(), AT_ONCE)?;
                let Some((last, _)) = keys.last() else { break };
                after = Some(last.clone());
                for (_, mut stored) in keys.into_iter().filter(|(_, key)| key_counts(key, now)) {
                    revived.keys += 1;
                    if !keep {
                        inner.revoke(tx, caller, &mut stored)?;
                    }
                }
            }
            let mut after: Option<String> = None;
            loop {
                let sessions = load_page::<Session>(tx, after.as_deref(), AT_ONCE)?;
                let Some((last, _)) = sessions.last() else { break };
                after = Some(last.clone());
                revived.sessions += sessions.len() as u64;
                for (id, session) in sessions.iter().filter(|_| !keep) {
                    Index::SessionOf.remove(tx, &format!("{}:{id}", session.user))?;
                    remove::<Session>(tx, id)?;
                }
            }
            if !keep {
                remove_all::<StoredInvitation>(tx)?;
                remove_all::<StoredReset>(tx)?;
                remove_all::<Outgoing>(tx)?;
                webhooks::pause_all(tx)?;
            }
            let event = inner.event("store.restored", caller);
            let event = event.detail("keepsCredentials", keep);
            let event = event.detail("sessions", revived.sessions).detail("keys", revived.keys);
            tx.record(event)?;
            Ok(revived)
        })
    }
}

/// Removes what leads to new credentials: the links in mails.
fn remove_all<D: Document>(tx: &mut Transaction<'_>) -> Result<(), RegistryError> {
    for (id, _) in load_page::<D>(tx, None, usize::MAX)? {
        remove::<D>(tx, &id)?;
    }
    Ok(())
}

const AT_ONCE: usize = 500;
