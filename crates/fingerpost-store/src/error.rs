//! Errors of a store, and what the operator can do about them.
//!
//! After any error but [`Unavailable::OutcomeUnknown`], nothing was changed: a write either returns its revision or leaves the store
//! unchanged. Messages end with the next step, because most of them are read at a terminal.

use std::fmt;
use std::io;
use std::path::PathBuf;

use fingerpost_resolver::Anchor;

/// An error from opening, reading or writing a store. Nothing was changed, except perhaps after [`Unavailable::OutcomeUnknown`].
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no store where one was expected.
    #[error("no store in `{}`: check the path, or import records to create one", path.display())]
    Missing {
        /// The requested directory.
        path: PathBuf,
    },
    /// The directory holds a `data.mdb` that is not a fingerpost store.
    #[error("`{}` is not a fingerpost store ({found}): choose another directory", path.display())]
    NotAStore {
        /// The requested directory.
        path: PathBuf,
        /// What the file contains instead.
        found: &'static str,
    },
    /// The store was written by a newer release. It was not touched.
    #[error(
        "the store has format {found}, this release reads up to {supported}: use the release that wrote it, \
         or export there and import here"
    )]
    NewerFormat {
        /// Format of the store.
        found: u32,
        /// Newest format that this release reads.
        supported: u32,
    },
    /// This process has the directory open already, and LMDB's locks do not allow opening it twice.
    #[error("`{}` is already open in this process: share that handle", path.display())]
    AlreadyOpen {
        /// The requested directory.
        path: PathBuf,
    },
    /// Another process has the store open.
    #[error("another process uses `{}`: stop it, then repeat; nothing was changed", path.display())]
    InUse {
        /// The directory of the store.
        path: PathBuf,
    },
    /// The directory has no store, but a restore into it is running or was interrupted.
    #[error(
        "`{}` has no store, but a restore into it is running or was interrupted: repeat the restore, or to go on without the \
         backup, delete `{}`", path.display(), aside.display()
    )]
    Restoring {
        /// The requested directory.
        path: PathBuf,
        /// The directory in which the store is built.
        aside: PathBuf,
    },
    /// The operating system refuses access.
    #[error(
        "no permission to use `{}` ({source}): run as a user who may write there; readers register in its \
         lock file too", path.display()
    )]
    Permission {
        /// The directory of the store.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// No space left: the disk, the quota or the permitted file size is used up.
    #[error(
        "no space left for `{}` ({source}): free space or raise the quota, then repeat; nothing was changed",
        path.display()
    )]
    DiskFull {
        /// The directory of the store.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The store has reached the size of its memory map.
    #[error(
        "the store has reached its map size of {map_size} bytes: reopen it with a larger map size, or with none"
    )]
    MapFull {
        /// Size of the map in bytes.
        map_size: usize,
    },
    /// The store is sound but temporarily unavailable.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// One stored entry cannot be read. All other entries can.
    #[error(
        "the entry stored at `{key}` is damaged ({detail}): import its record again, or delete it"
    )]
    Corrupt {
        /// Canonical text of the level.
        key: String,
        /// What was found.
        detail: String,
    },
    /// One stored row, other than an entry, cannot be read. All other rows can.
    #[error(
        "a row of the store is damaged (table `{table}`: {row}; its checksum does not match): restore the store from a \
         backup, or write that row again"
    )]
    Row {
        /// The table of the row.
        table: &'static str,
        /// The key of the row.
        row: String,
    },
    /// The store is damaged beyond a single row.
    #[error(
        "the store in `{location}` is damaged ({detail}): restore it from a backup or an export"
    )]
    Damaged {
        /// Where the store is.
        location: String,
        /// What was found.
        detail: String,
    },
    /// A key is empty or longer than a store can hold.
    #[error("a key has {found} bytes: use 1 to {max} bytes", max = crate::limits::MAX_KEY)]
    KeySize {
        /// Number of bytes.
        found: usize,
    },
    /// The store is a copy of another one, which only its follower changes. A copy has no history, audit log or accounts.
    #[error(
        "`{location}` is a copy of another store, without its history, accounts and audit log: use the store that it follows"
    )]
    IsCopy {
        /// Where the copy is.
        location: String,
    },
    /// A copy was to be written, but the store has data of its own.
    #[error(
        "`{location}` holds a store of its own, which a copy of another store would replace: give another directory, or \
         delete it if its data is not needed"
    )]
    NotACopy {
        /// Where the store is.
        location: String,
    },
    /// The batch would leave a level without a default link at it or above (RES-2.5.9-1).
    #[error("{}", Listed(levels))]
    MissingDefault {
        /// The changes at fault, in key order.
        levels: Vec<MissingDefault>,
    },
    /// The place already holds a store, or something else.
    #[error("`{location}` is not empty: choose another place, or empty it")]
    NotEmpty {
        /// The place.
        location: String,
    },
    /// A store is being copied to this place, and that is not finished.
    #[error(
        "the migration to `{location}` is not finished, or its source has changed meanwhile: stop the writers of the source, and \
         repeat `fingerpost migrate`"
    )]
    Migrating {
        /// The place.
        location: String,
    },
    /// The database that holds the store cannot be used. Most causes pass: repeat the call later.
    #[error("cannot use the database `{location}` ({detail}): nothing was changed")]
    Database {
        /// The database, without its password.
        location: String,
        /// What was found.
        detail: String,
    },
    /// The server of the database has no space left.
    #[error(
        "the disk of the database `{location}` is full ({detail}): free space on the server of the database, then repeat; \
         nothing was changed"
    )]
    DatabaseFull {
        /// The database, without its password.
        location: String,
        /// What the server reported.
        detail: String,
    },
    /// Anything else that the operating system or the engine reports.
    #[error("cannot use the store in `{location}`: {source}")]
    Io {
        /// Where the store is.
        location: String,
        /// What was reported.
        source: io::Error,
    },
}

impl StoreError {
    /// Returns whether a single row is damaged, while all others can be read.
    pub fn is_damaged_row(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::Row { .. })
    }

    /// Copies the error for another operation that failed because of it.
    pub(crate) fn again(&self) -> Self {
        let same = |error: &io::Error| match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        };
        match self {
            Self::Missing { path } => Self::Missing { path: path.clone() },
            Self::NotAStore { path, found } => Self::NotAStore { path: path.clone(), found },
            Self::NewerFormat { found, supported } => {
                Self::NewerFormat { found: *found, supported: *supported }
            }
            Self::AlreadyOpen { path } => Self::AlreadyOpen { path: path.clone() },
            Self::InUse { path } => Self::InUse { path: path.clone() },
            Self::Restoring { path, aside } => {
                Self::Restoring { path: path.clone(), aside: aside.clone() }
            }
            Self::Permission { path, source } => {
                Self::Permission { path: path.clone(), source: same(source) }
            }
            Self::DiskFull { path, source } => {
                Self::DiskFull { path: path.clone(), source: same(source) }
            }
            Self::MapFull { map_size } => Self::MapFull { map_size: *map_size },
            Self::Unavailable(cause) => Self::Unavailable(*cause),
            Self::Corrupt { key, detail } => {
                Self::Corrupt { key: key.clone(), detail: detail.clone() }
            }
            Self::Row { table, row } => Self::Row { table, row: row.clone() },
            Self::Damaged { location, detail } => {
                Self::Damaged { location: location.clone(), detail: detail.clone() }
            }
            Self::KeySize { found } => Self::KeySize { found: *found },
            Self::IsCopy { location } => Self::IsCopy { location: location.clone() },
            Self::NotACopy { location } => Self::NotACopy { location: location.clone() },
            Self::MissingDefault { levels } => Self::MissingDefault { levels: levels.clone() },
            Self::NotEmpty { location } => Self::NotEmpty { location: location.clone() },
            Self::Migrating { location } => Self::Migrating { location: location.clone() },
            Self::Database { location, detail } => {
                Self::Database { location: location.clone(), detail: detail.clone() }
            }
            Self::DatabaseFull { location, detail } => {
                Self::DatabaseFull { location: location.clone(), detail: detail.clone() }
            }
            Self::Io { location, source } => {
                Self::Io { location: location.clone(), source: same(source) }
            }
        }
    }
}

/// Why a sound store is temporarily unavailable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unavailable {
    /// All reader slots are taken.
    #[error(
        "all {places} places for readers are taken: end processes or threads that read the store, then repeat"
    )]
    TooManyReaders {
        /// Number of slots in the lock file.
        places: u32,
    },
    /// Another process has written more data than the map of this process covers, and the map could not grow because
    /// transactions of this process did not end in time.
    #[error(
        "another process has enlarged the store beyond our map of {map_size} bytes, and reads of this process keep the \
         map from growing: repeat"
    )]
    MapOutgrown {
        /// Size of this process's map in bytes.
        map_size: usize,
    },
    /// The operating system does not grant the address space of the map.
    #[error(
        "{map_size} bytes of address space were refused: choose a smaller map size, or raise the limit \
         on virtual memory and restart"
    )]
    AddressSpace {
        /// Requested size in bytes.
        map_size: usize,
    },
    /// This thread has a [`View`] or a walk of the same store open.
    ///
    /// [`View`]: crate::View
    #[error("this thread has a snapshot of the store open already: read from that")]
    SnapshotInUse,
    /// This thread has a [`Transaction`] of the same store open.
    ///
    /// [`Transaction`]: crate::Transaction
    #[error("this thread has a transaction of the store open already: write in that")]
    TransactionInUse,
    /// The store is a copy of another one that was not copied completely.
    #[error("the copy is not complete: wait until the node has copied the store that it follows")]
    CopyIncomplete,
    /// Writing the root of the tree failed earlier; this process can no longer use the file.
    #[error(
        "an earlier write failed in its last step: restart the process, the store is as it was before"
    )]
    Stopped,
    /// The database did not answer a commit, and could not be asked in time whether it succeeded. The only error after which a
    /// change may have been made.
    #[error(
        "the database did not answer in time, and the change may have been made: read before you repeat it"
    )]
    OutcomeUnknown,
}

/// One change that would leave a level without a default link at it or above (RES-2.5.9-1), or two ranges with a value in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingDefault {
    level: Anchor,
    cause: MissingDefaultCause,
}

/// The reason why a change breaks the rules across levels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MissingDefaultCause {
    /// The level is qualified, and its key level is not registered.
    KeyLevelUnregistered,
    /// The key level is registered, but has no default link that is always valid.
    KeyLevelWithoutDefault,
    /// The batch would delete the key level although qualified levels below it remain.
    QualifiedLevelsRemain {
        /// The first remaining levels, at most three.
        first: Vec<String>,
    },
    /// The range has values in common with another range of the same qualifier.
    Overlaps {
        /// The other range.
        other: String,
    },
}

impl MissingDefault {
    pub(crate) fn new(level: Anchor, cause: MissingDefaultCause) -> Self {
        Self { level, cause }
    }

    /// Returns the level of the refused change.
    pub fn level(&self) -> &Anchor {
        &self.level
    }

    /// Returns the reason.
    pub fn cause(&self) -> &MissingDefaultCause {
        &self.cause
    }
}

impl fmt::Display for MissingDefault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = self.level.as_str();
        let key_level = self.level.key_level();
        match &self.cause {
            MissingDefaultCause::KeyLevelUnregistered => write!(
                f,
                "`{level}` needs a default link at `{key_level}`, which is not registered: \
                 register it in the same batch"
            ),
            MissingDefaultCause::KeyLevelWithoutDefault => write!(
                f,
                "`{level}` needs a default link without a validity window at `{key_level}`: add one there"
            ),
            MissingDefaultCause::QualifiedLevelsRemain { first } => write!(
                f,
                "`{level}` cannot be deleted while levels below it are registered ({}): \
                 delete them in the same batch",
                first.join(", ")
            ),
            MissingDefaultCause::Overlaps { other } => write!(
                f,
                "`{level}` has values in common with `{other}`: change one of the ranges, or delete it in the \
                 same batch"
            ),
        }
    }
}

/// Number of faults that a message lists; the rest are only counted.
const SPELT_OUT: usize = 5;

struct Listed<'a>(&'a [MissingDefault]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().take(SPELT_OUT).enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        match self.0.len().saturating_sub(SPELT_OUT) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}
