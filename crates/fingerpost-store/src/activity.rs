//! What a process has done with a store since it opened it, and how large the store is: for operators, who watch both.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// What a process has done with a store since it opened it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Activity {
    /// Reads of requests for keys that were found without a search: their record, or its place in the store, was
    /// remembered.
    pub cache_hits: u64,
    /// Reads of requests for other keys.
    pub cache_misses: u64,
    /// Bytes in which records and places are remembered.
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

/// How large a store is.
#[derive(Clone, Copy, Debug)]
pub struct StoreSize {
    /// Bytes of the data file.
    pub file: u64,
    /// Bytes of the data file that have been used, including pages that are free again.
    pub used: u64,
    /// Bytes to which the data file may grow.
    pub map: u64,
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

/// Number of parts of a [`Spread`] counter.
const PARTS: usize = 16;

/// A counter that threads count without waiting for each other: each has a part of its own, unless there are many threads.
#[derive(Debug, Default)]
pub(crate) struct Spread([Part; PARTS]);

/// Two counts that are written together, alone on a line of the processor's cache.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Part([AtomicU64; 2]);

thread_local! {
    static PLACE: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Relaxed) % PARTS
    };
}

impl Spread {
    /// Counts one, in the first or the second of the two counts.
    #[inline]
    pub(crate) fn count(&self, is_second: bool) {
        let place = PLACE.with(|place| *place);
        self.0[place].0[usize::from(is_second)].fetch_add(1, Relaxed);
    }

    pub(crate) fn read(&self) -> [u64; 2] {
        [0, 1].map(|at| self.0.iter().map(|part| part.0[at].load(Relaxed)).sum())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_are_added_up() {
        let spread = Spread::default();
        thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| {
                    for at in 0..100 {
                        spread.count(at % 4 == 0);
                    }
                });
            }
        });
        assert_eq!(spread.read(), [3000, 1000]);
    }
}
