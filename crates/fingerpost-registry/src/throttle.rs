//! Throttles sign-in, to prevent guessing of passwords and codes.
//!
//! A device in which the user signed in before has a rate of its own, so that strangers cannot lock a user out (OWASP, Slow Down
//! Online Guessing Attacks with Device Cookies). All others share the rates of their address, of the login, and of all logins.
//!
//! All are leaky buckets (GCRA). Logins and addresses are hashed with a random key to one of [`BUCKETS`] buckets, so memory is
//! bounded for any input; two that share a bucket share its rate.

use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{NotUntil, Quota, RateLimiter};

use crate::{Client, Id, RegistryError};

type Limiter = RateLimiter<u64, HashMapStateStore<u64>, DefaultClock>;

/// The rates of sign-in.
pub(crate) struct Throttle {
    by_device: Limiter,
    by_login: Limiter,
    by_address: Limiter,
    by_code: Limiter,
    total: RateLimiter<NotKeyed, InMemoryState, DefaultClock>,
    hasher: RandomState,
    clock: DefaultClock,
}

impl Throttle {
    pub(crate) fn new() -> Throttle {
        let quota = |every: Duration, burst: NonZeroU32| {
            let quota = Quota::with_period(every).unwrap_or(Quota::per_minute(NonZeroU32::MIN));
            quota.allow_burst(burst)
        };
        Throttle {
            by_device: RateLimiter::hashmap(quota(LOGIN_EVERY, LOGIN_BURST)),
            by_login: RateLimiter::hashmap(quota(LOGIN_EVERY, LOGIN_BURST)),
            by_address: RateLimiter::hashmap(quota(ADDRESS_EVERY, ADDRESS_BURST)),
            by_code: RateLimiter::hashmap(quota(CODE_EVERY, CODE_BURST)),
            total: RateLimiter::direct(quota(TOTAL_EVERY, TOTAL_BURST)),
            hasher: RandomState::new(),
            clock: DefaultClock::default(),
        }
    }

    /// Counts an attempt, in the same way for existing and unknown logins. `device`: a device that the user of the login knows.
    pub(crate) fn attempt(
        &self,
        login: &str,
        device: Option<&str>,
        client: &Client,
    ) -> Result<(), RegistryError> {
        if let Some(device) = device {
            return self.check(&self.by_device, (login, device));
        }
        if let Some(network) = client.network() {
            self.check(&self.by_address, network)?;
        }
        self.check(&self.by_login, login)?;
        self.total.check().map_err(|until| self.refused(&until))
    }

    /// Counts a code of the second factor.
    pub(crate) fn code(&self, user: &Id, device: Option<&str>) -> Result<(), RegistryError> {
        self.check(&self.by_code, (user, device))
    }

    fn check(&self, limiter: &Limiter, name: impl Hash) -> Result<(), RegistryError> {
        let bucket = self.hasher.hash_one(name) % BUCKETS;
        limiter.check_key(&bucket).map_err(|until| self.refused(&until))
    }

    fn refused(&self, until: &NotUntil<<DefaultClock as Clock>::Instant>) -> RegistryError {
        RegistryError::Throttled { retry_after: until.wait_time_from(self.clock.now()) }
    }
}

const BUCKETS: u64 = 1 << 16;

/// Interval of attempts for a login, and of those from a known device, after the first [`LOGIN_BURST`].
const LOGIN_EVERY: Duration = Duration::from_secs(30);
const LOGIN_BURST: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Interval of attempts from an address, after the first [`ADDRESS_BURST`]; an office can share one address.
const ADDRESS_EVERY: Duration = Duration::from_secs(5);
const ADDRESS_BURST: NonZeroU32 = NonZeroU32::new(60).unwrap();

/// Interval of codes for a user, after the first [`CODE_BURST`]. Three of a million codes are valid at a time, so guessing for a day
/// succeeds with a probability of less than one in a thousand, once the password is known.
const CODE_EVERY: Duration = Duration::from_secs(5 * 60);
const CODE_BURST: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Interval of attempts of unknown devices for all logins together, after the first [`TOTAL_BURST`]: hashing their passwords takes less
/// than half of a core.
const TOTAL_EVERY: Duration = Duration::from_millis(100);
const TOTAL_BURST: NonZeroU32 = NonZeroU32::new(200).unwrap();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Via;

    fn from(address: &str) -> Client {
        Client::new(Via::Console).address(address.parse().unwrap())
    }

    #[test]
    fn a_login_and_an_address_have_their_own_rates() {
        let throttle = Throttle::new();
        let unknown = Client::new(Via::Console);
        for _ in 0..LOGIN_BURST.get() {
            assert!(throttle.attempt("ada", None, &unknown).is_ok());
        }
        let refused = throttle.attempt("ada", None, &unknown);
        let Err(RegistryError::Throttled { retry_after }) = refused else {
            panic!("not throttled");
        };
        assert!(retry_after > Duration::from_secs(20) && retry_after <= LOGIN_EVERY);
        for number in 0..ADDRESS_BURST.get() {
            let login = format!("login {number}");
            assert!(throttle.attempt(&login, None, &from("2001:db8::1")).is_ok());
        }
        assert!(throttle.attempt("another", None, &from("2001:db8::2")).is_err(), "a neighbour");
        assert!(throttle.attempt("another", None, &from("192.0.2.1")).is_ok());
    }

    #[test]
    fn strangers_use_up_no_rate_of_a_known_device() {
        let throttle = Throttle::new();
        let mut taken = 0;
        for number in 0..4 * TOTAL_BURST.get() {
            let [_, _, high, low] = number.to_be_bytes();
            let client = from(&format!("192.0.{high}.{low}"));
            let login = if number % 2 == 0 { "ada".to_owned() } else { format!("login {number}") };
            taken += u32::from(throttle.attempt(&login, None, &client).is_ok());
        }
        // The rates go on while the test runs.
        assert!((TOTAL_BURST.get()..2 * TOTAL_BURST.get()).contains(&taken), "{taken}");
        assert!(throttle.attempt("ada", None, &from("198.51.100.1")).is_err());
        for _ in 0..LOGIN_BURST.get() {
            assert!(throttle.attempt("ada", Some("hers"), &from("192.0.0.0")).is_ok());
        }
        assert!(throttle.attempt("ada", Some("hers"), &from("192.0.0.0")).is_err(), "bounded, too");
        assert!(throttle.attempt("ada", Some("another of hers"), &from("192.0.0.0")).is_ok());
    }

    #[test]
    fn codes_have_a_lower_rate() {
        let throttle = Throttle::new();
        let (ada, bob) = (Id::random(), Id::random());
        let taken = (0..50).filter(|_| throttle.code(&ada, None).is_ok()).count();
        assert_eq!(taken, 10);
        assert!(throttle.code(&ada, Some("hers")).is_ok() && throttle.code(&bob, None).is_ok());
    }
}
