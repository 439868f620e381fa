//! An engine whose rows have checksums: adds them to what is written, and verifies them in what is
//! read.
//!
//! The store reads and writes all values through it, except in backups, compaction and upgrades,
//! which copy or convert rows as they are stored. A damaged row is an error of its own; the rows
//! after it in a range can still be read.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use super::{
    Bytes, Direction, Engine, Exchange, KeyIter, KeyRange, KeyRows, Mutate, Prefetch, RowIter,
    Rows, Snapshot, Table, Work,
};
use crate::EngineError;
use crate::checksum::{value_length, verified, verified_whole, with_checksum};

/// An engine over another one.
#[derive(Debug)]
pub struct Checked<E>(E);

impl<E: Engine> Checked<E> {
    /// Adds checksums to the rows of an engine.
    pub fn new(engine: E) -> Self {
        Self(engine)
    }

    /// Returns the engine, whose rows include checksums.
    #[inline]
    pub fn raw(&self) -> &E {
        &self.0
    }
}

impl<E: Engine> Engine for Checked<E> {
    fn location(&self) -> &str {
        self.0.location()
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        Ok(Box::new(CheckedRows(self.0.snapshot()?)))
    }

    fn snapshot_with(&self, prefetch: &Prefetch) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        Ok(Box::new(CheckedRows(self.0.snapshot_with(prefetch)?)))
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.0.write(prefetch, &mut |rows| work(&mut CheckedRows(rows)))
    }

    fn flush(&self) -> Result<(), EngineError> {
        self.0.flush()
    }

    fn last_commit(&self) -> Option<u64> {
        self.0.last_commit()
    }

    fn check(&self) -> Result<(), EngineError> {
        self.0.check()
    }

    fn check_writable(&self) -> Result<(), EngineError> {
        self.0.check_writable()
    }

    fn wait(&self, seen: Option<u64>, timeout: Duration) -> Result<(), EngineError> {
        self.0.wait(seen, timeout)
    }
}

/// The rows of a snapshot or of a write.
#[derive(Debug)]
pub struct CheckedRows<R>(pub R);

impl<R: Deref<Target: Rows>> Rows for CheckedRows<R> {
    #[inline]
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        self.0.get(table, key)?.map(|value| verified(table, key, value)).transpose()
    }

    fn get_many(
        &self,
        table: Table,
        keys: &[&[u8]],
    ) -> Result<Vec<Option<Bytes<'_>>>, EngineError> {
        let values = self.0.get_many(table, keys)?.into_iter().zip(keys);
        values
            .map(|(value, key)| value.map(|value| verified(table, key, value)).transpose())
            .collect()
    }

    fn prefetch(&self, rows: &Prefetch) -> Result<(), EngineError> {
        self.0.prefetch(rows)
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        // Walks forwards copy, check or export rows; requests look backwards, for one row.
        let is_walk = matches!(direction, Direction::Forward);
        let verified = if is_walk { verified_whole } else { verified };
        Ok(Box::new(self.0.range(table, range, direction)?.map(move |row| {
            let (key, value) = row?;
            let value = verified(table, &key, value)?;
            Ok((key, value))
        })))
    }

    /// Returns the keys of damaged rows too.
    fn keys(&self, table: Table, range: KeyRange<'_>) -> Result<KeyIter<'_>, EngineError> {
        let keys = self.0.keys(table, range)?;
        Ok(Box::new(keys.map(move |key| {
            let (key, stored) = key?;
            let length = value_length(table, &key, stored);
            Ok((key, length))
        })))
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        self.0.count(table)
    }
}

impl<R: Deref<Target: Snapshot>> Snapshot for CheckedRows<R> {
    #[inline]
    fn family(&self, key_level: &str) -> Result<KeyRows<'_>, EngineError> {
        let KeyRows { value, below } = self.0.family(key_level)?;
        let key = key_level.as_bytes();
        let value = value.map(|value| verified(Table::Entries, key, value)).transpose()?;
        Ok(KeyRows { value, below })
    }

    #[inline]
    fn commit(&self) -> Option<u64> {
        self.0.commit()
    }
}

impl<R: DerefMut<Target: Mutate>> Mutate for CheckedRows<R> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.0.put(table, key, &with_checksum(table, key, value))
    }

    fn append(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.0.append(table, key, &with_checksum(table, key, value))
    }

    fn insert(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        self.0.insert(table, key, &with_checksum(table, key, value))
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), EngineError> {
        self.0.delete(table, key)
    }

    /// Exchanges rows; returns an empty value for each damaged one, so that it can be replaced.
    fn exchange(
        &mut self,
        table: Table,
        rows: &[Exchange<'_>],
    ) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let stored =
            rows.iter().map(|&(key, value)| value.map(|value| with_checksum(table, key, value)));
        let stored: Vec<_> = stored.collect();
        let keys = rows.iter().map(|(key, _)| *key);
        let raw: Vec<Exchange<'_>> = keys.zip(stored.iter().map(Option::as_deref)).collect();
        let replaced = self.0.exchange(table, &raw)?.into_iter().zip(rows);
        let value =
            |old, key| verified(table, key, Cow::Owned(old)).unwrap_or_default().into_owned();
        Ok(replaced.map(|(old, (key, _))| old.map(|old| value(old, key))).collect())
    }

    fn savepoint(&mut self, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.0.savepoint(&mut |rows| work(&mut CheckedRows(rows)))
    }
}
