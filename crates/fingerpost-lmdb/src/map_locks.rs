//! Locks of the map, so that it can be replaced while no thread of this process uses it.
//!
//! LMDB moves the map when it grows, which is safe only while no transaction of the process is
//! open. Every use holds one of several locks for reading, so that threads on different cores do
//! not share a cache line; replacing the map takes all of them.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::{LOCK_PAUSE, MAP_LOCKS};

/// The locks of one map.
#[derive(Debug)]
pub(super) struct MapLocks {
    locks: Box<[Line]>,
    /// Locked while a thread takes all locks: two threads that take them one by one would wait for
    /// each other.
    replacing: Mutex<()>,
}

/// A lock on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(RwLock<()>);

/// One use of the map.
#[derive(Debug)]
pub(super) struct MapGuard<'m> {
    _lock: RwLockReadGuard<'m, ()>,
}

impl MapLocks {
    pub(super) fn new() -> Self {
        Self { locks: (0..MAP_LOCKS).map(|_| Line::default()).collect(), replacing: Mutex::new(()) }
    }

    /// Begins a use. A thread can have several at once.
    #[inline]
    pub(super) fn hold(&self) -> MapGuard<'_> {
        let lock = &self.locks[lock_of_thread()].0;
        MapGuard { _lock: lock.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Runs `work` while no thread uses the map; returns `None` if that does not happen within
    /// `patience`. The calling thread must not use the map itself.
    pub(super) fn while_unused<T>(
        &self,
        patience: Duration,
        work: impl FnOnce() -> T,
    ) -> Option<T> {
        let _replacing = self.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = Instant::now();
        let mut taken: Vec<RwLockWriteGuard<'_, ()>> = Vec::with_capacity(MAP_LOCKS);
        while taken.len() < MAP_LOCKS {
            // `try_write` leaves no waiting writer behind, so a thread can still begin a second use
            // while it has one.
            match self.locks[taken.len()].0.try_write() {
                Ok(lock) => taken.push(lock),
                Err(TryLockError::Poisoned(lock)) => taken.push(lock.into_inner()),
                Err(TryLockError::WouldBlock) if begin.elapsed() < patience => {
                    thread::sleep(LOCK_PAUSE);
                }
                Err(TryLockError::WouldBlock) => return None,
            }
        }
        Some(work())
    }
}

/// Returns the number of the lock of this thread.
#[inline]
fn lock_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static LOCK: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    LOCK.with(|lock| {
        if lock.get() == usize::MAX {
            lock.set(NEXT.fetch_add(1, Ordering::Relaxed) % MAP_LOCKS);
        }
        lock.get()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_in_use_is_not_replaced() {
        let locks = MapLocks::new();
        thread::scope(|scope| {
            let held = locks.hold();
            let _second = locks.hold();
            let other = scope.spawn(|| locks.while_unused(Duration::ZERO, || ()));
            assert_eq!(other.join().unwrap(), None);
            drop(held);
        });
        assert_eq!(locks.while_unused(Duration::ZERO, || 7), Some(7));
        locks.hold();
    }
}
