//! What waits in the queue: operations that may share a commit, and threads that write alone.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use fingerpost_engine::Verdict;

use crate::{Prefetch, StoreError, Transaction};

/// A waiting operation, as the leader uses it.
pub(super) trait Waiting: Send + Sync {
    /// Returns whether it runs on its own thread, in a separate commit.
    fn is_alone(&self) -> bool;
    /// Returns the rows that it reads first.
    fn prefetch(&self) -> &Prefetch;
    /// Calls its thread to lead.
    fn lead(&self);
    /// Runs the operation, possibly not for the first time; returns whether to keep its changes.
    fn run(&self, transaction: &mut Transaction<'_>) -> Verdict;
    /// Ends the wait: its changes are on disk, or rolled back.
    fn settle(&self, verdict: Result<(), StoreError>);
}

/// One operation that may share a commit, and its result.
pub(super) struct Slot<F, R> {
    prefetch: Prefetch,
    state: Mutex<SlotState<F, R>>,
    changed: Condvar,
}

enum SlotState<F, R> {
    Waiting(F),
    Called(F),
    Running,
    /// The operation is kept, because the engine may run it again.
    Ran(F, OperationAnswer<R>),
    Settled(OperationAnswer<R>),
    Over,
}

pub(super) enum OperationAnswer<R> {
    Returned(R),
    Failed(StoreError),
    Panicked(Box<dyn Any + Send>),
}

pub(super) enum Woken<R> {
    Lead,
    OperationAnswer(OperationAnswer<R>),
}

impl<F, R> Slot<F, R> {
    pub(super) fn new(prefetch: Prefetch, operation: F) -> Self {
        Self { prefetch, state: Mutex::new(SlotState::Waiting(operation)), changed: Condvar::new() }
    }

    pub(super) fn wait(&self) -> Woken<R> {
        let mut state = lock(&self.state);
        loop {
            match std::mem::replace(&mut *state, SlotState::Over) {
                SlotState::Settled(answer) => return Woken::OperationAnswer(answer),
                SlotState::Called(operation) => {
                    *state = SlotState::Waiting(operation);
                    return Woken::Lead;
                }
                other => *state = other,
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn replace(&self, state: SlotState<F, R>) -> SlotState<F, R> {
        std::mem::replace(&mut *lock(&self.state), state)
    }
}

impl<F, T, E> Waiting for Slot<F, Result<T, E>>
where
    F: Fn(&mut Transaction<'_>) -> Result<T, E> + Send,
    T: Send,
    E: Send,
{
    fn is_alone(&self) -> bool {
        false
    }

    fn prefetch(&self) -> &Prefetch {
        &self.prefetch
    }

    fn lead(&self) {
        let mut state = lock(&self.state);
        if let SlotState::Waiting(operation) = std::mem::replace(&mut *state, SlotState::Over) {
            *state = SlotState::Called(operation);
        }
        self.changed.notify_one();
    }

    fn run(&self, transaction: &mut Transaction<'_>) -> Verdict {
        let (SlotState::Waiting(operation)
        | SlotState::Called(operation)
        | SlotState::Ran(operation, _)) = self.replace(SlotState::Running)
        else {
            return Verdict::TakeBack;
        };
        // The changes of a panicked operation are rolled back with the transaction.
        let result = catch_unwind(AssertUnwindSafe(|| operation(transaction)));
        let (verdict, answer) = match (result, transaction.end()) {
            (Err(payload), _) => (Verdict::TakeBack, OperationAnswer::Panicked(payload)),
            (Ok(Ok(_)), Some(error)) => (Verdict::TakeBack, OperationAnswer::Failed(error)),
            (Ok(Ok(done)), None) => (Verdict::Keep, OperationAnswer::Returned(Ok(done))),
            (Ok(Err(error)), _) => (Verdict::TakeBack, OperationAnswer::Returned(Err(error))),
        };
        self.replace(SlotState::Ran(operation, answer));
        verdict
    }

    fn settle(&self, verdict: Result<(), StoreError>) {
        let mut state = lock(&self.state);
        let answer = match (std::mem::replace(&mut *state, SlotState::Over), verdict) {
            (SlotState::Ran(_, answer @ OperationAnswer::Panicked(_)), _)
            | (SlotState::Ran(_, answer), Ok(())) => answer,
            (_, Err(error)) => OperationAnswer::Failed(error),
            (_, Ok(())) => unreachable!("a group that was committed has run"),
        };
        *state = SlotState::Settled(answer);
        self.changed.notify_one();
    }
}

/// A thread that waits to write alone.
#[derive(Default)]
pub(super) struct Turn {
    prefetch: Prefetch,
    is_called: Mutex<bool>,
    changed: Condvar,
}

impl Turn {
    pub(super) fn wait(&self) {
        let mut is_called = lock(&self.is_called);
        while !*is_called {
            is_called = self.changed.wait(is_called).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Waiting for Turn {
    fn is_alone(&self) -> bool {
        true
    }

    fn prefetch(&self) -> &Prefetch {
        &self.prefetch
    }

    fn lead(&self) {
        *lock(&self.is_called) = true;
        self.changed.notify_one();
    }

    fn run(&self, _: &mut Transaction<'_>) -> Verdict {
        Verdict::TakeBack // never called: it never shares a group
    }

    fn settle(&self, _: Result<(), StoreError>) {}
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
