//! When the last backup was made, and whether one failed since, as small files in the data
//! directory: for metrics and `fingerpost doctor`, which cannot know where backups are kept.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use fingerpost_store::BackupReport;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

/// Names of the files in the data directory.
const NAME: &str = "last-backup.json";
const FAILED: &str = "failed-backup.json";

/// The last complete backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastBackup {
    /// When it was complete.
    pub at: Timestamp,
    /// The revision that it holds.
    pub revision: u64,
    /// The number of levels that it holds.
    pub levels: u64,
    /// When a backup was last restored as a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Timestamp>,
}

impl LastBackup {
    /// Returns what is known about the last backup; `None` if there was none, or the file is
    /// damaged.
    pub fn read(data: &Path) -> Option<Self> {
        read(data, NAME)
    }

    /// Stores that a backup is complete, and whether it was restored as a test; an earlier
    /// failure is over.
    pub fn write(
        data: &Path,
        report: &BackupReport,
        at: Timestamp,
        is_verified: bool,
    ) -> io::Result<()> {
        let before = Self::read(data).and_then(|last| last.verified);
        let verified = if is_verified { Some(at) } else { before };
        let (revision, levels) = (report.revision().number(), report.levels());
        write(data, NAME, &Self { at, revision, levels, verified })?;
        match fs::remove_file(data.join(FAILED)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// A backup that failed after the last complete one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedBackup {
    /// When it failed.
    pub at: Timestamp,
    /// Why it failed.
    pub error: String,
}

impl FailedBackup {
    /// Returns the last failure, if no backup was complete since.
    pub fn read(data: &Path) -> Option<Self> {
        read(data, FAILED)
    }

    /// Stores that a backup failed.
    pub fn write(&self, data: &Path) -> io::Result<()> {
        write(data, FAILED, self)
    }
}

fn read<T: DeserializeOwned>(data: &Path, name: &str) -> Option<T> {
    serde_json::from_slice(&fs::read(data.join(name)).ok()?).ok()
}

fn write(data: &Path, name: &str, value: &impl Serialize) -> io::Result<()> {
    let mut file = NamedTempFile::with_prefix_in(".fingerpost-last-backup-", data)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    file.persist(data.join(name)).map(drop).map_err(|error| error.error)
}
