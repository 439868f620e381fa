//! Backups: one snapshot of all tables in one file. Reading verifies a backup; restoring builds the
//! store in a temporary directory.
//!
//! The file begins with the line `fingerpost-backup/1`; a gzip stream (RFC 1952) of frames follows,
//! always with the same header. A frame is one row: the number of its table (1 byte, from 1), the
//! lengths of key and value (4 bytes each, little endian), key, and value as it is stored, with the
//! checksum that rows have from format 3 on, also if it does not match. Tables are in the order of
//! [`Table::ALL`], rows in key order. The last frame has number 0, no key, and the trailer as its
//! value: JSON with the number of rows by table, the revision and the audit head. The stream ends
//! with 32 bytes, SHA-256 over the first line and everything in the stream before them.
//!
//! [`Table::ALL`]: fingerpost_engine::Table::ALL

mod changes;
mod merging;
mod reading;
mod restore;
mod rewinding;
mod writing;

use std::collections::BTreeMap;
use std::io;

use data_encoding::HEXLOWER;
use fingerpost_engine::{EngineError, Table};
use serde::{Deserialize, Serialize};

use crate::format::Hash;
use crate::{AuditHead, Revision, StoreError};

/// First line of a backup.
const HEADER: &[u8] = b"fingerpost-backup/1\n";
/// The header of the gzip stream that the writer makes (RFC 1952, section 2.3): without a time and
/// a name, fastest compression, unknown system. The checksum of the stream does not cover it, so
/// the reader compares it.
const GZIP: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
/// The beginning of the first line of any backup.
const NAME: &[u8] = b"fingerpost-backup/";
/// Number of the trailer's frame.
const TRAILER: u8 = 0;
/// Length of a frame before its key, in bytes.
const FRAME: usize = 9;
/// Bytes that are packed or unpacked at once.
const AT_ONCE: usize = 64 << 10;

/// An error from making, reading or restoring a backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store could not be read, or the restored one could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The backup could not be written or read.
    #[error("cannot write or read the backup: {0}")]
    Io(#[from] io::Error),
    /// The file is not a backup, or it is damaged or truncated. Nothing was restored.
    #[error("the backup is damaged ({detail}): use another one; nothing was restored")]
    Damaged {
        /// What was found.
        detail: String,
    },
    /// The state at a revision cannot be restored from this backup. Nothing was restored.
    #[error("cannot restore revision {revision}: {detail}; nothing was restored")]
    Unreachable {
        /// The revision.
        revision: u64,
        /// Why.
        detail: &'static str,
    },
    /// The directory to restore into is not empty.
    #[error("`{}` is not empty: restore into a new directory", path.display())]
    NotEmpty {
        /// The directory.
        path: std::path::PathBuf,
    },
}

impl From<EngineError> for BackupError {
    fn from(error: EngineError) -> Self {
        Self::Store(error.into())
    }
}

impl BackupError {
    fn damaged(detail: impl Into<String>) -> Self {
        Self::Damaged { detail: detail.into() }
    }
}

/// The contents of a backup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupReport {
    trailer: Trailer,
    head: AuditHead,
    bytes: u64,
    digest: Hash,
}

/// The last frame.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Trailer {
    rows: BTreeMap<String, u64>,
    revision: u64,
    audit: String,
}

impl BackupReport {
    fn new(trailer: Trailer, bytes: u64, digest: Hash) -> Result<Self, BackupError> {
        let head = trailer.audit.parse();
        let head = head.map_err(|_| BackupError::damaged("its trailer names no audit head"))?;
        Ok(Self { trailer, head, bytes, digest })
    }

    /// Returns the number of rows of each table, by its name.
    pub fn rows(&self) -> impl Iterator<Item = (&str, u64)> {
        self.trailer.rows.iter().map(|(name, count)| (name.as_str(), *count))
    }

    /// Returns the number of levels that hold an entry.
    pub fn levels(&self) -> u64 {
        self.trailer.rows.get(Table::Entries.name()).copied().unwrap_or_default()
    }

    /// Returns the revision of the store.
    pub fn revision(&self) -> Revision {
        Revision::new(self.trailer.revision)
    }

    /// Returns the head of the audit chain.
    pub fn audit_head(&self) -> AuditHead {
        self.head
    }

    /// Returns the number of bytes before compression.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns what a backup of changes needs to know about this one.
    pub fn base(&self) -> BackupBase {
        BackupBase {
            revision: self.revision(),
            head: self.head,
            digest: self.digest(),
            rows: self.trailer.rows.clone(),
        }
    }

    /// Returns SHA-256 over the contents, in lower-case hexadecimal digits. Two full backups of the
    /// same rows have the same.
    pub fn digest(&self) -> String {
        HEXLOWER.encode(&self.digest)
    }
}

pub use changes::{BackupBase, ChangesBackup};
pub use merging::{verify_backup, verify_backup_chain};
pub use restore::RestoreReport;
pub use rewinding::RestorePoint;
