//! Waiting for a commit: one thread queries the number of the last commit for all threads of this
//! process that wait.
//!
//! There is no `NOTIFY`: commits that notify take turns for a lock of the whole server, poolers
//! that share sessions lose it, and compatible servers lack it. A query of one row takes some 50 µs
//! of the server.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::fault::Fault;
use crate::limits::{FIRST_POLL, MAX_POLL};
use crate::pool::{doubling, lock};

/// The number of the last commit, as far as this process knows.
#[derive(Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    number: u64,
    /// How often the number was learned.
    learned: u64,
    is_asking: bool,
}

impl Watch {
    /// Announces a commit of this process.
    pub(crate) fn publish(&self, number: u64) {
        let mut state = lock(&self.state);
        (state.number, state.learned) = (number, state.learned + 1);
        self.changed.notify_all();
    }

    /// Waits until a number other than `seen` is read, or until the time is over. `ask` queries the
    /// server.
    pub(crate) fn wait(
        &self,
        seen: Option<u64>,
        timeout: Duration,
        ask: impl Fn() -> Result<u64, Fault>,
    ) -> Result<(), Fault> {
        let begin = Instant::now();
        let mut pauses = doubling(FIRST_POLL, MAX_POLL);
        let mut state = lock(&self.state);
        let known = state.learned;
        loop {
            let left = timeout.saturating_sub(begin.elapsed());
            let is_news = state.learned != known && Some(state.number) != seen;
            if is_news || left.is_zero() {
                return Ok(());
            }
            if !state.is_asking {
                state.is_asking = true;
                drop(state);
                let asking = Asking(self);
                let number = ask()?;
                self.publish(number);
                state = lock(&self.state);
                if Some(number) != seen {
                    drop(state);
                    drop(asking);
                    return Ok(());
                }
                let pause = pauses.next().unwrap_or(MAX_POLL).min(left);
                let wait = self.changed.wait_timeout(state, pause);
                state = wait.unwrap_or_else(PoisonError::into_inner).0;
                drop(state);
                drop(asking);
                state = lock(&self.state);
                continue;
            }
            let wait = self.changed.wait_timeout(state, left);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The task of asking the server, which another thread takes over when it is dropped.
struct Asking<'w>(&'w Watch);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).is_asking = false;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn one_thread_asks_for_all() {
        let (watch, number, queries) = (Watch::default(), AtomicU64::new(7), AtomicU64::new(0));
        let ask = || {
            queries.fetch_add(1, Ordering::Relaxed);
            Ok(number.load(Ordering::Relaxed))
        };
        thread::scope(|scope| {
            for _ in 0..50 {
                scope.spawn(|| watch.wait(Some(7), LONG, ask).unwrap());
            }
            thread::sleep(Duration::from_millis(400));
            number.store(8, Ordering::Relaxed);
        });
        let queries = queries.load(Ordering::Relaxed);
        assert!(queries < 300, "{queries} queries");
    }

    #[test]
    fn a_commit_of_this_process_ends_a_wait() {
        let watch = Watch::default();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| watch.wait(Some(7), LONG, || Ok(7)).unwrap());
            while lock(&watch.state).learned == 0 {
                thread::yield_now();
            }
            watch.publish(8);
            waiting.join().unwrap();
        });
    }

    #[test]
    fn a_number_that_went_back_ends_a_wait() {
        Watch::default().wait(Some(7), LONG, || Ok(3)).unwrap();
    }

    #[test]
    fn a_fault_ends_a_wait_and_leaves_the_question_to_others() {
        let watch = Watch::default();
        let refuse = || Err(Fault::Refused("closed".to_owned()));
        assert!(watch.wait(Some(7), LONG, refuse).is_err());
        watch.wait(Some(7), LONG, || Ok(8)).unwrap();
    }
}
