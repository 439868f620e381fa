//! Throttles sign-in by login and by address, to prevent guessing of passwords.
//!
//! Both are leaky buckets (GCRA). Logins and addresses are hashed with a random key to one of [`BUCKETS`] buckets, so memory is
//! bounded for any input; two that share a bucket share its rate.

use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::RegistryError;

type Limiter = RateLimiter<u64, HashMapStateStore<u64>, DefaultClock>;

/// The rates of sign-in.
pub(crate) struct Throttle {
    by_login: Limiter,
    by_address: Limiter,
    hasher: RandomState,
    clock: DefaultClock,
}

impl Throttle {
    pub(crate) fn new() -> Throttle {
        let limiter = |every: Duration, burst: NonZeroU32| {
            let quota = Quota::with_period(every).unwrap_or(Quota::per_minute(NonZeroU32::MIN));
            RateLimiter::hashmap(quota.allow_burst(burst))
        };
        Throttle {
            by_login: limiter(LOGIN_EVERY, LOGIN_BURST),
            by_address: limiter(ADDRESS_EVERY, ADDRESS_BURST),
            hasher: RandomState::new(),
            clock: DefaultClock::default(),
        }
    }

    /// Counts an attempt, in the same way for existing and unknown logins.
    pub(crate) fn attempt(
        &self,
        login: &str,
        address: Option<IpAddr>,
    ) -> Result<(), RegistryError> {
        if let Some(address) = address {
            self.check(&self.by_address, network(address))?;
        }
        self.check(&self.by_login, login)
    }

    fn check(&self, limiter: &Limiter, name: impl Hash) -> Result<(), RegistryError> {
        let bucket = self.hasher.hash_one(name) % BUCKETS;
        limiter.check_key(&bucket).map_err(|until| RegistryError::Throttled {
            retry_after: until.wait_time_from(self.clock.now()),
        })
    }
}

/// Returns the network of one subscriber: an IPv4 address, or the first 64 bits of an IPv6 address.
fn network(address: IpAddr) -> [u8; 8] {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            [0, 0, 0, 0, a, b, c, d]
        }
        IpAddr::V6(address) => {
            let mut prefix = [0; 8];
            prefix.copy_from_slice(&address.octets()[..8]);
            prefix
        }
    }
}

const BUCKETS: u64 = 1 << 16;

/// Interval of attempts for a login, after the first [`LOGIN_BURST`].
const LOGIN_EVERY: Duration = Duration::from_secs(30);
const LOGIN_BURST: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Interval of attempts from an address, after the first [`ADDRESS_BURST`]; an office can share one address.
const ADDRESS_EVERY: Duration = Duration::from_secs(5);
const ADDRESS_BURST: NonZeroU32 = NonZeroU32::new(60).unwrap();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_and_an_address_have_their_own_rates() {
        let throttle = Throttle::new();
        for _ in 0..LOGIN_BURST.get() {
            assert!(throttle.attempt("ada", None).is_ok());
        }
        let Err(RegistryError::Throttled { retry_after }) = throttle.attempt("ada", None) else {
            panic!("not throttled");
        };
        assert!(retry_after > Duration::from_secs(20) && retry_after <= LOGIN_EVERY);
        let address = "2001:db8::1".parse().ok();
        for number in 0..ADDRESS_BURST.get() {
            assert!(throttle.attempt(&format!("login {number}"), address).is_ok());
        }
        let neighbour = "2001:db8::2".parse().ok();
        assert!(throttle.attempt("another", neighbour).is_err());
        assert!(throttle.attempt("another", "192.0.2.1".parse().ok()).is_ok());
    }
}
