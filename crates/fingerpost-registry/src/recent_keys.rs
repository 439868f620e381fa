//! Keys that were authenticated a moment ago. A request that changes something asks the store for
//! its permissions within its transaction, so it need not ask for them once more before: over a
//! database, that is a round trip.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::limits::{MAX_NOTED_KEYS, MAX_RECENT_KEY_AGE};
use crate::secret::digest;
use crate::{Caller, Id, Secret};

/// Callers by the digests of their tokens.
#[derive(Default)]
pub(crate) struct RecentKeys {
    callers: Mutex<HashMap<String, Recent>>,
}

struct Recent {
    caller: Caller,
    organisations: Option<Vec<Id>>,
    at: Timestamp,
}

impl RecentKeys {
    /// Notes a token that the store has just authenticated.
    pub(crate) fn note(
        &self,
        token: &Secret,
        caller: &Caller,
        organisations: Option<&[Id]>,
        at: Timestamp,
    ) {
        let organisations = organisations.map(<[Id]>::to_vec);
        let recent = Recent { caller: caller.clone(), organisations, at };
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= MAX_NOTED_KEYS {
            callers.clear();
        }
        callers.insert(digest(token.expose()), recent);
    }

    /// Returns the caller of a token that was noted within the last two seconds, and their
    /// organisations.
    pub(crate) fn find(&self, token: &Secret, now: Timestamp) -> Option<(Caller, Option<Vec<Id>>)> {
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = callers.get(&digest(token.expose()))?;
        let age = now.duration_since(recent.at);
        let is_recent = !age.is_negative() && age < MAX_RECENT_KEY_AGE;
        is_recent.then(|| (recent.caller.clone(), recent.organisations.clone()))
    }
}
