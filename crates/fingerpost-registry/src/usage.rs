//! When keys and sessions were used last: noted in memory, written down now and then, so that reading costs no write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::documents::{load, save};
use crate::stored::StoredKey;
use crate::{Id, Registry, RegistryError, Session};

/// What was used since the last time it was written down.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    keys: HashMap<Id, Timestamp>,
    sessions: HashMap<String, Timestamp>,
}

impl Usage {
    pub(crate) fn key(&self, id: Id, now: Timestamp) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.keys.len() < MAX_NOTED || used.keys.contains_key(&id) {
            used.keys.insert(id, now);
        }
    }

    pub(crate) fn session(&self, id: &str, now: Timestamp) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.sessions.len() < MAX_NOTED || used.sessions.contains_key(id) {
            used.sessions.insert(id.to_owned(), now);
        }
    }

    /// When a session was used last, if that is not written down yet.
    pub(crate) fn seen(&self, id: &str) -> Option<Timestamp> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).sessions.get(id).copied()
    }

    fn take(&self) -> Used {
        std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Registry {
    /// Writes down when keys and sessions were used last. To be called about once a minute, and at the end; until then they are
    /// held in memory, of which a bounded amount is used.
    ///
    /// # Errors
    ///
    /// That the store cannot be written; what was noted is lost then.
    pub fn flush_usage(&self) -> Result<(), RegistryError> {
        let used = self.inner.usage.take();
        if used.keys.is_empty() && used.sessions.is_empty() {
            return Ok(());
        }
        self.inner.store.transact(move |tx| {
            for (id, at) in &used.keys {
                if let Some(mut stored) = load::<StoredKey>(tx, id.as_str())? {
                    stored.key.last_used = stored.key.last_used.max(Some(*at));
                    save(tx, id.as_str(), &stored)?;
                }
            }
            for (id, at) in &used.sessions {
                if let Some(mut session) = load::<Session>(tx, id)? {
                    session.seen = session.seen.max(*at);
                    save(tx, id, &session)?;
                }
            }
            Ok::<_, RegistryError>(())
        })
    }
}

/// Keys, and sessions, that are noted between two times of writing down; what is used beyond that is not.
const MAX_NOTED: usize = 10_000;
