//! The interface of storage engines: tables of rows, snapshots, one writer at a time.
//!
//! An [`Engine`] knows tables, keys and values, but not their meaning. Everything that gives rows a
//! meaning belongs in `fingerpost-store`. Engines are [`Memory`], `fingerpost-lmdb` and
//! `fingerpost-postgres`; [`Checked`] adds checksums to the rows of an engine, and [`Overlay`]
//! keeps changes beside an engine, for dry runs.
//!
//! # Contract
//!
//! Each promise has a test with the name in the table, which every engine runs
//! (`engine_contract!`, feature `contract`).
//!
//! | promise | test |
//! |---|---|
//! | **Order.** A range yields rows in the order of their key bytes, compared as unsigned numbers; a key that is a prefix of another comes first. | `ranges_are_in_key_order` |
//! | **Bounds.** Bounds can name keys that do not exist, can be empty, and can cross, which yields no rows. | `bounds_need_no_rows` |
//! | **Tables** are independent; each can contain the same key. | `tables_are_independent` |
//! | **Many gets** in one call return values in the order of the keys. | `many_gets_keep_their_order` |
//! | **Prefetch** is a hint: rows read the same with and without it. | `prefetched_rows_are_read_as_they_are` |
//! | **Limits.** A key has 1 to [`MAX_KEY`] bytes, any bytes; writing any other key is [`EngineError::KeySize`], reading it finds nothing. Values up to [`MAX_VALUE`] are accepted, including empty ones. | `keys_and_values_have_limits` |
//! | **Own writes.** A write reads its own changes, by get and by range. | `a_write_reads_its_own_writes` |
//! | **Append** is a hint that the key is greater than all others of its table; if it is not, the row is put nevertheless. | `an_append_out_of_order_is_a_put` |
//! | **Insert** promises that the key does not exist, in any order and number; the row can be put and deleted again in the same write. | `inserted_rows_are_rows` |
//! | **Exchange** puts and deletes many rows in one call and returns the replaced values. | `an_exchange_returns_what_it_replaces` |
//! | **Isolation.** A snapshot never changes. It sees every write that returned before it was taken, in any process, and nothing of a running write. | `a_snapshot_does_not_change`, `a_running_write_is_not_seen` |
//! | **Visibility.** Every snapshot taken after a commit returned sees all of it; no snapshot sees a part of it. | `a_commit_is_seen_whole` |
//! | **Atomicity.** [`Verdict::TakeBack`], an error or a panic rolls back the whole write; the next write works. A panic continues in the caller. | `what_is_taken_back_leaves_nothing`, `a_panic_leaves_nothing` |
//! | **Savepoints** nest. Rolling back a savepoint keeps earlier changes of the same write. | `a_savepoint_is_taken_back_alone` |
//! | **One writer.** Writes run one after the other, including those of other processes; each sees all commits before it. | `writes_take_turns` |
//! | **Repetition.** `work` can be run more than once, each time on a state without the changes of the run before. Only the last run has an effect. | `a_repeated_write_starts_over` |
//! | **Commit number.** [`Engine::last_commit`], if an engine has one, is never behind the engine's snapshots, and changes with every commit that changed something, by any process. | `a_commit_has_a_new_number` |
//! | **Waiting.** [`Engine::wait`] returns soon after a commit by any thread or process, and at its time limit at the latest. It can return early. | `a_wait_ends_with_a_commit`, `a_wait_ends_in_time` |
//! | **Durability.** When [`Engine::write`] returns `Ok`, the commit survives a crash of the process and of the machine; with `LmdbOptions::deferred_sync`, a crash of the machine can undo the last commit before [`Engine::flush`] returns. [`Memory`] has no durability. | `killed_groups`, `processes` of the LMDB store |
//! | **Errors.** After an error, nothing was changed. An engine that loses the answer to its commit determines the result before it returns; if it cannot, the error is [`Unavailable::OutcomeUnknown`]. | `a_failed_write_changes_nothing`, `full_disk` of the LMDB store |
//!
//! A thread holds one snapshot at a time, and none while it writes: an engine can return
//! [`Unavailable::SnapshotInUse`] for a second one. The store ensures that a write never begins
//! within a write of the same thread.
//!
//! # Engines across a network
//!
//! Calls are few and can be large: [`Rows::get_many`], [`Rows::prefetch`], [`Mutate::exchange`] and
//! ranges carry many rows. Puts, appends and deletions return nothing that depends on other rows,
//! so they can be collected until the next read or the commit. An engine must itself remember that
//! it has to repeat a write: `work` cannot distinguish a conflict from another error, and its
//! result is ignored then.

#![forbid(unsafe_code)]

mod checked;
pub mod checksum;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod error;
mod family;
pub mod format;
mod hit_counter;
mod layered;
mod limits;
mod memory;
mod overlay;
mod prefetch;
mod table;

use std::borrow::Cow;
use std::ops::Bound;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::limits::WAIT_POLL;

pub use checked::{Checked, CheckedRows};
pub use error::{EngineError, Unavailable};
pub use family::{Below, KeyRows};
pub use hit_counter::HitCounter;
pub use layered::{ChangeIter, Direction, KeyChange, changed_rows, layered};
pub use limits::{MAX_KEY, MAX_VALUE};
pub use memory::Memory;
pub use overlay::Overlay;
pub use prefetch::Prefetch;
pub use table::Table;

/// A key or a value, borrowed from the engine where possible.
pub type Bytes<'r> = Cow<'r, [u8]>;

/// A key and its value.
pub type Row<'r> = (Bytes<'r>, Bytes<'r>);

/// Rows in order.
pub type RowIter<'r> = Box<dyn Iterator<Item = Result<Row<'r>, EngineError>> + 'r>;

/// Keys in order, each with the length of its value.
pub type KeyIter<'r> = Box<dyn Iterator<Item = Result<(Bytes<'r>, usize), EngineError>> + 'r>;

/// A range of keys.
pub type KeyRange<'k> = (Bound<&'k [u8]>, Bound<&'k [u8]>);

/// All keys.
pub const ALL_KEYS: KeyRange<'static> = (Bound::Unbounded, Bound::Unbounded);

/// A row to put (`Some`) or to delete (`None`).
pub type Exchange<'k> = (&'k [u8], Option<&'k [u8]>);

/// Whether to keep a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Commit it.
    Keep,
    /// Undo it.
    TakeBack,
}

/// The operation of a write; it can be run several times.
pub type Work<'w> = dyn FnMut(&mut dyn Mutate) -> Result<Verdict, EngineError> + 'w;

/// A storage engine. The [module](self) documents its contract.
pub trait Engine: Send + Sync {
    /// Returns the location of the data for messages: a directory, a database.
    fn location(&self) -> &str;

    /// Takes a snapshot of the committed data.
    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError>;

    /// Takes a snapshot that is read for the prefetched rows first.
    fn snapshot_with(&self, prefetch: &Prefetch) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        let _ = prefetch;
        self.snapshot()
    }

    /// Runs `work` after all other writes, and commits its changes if it returns [`Verdict::Keep`].
    /// `work` reads the prefetched rows first, as far as it needs them.
    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError>;

    /// Waits until every commit is durable, if the engine was opened so that [`Engine::write`] does
    /// not wait for that.
    fn flush(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns the number of the last commit of any process, if that takes no input or output.
    /// While a commit finishes, it can be ahead of what a new snapshot sees, but never behind.
    fn last_commit(&self) -> Option<u64> {
        None
    }

    /// Checks the structures in which the engine keeps its rows, so that reading any row is safe;
    /// an engine without files has none. Takes as long as reading all data.
    fn check(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Tries whether a write would find space and permission, without writing rows. Takes a few
    /// milliseconds.
    fn check_writable(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Blocks until there may be a commit after `seen`, the [`Snapshot::commit`] of a snapshot, or
    /// until `timeout` expires. ([`Engine::last_commit`] is not suitable for `seen`: it can be
    /// ahead of the snapshot.)
    fn wait(&self, seen: Option<u64>, timeout: Duration) -> Result<(), EngineError> {
        let _ = seen;
        thread::sleep(timeout.min(WAIT_POLL));
        Ok(())
    }
}

/// A shared engine, for instance for two stores one after the other.
impl<E: Engine + ?Sized> Engine for Arc<E> {
    fn location(&self) -> &str {
        (**self).location()
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        (**self).snapshot()
    }

    fn snapshot_with(&self, prefetch: &Prefetch) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        (**self).snapshot_with(prefetch)
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        (**self).write(prefetch, work)
    }

    fn flush(&self) -> Result<(), EngineError> {
        (**self).flush()
    }

    fn last_commit(&self) -> Option<u64> {
        (**self).last_commit()
    }

    fn check(&self) -> Result<(), EngineError> {
        (**self).check()
    }

    fn check_writable(&self) -> Result<(), EngineError> {
        (**self).check_writable()
    }

    fn wait(&self, seen: Option<u64>, timeout: Duration) -> Result<(), EngineError> {
        (**self).wait(seen, timeout)
    }
}

/// Reads rows, from a snapshot or in a write.
pub trait Rows {
    /// Returns the value of a key.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError>;

    /// Returns the values of many keys, in the order of the keys.
    fn get_many(
        &self,
        table: Table,
        keys: &[&[u8]],
    ) -> Result<Vec<Option<Bytes<'_>>>, EngineError> {
        keys.iter().map(|key| self.get(table, key)).collect()
    }

    /// Announces that these rows are read next, one by one.
    fn prefetch(&self, rows: &Prefetch) -> Result<(), EngineError> {
        let _ = rows;
        Ok(())
    }

    /// Returns the rows of a range, in the order of their keys or from the greatest key back.
    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError>;

    /// Returns the keys of a range, in order, each with the length of its value.
    fn keys(&self, table: Table, range: KeyRange<'_>) -> Result<KeyIter<'_>, EngineError> {
        Ok(Box::new(
            self.range(table, range, Direction::Forward)?
                .map(|row| row.map(|(key, value)| (key, value.len()))),
        ))
    }

    /// Returns the number of rows.
    fn count(&self, table: Table) -> Result<u64, EngineError>;
}

/// One immutable state of all tables.
pub trait Snapshot: Rows {
    /// Returns the rows of a key that every request for it reads. An engine can remember the
    /// location of the rows.
    fn family(&self, key_level: &str) -> Result<KeyRows<'_>, EngineError> {
        KeyRows::read(self, key_level)
    }

    /// Returns the number of the last commit that it sees, if the engine has
    /// [`Engine::last_commit`].
    fn commit(&self) -> Option<u64> {
        None
    }
}

/// Writes rows.
pub trait Mutate: Rows {
    /// Puts a row, replacing one with the same key.
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError>;

    /// Puts a row whose key is probably greater than all others of the table.
    fn append(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.put(table, key, value)
    }

    /// Puts a row whose key does not exist, and is probably greater than all others of the table:
    /// this write has looked for it, or it cannot exist by its meaning. An engine need not look for
    /// a row to replace; if there is one, the write can fail.
    fn insert(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.append(table, key, value)
    }

    /// Deletes a row, if it exists.
    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), EngineError>;

    /// Puts and deletes rows with distinct keys; returns the previous value of each key.
    fn exchange(
        &mut self,
        table: Table,
        rows: &[Exchange<'_>],
    ) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let keys: Vec<_> = rows.iter().map(|(key, _)| *key).collect();
        let old = self.get_many(table, &keys)?;
        let old: Vec<_> = old.into_iter().map(|old| old.map(Cow::into_owned)).collect();
        for ((key, value), old) in rows.iter().zip(&old) {
            match (value, old) {
                (Some(value), None) => self.insert(table, key, value)?,
                (Some(value), Some(_)) => self.put(table, key, value)?,
                (None, _) => self.delete(table, key)?,
            }
        }
        Ok(old)
    }

    /// Runs `work` in a savepoint, which can be rolled back alone.
    fn savepoint(&mut self, work: &mut Work<'_>) -> Result<(), EngineError>;
}

/// Checks that a key can be written.
pub fn check_key(key: &[u8]) -> Result<(), EngineError> {
    match key.len() {
        1..=MAX_KEY => Ok(()),
        found => Err(EngineError::KeySize { found }),
    }
}

/// Returns the end of the range of keys that begin with `prefix`, which must not end in the byte
/// 255.
pub fn end_of(prefix: &[u8]) -> Bound<Vec<u8>> {
    let mut end = prefix.to_vec();
    match end.last_mut() {
        Some(last) => {
            *last += 1;
            Bound::Excluded(end)
        }
        None => Bound::Unbounded,
    }
}

/// Borrows the bound.
pub fn borrowed(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(engine: &dyn Engine) -> Vec<(Table, Vec<u8>, Vec<u8>)> {
        let snapshot = engine.snapshot().unwrap();
        let all = Table::ALL.into_iter().flat_map(|table| {
            let rows =
                snapshot.range(table, ALL_KEYS, Direction::Forward).unwrap().map(Result::unwrap);
            rows.map(|(key, value)| (table, key.into_owned(), value.into_owned()))
                .collect::<Vec<_>>()
        });
        all.collect()
    }

    engine_contract!(memory_engine, |test: &dyn Fn(&dyn Engine)| test(&Memory::new()));
    engine_contract!(checked_engine, |test: &dyn Fn(&dyn Engine)| test(&Checked::new(
        Memory::new()
    )));
    engine_contract!(overlay_engine, |test: &dyn Fn(&dyn Engine)| {
        // The rows of the test are below first, and deleted above.
        let below = Arc::new(Memory::new());
        test(&*below);
        let before = rows_of(&*below);
        let overlay = Overlay::new(Arc::clone(&below), Box::new(Memory::new())).unwrap();
        for (table, key, _) in &before {
            let delete =
                &mut |rows: &mut dyn Mutate| rows.delete(*table, key).map(|()| Verdict::Keep);
            overlay.write(&Prefetch::NONE, delete).unwrap();
        }
        test(&overlay);
        assert_eq!(rows_of(&*below), before, "the engine below is never changed");
    });
    engine_contract!(repeating_engine, |test: &dyn Fn(&dyn Engine)| test(
        &Memory::new().repeating()
    ));

    #[test]
    fn a_repeating_engine_runs_each_write_twice() {
        let mut runs = 0;
        let count = &mut |_: &mut dyn Mutate| {
            runs += 1;
            Ok(Verdict::Keep)
        };
        Memory::new().repeating().write(&Prefetch::NONE, count).unwrap();
        assert_eq!(runs, 2);
    }
}
