//! Errors of an engine, and what the operator can do about them.
//!
//! After any error but [`Unavailable::OutcomeUnknown`], nothing was changed: a write either commits
//! or leaves the rows unchanged. Messages end with the next step, because most of them are read at
//! a terminal.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Table;
use crate::limits::MAX_KEY;

/// An error from opening, reading or writing an engine. Nothing was changed, except perhaps after
/// [`Unavailable::OutcomeUnknown`].
///
/// It can be cloned: operations that share a commit fail together.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
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
        "`{}` has no store, but a restore into it is running or was interrupted: repeat the restore, or to continue without the \
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
        source: Arc<io::Error>,
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
        source: Arc<io::Error>,
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
    /// The checksum of one row does not match. All other rows can be read.
    #[error(
        "a row of table `{}` is damaged ({}; its checksum does not match)",
        table.name(),
        key.escape_ascii()
    )]
    Row {
        /// The table of the row.
        table: Table,
        /// The key of the row.
        key: Vec<u8>,
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
    /// A key is empty or longer than an engine can hold.
    #[error("a key has {found} bytes: use 1 to {MAX_KEY} bytes")]
    KeySize {
        /// Number of bytes.
        found: usize,
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
        source: Arc<io::Error>,
    },
}

/// Why a sound store is temporarily unavailable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unavailable {
    /// All reader slots are taken.
    #[error(
        "all {slots} slots for readers are taken: end processes or threads that read the store, then repeat"
    )]
    TooManyReaders {
        /// Number of slots in the lock file.
        slots: u32,
    },
    /// Another process has written more data than the map of this process covers, and the map could
    /// not grow because transactions of this process did not end in time.
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
    /// This thread has another snapshot of the same store open.
    #[error("this thread has a snapshot of the store open already: read from that")]
    SnapshotInUse,
    /// Writing the root of the tree failed earlier; this process can no longer use the file.
    #[error(
        "an earlier write failed in its last step: restart the process, the store is as it was before"
    )]
    Stopped,
    /// The database did not answer a commit, nor in time whether it succeeded. The only error after
    /// which a change may have been made.
    #[error(
        "the database did not answer in time, and the change may have been made: read before you repeat it"
    )]
    OutcomeUnknown,
}
