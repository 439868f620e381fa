//! What a process has done with a store since it opened it, and how large the store is: for
//! operators, who watch both.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What a process has done with a store since it opened it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Activity {
    /// Reads of requests for keys that needed no search: their record, or the location of its row,
    /// was remembered.
    pub cache_hits: u64,
    /// Reads of requests for other keys.
    pub cache_misses: u64,
    /// Bytes of the remembered records and row locations.
    pub cache_bytes: u64,
    /// Bytes that these may take.
    pub cache_limit: u64,
    /// Commits.
    pub commits: u64,
    /// Operations in these commits: operations that wait at the same time share one.
    pub operations: u64,
    /// Commits that failed.
    pub failures: u64,
    /// Time of all commits and of the operations in them, from the turn to write to the disk.
    pub committing: Duration,
    /// Operations that wait for their turn to write.
    pub waiting: u64,
}

impl Activity {
    /// Adds reads that found a key without a search, and others.
    pub(crate) fn add_reads(&mut self, hits: u64, misses: u64) {
        self.cache_hits += hits;
        self.cache_misses += misses;
    }

    /// Adds bytes that are used to remember something, and those that may be used.
    pub(crate) fn add_memory(&mut self, (used, limit): (u64, u64)) {
        self.cache_bytes += used;
        self.cache_limit += limit;
    }
}

/// The commits of this process.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    commits: AtomicU64,
    operations: AtomicU64,
    failures: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Writes {
    /// Counts a commit of some operations.
    pub(crate) fn count(&self, operations: usize, is_committed: bool, took: Duration) {
        if is_committed {
            self.commits.fetch_add(1, Relaxed);
            self.operations.fetch_add(operations as u64, Relaxed);
        } else {
            self.failures.fetch_add(1, Relaxed);
        }
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Relaxed);
    }

    pub(crate) fn read(&self) -> Activity {
        Activity {
            commits: self.commits.load(Relaxed),
            operations: self.operations.load(Relaxed),
            failures: self.failures.load(Relaxed),
            committing: Duration::from_nanos(self.nanoseconds.load(Relaxed)),
            ..Activity::default()
        }
    }
}
