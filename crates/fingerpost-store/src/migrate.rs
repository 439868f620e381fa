//! Moves a store into another engine: all rows as they are stored, with history, audit chain and
//! accounts.
//!
//! The target is made equal to one snapshot of the source, piece by piece in key order, each piece
//! in one commit. What is equal already is only read, so a migration that was interrupted continues
//! when it is repeated. Until it is complete, the row `migration` of the table `meta` prevents that
//! the target is opened as a store. At the end, digests of each table are compared.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use fingerpost_engine::format::FORMAT_KEY;
use fingerpost_engine::{
    ALL_KEYS, Direction, Engine, EngineError, KeyRange, Mutate, Prefetch, RowIter, Rows, Table,
    Verdict, borrowed,
};
use fingerpost_lmdb::Lmdb;
use sha2::{Digest, Sha256};

use crate::format::{Hash, MIGRATION_KEY};
use crate::limits::{MAX_MIGRATED_BYTES, MAX_MIGRATED_ROWS};
use crate::{Store, StoreError, StoreOptions};

/// The result of a migration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MigrateReport {
    tables: Vec<MigratedTable>,
}

/// A table that was copied, and compared with its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MigratedTable {
    name: &'static str,
    rows: u64,
    digest: Hash,
}

impl MigrateReport {
    /// Returns the tables, in the order of a backup.
    pub fn tables(&self) -> &[MigratedTable] {
        &self.tables
    }

    /// Returns the number of rows in all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}

impl MigratedTable {
    /// Returns the name of the table.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns SHA-256 over all rows, which is the same for source and target, as hexadecimal
    /// digits.
    pub fn digest(&self) -> String {
        HEXLOWER.encode(&self.digest)
    }
}

impl Store {
    /// Copies the whole store into the directory `dir`, which is created if it is missing.
    /// Otherwise the same as [`Store::migrate_into`].
    pub fn migrate_to(
        &self,
        dir: &Path,
        options: StoreOptions,
        copied: impl FnMut(u64),
    ) -> Result<(Self, MigrateReport), StoreError> {
        self.check_pages()?;
        let target = Lmdb::create(dir, options.lmdb())?;
        self.migrate_into(target, copied)
    }

    /// Copies the whole store into `target`, which is empty or holds an unfinished migration from
    /// the same location. `copied` is called with the number of rows from time to time. Do not
    /// write to the store meanwhile: changes after the beginning are not copied, and make this fail
    /// at the end; repeat it then.
    ///
    /// Fails with [`StoreError::NotEmpty`] if the target holds something else,
    /// [`StoreError::Migrating`] if the source has changed, or an error if one of both cannot be
    /// read or written. Repeating the call continues.
    pub fn migrate_into(
        &self,
        target: impl Engine + 'static,
        mut copied: impl FnMut(u64),
    ) -> Result<(Self, MigrateReport), StoreError> {
        self.check_pages()?;
        let source = self.raw_engine();
        let target: Arc<dyn Engine> = Arc::new(target);
        begin(&*target, source.location())?;
        let from = source.snapshot()?;
        let mut rows = 0;
        for table in Table::ALL {
            let mut pieces = Pieces {
                rows: from.range(table, ALL_KEYS, Direction::Forward)?,
                start: Bound::Unbounded,
            };
            while let Some(piece) = pieces.next(table)? {
                target.write(&Prefetch::NONE, &mut |writing| {
                    write_piece(writing, table, &piece)?;
                    Ok(Verdict::Keep)
                })?;
                rows += piece.rows.len() as u64;
                copied(rows);
            }
        }
        let report = compared(&*from, &*target)?;
        let commit = from.commit();
        drop(from);
        // Writers of the source are not prevented from writing.
        let now = source.snapshot()?;
        let is_same = commit.is_some() && now.commit() == commit;
        if !is_same && digests(&*now)? != report.tables {
            return Err(StoreError::Migrating { location: target.location().to_owned() });
        }
        drop(now);
        target.write(&Prefetch::NONE, &mut |writing| {
            writing.delete(Table::Meta, MIGRATION_KEY)?;
            Ok(Verdict::Keep)
        })?;
        Ok((Self::over(target)?, report))
    }
}

/// Notes in the target that a migration has begun. A target that only has a format holds nothing.
fn begin(target: &dyn Engine, source: &str) -> Result<(), StoreError> {
    let mut is_refused = false;
    target.write(&Prefetch::NONE, &mut |writing| {
        let begun = writing.get(Table::Meta, MIGRATION_KEY)?;
        is_refused = match begun {
            Some(from) => *from != *source.as_bytes(),
            None => !is_empty(writing)?,
        };
        if is_refused {
            return Ok(Verdict::TakeBack);
        }
        writing.put(Table::Meta, MIGRATION_KEY, source.as_bytes())?;
        Ok(Verdict::Keep)
    })?;
    let location = || target.location().to_owned();
    if is_refused { Err(StoreError::NotEmpty { location: location() }) } else { Ok(()) }
}

fn is_empty(rows: &dyn Mutate) -> Result<bool, EngineError> {
    for table in Table::ALL {
        for row in rows.range(table, ALL_KEYS, Direction::Forward)? {
            if table != Table::Meta || *row?.0 != *FORMAT_KEY {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Rows of the source, and the range in which the target must have these and no others.
struct Piece {
    from: Bound<Vec<u8>>,
    to: Bound<Vec<u8>>,
    rows: Vec<(Vec<u8>, Vec<u8>)>,
}

struct Pieces<'r> {
    rows: RowIter<'r>,
    /// Where the next piece begins; excluded by everything at the end.
    start: Bound<Vec<u8>>,
}

impl Pieces<'_> {
    fn next(&mut self, table: Table) -> Result<Option<Piece>, StoreError> {
        if matches!(self.start, Bound::Included(_)) {
            return Ok(None); // the last piece has reached the end of the table
        }
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for row in self.rows.by_ref() {
            let (key, value) = row?;
            if is_ours(table, &key) {
                continue;
            }
            bytes += key.len() + value.len();
            rows.push((key.into_owned(), value.into_owned()));
            if rows.len() == MAX_MIGRATED_ROWS || bytes >= MAX_MIGRATED_BYTES {
                break;
            }
        }
        let is_last = rows.len() < MAX_MIGRATED_ROWS && bytes < MAX_MIGRATED_BYTES;
        let last = rows.last().map(|(key, _)| key.clone()).unwrap_or_default();
        let (to, next) = match is_last {
            true => (Bound::Unbounded, Bound::Included(Vec::new())),
            false => (Bound::Included(last.clone()), Bound::Excluded(last)),
        };
        let from = std::mem::replace(&mut self.start, next);
        Ok(Some(Piece { from, to, rows }))
    }
}

/// Whether the row belongs to the migration and not to the store.
fn is_ours(table: Table, key: &[u8]) -> bool {
    table == Table::Meta && key == MIGRATION_KEY
}

/// Makes the target equal to a piece.
fn write_piece(
    writing: &mut dyn Mutate,
    table: Table,
    Piece { from, to, rows }: &Piece,
) -> Result<(), EngineError> {
    let range: KeyRange<'_> = (borrowed(from), borrowed(to));
    let mut found = writing.range(table, range, Direction::Forward)?.peekable();
    let (mut missing, mut different, mut surplus) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        while let Some(other) = found.next_if(|other| match other {
            Ok((key, _)) => **key < *row.0,
            Err(_) => true,
        }) {
            surplus.push(other?.0.into_owned());
        }
        let same = found.next_if(|other| matches!(other, Ok((key, _)) if **key == *row.0));
        match same {
            Some(Ok((_, value))) if *value == *row.1 => {}
            Some(_) => different.push(row),
            None => missing.push(row),
        }
    }
    for other in found {
        surplus.push(other?.0.into_owned());
    }
    for key in surplus {
        if !is_ours(table, &key) {
            writing.delete(table, &key)?;
        }
    }
    for (key, value) in different {
        writing.put(table, key, value)?;
    }
    for (key, value) in missing {
        writing.insert(table, key, value)?;
    }
    Ok(())
}

/// Compares the digests of all tables.
fn compared(from: &(impl Rows + ?Sized), target: &dyn Engine) -> Result<MigrateReport, StoreError> {
    let (tables, copies) = (digests(from)?, digests(&*target.snapshot()?)?);
    match tables.iter().zip(&copies).find(|(table, copy)| table != copy) {
        None => Ok(MigrateReport { tables }),
        Some((table, _)) => {
            let detail = format!("the copy of table `{}` differs from its original", table.name);
            Err(StoreError::damaged(target.location(), detail))
        }
    }
}

fn digests(rows: &(impl Rows + ?Sized)) -> Result<Vec<MigratedTable>, StoreError> {
    let digest = |table: Table| {
        let (mut hasher, mut count) = (Sha256::new(), 0);
        for row in rows.range(table, ALL_KEYS, Direction::Forward)? {
            let (key, value) = row?;
            if is_ours(table, &key) {
                continue;
            }
            for part in [&key, &value] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            count += 1;
        }
        Ok(MigratedTable { name: table.name(), rows: count, digest: hasher.finalize().into() })
    };
    Table::ALL.into_iter().map(digest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Event};
    use fingerpost_engine::Memory;

    fn filled(notes: u32) -> Store {
        let store = Store::in_memory();
        for n in 0..notes {
            let event = Event::new("noted", "user:test", jiff::Timestamp::UNIX_EPOCH);
            let noted = store.transact(move |txn| {
                txn.put_document("notes", &n.to_string(), b"text")?;
                txn.record(event.clone())
            });
            noted.map_err(|error: StoreError| error).unwrap();
        }
        store
    }

    fn backup(store: &Store) -> Vec<u8> {
        let mut bytes = Vec::new();
        store.backup(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_migrated_store_has_the_same_rows() {
        let store = filled(10);
        let (copy, report) = store.migrate_into(Memory::new(), |_| ()).unwrap();
        assert_eq!(backup(&copy), backup(&store));
        assert_eq!(report.rows(), 2 + 10 + 10 - 1); // format, documents, audit records: no revision yet
        assert!(copy.fsck().unwrap().is_sound());
        assert_eq!(copy.write(&Batch::new()).unwrap(), store.revision().unwrap());
    }

    #[test]
    fn an_unfinished_migration_is_no_store_and_continues() {
        let (store, target) = (filled(10), Arc::new(Memory::new()));
        begin(&*target, store.location()).unwrap();
        let strange = &mut |rows: &mut dyn Mutate| {
            rows.put(Table::Documents, b"notes\x005", b"half")?;
            rows.put(Table::Documents, b"zzz", b"gone in the source")?;
            Ok(Verdict::Keep)
        };
        target.write(&Prefetch::NONE, strange).unwrap();
        let opened = Store::over(Arc::clone(&target));
        assert!(matches!(opened, Err(StoreError::Migrating { .. })), "{opened:?}");
        let (copy, _) = store.migrate_into(Arc::clone(&target), |_| ()).unwrap();
        assert_eq!(backup(&copy), backup(&store));
        let again = store.migrate_into(target, |_| ());
        assert!(matches!(again, Err(StoreError::NotEmpty { .. })));
    }

    #[test]
    fn a_source_that_changes_meanwhile_is_not_finished() {
        let (store, target) = (filled(3), Arc::new(Memory::new()));
        let write = || {
            let result = store.transact(|txn| txn.put_document("notes", "new", b"text"));
            result.map_err(|error: StoreError| error).unwrap();
        };
        let mut is_first = true;
        let result = store.migrate_into(Arc::clone(&target), |_| {
            if std::mem::take(&mut is_first) {
                write();
            }
        });
        assert!(matches!(result, Err(StoreError::Migrating { .. })));
        let (copy, _) = store.migrate_into(target, |_| ()).unwrap();
        assert_eq!(backup(&copy), backup(&store));
    }
}
