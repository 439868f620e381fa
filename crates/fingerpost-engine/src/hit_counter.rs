//! Counts hits and misses of a cache: threads on different cores do not write to the same line of
//! the processor's cache.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::limits::COUNTER_PARTS;

/// The hits and misses of a cache. Each thread counts in a part of its own, unless there are many
/// threads.
#[derive(Debug, Default)]
pub struct HitCounter([Part; COUNTER_PARTS]);

/// Two counts that are written together, alone on a line of the processor's cache.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Part([AtomicU64; 2]);

thread_local! {
    static PART: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Relaxed) % COUNTER_PARTS
    };
}

impl HitCounter {
    /// Counts a hit or a miss.
    #[inline]
    pub fn count(&self, is_miss: bool) {
        let part = PART.with(|part| *part);
        self.0[part].0[usize::from(is_miss)].fetch_add(1, Relaxed);
    }

    /// Returns the hits and the misses.
    pub fn read(&self) -> [u64; 2] {
        [0, 1].map(|at| self.0.iter().map(|part| part.0[at].load(Relaxed)).sum())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_are_added_up() {
        let counter = HitCounter::default();
        thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| {
                    for at in 0..100 {
                        counter.count(at % 4 == 0);
                    }
                });
            }
        });
        assert_eq!(counter.read(), [3000, 1000]);
    }
}
