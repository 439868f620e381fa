//! Counts the uses of a map, so that it can be replaced while nobody in this process uses it.
//!
//! LMDB moves the map when it grows, which is safe only while no transaction of the process is open. Every use holds one of
//! several locks for reading, so that threads on different cores do not share a cache line; replacing the map takes all of them.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Number of locks. Threads beyond this number share them.
const LOCKS: usize = 64;

/// How long an attempt to take all locks sleeps between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// The uses of one map by this process.
#[derive(Debug)]
pub(super) struct InUse {
    locks: Box<[Line]>,
    /// Held while somebody takes all locks: two who take them one by one would wait for each other.
    alone: Mutex<()>,
}

/// A lock on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(RwLock<()>);

/// One use of the map.
#[derive(Debug)]
pub(super) struct Held<'m> {
    _lock: RwLockReadGuard<'m, ()>,
}

impl InUse {
    pub(super) fn new() -> Self {
        Self { locks: (0..LOCKS).map(|_| Line::default()).collect(), alone: Mutex::new(()) }
    }

    /// Begins a use. A thread can have several at once.
    #[inline]
    pub(super) fn hold(&self) -> Held<'_> {
        let lock = &self.locks[place_of_thread()].0;
        Held { _lock: lock.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Runs `work` while nobody uses the map; returns `None` if that does not happen within `patience`. The calling thread must
    /// not use the map itself.
    pub(super) fn while_unused<T>(
        &self,
        patience: Duration,
        work: impl FnOnce() -> T,
    ) -> Option<T> {
        let _alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = Instant::now();
        let mut taken: Vec<RwLockWriteGuard<'_, ()>> = Vec::with_capacity(LOCKS);
        while taken.len() < LOCKS {
            // `try_write` leaves no waiting writer behind, so a thread can still begin a second use while it has one.
            match self.locks[taken.len()].0.try_write() {
                Ok(lock) => taken.push(lock),
                Err(TryLockError::Poisoned(lock)) => taken.push(lock.into_inner()),
                Err(TryLockError::WouldBlock) if begin.elapsed() < patience => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return None,
            }
        }
        Some(work())
    }
}

/// Returns the number of the lock of this thread.
#[inline]
fn place_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static PLACE: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    PLACE.with(|place| {
        if place.get() == usize::MAX {
            place.set(NEXT.fetch_add(1, Ordering::Relaxed) % LOCKS);
        }
        place.get()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_in_use_is_not_replaced() {
        let in_use = InUse::new();
        thread::scope(|scope| {
            let held = in_use.hold();
            let _second = in_use.hold();
            let other = scope.spawn(|| in_use.while_unused(Duration::ZERO, || ()));
            assert_eq!(other.join().unwrap(), None);
            drop(held);
        });
        assert_eq!(in_use.while_unused(Duration::ZERO, || 7), Some(7));
        in_use.hold();
    }
}
