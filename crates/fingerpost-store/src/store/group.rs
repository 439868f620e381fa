//! Group commit: concurrent write operations share one commit, and so one synchronisation with the
//! disk.
//!
//! The first operation leads: it takes its turn to write, runs the waiting operations (each in a
//! savepoint, to roll it back alone), commits once, passes the lead to the first operation waiting
//! by then, and wakes the others. An operation without companions needs no savepoint.

use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use fingerpost_engine::{EngineError, Mutate, Verdict};

use super::Store;
use super::waiting::{OperationAnswer, Slot, Turn, Waiting, Woken};
use crate::limits::{MAX_GROUP, MAX_GROUP_BYTES};
use crate::recent::Steps;
use crate::{Prefetch, StoreError, Transaction};

impl Store {
    /// Runs an operation in a write transaction, and returns when its changes are on disk. An `Err`
    /// rolls back everything this operation did, and nothing of others; so it also serves for dry
    /// runs.
    ///
    /// Operations of several threads that wait at the same time share one commit. They run one
    /// after the other, on any of these threads, each seeing the changes of those before it: an
    /// operation must use the store only through its transaction. A panic rolls it back as an `Err`
    /// does, and continues in the caller.
    ///
    /// `operation` can be run several times, each time after its changes were rolled back. Only the
    /// changes and the result of its last run count. It must have no effects except through its
    /// transaction.
    ///
    /// ```no_run
    /// # use fingerpost_store::{Store, Event, StoreError, StoreOptions};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let store = Store::open("data".as_ref(), StoreOptions::default())?;
    /// let event = Event::new("note.written", "local:example", "2026-01-05T10:00:00Z".parse()?);
    /// let seq = store.transact(move |transaction| -> Result<u64, StoreError> {
    ///     transaction.put_document("notes", "first", b"{}")?;
    ///     transaction.record(event.clone())
    /// })?;
    /// println!("audit record {seq}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If `operation` panics.
    pub fn transact<T, E>(
        &self,
        operation: impl Fn(&mut Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.transact_prefetched(Prefetch::default(), operation)
    }

    /// Does the same as [`Store::transact`]. The operation reads the prefetched rows first, which
    /// saves round trips to a database.
    ///
    /// # Panics
    ///
    /// If `operation` panics.
    pub fn transact_prefetched<T, E>(
        &self,
        prefetch: Prefetch,
        operation: impl Fn(&mut Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.refuse_copy()?;
        let slot = Arc::new(Slot::new(prefetch, operation));
        let mut leads = self.queue.join(Arc::clone(&slot) as Arc<dyn Waiting>)?;
        loop {
            if leads {
                self.lead();
            }
            match slot.wait() {
                Woken::Lead => leads = true,
                Woken::OperationAnswer(OperationAnswer::Returned(result)) => return result,
                Woken::OperationAnswer(OperationAnswer::Failed(error)) => return Err(error.into()),
                Woken::OperationAnswer(OperationAnswer::Panicked(payload)) => {
                    resume_unwind(payload)
                }
            }
        }
    }

    /// Does the same as [`Store::transact`], but in a separate commit and on this thread: for
    /// operations that write megabytes, or borrow.
    ///
    /// # Panics
    ///
    /// If `operation` panics.
    pub fn transact_alone<T, E: From<StoreError>>(
        &self,
        operation: impl Fn(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.refuse_copy()?;
        self.alone(operation)
    }

    /// Returns an error if the store is a copy.
    fn refuse_copy(&self) -> Result<(), StoreError> {
        match self.is_copy.load(Ordering::Acquire) {
            true => Err(StoreError::IsCopy { location: self.location().to_owned() }),
            false => Ok(()),
        }
    }

    /// Does the same as [`Store::transact_alone`], also for a copy.
    pub(crate) fn alone<T, E: From<StoreError>>(
        &self,
        operation: impl Fn(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let turn = Arc::new(Turn::default());
        if !self.queue.join(Arc::clone(&turn) as Arc<dyn Waiting>)? {
            turn.wait();
        }
        let _lead = self.queue.lead();
        self.queue.take_first();
        let engine = self.engine();
        let (mut result, mut steps) = (None, self.recent.collector());
        let (begin, mut is_kept) = (Instant::now(), false);
        let written = engine.write(&fingerpost_engine::Prefetch::NONE, &mut |rows| {
            let mut transaction = Transaction::new(engine.location(), rows);
            transaction.steps = self.recent.collector();
            let returned = match (operation(&mut transaction), transaction.end()) {
                (Ok(_), Some(StoreError::Engine(error))) => return Err(error),
                (Ok(_), Some(error)) => Err(error.into()),
                (returned, _) => returned,
            };
            let verdict = if returned.is_ok() { Verdict::Keep } else { Verdict::TakeBack };
            is_kept = returned.is_ok();
            steps = transaction.steps;
            result = Some(returned);
            Ok(verdict)
        });
        self.end_write(1, written.is_ok(), is_kept, begin, steps);
        written.map_err(StoreError::from)?;
        result.expect("an engine that returns has run the operation")
    }

    /// Runs and commits one group. The operation of this thread is at the head of the queue.
    fn lead(&self) {
        let mut group = Group::default();
        let lead = self.queue.lead();
        let verdict = self.run_group(&mut group);
        drop(lead);
        group.settle(&verdict);
    }

    fn run_group(&self, group: &mut Group) -> Result<(), StoreError> {
        group.members.extend(self.queue.take_first());
        let mut prefetch = fingerpost_engine::Prefetch::NONE;
        let prefetched = self.add_prefetches(&group.members, &mut prefetch);
        let engine = self.engine();
        let (begin, mut is_kept) = (Instant::now(), false);
        let mut steps = self.recent.collector();
        // Others can join while this waits for its turn.
        let written = engine.write(&prefetch, &mut |rows| {
            steps = self.recent.collector();
            let verdict = match &group.members[..] {
                [member] if !self.queue.has_companion() => {
                    let mut transaction = Transaction::new(engine.location(), rows);
                    transaction.steps = self.recent.collector();
                    let verdict = member.run(&mut transaction);
                    steps = transaction.steps;
                    verdict
                }
                _ => self.run_members(group, prefetched, &mut steps, rows)?,
            };
            is_kept = verdict == Verdict::Keep;
            Ok(verdict)
        });
        self.end_write(group.members.len(), written.is_ok(), is_kept, begin, steps);
        Ok(written?)
    }

    /// Counts a commit, or a failed one; an intended rollback is neither. Notes what was changed.
    fn end_write(
        &self,
        operations: usize,
        is_written: bool,
        is_kept: bool,
        begin: Instant,
        steps: Steps,
    ) {
        if is_kept || !is_written {
            self.writes.count(operations, is_written, begin.elapsed());
        }
        self.recent.note(if is_kept && is_written { steps } else { self.recent.collector() });
    }

    /// Adds what these members and the operations that wait behind them read first; returns their
    /// number.
    fn add_prefetches(
        &self,
        members: &[Arc<dyn Waiting>],
        prefetch: &mut fingerpost_engine::Prefetch,
    ) -> usize {
        let waiting = self.queue.companions(MAX_GROUP);
        let all = members.iter().chain(&waiting);
        all.for_each(|member| prefetch.merge(member.prefetch().rows()));
        members.len() + waiting.len()
    }

    /// Runs the members of a group, and operations that wait, each in a savepoint. The rows of this
    /// many of them were prefetched.
    fn run_members(
        &self,
        group: &mut Group,
        mut prefetched: usize,
        steps: &mut Steps,
        rows: &mut dyn Mutate,
    ) -> Result<Verdict, EngineError> {
        let location = self.engine().location();
        let (mut written, mut verdict, mut next) = (0, Verdict::TakeBack, 0);
        loop {
            if next == group.members.len() {
                let is_full = next >= MAX_GROUP || written >= MAX_GROUP_BYTES;
                let companion = if is_full { None } else { self.queue.take_companion() };
                let Some(member) = companion else { return Ok(verdict) };
                group.members.push(member);
            }
            if next == prefetched {
                let mut prefetch = fingerpost_engine::Prefetch::NONE;
                prefetched += self.add_prefetches(&group.members[next..], &mut prefetch);
                rows.prefetch(&prefetch)?;
            }
            let member = &group.members[next];
            rows.savepoint(&mut |rows| {
                let mut transaction = Transaction::new(location, rows);
                transaction.steps = self.recent.collector();
                let kept = member.run(&mut transaction);
                if kept == Verdict::Keep {
                    written += transaction.written();
                    steps.append(std::mem::take(&mut transaction.steps));
                    verdict = Verdict::Keep;
                }
                Ok(kept)
            })?;
            next += 1;
        }
    }
}

/// Operations that share a commit. Each gets its result, even when the leader panics.
#[derive(Default)]
struct Group {
    members: Vec<Arc<dyn Waiting>>,
}

impl Group {
    fn settle(&mut self, verdict: &Result<(), StoreError>) {
        for member in self.members.drain(..) {
            member.settle(match verdict {
                Ok(()) => Ok(()),
                Err(error) => Err(error.clone()),
            });
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.members.is_empty() {
            let source = Arc::new(io::Error::other("the thread that led the commit has ended"));
            self.settle(&Err(EngineError::Io { location: String::new(), source }.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::{Event, StoreOptions};

    const WRITERS: u64 = 20;

    /// Each commit is one synchronisation with the disk.
    #[test]
    fn a_group_is_one_commit() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        let before = store.engine().last_commit().unwrap();
        let (begun, begin) = channel();
        let mut records: Vec<u64> = thread::scope(|scope| {
            // Holds the turn, and writes nothing, until all others wait.
            scope.spawn(|| {
                store.transact_alone(|_| -> Result<(), StoreError> {
                    begun.send(()).unwrap();
                    while store.queue.waiting() < WRITERS {
                        thread::sleep(Duration::from_millis(1));
                    }
                    Ok(())
                })
            });
            begin.recv().unwrap();
            let write = || {
                let event = Event::new("noted", "user:test", jiff::Timestamp::UNIX_EPOCH);
                store.transact(move |txn| txn.record(event.clone())).unwrap()
            };
            let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        records.sort_unstable();
        assert_eq!(records, (1..=WRITERS).collect::<Vec<_>>());
        assert_eq!(store.engine().last_commit(), Some(before + 1));
    }
}
