//! Slots for hashing passwords: as many at a time as there are cores, apart from all other calls,
//! so that sign-in delays nothing else.
//!
//! A hash takes 19 MiB and a core for some 20 milliseconds. Few may wait, and only some of them
//! from one source, so that nobody takes all slots from the others; more are refused at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{MAX_HASHING, MAX_HASHING_OF_SOURCE};
use crate::problem::AdminProblem;

/// The slots.
#[derive(Debug)]
pub(crate) struct Hashing {
    slots: Arc<Semaphore>,
    queue: Arc<Mutex<Queue>>,
}

/// The requests that hash or wait for it.
#[derive(Debug, Default)]
struct Queue {
    all: usize,
    by_source: HashMap<String, usize>,
}

/// A slot, until it is dropped.
#[derive(Debug)]
pub(crate) struct HashingSlot {
    _slot: OwnedSemaphorePermit,
    _ticket: Ticket,
}

#[derive(Debug)]
struct Ticket {
    queue: Arc<Mutex<Queue>>,
    source: String,
}

impl Hashing {
    /// Creates slots for the cores of this machine.
    pub(crate) fn new() -> Self {
        let slots = Arc::new(Semaphore::new(Self::at_once()));
        Self { slots, queue: Arc::default() }
    }

    /// Returns how many passwords are hashed at a time.
    pub(crate) fn at_once() -> usize {
        available_parallelism().map_or(1, std::num::NonZero::get)
    }

    /// Waits for a slot. `source` is the network of a client or an account.
    ///
    /// Fails with 503 if too many wait already.
    pub(crate) async fn slot(&self, source: String) -> Result<HashingSlot, AdminProblem> {
        let ticket = self.ticket(source).ok_or_else(AdminProblem::busy)?;
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let slot = slot.map_err(|_| AdminProblem::internal())?; // it is never closed
        Ok(HashingSlot { _slot: slot, _ticket: ticket })
    }

    fn ticket(&self, source: String) -> Option<Ticket> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let of_source = queue.by_source.get(&source).copied().unwrap_or_default();
        if queue.all >= MAX_HASHING || of_source >= MAX_HASHING_OF_SOURCE {
            return None;
        }
        queue.all += 1;
        queue.by_source.insert(source.clone(), of_source + 1);
        Some(Ticket { queue: Arc::clone(&self.queue), source })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.all -= 1;
        if let Some(count) = queue.by_source.get_mut(&self.source) {
            *count -= 1;
            if *count == 0 {
                queue.by_source.remove(&self.source);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready<F: Future>(future: F) -> Option<F::Output> {
        let waker = std::task::Waker::noop();
        match std::pin::pin!(future).poll(&mut std::task::Context::from_waker(waker)) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn one_source_leaves_slots_to_the_others() {
        let hashing = Hashing::new();
        let one: Vec<_> =
            (0..MAX_HASHING_OF_SOURCE).map_while(|_| hashing.ticket("one".into())).collect();
        assert_eq!(one.len(), MAX_HASHING_OF_SOURCE);
        assert!(ready(hashing.slot("one".into())).is_some_and(|slot| slot.is_err()), "at once");
        let mut others = Vec::new();
        for number in 0..MAX_HASHING {
            others.extend(hashing.ticket(format!("source {number}")));
        }
        assert_eq!(others.len(), MAX_HASHING - MAX_HASHING_OF_SOURCE, "a bound in total");
        drop(one);
        assert!(ready(hashing.slot("one".into())).is_some_and(|slot| slot.is_ok()));
        drop(others);
        assert_eq!(hashing.queue.lock().unwrap().all, 0);
        assert!(hashing.queue.lock().unwrap().by_source.is_empty(), "nothing is kept");
    }

    #[test]
    fn as_many_hash_at_once_as_there_are_cores() {
        let hashing = Hashing::new();
        let slots: Vec<_> = (0..MAX_HASHING)
            .map_while(|number| ready(hashing.slot(number.to_string())))
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(slots.len(), Hashing::at_once().min(MAX_HASHING));
    }
}
