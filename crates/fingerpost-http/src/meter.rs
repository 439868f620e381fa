//! Counters of a listener: requests by answer and protocol, their durations, connections and why
//! they ended.
//!
//! Each worker counts for itself, in memory that no other worker writes, so counting needs no
//! synchronisation. The counts are added up when they are read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use http::header::CONTENT_TYPE;
use http::{Response, StatusCode, Version};

use crate::observe::{Observed, Observer, Observers};

/// Upper bounds of the classes of times, in nanoseconds: most redirects take microseconds, calls of
/// the admin API up to seconds.
const BOUNDS: [u64; 16] = [
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    10_000_000,
    25_000_000,
    100_000_000,
    250_000_000,
    1_000_000_000,
    2_500_000_000,
    10_000_000_000,
];

/// Statuses that are counted one by one; 0 means any other status.
const STATUSES: [u16; 38] = [
    0, 200, 201, 202, 204, 206, 207, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405,
    406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 428, 429, 431, 500, 501, 503,
];

/// The two answers that have the status of others: a page, and whether the server is well.
const PAGE: usize = STATUSES.len();
const PROBE: usize = PAGE + 1;
const KINDS: usize = PROBE + 1;

/// The index in [`STATUSES`] of each status below 600.
const INDEX_OF_STATUS: [u8; 600] = {
    let mut indices = [0; 600];
    let mut at = 1;
    while at < STATUSES.len() {
        indices[STATUSES[at] as usize] = at as u8;
        at += 1;
    }
    indices
};

/// Names of the protocols, as the label of the metric has them.
const PROTOCOLS: [&str; 3] = ["http/1.0", "http/1.1", "http/2"];

/// The time limit that ended a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deadline {
    /// `tls_handshake_timeout`
    Handshake,
    /// `header_timeout`
    Head,
    /// `idle_timeout`
    Idle,
    /// `response_timeout`
    Response,
}

const DEADLINES: [&str; 4] = ["tls_handshake", "header", "idle", "response"];

/// The counts of one worker. Aligned, so that workers do not share a line of the processor's cache.
#[repr(align(128))]
pub(crate) struct Counts {
    answered: [[AtomicU64; KINDS]; PROTOCOLS.len()],
    /// Requests by time, the last class without a bound.
    within: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
    unreadable: AtomicU64,
    ended: [AtomicU64; DEADLINES.len()],
    handshakes_failed: AtomicU64,
    behind: AtomicU64,
    ticks: AtomicU64,
    observers: Observers,
}

impl Default for Counts {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            answered: std::array::from_fn(|_| std::array::from_fn(|_| zero())),
            within: std::array::from_fn(|_| zero()),
            nanoseconds: zero(),
            unreadable: zero(),
            ended: std::array::from_fn(|_| zero()),
            handshakes_failed: zero(),
            behind: zero(),
            ticks: zero(),
            observers: Observers::default(),
        }
    }
}

impl Counts {
    /// Counts an answered request; returns its counter.
    pub(crate) fn answered<B>(
        &self,
        version: Version,
        is_probe: bool,
        answer: &Response<B>,
        took: Duration,
    ) -> AnswerCounter {
        let protocol = match version {
            Version::HTTP_10 => 0,
            Version::HTTP_2 => 2,
            _ => 1,
        };
        let kind = if is_probe { PROBE } else { kind(answer) };
        self.answered[protocol][kind].fetch_add(1, Relaxed);
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let class = BOUNDS.iter().position(|bound| nanoseconds <= *bound).unwrap_or(BOUNDS.len());
        self.within[class].fetch_add(1, Relaxed);
        self.nanoseconds.fetch_add(nanoseconds, Relaxed);
        AnswerCounter { protocol, kind }
    }

    /// Counts an answer as 503 after all, because it exceeds the limit of the connection.
    pub(crate) fn withheld(&self, AnswerCounter { protocol, kind }: AnswerCounter) {
        self.answered[protocol][kind].fetch_sub(1, Relaxed);
        self.answered[protocol][usize::from(INDEX_OF_STATUS[503])].fetch_add(1, Relaxed);
    }

    /// Returns the observers of requests.
    pub(crate) fn observers(&self) -> &Observers {
        &self.observers
    }

    pub(crate) fn unreadable(&self) {
        self.unreadable.fetch_add(1, Relaxed);
    }

    pub(crate) fn ended(&self, by: Deadline) {
        self.ended[by as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn handshake_failed(&self) {
        self.handshakes_failed.fetch_add(1, Relaxed);
    }

    /// Counts a tick of the worker's clock, four in a second while the worker is well.
    pub(crate) fn tick(&self) {
        self.ticks.fetch_add(1, Relaxed);
    }

    pub(crate) fn fell_behind(&self) {
        self.behind.fetch_add(1, Relaxed);
    }
}

fn kind<B>(answer: &Response<B>) -> usize {
    let is_page = || {
        let form = answer.headers().get(CONTENT_TYPE);
        form.is_some_and(|form| form.as_bytes().starts_with(b"text/html"))
    };
    match answer.status() {
        StatusCode::OK if is_page() => PAGE,
        status => {
            INDEX_OF_STATUS.get(usize::from(status.as_u16())).map_or(0, |index| usize::from(*index))
        }
    }
}

/// The counter of an answered request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerCounter {
    protocol: usize,
    kind: usize,
}

impl AnswerCounter {
    /// Returns the name of the protocol.
    pub(crate) fn protocol(self) -> &'static str {
        PROTOCOLS[self.protocol]
    }

    /// Returns the name of the kind of answer.
    pub(crate) fn answer(self) -> &'static str {
        name(self.kind).0
    }
}

/// Returns what an answer of this kind is called, and its status.
fn name(kind: usize) -> (&'static str, u16) {
    let status = STATUSES.get(kind).copied().unwrap_or(200);
    let called = match (kind, status) {
        (PAGE, _) => "page",
        (PROBE, _) => "probe",
        (_, 204) => "empty",
        (_, 200..=299) => "data",
        (_, 300) => "choices",
        (_, 304) => "not_modified",
        (_, 301..=308) => "redirect",
        (_, 404 | 410) => "unknown",
        (_, 429 | 503) => "busy",
        // Any client can send a method that is not known, which is no failure of the server.
        (_, 400..=499 | 501) => "refused",
        (_, 500..) => "failed",
        _ => "other",
    };
    (called, status)
}

/// The counters of a listener since its start. Clones share them.
#[derive(Clone, Default)]
pub struct Meter(Arc<Metered>);

#[derive(Default)]
struct Metered {
    workers: Mutex<Vec<Arc<Counts>>>,
    observers: Mutex<Vec<Observer>>,
    connections: Mutex<Option<ReadConnections>>,
}

/// A function that returns the connections of a listener.
type ReadConnections = Box<dyn Fn() -> Connections + Send>;

impl Meter {
    /// Returns counts for another worker.
    pub(crate) fn counts(&self) -> Arc<Counts> {
        let observers = Observers::new(&lock(&self.0.observers));
        let counts = Arc::new(Counts { observers, ..Counts::default() });
        lock(&self.0.workers).push(Arc::clone(&counts));
        counts
    }

    /// Calls a function for a part of the requests, from 0 for none to 1 for all. It must return at
    /// once. Workers that run already do not know it.
    pub fn observe(&self, part: f64, tell: impl Fn(&Observed<'_>) + Send + Sync + 'static) {
        lock(&self.0.observers).push(Observer::new(part, tell));
    }

    /// Sets where the connections are read from.
    pub(crate) fn read_connections(&self, read: impl Fn() -> Connections + Send + 'static) {
        *lock(&self.0.connections) = Some(Box::new(read));
    }

    /// Returns how often the clock of each worker has ticked: a number that stays the same is that
    /// of a worker that does not run.
    pub fn ticks(&self) -> Vec<u64> {
        lock(&self.0.workers).iter().map(|worker| worker.ticks.load(Relaxed)).collect()
    }

    /// Returns the counts of all workers together.
    pub fn read(&self) -> MeterReading {
        let workers = lock(&self.0.workers);
        let sum = |count: &dyn Fn(&Counts) -> &AtomicU64| -> u64 {
            workers.iter().map(|worker| count(worker).load(Relaxed)).sum()
        };
        let mut requests = Vec::new();
        for (at, protocol) in PROTOCOLS.into_iter().enumerate() {
            for kind in 0..KINDS {
                let count = sum(&|worker| &worker.answered[at][kind]);
                let (answer, status) = name(kind);
                // The series of redirects exist from the start, so that their rate is known from
                // the first scrape on.
                if count > 0 || (answer, status) == ("redirect", 307) {
                    requests.push(Requests { answer, status, protocol, count });
                }
            }
        }
        let within = (0..=BOUNDS.len()).map(|at| {
            let bound = BOUNDS.get(at).map(|nanoseconds| Duration::from_nanos(*nanoseconds));
            (bound, sum(&|worker| &worker.within[at]))
        });
        let ended = DEADLINES.into_iter().enumerate();
        let connections = lock(&self.0.connections).as_ref().map(|read| read());
        MeterReading {
            requests,
            within: within.collect(),
            took: Duration::from_nanos(sum(&|worker| &worker.nanoseconds)),
            unreadable: sum(&|worker| &worker.unreadable),
            handshakes_failed: sum(&|worker| &worker.handshakes_failed),
            behind: sum(&|worker| &worker.behind),
            ended: ended.map(|(at, name)| (name, sum(&|worker| &worker.ended[at]))).collect(),
            connections: connections.unwrap_or_default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The counters of a listener at one time.
#[derive(Clone, Debug, Default)]
pub struct MeterReading {
    /// Answered requests by answer, status and protocol.
    pub requests: Vec<Requests>,
    /// Answered requests by the time from the head of the request to that of the answer; each
    /// class with its upper bound.
    pub within: Vec<(Option<Duration>, u64)>,
    /// That time, of all requests together.
    pub took: Duration,
    /// Requests that were not HTTP, or far beyond the limits.
    pub unreadable: u64,
    /// TLS handshakes that failed.
    pub handshakes_failed: u64,
    /// How often a thread fell behind, so that it answered 503.
    pub behind: u64,
    /// Connections that ended because of a time limit.
    pub ended: Vec<(&'static str, u64)>,
    /// The connections.
    pub connections: Connections,
}

/// Answered requests.
#[derive(Clone, Copy, Debug)]
pub struct Requests {
    /// The kind of the answer.
    pub answer: &'static str,
    /// Its status; 0 for one that is not counted by itself.
    pub status: u16,
    /// The protocol.
    pub protocol: &'static str,
    /// How many.
    pub count: u64,
}

/// The connections of a listener.
#[derive(Clone, Copy, Debug, Default)]
pub struct Connections {
    /// Open ones.
    pub open: u64,
    /// How many there may be.
    pub limit: u64,
    /// All that were accepted.
    pub accepted: u64,
    /// Connections that were refused because all slots were in use.
    pub refused: u64,
    /// Idle connections closed for new ones, because all slots were taken.
    pub evicted: u64,
    /// The same, because their client network used all its slots.
    pub evicted_in_network: u64,
}

/// Returns the time of the clock. It is read when a request has arrived, for the answer and for its
/// time, and once more when the answer is ready.
#[expect(
    clippy::disallowed_methods,
    reason = "the listener reads the clock once for each request and passes it on"
)]
pub(crate) fn clock() -> SystemTime {
    SystemTime::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, form: &str) -> Response<()> {
        Response::builder().status(status).header(CONTENT_TYPE, form).body(()).unwrap()
    }

    #[test]
    fn workers_are_added_up_by_answer_and_protocol() {
        let meter = Meter::default();
        let (one, other) = (meter.counts(), meter.counts());
        let took = Duration::from_micros(7);
        one.answered(Version::HTTP_11, false, &answer(307, ""), took);
        other.answered(Version::HTTP_11, false, &answer(307, ""), took);
        other.answered(Version::HTTP_2, false, &answer(200, "text/html; charset=utf-8"), took);
        other.answered(Version::HTTP_2, false, &answer(200, "application/json"), took);
        other.answered(Version::HTTP_2, true, &answer(200, "application/json"), took);
        other.answered(Version::HTTP_10, false, &answer(599, ""), Duration::from_secs(60));
        one.ended(Deadline::Idle);
        let reading = meter.read();
        let seen: Vec<_> = reading.requests.iter().filter(|requests| requests.count > 0).collect();
        let seen: Vec<_> = seen.iter().map(|r| (r.answer, r.status, r.protocol, r.count)).collect();
        assert_eq!(
            seen,
            [
                ("other", 0, "http/1.0", 1),
                ("redirect", 307, "http/1.1", 2),
                ("data", 200, "http/2", 1),
                ("page", 200, "http/2", 1),
                ("probe", 200, "http/2", 1),
            ]
        );
        assert_eq!(reading.within[1], (Some(Duration::from_micros(10)), 5));
        assert_eq!(reading.within[BOUNDS.len()], (None, 1));
        assert_eq!(reading.took, Duration::from_secs(60) + 5 * took);
        assert_eq!(reading.ended[2], ("idle", 1));
    }

    #[test]
    fn every_status_has_a_name() {
        for status in 100..600 {
            let (called, named) = name(kind(&answer(status, "")));
            assert!(named == status || (called, named) == ("other", 0), "{status}: {called}");
        }
        assert_eq!(name(kind(&answer(404, ""))), ("unknown", 404));
        assert_eq!(name(kind(&answer(503, ""))), ("busy", 503));
        assert_eq!(name(kind(&answer(414, ""))), ("refused", 414));
        assert_eq!(name(kind(&answer(501, ""))), ("refused", 501));
    }
}
