//! The queue of operations that wait to write, and who leads the next group.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use super::waiting::{Waiting, lock};
use crate::StoreError;
use crate::limits::MAX_WAITING;

/// The operations that wait to write, in order.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    room: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<dyn Waiting>>,
    leader: Leader,
}

/// Who leads; nobody only while nobody waits.
#[derive(Default, PartialEq)]
enum Leader {
    #[default]
    None,
    /// The first waiting operation has been called.
    Called,
    Thread(ThreadId),
}

impl Queue {
    /// Adds an operation to the queue; returns whether it is the first and has the lead.
    pub(super) fn join(&self, member: Arc<dyn Waiting>) -> Result<bool, StoreError> {
        let mut state = lock(&self.state);
        if state.leader == Leader::Thread(thread::current().id()) {
            return Err(StoreError::TransactionInUse);
        }
        while state.waiting.len() >= MAX_WAITING {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.push_back(member);
        if state.leader != Leader::None {
            return Ok(false);
        }
        state.leader = Leader::Called;
        Ok(true)
    }

    /// Returns the number of operations that wait.
    pub(crate) fn waiting(&self) -> u64 {
        lock(&self.state).waiting.len() as u64
    }

    /// Takes the lead after this thread was called.
    pub(super) fn lead(&self) -> Lead<'_> {
        lock(&self.state).leader = Leader::Thread(thread::current().id());
        Lead(self)
    }

    pub(super) fn take_first(&self) -> Option<Arc<dyn Waiting>> {
        let first = lock(&self.state).waiting.pop_front();
        self.room.notify_one();
        first
    }

    /// Returns whether the next waiting operation can share the group.
    pub(super) fn has_companion(&self) -> bool {
        lock(&self.state).waiting.front().is_some_and(|next| !next.is_alone())
    }

    /// Returns the waiting operations that [`Queue::take_companion`] would return next.
    pub(super) fn companions(&self, limit: usize) -> Vec<Arc<dyn Waiting>> {
        let state = lock(&self.state);
        let waiting = state.waiting.iter().take_while(|next| !next.is_alone());
        waiting.take(limit).map(Arc::clone).collect()
    }

    pub(super) fn take_companion(&self) -> Option<Arc<dyn Waiting>> {
        let next = lock(&self.state).waiting.pop_front_if(|next| !next.is_alone());
        self.room.notify_one();
        next
    }
}

/// The lead, which is passed on when dropped, even by a panic.
pub(super) struct Lead<'q>(&'q Queue);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        match state.waiting.front() {
            Some(next) => {
                next.lead();
                state.leader = Leader::Called;
            }
            None => state.leader = Leader::None,
        }
    }
}
