//! Makes backups on the schedule of the configuration, one at a time. A time that was missed is
//! made up after the start; failures are noted for metrics and `fingerpost doctor`.
//!
//! The end of the server does not wait for a run: as after a kill, no partial backup is listed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fingerpost_registry::EventKind;
use jiff::{SignedDuration, Timestamp};

use super::webhooks::raise;
use super::{Next, Service, Stop};
use crate::admin_side::RunningApi;
use crate::backup::{FailedBackup, Kind, LastBackup, Maker, is_busy};
use crate::clock::now;
use crate::config::{Config, Schedule, has_passed};
use crate::failure::Failure;
use crate::metrics::{Families, number};
use crate::opened::Primary;

/// How often it is looked whether a backup is due.
const LOOK: Duration = Duration::from_secs(1);

/// The pause while another run is in progress.
const BUSY: Duration = Duration::from_secs(60);

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

/// Makes backups when they are due, and reports on the last ones, including those of commands.
pub(crate) struct Backups {
    data: PathBuf,
    api: RunningApi,
    /// `None` if none are configured, or the store is written elsewhere.
    schedule: Option<Mutex<Running>>,
}

impl Backups {
    pub(crate) fn new(
        config: &Config,
        data: &Path,
        primary: &Primary,
        api: RunningApi,
    ) -> Result<Self, Failure> {
        let mut schedule = None;
        if let Some(full) = config.backup.full {
            let changes = config.backup.incremental.map(|interval| interval.get());
            let maker = Maker::new(config, Some(data), now)?;
            if matches!(primary, Primary::Elsewhere) {
                tracing::warn!("this node makes no backups: the store that it follows does");
            } else {
                let plan = Plan { full, changes };
                schedule =
                    Some(Mutex::new(Running { plan, maker, primary: primary.clone(), last: None }));
            }
        }
        Ok(Self { data: data.to_owned(), api, schedule })
    }
}

impl Service for Backups {
    fn name(&self) -> &'static str {
        "backups"
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        let Some(schedule) = &self.schedule else { return Ok(Next::AtStop) };
        let made = schedule.lock().unwrap_or_else(PoisonError::into_inner).make_due();
        made.inspect_err(|failure| {
            raise(&self.api, EventKind::BackupFailed, "backup", &failure.what);
        })
    }

    fn report(&self, families: &mut Families) {
        if let Some(failed) = FailedBackup::read(&self.data) {
            let at = failed.at.as_second() as f64;
            families.one(
                "failed_backup_timestamp_seconds",
                "When a backup failed; absent as soon as one succeeds.",
                at,
            );
        }
        let Some(backup) = LastBackup::read(&self.data) else { return };
        let at = backup.at.as_second() as f64;
        families.one(
            "last_backup_timestamp_seconds",
            "When a backup of this data directory last succeeded; absent before.",
            at,
        );
        families.one("last_backup_levels", "Levels in that backup.", number(backup.levels));
        families.one(
            "last_backup_revision",
            "The revision of that backup.",
            number(backup.revision),
        );
        if let Some(verified) = backup.verified {
            families.one(
                "last_backup_verified_timestamp_seconds",
                "When a backup of the repository was last restored as a test; absent before.",
                verified.as_second() as f64,
            );
        }
    }
}

/// The schedule, and what it knows of earlier backups.
struct Running {
    plan: Plan,
    maker: Maker,
    primary: Primary,
    /// What is in the repository, once that is known.
    last: Option<Option<Last>>,
}

impl Running {
    /// Makes the backup that is due.
    fn make_due(&mut self) -> Result<Next, Failure> {
        match self.make() {
            Err(failure) if is_busy(&failure) => {
                tracing::info!("a backup waits for another run to end");
                // The other run may have made the backup that is due.
                self.last = None;
                Ok(Next::After(BUSY))
            }
            made => made.map(|()| Next::After(LOOK)),
        }
    }

    fn make(&mut self) -> Result<(), Failure> {
        let last = match self.last {
            Some(last) => last,
            None => *self.last.insert(self.look_up()?),
        };
        let Some(kind) = self.plan.due(last, now()) else { return Ok(()) };
        let opened = self.primary.store().map_err(Failure::from);
        let opened = opened.inspect_err(|failure| self.maker.note_failure(failure))?;
        let Some(store) = opened else { return Ok(()) };
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
