//! Rows that a write is going to read, announced before it begins: an engine across a network fetches them together with its turn.
//!
//! An announcement changes no result. Rows that are not announced are read when they are needed.

use super::Table;

/// Rows that a write is going to read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Announced {
    rows: Vec<(Table, Vec<Vec<u8>>)>,
    last: Vec<Table>,
}

impl Announced {
    /// Adds the row of a key.
    pub fn row(mut self, table: Table, key: Vec<u8>) -> Self {
        match self.rows.iter_mut().find(|(known, _)| *known == table) {
            Some((_, keys)) => keys.push(key),
            None => self.rows.push((table, vec![key])),
        }
        self
    }

    /// Adds the last row of a table.
    pub fn last_row(mut self, table: Table) -> Self {
        self.last.push(table);
        self
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
