//! How late a worker is. A worker that is late has more requests than it can answer; answering that
//! it is busy costs least, and clients know at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::clock::TICK;

/// Whether a worker is behind with its work.
#[derive(Debug)]
pub(crate) struct Load {
    /// How late the worker may be.
    limit: Duration,
    is_behind: AtomicBool,
}

impl Load {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, is_behind: AtomicBool::new(false) }
    }

    /// Records the time between two ticks of the worker. Returns whether the worker fell behind
    /// with this one.
    pub(crate) fn record(&self, between: Duration) -> bool {
        let is_behind = between > TICK + self.limit;
        is_behind & !self.is_behind.swap(is_behind, Relaxed)
    }

    /// Returns whether requests should be refused.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_behind.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_behind_from_a_late_tick_to_one_in_time() {
        let load = Load::new(Duration::from_secs(1));
        for (millis, fell, is_behind) in [
            (250, false, false),
            (1200, false, false),
            (1300, true, true),
            (5000, false, true),
            (250, false, false),
            (1300, true, true),
        ] {
            assert_eq!(load.record(Duration::from_millis(millis)), fell, "{millis}");
            assert_eq!(load.is_behind(), is_behind, "{millis}");
        }
    }
}
