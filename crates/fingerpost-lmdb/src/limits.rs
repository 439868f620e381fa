//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

/// Size of the map if none is configured. It takes only address space, and has room for 600
/// million entries of 400 bytes.
pub(crate) const USUAL_MAP: usize = 256 << 30;

/// Named databases in a data file. A store uses eight.
pub(crate) const MAX_DATABASES: u32 = 16;

/// Time between the last write of a commit and its announcement to readers, after which its writer
/// is considered dead. This step is one synchronised write of a page: milliseconds on any working
/// disk.
pub(crate) const COMMIT_PATIENCE: Duration = Duration::from_secs(2);

/// Time in which the transactions of this process must end so that the map can grow. Those that
/// begin meanwhile wait too.
pub(crate) const RESIZE_PATIENCE: Duration = Duration::from_millis(500);

/// Reader slots of a store, for all processes together. Each thread that reads keeps one until it
/// ends. A server has one thread per core, but blocking pools can have 512; a slot costs 64 bytes.
pub(crate) const MAX_READERS: u32 = 1024;

/// Locks of the map. More threads share them.
pub(crate) const MAP_LOCKS: usize = 64;

/// Pause between two attempts to take all locks of the map.
pub(crate) const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// Pause between two checks of the number of the last commit, while a thread waits for one.
pub(crate) const COMMIT_POLL: Duration = Duration::from_millis(2);

/// Bytes of the smallest table of row locations.
pub(crate) const MIN_TABLE_BYTES: usize = 16 << 10;

/// Attempts to take a snapshot while others commit.
pub(crate) const SNAPSHOT_TRIES: u32 = 100;

/// Attempts to check a data file while another process commits.
pub(crate) const CHECK_TRIES: u32 = 100;

/// Reads of meta pages that change from read to read and do not match.
pub(crate) const MAX_META_READS: usize = 1000;

/// Pages that a check of a file reads in one call.
pub(crate) const LEAF_CHUNK_PAGES: u64 = 256;

/// Leaves for which a check of a file takes another thread: a megabyte.
pub(crate) const MIN_SHARE: usize = 256;

/// Memory for the leaves that a check of a file has still to read, with the ranges of their keys.
/// For each further part of the file, the check follows the branches again.
pub(crate) const MAX_LEAVES_BYTES: usize = 32 << 20;

/// Bytes that are written to find out whether a disk has space.
pub(crate) const PROBED_BYTES: usize = 256 << 10;

/// Keys that are searched together: a processor waits for about so many lines of memory at a time.
pub(crate) const SEARCHES: usize = 16;

/// Pages that a scan of a store that exceeds memory reads before it needs them.
pub(crate) const MAX_PREFETCH: usize = 256;

/// Bytes of a key (`MDB_MAXKEYSIZE`).
pub(crate) const MAX_KEY_BYTES: usize = 511;

/// Depth of a tree that LMDB follows (`CURSOR_STACK`).
pub(crate) const MAX_DEPTH: u16 = 32;
