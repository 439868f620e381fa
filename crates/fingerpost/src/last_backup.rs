//! When the last backup was made, as a small file in the data directory: for metrics and `fingerpost doctor`, which cannot know where
//! backups are kept.

use std::fs;
use std::io::Write;
use std::path::Path;

use fingerpost_store::BackupReport;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

/// Name of the file in the data directory.
const NAME: &str = "last-backup.json";

/// The last complete backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastBackup {
    /// When it was complete.
    pub(crate) at: Timestamp,
    /// The revision that it holds.
    pub(crate) revision: u64,
    /// The number of levels that it holds.
    pub(crate) levels: u64,
}

impl LastBackup {
    /// Returns what is known about the last backup; `None` if there was none, or the file is damaged.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(data.join(NAME)).ok()?).ok()
    }

    /// Writes down that a backup is complete.
    ///
    /// # Errors
    /// Fails if the data directory cannot be written.
    pub(crate) fn write(data: &Path, report: &BackupReport, at: Timestamp) -> std::io::Result<()> {
        let last = Self { at, revision: report.revision().number(), levels: report.levels() };
        let mut file = NamedTempFile::with_prefix_in(".fingerpost-last-backup-", data)?;
        file.write_all(&serde_json::to_vec(&last)?)?;
        file.persist(data.join(NAME)).map(drop).map_err(|error| error.error)
    }
}
