//! Throttles sign-in, to prevent guessing of passwords and codes.
//!
//! A device in which the user signed in before has a rate of its own, so that strangers cannot lock
//! a user out (OWASP, Slow Down Online Guessing Attacks with Device Cookies). All others share the
//! rates of their address, of the login, and of all logins.
//!
//! All are leaky buckets (GCRA). Logins and addresses are hashed with a random key to one of
//! [`BUCKETS`] buckets, so memory is bounded for any input; two that share a bucket share its rate.

use std::hash::{BuildHasher, Hash, RandomState};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{NotUntil, Quota, RateLimiter};
use jiff::SignedDuration;

use crate::{ClientInfo, Id, RegistryError};

type Limiter = RateLimiter<u64, HashMapStateStore<u64>, DefaultClock>;

/// The rates of sign-in.
pub(crate) struct Throttle {
    by_device: Limiter,
    by_login: Limiter,
    by_address: Limiter,
    by_code: Limiter,
    total: RateLimiter<NotKeyed, InMemoryState, DefaultClock>,
    mails: RateLimiter<NotKeyed, InMemoryState, DefaultClock>,
    hasher: RandomState,
    clock: DefaultClock,
}

impl Throttle {
    pub(crate) fn new() -> Throttle {
        Throttle {
            by_device: RateLimiter::hashmap(LOGIN.quota()),
            by_login: RateLimiter::hashmap(LOGIN.quota()),
            by_address: RateLimiter::hashmap(ADDRESS.quota()),
            by_code: RateLimiter::hashmap(CODE.quota()),
            total: RateLimiter::direct(TOTAL.quota()),
            mails: RateLimiter::direct(MAILS.quota()),
            hasher: RandomState::new(),
            clock: DefaultClock::default(),
        }
    }

    /// Counts an attempt, in the same way for existing and unknown logins. `device`: a device that
    /// the user of the login knows.
    pub(crate) fn attempt(
        &self,
        login: &str,
        device: Option<&str>,
        client: &ClientInfo,
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

    /// Counts a request of a stranger for a mail, which is a write.
    pub(crate) fn mail(&self) -> Result<(), RegistryError> {
        self.mails.check().map_err(|until| self.refused(&until))
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

/// A rate: an attempt in each interval, after the first ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) every: SignedDuration,
    pub(crate) burst: i32,
}

impl Rate {
    fn quota(self) -> Quota {
        let every = Duration::try_from(self.every).ok().and_then(Quota::with_period);
        let burst = u32::try_from(self.burst).ok().and_then(NonZeroU32::new);
        let quota = every.unwrap_or(Quota::per_minute(NonZeroU32::MIN));
        quota.allow_burst(burst.unwrap_or(NonZeroU32::MIN))
    }
}

const BUCKETS: u64 = 1 << 16;

/// The rate of attempts for a login, and of those from a known device.
pub(crate) const LOGIN: Rate = Rate { every: SignedDuration::from_secs(30), burst: 10 };

/// The rate of attempts from an address; an office can share one address.
pub(crate) const ADDRESS: Rate = Rate { every: SignedDuration::from_secs(5), burst: 60 };

/// The rate of codes for a user. Three of a million codes are valid at a time, so guessing for a
/// day succeeds with a probability of less than one in a thousand, once the password is known.
pub(crate) const CODE: Rate = Rate { every: SignedDuration::from_secs(5 * 60), burst: 10 };

/// The rate of mails to an address, so that nobody floods a mailbox.
pub(crate) const MAIL: Rate = Rate { every: SignedDuration::from_mins(10), burst: 3 };

/// The rate of mails for a network or an organisation.
pub(crate) const SENDER: Rate = Rate { every: SignedDuration::from_mins(1), burst: 30 };

/// The rate of mails that strangers ask for, for all addresses together.
const MAILS: Rate = Rate { every: SignedDuration::from_secs(1), burst: 60 };

/// The rate of attempts of unknown devices for all logins together: hashing their passwords takes
/// less than half of a core.
const TOTAL: Rate = Rate { every: SignedDuration::from_millis(100), burst: 200 };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Via;

    fn from(address: &str) -> ClientInfo {
        ClientInfo::new(Via::Console).address(address.parse().unwrap())
    }

    #[test]
    fn a_login_and_an_address_have_their_own_rates() {
        let throttle = Throttle::new();
        let unknown = ClientInfo::new(Via::Console);
        for _ in 0..LOGIN.burst {
            assert!(throttle.attempt("ada", None, &unknown).is_ok());
        }
        let refused = throttle.attempt("ada", None, &unknown);
        let Err(RegistryError::Throttled { retry_after }) = refused else {
            panic!("not throttled");
        };
        assert!(retry_after > Duration::from_secs(20) && retry_after <= Duration::from_secs(30));
        for number in 0..ADDRESS.burst {
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
        for number in 0..4 * TOTAL.burst {
            let [_, _, high, low] = i32::to_be_bytes(number);
            let client = from(&format!("192.0.{high}.{low}"));
            let login = if number % 2 == 0 { "ada".to_owned() } else { format!("login {number}") };
            taken += i32::from(throttle.attempt(&login, None, &client).is_ok());
        }
        // The rates go on while the test runs.
        assert!((TOTAL.burst..2 * TOTAL.burst).contains(&taken), "{taken}");
        assert!(throttle.attempt("ada", None, &from("198.51.100.1")).is_err());
        for _ in 0..LOGIN.burst {
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
