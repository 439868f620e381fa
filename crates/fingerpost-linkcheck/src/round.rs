//! Rounds: the targets of the records that are due, in slices, many at a time, few for each host.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::rc::Rc;

use fingerpost_http::{AddressGuard, Outgoing, TlsError};
use fingerpost_registry::{Lease, LinkCheck, LinkCounts, LinkVerdict, Registry, RegistryError};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::HeaderValue;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Semaphore;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use url::Url;

use crate::LinkOptions;
use crate::fetch::{Fetcher, Found};
use crate::host::{Host, Hosts};
use crate::limits::{LEASE, SAVE_EVERY, SAVED_AT_ONCE};
use crate::robots::TOKEN;

/// Checks the targets of links.
pub struct Checker {
    fetcher: Fetcher,
    options: LinkOptions,
}

/// Records whose links are checked: those that begin with a text, up to another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkRange {
    /// The beginning of the canonical texts of their anchors; empty for all.
    pub prefix: String,
    /// The last record, included.
    pub to: Option<String>,
}

/// What a round covers.
#[derive(Clone, Debug)]
pub struct Round {
    /// The records.
    pub ranges: Vec<LinkRange>,
    /// Check all targets that have not been checked since, also those that are not due.
    pub since: Option<Timestamp>,
    /// The name of this process among those of the store, which takes the lease; `None` for a
    /// round that a person asks for.
    pub holder: Option<String>,
}

/// The number of checks of a round by what they found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundReport {
    /// Targets that work.
    pub works: u64,
    /// Targets that do not work.
    pub fails: u64,
    /// Targets that the checks cannot decide about.
    pub undecided: u64,
    /// Targets whose host asks to come back later.
    pub later: u64,
    /// The counts of all targets, after a round over all records.
    pub counts: Option<LinkCounts>,
}

/// Why a round ended early.
#[derive(Debug)]
pub enum RoundError {
    /// Another process makes the rounds of this store.
    Elsewhere,
    /// An error of the registry or its store.
    Registry(RegistryError),
}

impl From<RegistryError> for RoundError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl Checker {
    /// Creates a checker. `root` is the address of this resolver, and `own` are the addresses of
    /// its listeners, which are never requested.
    ///
    /// # Errors
    ///
    /// If the certificates of authorities cannot be read.
    pub fn new(options: &LinkOptions, root: &str, own: Vec<SocketAddr>) -> Result<Self, TlsError> {
        let guard = AddressGuard::new(options.allow_networks.to_vec()).refusing(own);
        Self::with_guard(options, root, guard)
    }

    /// Creates a checker with a guard of its own, for tests and measurements.
    ///
    /// # Errors
    ///
    /// As [`Checker::new`].
    pub fn with_guard(
        options: &LinkOptions,
        root: &str,
        guard: AddressGuard,
    ) -> Result<Self, TlsError> {
        let (limit, pause) = (options.timeout.get(), options.host_pause.get());
        let outgoing = Outgoing::new(guard, limit, options.ca_file.as_deref())?;
        let contact = options.contact.as_deref().unwrap_or(root);
        let agent = format!("{TOKEN}/{} (+{contact})", env!("CARGO_PKG_VERSION"));
        let agent = HeaderValue::from_str(&agent).unwrap_or(HeaderValue::from_static(TOKEN));
        let own = root.trim_end_matches('/').to_owned();
        let fetcher = Fetcher { outgoing, agent, own, pause, limit };
        Ok(Self { fetcher, options: options.clone() })
    }

    /// Makes a round. `seen` sees each check before it is saved. Must be called in a runtime such
    /// as that of [`Outgoing::runtime`]; dropping the future ends the round, and loses the checks
    /// of some seconds.
    ///
    /// # Errors
    ///
    /// If another process makes the rounds, or the store fails. What was saved stays.
    pub async fn round(
        &self,
        registry: &Registry,
        round: &Round,
        mut seen: impl FnMut(&LinkCheck),
    ) -> Result<RoundReport, RoundError> {
        let mut report = RoundReport::default();
        let holder = round.holder.as_deref();
        lease(registry, holder)?;
        for LinkRange { prefix, to } in &round.ranges {
            let to = to.as_deref();
            let mut after: Option<String> = None;
            loop {
                let due = registry.due_links(prefix, after.as_deref(), to, round.since)?;
                let mut save = |checks: Vec<LinkCheck>| -> Result<(), RoundError> {
                    lease(registry, holder)?;
                    for checks in checks.chunks(SAVED_AT_ONCE) {
                        checks.iter().for_each(|check| report.add(check, &mut seen));
                        registry.save_link_checks(checks, self.interval())?;
                    }
                    Ok(())
                };
                self.slice(registry, due.targets, &mut save).await?;
                let end = due.last.as_deref().or(to);
                registry.index_broken_links(prefix, after.as_deref(), end)?;
                match due.last {
                    Some(last) => after = Some(last),
                    None => break,
                }
                tokio::task::yield_now().await; // a round in which nothing is due can end, too
            }
        }
        if round.ranges.iter().any(|range| *range == LinkRange::default()) {
            report.counts = Some(registry.finish_link_round(self.interval())?);
        }
        Ok(report)
    }

    fn interval(&self) -> SignedDuration {
        SignedDuration::try_from(self.options.interval.get()).unwrap_or(SignedDuration::MAX)
    }

    /// Checks the targets of a slice, and saves what they answer every few seconds.
    async fn slice(
        &self,
        registry: &Registry,
        targets: Vec<String>,
        save: &mut dyn FnMut(Vec<LinkCheck>) -> Result<(), RoundError>,
    ) -> Result<(), RoundError> {
        let mut queues: BTreeMap<String, VecDeque<String>> = BTreeMap::new();
        for target in targets {
            let origin = Url::parse(&target).map(|url| url.origin().ascii_serialization());
            queues.entry(origin.unwrap_or_default()).or_default().push_back(target);
        }
        let (hosts, done) = (Hosts::default(), RefCell::new(Vec::new()));
        let room = Semaphore::new(self.options.concurrency.get());
        let mut workers = FuturesUnordered::new();
        for (origin, queue) in queues {
            let (host, queue) = (hosts.of(origin), Rc::new(RefCell::new(queue)));
            let number = self.options.per_host.get().min(queue.borrow().len());
            for _ in 0..number {
                let (host, queue) = (Rc::clone(&host), Rc::clone(&queue));
                workers.push(self.work(registry, queue, host, &hosts, &room, &done));
            }
        }
        let mut ticks = interval_at(Instant::now() + SAVE_EVERY, SAVE_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_over = tokio::select! {
                ended = workers.next() => ended.is_none(),
                _ = ticks.tick() => {
                    save(done.take())?;
                    false
                }
            };
            if is_over {
                return save(done.take());
            }
        }
    }

    /// Checks targets of one host, one after the other.
    async fn work(
        &self,
        registry: &Registry,
        queue: Rc<RefCell<VecDeque<String>>>,
        host: Rc<Host>,
        hosts: &Hosts,
        room: &Semaphore,
        done: &RefCell<Vec<LinkCheck>>,
    ) {
        loop {
            let next = queue.borrow_mut().pop_front();
            let Some(target) = next else { return };
            let found = if let Some(pause) = host.busy() {
                Found {
                    verdict: LinkVerdict::Later,
                    answer: Default::default(),
                    retry_after: Some(pause),
                }
            } else if let Some(answer) = host.silence() {
                Found { verdict: LinkVerdict::Fails, answer, retry_after: None }
            } else {
                // The semaphore is never closed.
                let _room = room.acquire().await;
                self.fetcher.check(&target, hosts).await
            };
            let Found { verdict, answer, retry_after } = found;
            let at = registry.now();
            done.borrow_mut().push(LinkCheck { target, at, verdict, answer, retry_after });
        }
    }
}

impl RoundReport {
    fn add(&mut self, check: &LinkCheck, seen: &mut impl FnMut(&LinkCheck)) {
        *match check.verdict {
            LinkVerdict::Works => &mut self.works,
            LinkVerdict::Fails => &mut self.fails,
            LinkVerdict::Undecided => &mut self.undecided,
            LinkVerdict::Later => &mut self.later,
        } += 1;
        seen(check);
    }
}

/// Takes or renews the lease.
fn lease(registry: &Registry, holder: Option<&str>) -> Result<(), RoundError> {
    match holder {
        Some(holder) if !registry.lease(Lease::Links, holder, LEASE)? => Err(RoundError::Elsewhere),
        _ => Ok(()),
    }
}
