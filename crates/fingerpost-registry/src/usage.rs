//! When keys and sessions were last used: kept in memory and saved periodically, so reading needs
//! no write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::Id;
use crate::limits::MAX_NOTED_KEYS;

/// The uses since the last save.
#[derive(Debug, Default)]
pub(crate) struct LastUses {
    used: Mutex<Used>,
}

/// The last uses of keys and sessions.
#[derive(Debug, Default)]
pub(crate) struct Used {
    pub(crate) keys: HashMap<Id, Timestamp>,
    pub(crate) sessions: HashMap<String, Timestamp>,
}

impl LastUses {
    pub(crate) fn key(&self, id: Id, now: Timestamp) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.keys.len() < MAX_NOTED_KEYS || used.keys.contains_key(&id) {
            used.keys.insert(id, now);
        }
    }

    pub(crate) fn session(&self, id: &str, now: Timestamp) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.sessions.len() < MAX_NOTED_KEYS || used.sessions.contains_key(id) {
            used.sessions.insert(id.to_owned(), now);
        }
    }

    /// Returns when a session was last used, if that is not saved yet.
    pub(crate) fn seen(&self, id: &str) -> Option<Timestamp> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).sessions.get(id).copied()
    }

    pub(crate) fn take(&self) -> Used {
        std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
