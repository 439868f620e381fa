//! The sessions of an engine, and what it knows about the health of the server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

use crate::PostgresOptions;
use crate::address::{DatabaseAddress, Encryption};
use crate::fault::{Fault, Kind};
use crate::limits::{FIRST_PAUSE, MAX_CALL, MAX_PAUSE, OUTAGE_MEMORY, SESSION_WAIT};
use crate::session::{Role, Session};
use crate::tls::Tls;

/// Sessions for readers, and the way to open others.
pub(crate) struct Pool {
    address: DatabaseAddress,
    tls: Option<Tls>,
    sessions_limit: usize,
    patience: Duration,
    sessions: Mutex<Sessions>,
    freed: Condvar,
    outage: Mutex<Option<Outage>>,
    /// The host that took the last connection, which is tried first.
    host: AtomicUsize,
}

#[derive(Default)]
struct Sessions {
    idle: Vec<Session>,
    in_use: usize,
}

/// A server that could not be reached since it last answered.
struct Outage {
    since: Instant,
    last: Instant,
    detail: String,
}

impl Pool {
    pub(crate) fn new(
        address: DatabaseAddress,
        options: &PostgresOptions,
    ) -> std::io::Result<Self> {
        let tls = match address.encryption() {
            Encryption::Never => None,
            Encryption::Verified(roots) => Some(Tls::new(roots.as_deref())?),
        };
        Ok(Self {
            address,
            tls,
            sessions_limit: options.connections.max(1),
            patience: options.patience,
            sessions: Mutex::default(),
            freed: Condvar::new(),
            outage: Mutex::default(),
            host: AtomicUsize::new(0),
        })
    }

    /// Opens a session.
    pub(crate) fn connect(&self, role: Role) -> Result<Session, Fault> {
        if let Some(outage) = &*lock(&self.outage)
            && outage.last - outage.since >= self.patience
            && outage.last.elapsed() < OUTAGE_MEMORY
        {
            return Err(Fault::Down(outage.detail.clone()));
        }
        let result = self.connect_to_any(role);
        match &result {
            Ok(_) => *lock(&self.outage) = None,
            Err(fault) => {
                let now = Instant::now();
                let mut outage = lock(&self.outage);
                let since = outage.as_ref().map_or(now, |outage| outage.since);
                *outage = Some(Outage { since, last: now, detail: fault.detail() });
            }
        }
        result
    }

    /// Opens a session with the first host that takes writes.
    fn connect_to_any(&self, role: Role) -> Result<Session, Fault> {
        let hosts = self.address.hosts();
        let first = self.host.load(Ordering::Relaxed);
        let mut faults = Vec::new();
        for at in (0..hosts.len()).map(|at| (first + at) % hosts.len()) {
            let (host, config) = &hosts[at];
            let (schema, tls) = (self.address.schema(), self.tls.as_ref());
            match Session::connect(config, schema, tls, role) {
                Ok(session) => {
                    self.host.store(at, Ordering::Relaxed);
                    return Ok(session);
                }
                Err(fault) => faults.push((host.clone(), fault)),
            }
        }
        match faults.len() {
            1 => Err(faults.remove(0).1),
            _ => Err(Fault::Everywhere(faults)),
        }
    }

    /// Returns a session of a reader; waits if all are in use.
    pub(crate) fn lease(&self) -> Result<Lease<'_>, Fault> {
        let sessions = lock(&self.sessions);
        let is_full = |sessions: &mut Sessions| sessions.in_use >= self.sessions_limit;
        let waited = self.freed.wait_timeout_while(sessions, SESSION_WAIT, is_full);
        let (mut sessions, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            return Err(Fault::Crowded(self.sessions_limit));
        }
        sessions.in_use += 1;
        let mut lease = Lease { pool: self, session: None };
        let mut idle = std::iter::from_fn(|| sessions.idle.pop());
        lease.session = idle.find(Session::is_open);
        drop(sessions);
        if lease.session.is_none() {
            lease.session = Some(self.connect(Role::Reader)?);
        }
        Ok(lease)
    }

    /// Returns how long a caller repeats failed attempts.
    pub(crate) fn patience_limit(&self) -> Duration {
        self.patience
    }

    /// Starts counting the time that a caller has for attempts.
    pub(crate) fn patience(&self) -> Patience<'_> {
        let pauses = doubling(FIRST_PAUSE, MAX_PAUSE);
        Patience { pool: self, begin: Instant::now(), until: None, pauses }
    }
}

/// A session in use by a reader; returns to the pool when dropped.
pub(crate) struct Lease<'p> {
    pool: &'p Pool,
    session: Option<Session>,
}

impl Lease<'_> {
    pub(crate) fn session(&self) -> &Session {
        self.session.as_ref().expect("a lease that was returned has a session")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let session = self.session.take().filter(Session::is_open);
        if let Some(session) = &session {
            session.send("ROLLBACK"); // an old snapshot would keep the server from removing replaced rows
        }
        let mut sessions = lock(&self.pool.sessions);
        sessions.in_use -= 1;
        sessions.idle.extend(session);
        drop(sessions);
        self.pool.freed.notify_one();
    }
}

/// How long a caller repeats failed attempts.
pub(crate) struct Patience<'p> {
    pool: &'p Pool,
    begin: Instant,
    until: Option<Instant>,
    pauses: ExponentialBackoff,
}

impl Patience<'_> {
    /// Pauses before another attempt; returns `false` if the fault lasts or the time is over. The
    /// time counts from the first fault, or from the beginning of an outage that others have found.
    pub(crate) fn allows_another(&mut self, kind: Kind) -> bool {
        if kind == Kind::Lasting {
            return false;
        }
        let now = Instant::now();
        let until = *self.until.get_or_insert_with(|| {
            let since = lock(&self.pool.outage).as_ref().map_or(now, |outage| outage.since);
            let since = since.max(now.checked_sub(self.pool.patience).unwrap_or(since));
            (since + self.pool.patience).min(self.begin + self.pool.patience + MAX_CALL)
        });
        if now >= until {
            return false;
        }
        thread::sleep(self.pauses.next().unwrap_or(MAX_PAUSE).min(until - now));
        true
    }

    /// Returns the time left, at least a second.
    pub(crate) fn left(&self) -> Duration {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.unwrap_or(self.pool.patience).max(Duration::from_secs(1))
    }
}

/// Returns pauses that double up to the longest one.
pub(crate) fn doubling(first: Duration, longest: Duration) -> ExponentialBackoff {
    let pauses = ExponentialBuilder::new().without_max_times();
    pauses.with_min_delay(first).with_max_delay(longest).build()
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
