//! Rows that are read next: an engine across a network fetches them in one round trip, for a write
//! together with its turn.
//!
//! A prefetch changes no result. Rows that are not prefetched are read when they are needed.

use crate::Table;

/// Rows that are read next.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prefetch {
    rows: Vec<(Table, Vec<Vec<u8>>)>,
    last: Vec<Table>,
}

impl Prefetch {
    /// No rows.
    pub const NONE: Self = Self { rows: Vec::new(), last: Vec::new() };

    /// Adds the row of a key.
    pub fn row(mut self, table: Table, key: Vec<u8>) -> Self {
        match self.rows.iter_mut().find(|(of, _)| *of == table) {
            Some((_, keys)) => keys.push(key),
            None => self.rows.push((table, vec![key])),
        }
        self
    }

    /// Adds the last row of a table. [`Rows::prefetch`](crate::Rows::prefetch) ignores it.
    pub fn last_row(mut self, table: Table) -> Self {
        self.last.push(table);
        self
    }

    /// Adds the rows of another prefetch, each row once.
    pub fn merge(&mut self, other: &Self) {
        for (table, keys) in &other.rows {
            match self.rows.iter_mut().find(|(of, _)| of == table) {
                Some((_, own)) => own.extend(keys.iter().cloned()),
                None => self.rows.push((*table, keys.clone())),
            }
        }
        for (_, keys) in &mut self.rows {
            keys.sort_unstable();
            keys.dedup();
        }
        self.last.extend(&other.last);
        self.last.sort_unstable();
        self.last.dedup();
    }

    /// Returns the keys of rows, by table.
    pub fn rows(&self) -> impl Iterator<Item = (Table, &[Vec<u8>])> {
        self.rows.iter().map(|(table, keys)| (*table, &keys[..]))
    }

    /// Returns the tables whose last row is read.
    pub fn last(&self) -> &[Table] {
        &self.last
    }
}
