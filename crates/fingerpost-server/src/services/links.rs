//! Checks the targets of links in rounds, if `links.check` is on. Of the nodes that share a
//! database one makes the rounds: that with the lease in it; another one takes over when it is
//! silent for half a minute. A node that reads the store of another fingerpost makes none.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use fingerpost_linkcheck::{Checker, LinkOptions, LinkRange, Round, RoundError};
use fingerpost_registry::{Id, LinkCheck, LinkVerdict};

use super::{Next, Service, Stop};
use crate::admin_side::RunningApi;
use crate::failure::Failure;
use crate::metrics::{Families, number};

/// The pause until the admin side runs, which has the registry.
const WAIT: Duration = Duration::from_secs(1);

/// The shortest and the longest pause between two rounds, each of which reads all records; between
/// them, a part of `links.interval`.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3600)];

/// The rounds in `links.interval`: a target is checked at most this part of it late.
const ROUNDS: u32 = 24;

/// Checks the targets of links.
pub(crate) struct Links {
    checker: Checker,
    api: RunningApi,
    pause: Duration,
    holder: Id,
    /// Checks since the start by verdict.
    checks: [AtomicU64; VERDICTS.len()],
}

/// The verdicts in metrics.
const VERDICTS: [(LinkVerdict, &str); 4] = [
    (LinkVerdict::Works, "works"),
    (LinkVerdict::Fails, "fails"),
    (LinkVerdict::Undecided, "undecided"),
    (LinkVerdict::Later, "later"),
];

impl Links {
    /// Creates the service; `own` are the addresses of the listeners of this server.
    pub(crate) fn new(
        options: &LinkOptions,
        root: &str,
        own: Vec<SocketAddr>,
        api: RunningApi,
    ) -> Result<Self, Failure> {
        let checker = Checker::new(options, root, own).map_err(Failure::new)?;
        let pause = (options.interval.get() / ROUNDS).clamp(PAUSES[0], PAUSES[1]);
        Ok(Self { checker, api, pause, holder: Id::random(), checks: Default::default() })
    }

    fn note(&self, check: &LinkCheck) {
        let at = VERDICTS.iter().position(|(verdict, _)| *verdict == check.verdict);
        if let Some(count) = at.and_then(|at| self.checks.get(at)) {
            count.fetch_add(1, Relaxed);
        }
    }
}

impl Service for Links {
    fn name(&self) -> &'static str {
        "links"
    }

    fn run(&self, stop: &Stop) -> Result<Next, Failure> {
        let Some(api) = self.api.get() else { return Ok(Next::After(WAIT)) };
        let registry = api.current().registry().clone();
        let round = Round {
            ranges: vec![LinkRange::default()],
            since: None,
            holder: Some(self.holder.to_string()),
        };
        let round = self.checker.round(&registry, &round, |check| self.note(check));
        match stop.run_outgoing(round)? {
            None => Ok(Next::AtStop),
            Some(Ok(_) | Err(RoundError::Elsewhere)) => Ok(Next::After(self.pause)),
            Some(Err(RoundError::Registry(error))) => Err(Failure::new(error)),
        }
    }

    /// It reads the store, which is closed next.
    fn is_awaited(&self) -> bool {
        true
    }

    fn report(&self, families: &mut Families) {
        let checks = VERDICTS.iter().zip(&self.checks);
        families.counter(
            "link_checks_total",
            "Checks of targets of links since the start, by what they found.",
            checks
                .map(|((_, name), count)| (vec![("verdict", *name)], number(count.load(Relaxed)))),
        );
        let registry = self.api.get().map(|api| api.current().registry().clone());
        let counts = registry.and_then(|registry| registry.link_counts().ok().flatten());
        let Some(counts) = counts else { return };
        families.gauge(
            "link_targets",
            "Distinct targets of links by state, after the last complete round of checks.",
            [
                (vec![("state", "ok")], number(counts.ok)),
                (vec![("state", "failing")], number(counts.failing)),
                (vec![("state", "broken")], number(counts.broken)),
                (vec![("state", "unchecked")], number(counts.unchecked)),
            ],
        );
        families.one(
            "link_round_timestamp_seconds",
            "When the last complete round of checks ended; absent before.",
            counts.at.as_second() as f64,
        );
        if let Some(ends) = counts.first_certificate_ends {
            families.one(
                "link_certificate_expiry_timestamp_seconds",
                "When the first certificate of the target of a link ends, as it was at the last checks.",
                ends.as_second() as f64,
            );
        }
    }
}
