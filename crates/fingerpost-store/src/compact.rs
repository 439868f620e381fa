//! Rewrites a store without the free parts of its pages, in which deleted data remain.
//!
//! LMDB reuses the pages of replaced and deleted rows, but does not clear them, nor the free space
//! within pages. Compaction copies every row into a new file, compares all of them, and replaces
//! the data file in one step. A process that is killed before leaves the old file, one that is
//! killed after leaves the new one.

use std::path::Path;

use fingerpost_engine::{ALL_KEYS, Direction, Engine, Rows, Table};
use fingerpost_lmdb::{Lmdb, Rewriting};

use crate::filling::Filling;
use crate::store::Backend;
use crate::{Store, StoreError, StoreOptions};

/// The result of compacting a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompactReport {
    rows: u64,
    before: u64,
    after: u64,
}

impl CompactReport {
    /// Returns the number of rows in all tables.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the length of the data file before, in bytes.
    pub fn bytes_before(&self) -> u64 {
        self.before
    }

    /// Returns the length of the new data file, in bytes.
    pub fn bytes_after(&self) -> u64 {
        self.after
    }
}

impl Store {
    /// Rewrites the store in `dir`, so that its files hold nothing but its rows: what was deleted
    /// or replaced is gone from the free parts of the data file too. Needs as much free space as
    /// the rows take. Processes that open the store meanwhile wait.
    ///
    /// Earlier backups, snapshots of the file system and the blocks of a disk are beyond its reach.
    pub fn compact(dir: &Path, options: StoreOptions) -> Result<CompactReport, StoreError> {
        let store = Self::open_existing(dir, options)?;
        let Backend::Lmdb(old) = &store.backend else { unreachable!("a directory is LMDB") };
        let old = old.raw();
        let rewriting = Rewriting::begin(old)?;
        old.check()?;
        let new = Lmdb::create(rewriting.path(), options.lmdb())?;
        let rows = copy(old, &new)?;
        let (before, after) = rewriting.replace(old, new)?;
        drop(store);
        drop(rewriting);
        Ok(CompactReport { rows, before, after })
    }
}

/// Copies all rows, and reads them back; returns their number.
fn copy(old: &Lmdb, new: &Lmdb) -> Result<u64, StoreError> {
    let from = old.snapshot()?;
    let mut filling = Filling::new(new);
    for table in Table::ALL {
        for row in from.range(table, ALL_KEYS, Direction::Forward)? {
            let (key, value) = row?;
            filling.add(table, key.into_owned(), value.into_owned())?;
        }
    }
    filling.finish()?;
    let to = new.snapshot()?;
    let mut rows = 0;
    for table in Table::ALL {
        rows += compare(&*from, &*to, table)?.ok_or_else(|| {
            let detail = format!("the copy of table `{}` differs from its original", table.name());
            StoreError::damaged(new.location(), detail)
        })?;
    }
    Ok(rows)
}

/// Returns the number of rows of a table if both have the same.
fn compare(
    from: &(impl Rows + ?Sized),
    to: &(impl Rows + ?Sized),
    table: Table,
) -> Result<Option<u64>, StoreError> {
    let mut copies = to.range(table, ALL_KEYS, Direction::Forward)?;
    let mut rows = 0;
    for row in from.range(table, ALL_KEYS, Direction::Forward)? {
        if copies.next().transpose()? != Some(row?) {
            return Ok(None);
        }
        rows += 1;
    }
    Ok(copies.next().transpose()?.is_none().then_some(rows))
}
