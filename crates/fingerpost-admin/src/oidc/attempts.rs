//! Attempts to sign in that the provider has not answered yet: limited in number, short-lived, used
//! once.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use fingerpost_registry::Secret;
use openidconnect::{CsrfToken, Nonce, PkceCodeVerifier};
use subtle::ConstantTimeEq;

use crate::limits::oidc::{MAX_ATTEMPT_AGE, MAX_ATTEMPTS, MAX_ATTEMPTS_OF_NETWORK};

/// The stored data of an attempt.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) state: CsrfToken,
    pub(super) nonce: Nonce,
    pub(super) verifier: PkceCodeVerifier,
    pub(super) callback: String,
    /// As [`fingerpost_registry::ClientInfo::network`] returns it.
    pub(super) network: Option<[u8; 8]>,
}

#[derive(Debug)]
struct Waiting {
    ticket: Secret,
    begun: Instant,
    attempt: Attempt,
}

/// All attempts, oldest first.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<VecDeque<Waiting>>);

impl Attempts {
    /// Stores an attempt; drops old ones if there are too many.
    pub(super) fn insert(&self, ticket: Secret, attempt: Attempt, now: Instant) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|waiting| is_alive(waiting, now));
        let same = |waiting: &Waiting| waiting.attempt.network == attempt.network;
        if all.iter().filter(|waiting| same(waiting)).count() >= MAX_ATTEMPTS_OF_NETWORK
            && let Some(oldest) = all.iter().position(same)
        {
            all.remove(oldest);
        }
        if all.len() >= MAX_ATTEMPTS {
            all.pop_front();
        }
        all.push_back(Waiting { ticket, begun: now, attempt });
    }

    /// Removes and returns the attempt of this ticket.
    pub(super) fn take(&self, ticket: &Secret, now: Instant) -> Option<Attempt> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = all.iter().position(|waiting| {
            waiting.ticket.expose().as_bytes().ct_eq(ticket.expose().as_bytes()).into()
        })?;
        all.remove(index).filter(|found| is_alive(found, now)).map(|found| found.attempt)
    }
}

fn is_alive(waiting: &Waiting, now: Instant) -> bool {
    now.saturating_duration_since(waiting.begun) < MAX_ATTEMPT_AGE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(network: u8) -> Attempt {
        Attempt {
            state: CsrfToken::new("state".into()),
            nonce: Nonce::new("nonce".into()),
            verifier: PkceCodeVerifier::new("verifier".into()),
            callback: String::new(),
            network: Some([0, 0, 0, 0, 192, 0, 2, network]),
        }
    }

    #[test]
    fn an_attempt_counts_once_and_not_for_long() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        attempts.insert(Secret::new("one"), attempt(1), now);
        attempts.insert(Secret::new("two"), attempt(1), now);
        assert!(attempts.take(&Secret::new("on"), now).is_none());
        assert!(attempts.take(&Secret::new(""), now).is_none());
        assert!(attempts.take(&Secret::new("one"), now).is_some());
        assert!(attempts.take(&Secret::new("one"), now).is_none(), "used once");
        assert!(attempts.take(&Secret::new("two"), now + MAX_ATTEMPT_AGE).is_none(), "too late");
    }

    #[test]
    fn one_network_drives_out_its_own_attempts_only() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        attempts.insert(Secret::new("other"), attempt(1), now);
        for index in 0..2 * MAX_ATTEMPTS_OF_NETWORK {
            attempts.insert(Secret::new(format!("many {index}")), attempt(2), now);
        }
        assert!(attempts.take(&Secret::new("other"), now).is_some());
        assert!(attempts.take(&Secret::new("many 0"), now).is_none());
        assert!(attempts.take(&Secret::new("many 255"), now).is_some());
        assert!(attempts.0.lock().expect("not poisoned").len() < MAX_ATTEMPTS_OF_NETWORK);
    }

    #[test]
    fn there_is_an_end_to_what_is_remembered() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for index in 0..MAX_ATTEMPTS + 10 {
            let network = u8::try_from(index % 250).expect("small");
            attempts.insert(Secret::new(index.to_string()), attempt(network), now);
        }
        assert_eq!(attempts.0.lock().expect("not poisoned").len(), MAX_ATTEMPTS);
    }
}
