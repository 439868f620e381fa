//! Fills an empty engine with the rows of a store, in the order of its tables and keys.

use fingerpost_engine::{Engine, Prefetch, Table, Verdict};

use crate::StoreError;
use crate::limits::MAX_FILLED_BYTES;

/// An engine that is being filled.
pub(crate) struct Filling<'e> {
    engine: &'e dyn Engine,
    rows: Vec<(Table, Vec<u8>, Vec<u8>)>,
    bytes: usize,
}

impl<'e> Filling<'e> {
    pub(crate) fn new(engine: &'e dyn Engine) -> Self {
        Self { engine, rows: Vec::new(), bytes: 0 }
    }

    /// Adds the next row.
    pub(crate) fn add(
        &mut self,
        table: Table,
        key: Vec<u8>,
        value: Vec<u8>,
    ) -> Result<(), StoreError> {
        self.bytes += key.len() + value.len();
        self.rows.push((table, key, value));
        if self.bytes >= MAX_FILLED_BYTES { self.finish() } else { Ok(()) }
    }

    /// Commits the rows that wait. Appends them, because they come in order; puts only those that a
    /// new store already has.
    pub(crate) fn finish(&mut self) -> Result<(), StoreError> {
        self.engine.write(&Prefetch::NONE, &mut |writing| {
            for (table, key, value) in &self.rows {
                writing.append(*table, key, value)?;
            }
            Ok(Verdict::Keep)
        })?;
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}
