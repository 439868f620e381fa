//! Counts wrong passwords and codes for all nodes of a store: those of sign-in, and those that a
//! user repeats who is signed in.
//!
//! [`crate::throttle`] counts every attempt, but only those at its own process. Somebody who
//! guesses at several nodes in turn is slowed down here, at the same rates. A node reads a counter
//! before it checks a password, so each node can let the attempts through that are in progress,
//! which its own throttle bounds. Only failures are written, so a user who types nothing wrong
//! costs no write; requests for mails are counted, too, and write anyway; the rate of all logins
//! together protects the cores of one process, and is counted there alone.
//!
//! A counter is the time at which a leaky bucket is empty (GCRA). Logins and networks share
//! [`BUCKETS`] of each kind by their hash, so the number of documents is bounded for any input, and
//! they contain no login.

use data_encoding::HEXLOWER;
use fingerpost_store::{Transaction, View};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::documents::{Document, load, save};
use crate::secret::digest;
use crate::throttle::{ADDRESS, CODE, LOGIN, MAIL, Rate, SENDER};
use crate::{ClientInfo, Id, RegistryError};

/// A counter of failures.
#[derive(Serialize, Deserialize)]
struct Failures {
    /// When the bucket is empty.
    empty: Timestamp,
}

impl Document for Failures {
    const COLLECTION: &'static str = "failures";
}

/// The counters of an attempt, with their rates.
#[derive(Clone, Debug)]
pub(crate) struct Counters(Vec<(String, Rate)>);

impl Counters {
    /// Returns the counters of an attempt to sign in. `device`: a device that the user of the login
    /// knows.
    pub(crate) fn of_attempt(login: &str, device: Option<&str>, client: &ClientInfo) -> Self {
        let network = client.network().filter(|_| device.is_none());
        let mut counters = vec![(bucket("login", &[login, device.unwrap_or_default()]), LOGIN)];
        counters.extend(
            network.map(|network| (bucket("network", &[&HEXLOWER.encode(&network)]), ADDRESS)),
        );
        Self(counters)
    }

    /// Returns the counter of the password that a user who is signed in repeats.
    pub(crate) fn of_own_password(user: &Id) -> Self {
        Self(vec![(bucket("own password", &[user.as_str()]), LOGIN)])
    }

    /// Returns the counter of a code of the second factor. `device`: a device that the user knows,
    /// or the session of one who is signed in.
    pub(crate) fn of_code(user: &Id, device: Option<&str>) -> Self {
        Self(vec![(bucket("code", &[user.as_str(), device.unwrap_or_default()]), CODE)])
    }

    /// Returns the counters of mails to an address, from a network or an organisation.
    pub(crate) fn of_mail(address: &str, sender: &str) -> Self {
        Self(vec![(bucket("mail to", &[address]), MAIL), (bucket("mail of", &[sender]), SENDER)])
    }

    /// Fails if there were too many failures.
    pub(crate) fn check(&self, view: &View<'_>, now: Timestamp) -> Result<(), RegistryError> {
        for (id, rate) in &self.0 {
            let Some(failures) = load::<Failures>(view, id)? else { continue };
            let over = filling(&failures, now, *rate) - rate.every * (rate.burst - 1);
            if let Ok(retry_after) = std::time::Duration::try_from(over)
                && !retry_after.is_zero()
            {
                return Err(RegistryError::Throttled { retry_after });
            }
        }
        Ok(())
    }

    /// Counts a failure.
    pub(crate) fn count(
        &self,
        tx: &mut Transaction<'_>,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        for (id, rate) in &self.0 {
            let failures = load::<Failures>(tx, id)?;
            let before = failures.map_or(SignedDuration::ZERO, |it| filling(&it, now, *rate));
            let empty = now.checked_add(before + rate.every).unwrap_or(now);
            save(tx, id, &Failures { empty })?;
        }
        Ok(())
    }
}

/// Returns how long a bucket takes to become empty: never more than if it were full, whatever the
/// clocks of other nodes say.
fn filling(failures: &Failures, now: Timestamp, rate: Rate) -> SignedDuration {
    failures.empty.duration_since(now).clamp(SignedDuration::ZERO, rate.every * rate.burst)
}

/// Returns the id of the counter of a name.
fn bucket(kind: &str, name: &[&str]) -> String {
    let hash = digest(&format!("{kind}\n{}", name.join("\n")));
    format!("{kind}-{}", hash.get(..BUCKETS).unwrap_or_default())
}

/// Hexadecimal digits of a hash that tell one bucket of a kind from another: 65,536 buckets.
const BUCKETS: usize = 4;
