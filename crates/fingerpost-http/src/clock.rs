//! The clock by which the limits of time of connections are kept, so that no request reads the
//! time.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Length of a tick of the listener's clock, which is the resolution of time limits.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// A clock measured in ticks since its start, advanced by the sweeps of the listeners that share
/// it.
#[derive(Debug)]
pub(crate) struct TickClock {
    start: Instant,
    ticks: AtomicU32,
}

impl TickClock {
    /// Sets the clock to the current tick.
    pub(crate) fn advance(&self) {
        let ticks = self.start.elapsed().as_millis() / TICK.as_millis();
        self.ticks.fetch_max(u32::try_from(ticks).unwrap_or(u32::MAX), Relaxed);
    }

    pub(crate) fn now(&self) -> u32 {
        self.ticks.load(Relaxed)
    }
}

impl Default for TickClock {
    fn default() -> Self {
        Self { start: Instant::now(), ticks: AtomicU32::new(0) }
    }
}
