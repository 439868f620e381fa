//! Makes backups on the schedule of the configuration, on a thread of its own, one at a time. A time that was missed is made up after the
//! start; what fails is logged, noted for metrics and `fingerpost doctor`, and tried again.
//!
//! The thread is not waited for when the server stops: a run that ends in the middle leaves nothing that is taken for a backup, as after a kill.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_store::{Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use crate::backup::{Kind, Maker, is_busy, now};
use crate::config::{Config, Schedule, has_passed};
use crate::failure::Failure;
use crate::following::Database;
use crate::opened::Primary;

/// How often it is looked whether a backup is due.
const LOOK: Duration = Duration::from_secs(1);

/// The first pause after a failure, which doubles up to the longest.
const PAUSE: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// How far ahead of the clock the last backup may be before it counts as made by a wrong clock.
const AHEAD: SignedDuration = SignedDuration::from_hours(1);

/// When backups are due.
#[derive(Clone, Copy, Debug)]
struct Plan {
    full: Schedule,
    changes: Option<Duration>,
}

/// When the last backups were made.
#[derive(Clone, Copy, Debug)]
struct Last {
    full: Timestamp,
    any: Timestamp,
}

impl Plan {
    /// Returns what is due.
    fn due(&self, last: Option<Last>, now: Timestamp) -> Option<Kind> {
        let Some(last) = last else { return Some(Kind::Full) };
        if last.any.duration_since(now) > AHEAD || self.full.is_due(last.full, now) {
            return Some(Kind::Full);
        }
        let is_due = |interval: Duration| has_passed(interval, last.any, now);
        self.changes.is_some_and(is_due).then_some(Kind::Changes)
    }
}

/// The store that is backed up.
enum Backed {
    Here(Arc<Store>),
    /// In a database that did not answer at the start.
    Away(Arc<Database>),
}

impl Backed {
    fn open(&self) -> Result<Arc<Store>, StoreError> {
        match self {
            Self::Here(store) => Ok(Arc::clone(store)),
            Self::Away(database) => database.store(),
        }
    }
}

/// The thread that makes backups. Dropping it ends the thread after the run in progress.
#[derive(Debug)]
pub(crate) struct Backups {
    _stop: Option<Sender<()>>,
}

impl Backups {
    /// Starts to make backups, if that is configured and the store is written here.
    pub(crate) fn start(config: &Config, data: &Path, primary: &Primary) -> Result<Self, Failure> {
        let Some(full) = config.backup.full else { return Ok(Self { _stop: None }) };
        let changes = config.backup.incremental.map(|interval| interval.get());
        let maker = Maker::new(config, Some(data), now)?;
        let store = match primary {
            Primary::Here(store) => Backed::Here(Arc::clone(store)),
            Primary::Away(database) => Backed::Away(Arc::clone(database)),
            Primary::Elsewhere => {
                tracing::warn!("this node makes no backups: the store that it follows does");
                return Ok(Self { _stop: None });
            }
        };
        let (stop, stopped) = mpsc::channel();
        let plan = Plan { full, changes };
        let mut schedule =
            Running { plan, maker, store, last: None, failures: 0, pause_until: None };
        let run = move || {
            while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                schedule.look();
            }
        };
        let started = thread::Builder::new().name("backups".to_owned()).spawn(run);
        started.map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        Ok(Self { _stop: Some(stop) })
    }
}

/// The schedule, and what it knows of earlier backups.
struct Running {
    plan: Plan,
    maker: Maker,
    store: Backed,
    /// What is in the repository, once that is known.
    last: Option<Option<Last>>,
    failures: u32,
    pause_until: Option<Instant>,
}

impl Running {
    /// Makes the backup that is due.
    fn look(&mut self) {
        if self.pause_until.is_some_and(|until| Instant::now() < until) {
            return;
        }
        match self.make_due() {
            Ok(()) => (self.failures, self.pause_until) = (0, None),
            Err(failure) if is_busy(&failure) => {
                tracing::info!("a backup waits for another run to end");
                // What the other run made counts.
                (self.last, self.pause_until) = (None, Some(Instant::now() + PAUSE));
            }
            Err(failure) => {
                let error = failure.what;
                let pause = PAUSE.saturating_mul(1 << self.failures.min(6)).min(LONGEST_PAUSE);
                tracing::error!(%error, "a backup failed; it is tried again in {} s", pause.as_secs());
                self.failures += 1;
                self.pause_until = Some(Instant::now() + pause);
            }
        }
    }

    fn make_due(&mut self) -> Result<(), Failure> {
        let last = match self.last {
            Some(last) => last,
            None => *self.last.insert(self.look_up()?),
        };
        let Some(kind) = self.plan.due(last, now()) else { return Ok(()) };
        let store = self.store.open().map_err(Failure::from).inspect_err(|failure| {
            self.maker.note_failure(failure);
        })?;
        let done = self.maker.run(&store, kind)?;
        let backup = &done.backup;
        tracing::info!(
            name = backup.name,
            revision = backup.revision,
            bytes = backup.bytes,
            deleted = done.deleted.len(),
            "a backup is complete"
        );
        if let Some(why) = &done.why_full {
            tracing::warn!(why, "a full backup was made instead of one of changes");
        }
        let full = match (backup.kind, last) {
            (Kind::Changes, Some(last)) => last.full,
            _ => backup.at,
        };
        self.last = Some(Some(Last { full, any: backup.at }));
        Ok(())
    }

    /// Looks up when the last backups in the repository were made.
    fn look_up(&self) -> Result<Option<Last>, Failure> {
        let backups =
            self.maker.backups().inspect_err(|failure| self.maker.note_failure(failure))?;
        let full = backups.iter().rev().find(|backup| backup.kind == Kind::Full);
        Ok(full.zip(backups.last()).map(|(full, any)| Last { full: full.at, any: any.at }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_backup_is_due_by_schedule_and_after_the_clock_went_back() {
        let plan =
            Plan { full: "daily 02:30".parse().unwrap(), changes: Some(Duration::from_secs(3600)) };
        let last = |full: &str, any: &str| Some(Last { full: at(full), any: at(any) });
        assert_eq!(plan.due(None, at("2026-11-23T00:00:00Z")), Some(Kind::Full));
        let cases = [
            ("2026-11-23T02:30:01Z", "2026-11-23T05:00:00Z", "2026-11-23T05:59:59Z", None),
            (
                "2026-11-23T02:30:01Z",
                "2026-11-23T05:00:00Z",
                "2026-11-23T06:00:00Z",
                Some(Kind::Changes),
            ),
            (
                "2026-11-23T02:30:01Z",
                "2026-11-24T02:00:00Z",
                "2026-11-24T02:30:00Z",
                Some(Kind::Full),
            ),
            // A clock that was in the next century, and one that is put back by a minute.
            (
                "2126-11-23T02:30:01Z",
                "2126-11-23T02:30:01Z",
                "2026-11-24T01:00:00Z",
                Some(Kind::Full),
            ),
            ("2026-11-23T02:31:00Z", "2026-11-23T02:31:00Z", "2026-11-23T02:30:00Z", None),
        ];
        for (full, any, now, expected) in cases {
            assert_eq!(plan.due(last(full, any), at(now)), expected, "{full} {any} {now}");
        }
    }
}
