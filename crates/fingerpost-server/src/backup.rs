//! `fingerpost backup` and `restore`: back up a data directory to one file or to a repository, and restore it.

mod commands;
mod file;
mod keys;
mod making;
mod manifest;
mod repository;
mod restoring;
mod retention;
#[cfg(feature = "s3")]
mod s3;
mod storage;
mod trial;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_store::{BackupError, BackupReport};
use jiff::Timestamp;

use crate::args::local as args;
use crate::failure::Failure;
use crate::last_backup::LastBackup;
use crate::output::{GOOD, NOTE, counted};
pub(crate) use making::{Maker, is_busy};
pub(crate) use manifest::Kind;
pub(crate) use restoring::restore;

/// Runs `fingerpost backup`.
pub(crate) fn backup(args: &args::Backup) -> Result<ExitCode, Failure> {
    match (&args.command, &args.file) {
        (Some(command), _) => commands::run(command),
        (None, Some(file)) => file::write(&args.local, file),
        (None, None) => Err(Failure::new("no file to write the backup to")),
    }
}

/// Writes down in the data directory that there is a backup. The backup is complete also if that fails.
fn note(data: Option<&Path>, report: &BackupReport) {
    let Some(data) = data else { return };
    if let Err(error) = LastBackup::write(data, report, now(), false) {
        let data = data.display();
        let _ = writeln!(
            anstream::stderr(),
            "{NOTE}note{NOTE:#}: metrics and `fingerpost doctor` do not know of this backup: cannot write in `{data}`: {error}"
        );
    }
}

/// Returns the current time.
#[expect(clippy::disallowed_methods, reason = "the clock of the command; below, it is an argument")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// Writes to standard error, because standard output may be the backup.
fn tell(report: &BackupReport, what: &str) {
    let _ = writeln!(
        anstream::stderr(),
        "{GOOD}{what}{GOOD:#}: {} at revision {}, audit head {}",
        counted(report.levels(), "level"),
        report.revision(),
        report.audit_head()
    );
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        match error {
            BackupError::Store(error) => error.into(),
            BackupError::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            other => Self::new(other),
        }
    }
}
