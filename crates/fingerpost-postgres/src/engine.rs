//! The engine: snapshots, and writes that take turns among all nodes by the lock of one row.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fingerpost_engine::{Engine, EngineError, Prefetch, Snapshot, Unavailable, Verdict, Work};
use tokio_postgres::Row;

use crate::PostgresOptions;
use crate::address::DatabaseAddress;
use crate::fault::{Fault, Kind};
use crate::limits::{ANSWER, GRACE, TURN};
use crate::pool::{Pool, lock};
use crate::query::Query;
use crate::row_cache::{self, RowCache};
use crate::schema::{Refused, bring_up};
use crate::session::{Role, Session};
use crate::snapshot::{PostgresSnapshot, number};
use crate::waiting::Watch;
use crate::write::{Id, Note, Write};

/// Begins a write. Each statement after the one that takes the lock sees every commit before.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE";

/// A storage engine in a PostgreSQL database.
pub struct Postgres {
    location: String,
    options: PostgresOptions,
    pool: Pool,
    writer: Mutex<Writer>,
    watch: Watch,
}

/// The session that writes, and the name under which the database knows its commits.
struct Writer {
    id: Id,
    session: Option<Session>,
    cache: RowCache,
}

/// What distinguishes an attempt to write from the one before.
struct Attempt {
    /// The commit that may have succeeded.
    uncertain: Option<Id>,
    /// How long to wait for the turn.
    limit: Duration,
}

/// How an attempt to write ended.
enum AttemptResult {
    /// With this number.
    Committed(u64),
    Unchanged,
    Failed(EngineError),
}

/// Why an attempt may have to be repeated.
struct FailedAttempt {
    fault: Fault,
    /// The commit that may have succeeded.
    uncertain: Option<Id>,
}

impl Postgres {
    /// Connects to the database, and creates the tables if there are none. Several nodes can do
    /// this at once.
    ///
    /// Fails with [`EngineError::Database`] if the database cannot be reached in time or must not
    /// be used, [`EngineError::NewerFormat`] if a newer release has changed the tables.
    pub fn open(address: &DatabaseAddress, options: PostgresOptions) -> Result<Self, EngineError> {
        let location = address.to_string();
        let io = |source| io_error(&location, source);
        let pool = Pool::new(address.clone(), &options).map_err(io)?;
        let mut patience = pool.patience();
        let session = loop {
            let opened = pool.connect(Role::Writer).map_err(Refused::Fault).and_then(|session| {
                bring_up(&session, address.schema())?;
                Ok(session)
            });
            match opened {
                Ok(session) => break session,
                Err(Refused::Newer(error)) => return Err(error),
                Err(Refused::Fault(fault)) if patience.allows_another(fault.kind()) => {}
                Err(Refused::Fault(fault)) => return Err(fault.error(&location)),
            }
        };
        let writer = Writer {
            id: random().map_err(io)?,
            session: Some(session),
            cache: RowCache::default(),
        };
        let (writer, watch) = (Mutex::new(writer), Watch::default());
        Ok(Self { location, options, pool, writer, watch })
    }

    /// Runs `work` once, after finding out whether an `uncertain` commit succeeded.
    fn attempt(
        &self,
        writer: &mut Writer,
        prefetch: &Prefetch,
        work: &mut Work<'_>,
        Attempt { uncertain, limit }: Attempt,
    ) -> Result<AttemptResult, FailedAttempt> {
        let trouble = |fault| FailedAttempt { fault, uncertain };
        if !writer.session.as_ref().is_some_and(Session::is_open) {
            writer.session = Some(self.pool.connect(Role::Writer).map_err(trouble)?);
        }
        let turn = Turn { writer, is_over: false };
        // From here on, nobody else writes. A lost session of ours has committed already, or never
        // will.
        let answer = self.pool.patience_limit().min(ANSWER);
        let reads = row_cache::statements(turn.session(), prefetch).map_err(trouble)?;
        let begun = turn.session().begin_write(BEGIN, Query::Lock, &reads, answer, limit);
        let (row, found) = begun.map_err(trouble)?;
        let (before, last) = state(row.as_ref()).map_err(trouble)?;
        if let Some(commit) = uncertain {
            let id = &turn.writer.id[..];
            let rows = turn.session().rows(Query::LastOf, &[&id]).map_err(trouble)?;
            let is_ours = |row: &Row| row.try_get(0).is_ok_and(|last: &[u8]| *last == commit);
            if rows.first().is_some_and(is_ours) {
                return Ok(AttemptResult::Committed(before));
            }
        }
        // What is cache is put back unless the transaction fails or has sent what is undone.
        let mut cache = std::mem::take(&mut turn.writer.cache);
        cache.begin(&last);
        cache.keep(prefetch, &found).map_err(|fault| FailedAttempt { fault, uncertain: None })?;
        self.run(turn, work, before, RefCell::new(cache))
    }

    /// Runs `work` in its turn, after the commit of this number, with its cached rows, and commits.
    fn run(
        &self,
        mut turn: Turn<'_>,
        work: &mut Work<'_>,
        before: u64,
        cache: RefCell<RowCache>,
    ) -> Result<AttemptResult, FailedAttempt> {
        let lost = |fault| FailedAttempt { fault, uncertain: None };
        let describe = self.options.describe;
        let mut write = Write::new(turn.session(), &self.location, describe, &cache);
        let result = work(&mut write);
        if let Some(fault) = write.take_fault() {
            return Err(lost(fault));
        }
        if !matches!(result, Ok(Verdict::Keep)) || write.is_empty() {
            if !write.has_sent() {
                drop(write);
                turn.writer.cache = cache.into_inner();
            }
            return Ok(result.map_or_else(AttemptResult::Failed, |_| AttemptResult::Unchanged));
        }
        let commit = match random() {
            Ok(commit) => commit,
            Err(source) => return Ok(AttemptResult::Failed(io_error(&self.location, source))),
        };
        let next = before + 1;
        let note = Note { number: next, commit, writer: turn.writer.id };
        let changes = write.commit(&note).map_err(|failed| FailedAttempt {
            fault: failed.fault,
            uncertain: failed.is_uncertain.then_some(commit),
        })?;
        turn.is_over = true;
        let mut cache = cache.into_inner();
        cache.commit(&commit, &changes);
        turn.writer.cache = cache;
        Ok(AttemptResult::Committed(next))
    }
}

/// A write that holds the lock, which is rolled back when dropped unless it is over.
struct Turn<'w> {
    writer: &'w mut Writer,
    is_over: bool,
}

impl Turn<'_> {
    fn session(&self) -> &Session {
        self.writer.session.as_ref().expect("a turn begins with a session")
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        match &self.writer.session {
            Some(session) if session.is_open() => {
                if !self.is_over {
                    session.send("ROLLBACK");
                }
            }
            _ => self.writer.session = None,
        }
    }
}

impl Engine for Postgres {
    fn location(&self) -> &str {
        &self.location
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        self.snapshot_with(&Prefetch::NONE)
    }

    fn snapshot_with(&self, prefetch: &Prefetch) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        Ok(Box::new(PostgresSnapshot::new(&self.pool, &self.location, prefetch)?))
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        let mut writer = lock(&self.writer);
        let mut patience = self.pool.patience();
        let mut uncertain = None;
        loop {
            let limit = if uncertain.is_some() { patience.left() } else { TURN + GRACE };
            let attempt = Attempt { uncertain, limit };
            let trouble = match self.attempt(&mut writer, prefetch, work, attempt) {
                Ok(AttemptResult::Committed(number)) => {
                    self.watch.publish(number);
                    return Ok(());
                }
                Ok(AttemptResult::Unchanged) => return Ok(()),
                Ok(AttemptResult::Failed(error)) => return Err(error),
                Err(trouble) => trouble,
            };
            uncertain = trouble.uncertain;
            let kind = if uncertain.is_some() { Kind::Lost } else { trouble.fault.kind() };
            if patience.allows_another(kind) {
                continue;
            }
            return Err(match uncertain {
                Some(_) => Unavailable::OutcomeUnknown.into(),
                None => trouble.fault.error(&self.location),
            });
        }
    }

    fn check_writable(&self) -> Result<(), EngineError> {
        let checked = self.pool.lease().and_then(|lease| {
            let query = "SELECT 1 WHERE current_setting('transaction_read_only') = 'off'";
            match lease.session().number(query)? {
                Some(_) => Ok(()),
                None => Err(Fault::Refused("the server takes no writes".to_owned())),
            }
        });
        checked.map_err(|fault| fault.error(&self.location))
    }

    fn wait(&self, seen: Option<u64>, timeout: Duration) -> Result<(), EngineError> {
        let poll = || {
            let lease = self.pool.lease()?;
            let rows = lease.session().rows(Query::Number, &[])?;
            number(rows.first())
        };
        self.watch.wait(seen, timeout, poll).map_err(|fault| fault.error(&self.location))
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("location", &self.location).finish_non_exhaustive()
    }
}

/// Returns the number and the id of the last commit.
fn state(row: Option<&Row>) -> Result<(u64, Vec<u8>), Fault> {
    let number = number(row)?;
    let last = row.map(|row| row.try_get(1)).transpose().map_err(Fault::Postgres)?;
    Ok((number, last.unwrap_or_default()))
}

fn io_error(location: &str, source: io::Error) -> EngineError {
    EngineError::Io { location: location.to_owned(), source: Arc::new(source) }
}

fn random() -> io::Result<Id> {
    let mut id = Id::default();
    getrandom::fill(&mut id).map_err(io::Error::other)?;
    Ok(id)
}
