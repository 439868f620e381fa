//! An engine in memory, for tests and trials: snapshots share one map per table, and a commit
//! replaces the map.
//!
//! The first change of a table in a write copies the map, but not the rows. This is simple and
//! correct, but too slow for millions of rows.

use std::borrow::Cow;
use std::collections::{BTreeMap, btree_map};
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{
    Bytes, Direction, Engine, KeyRange, Mutate, Prefetch, Row, RowIter, Rows, Snapshot, Table,
    Verdict, Work,
};
use super::{Exchange, check_key};
use crate::EngineError;

/// An engine that keeps everything in memory, and loses it when dropped.
#[derive(Debug, Default)]
pub struct Memory {
    committed: Mutex<State>,
    changed: Condvar,
    writer: Mutex<()>,
    repeats: bool,
}

/// Keys and values are shared, so copying a map copies no bytes.
type Map = BTreeMap<Arc<[u8]>, Arc<[u8]>>;
type Tables = [Arc<Map>; Table::ALL.len()];

/// The value of a key before it was written.
type Before = (Table, Arc<[u8]>, Option<Arc<[u8]>>);

/// One state of all tables: a snapshot, or the state of a write.
#[derive(Clone, Debug, Default)]
struct State {
    tables: Tables,
    commit: u64,
    /// Previous values of rows, while a savepoint is open.
    undo: Vec<Before>,
    savepoints: usize,
}

impl Memory {
    /// Creates an empty engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs the work of every write twice and keeps the second run, like an engine that finds a
    /// conflict at its first commit. For tests of work that can be run several times.
    pub fn repeating(self) -> Self {
        Self { repeats: true, ..self }
    }
}

impl Engine for Memory {
    fn location(&self) -> &str {
        "memory"
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        Ok(Box::new(lock(&self.committed).clone()))
    }

    fn write(&self, _: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        let _turn = lock(&self.writer);
        let begin = || lock(&self.committed).clone();
        if self.repeats {
            let _ = work(&mut begin()); // simulates a failed commit
        }
        let mut written = begin();
        if work(&mut written)? == Verdict::Keep {
            written.commit += 1;
            *lock(&self.committed) = written;
            self.changed.notify_all();
        }
        Ok(())
    }

    fn last_commit(&self) -> Option<u64> {
        Some(lock(&self.committed).commit)
    }

    fn wait(&self, seen: Option<u64>, timeout: Duration) -> Result<(), EngineError> {
        let is_seen = |committed: &mut State| Some(committed.commit) == seen;
        let committed = lock(&self.committed);
        let waited = self.changed.wait_timeout_while(committed, timeout, is_seen);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }
}

impl Snapshot for State {
    fn commit(&self) -> Option<u64> {
        Some(self.commit)
    }
}

impl Rows for State {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        Ok(self.table(table).get(key).map(|value| Cow::Borrowed(&**value)))
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        let rows = rows(self.table(table), range);
        Ok(match direction {
            Direction::Forward => Box::new(rows.map(lent)),
            Direction::Back => Box::new(rows.rev().map(lent)),
        })
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        Ok(self.table(table).len() as u64)
    }
}

/// Returns the rows of a range; none if its bounds cross.
fn rows<'m>(map: &'m Map, range: KeyRange<'_>) -> btree_map::Range<'m, Arc<[u8]>, Arc<[u8]>> {
    let crosses = match range {
        (Bound::Excluded(from), Bound::Excluded(to)) => from >= to,
        (
            Bound::Included(from) | Bound::Excluded(from),
            Bound::Included(to) | Bound::Excluded(to),
        ) => from > to,
        _ => false,
    };
    let range = if crosses { (Bound::Unbounded, Bound::Excluded(&[][..])) } else { range };
    map.range::<[u8], _>(range)
}

#[expect(clippy::unnecessary_wraps, reason = "rows of an engine may fail")]
fn lent<'m>((key, value): (&'m Arc<[u8]>, &'m Arc<[u8]>)) -> Result<Row<'m>, EngineError> {
    Ok((Cow::Borrowed(key), Cow::Borrowed(value)))
}

impl State {
    fn table(&self, table: Table) -> &Map {
        &self.tables[table.index()]
    }

    /// Sets or deletes the value of a key; returns its previous value.
    fn set(&mut self, table: Table, key: &[u8], value: Option<&[u8]>) -> Option<Arc<[u8]>> {
        let rows = Arc::make_mut(&mut self.tables[table.index()]);
        let key: Arc<[u8]> = key.into();
        let old = match value {
            Some(value) => rows.insert(Arc::clone(&key), value.into()),
            None => rows.remove(&key),
        };
        if self.savepoints > 0 {
            self.undo.push((table, key, old.clone()));
        }
        old
    }

    /// Undoes changes until `to` of them are left.
    fn take_back(&mut self, to: usize) {
        for (table, key, old) in self.undo.drain(to..).rev() {
            let rows = Arc::make_mut(&mut self.tables[table.index()]);
            match old {
                Some(old) => rows.insert(key, old),
                None => rows.remove(&key),
            };
        }
    }
}

impl Mutate for State {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        check_key(key)?;
        self.set(table, key, Some(value));
        Ok(())
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), EngineError> {
        self.set(table, key, None);
        Ok(())
    }

    fn exchange(
        &mut self,
        table: Table,
        rows: &[Exchange<'_>],
    ) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let exchanged = rows.iter().map(|(key, value)| {
            check_key(key)?;
            Ok(self.set(table, key, *value).map(|old| old.to_vec()))
        });
        exchanged.collect()
    }

    fn savepoint(&mut self, work: &mut Work<'_>) -> Result<(), EngineError> {
        let before = self.undo.len();
        self.savepoints += 1;
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.savepoints -= 1;
        if !matches!(result, Ok(Ok(Verdict::Keep))) {
            self.take_back(before);
        }
        if self.savepoints == 0 {
            self.undo.clear();
        }
        match result {
            Ok(result) => result.map(|_| ()),
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// Locks, ignoring poison: a panic in a write leaves the committed state unchanged.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
