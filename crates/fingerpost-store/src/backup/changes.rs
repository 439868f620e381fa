//! Writes a backup of what has changed since another backup.
//!
//! The file has the frames of a backup after the line `fingerpost-changes/1`. The first frame, with
//! the number 63, is the head: JSON that names the backup that the changes are based on, by
//! revision, audit head and digest, and the tables of which every row is in the file. Then frames
//! follow in the order of tables and keys; bits 6 and 7 of the number determine what happens to the
//! row:
//!
//! | bits | meaning |
//! |---|---|
//! | none | the row has this value |
//! | 6 | the row does not exist |
//! | 7 | the row is the one before; only in tables of which every row is in the file |
//!
//! A row of the backup before that the file does not have is unchanged, or deleted in tables of
//! which every row is in the file.
//!
//! The rows themselves show what has changed. `changes`, `revisions` and `audit` only grow. The
//! levels in `changes` determine which rows of `entries` and `history` are new. States that were
//! pruned and personal data that were erased leave no trace, except in the number of rows: if it is
//! not what the backup before and the new rows add up to, every row of the table is in the file,
//! those that are as before by their keys alone. `meta` and `documents` are there with all rows,
//! because documents have no revisions.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Bound;

use fingerpost_engine::checksum::value_length;
use fingerpost_engine::{ALL_KEYS, CheckedRows, Direction, Snapshot, Table};
use serde::{Deserialize, Serialize};

use super::writing::Stream;
use super::{BackupError, BackupReport, Trailer};
use crate::format::{change_key, history_key, history_prefix, parse_change_key, parse_history_key};
use crate::limits::{BACKUP_ENTRIES, MAX_BACKUP_CHANGES};
use crate::view::View;
use crate::{AuditHead, Revision, Store, StoreError};

/// First line of a backup of changes.
pub(super) const CHANGES: &[u8] = b"fingerpost-changes/1\n";
/// Number of the frame of the head.
pub(super) const HEAD: u8 = 63;
/// Bits of the number of a frame: the row does not exist, the row is the one before.
pub(super) const GONE: u8 = 1 << 6;
pub(super) const SAME: u8 = 1 << 7;

/// The backup that changes are based on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupBase {
    /// Its revision.
    pub revision: Revision,
    /// Its audit head.
    pub head: AuditHead,
    /// Its digest: [`BackupReport::digest`].
    pub digest: String,
    /// Its number of rows by table: [`BackupReport::rows`].
    pub rows: BTreeMap<String, u64>,
}

/// The result of [`Store::backup_changes`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangesBackup {
    /// The changes were written.
    Written(BackupReport),
    /// The changes since that backup cannot be determined or are too many, for this reason: make a
    /// full backup. Nothing was written.
    FullNeeded(&'static str),
}

/// The first frame.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Head {
    /// The backup that the changes are based on.
    pub(super) revision: u64,
    pub(super) audit: String,
    pub(super) digest: String,
    /// The tables of which every row is in the file.
    pub(super) whole: Vec<String>,
}

impl Store {
    /// Writes what has changed since the backup `base`, from one snapshot; others can read and
    /// write the store meanwhile. This flushes `out`; making it durable is up to the caller.
    ///
    /// Fails with [`BackupError::Store`] if the store cannot be read or is a [copy](crate::copy),
    /// [`BackupError::Io`] if `out` cannot be written.
    pub fn backup_changes(
        &self,
        base: &BackupBase,
        out: impl Write,
    ) -> Result<ChangesBackup, BackupError> {
        if self.copy_state()?.is_some() {
            return Err(StoreError::IsCopy { location: self.location().to_owned() }.into());
        }
        let engine = self.raw_engine();
        let rows = &*engine.snapshot()?;
        let checked = CheckedRows(rows);
        let view = View::reading(engine.location(), &checked);
        if let Some(why) = unrelated(&view, base)? {
            return Ok(ChangesBackup::FullNeeded(why));
        }
        let Some(levels) = changed_levels(rows, base.revision)? else {
            return Ok(ChangesBackup::FullNeeded("more than a million changes were made"));
        };
        let trailer = Trailer {
            rows: counts(rows)?,
            revision: view.revision()?.number(),
            audit: view.audit_head()?.to_string(),
        };
        let mut writing = Writing { rows, base, levels, stream: Stream::begin(CHANGES, out)? };
        writing.write()?;
        Ok(ChangesBackup::Written(writing.stream.end(trailer)?))
    }
}

/// Returns why the store does not continue from a backup.
fn unrelated(view: &View<'_>, base: &BackupBase) -> Result<Option<&'static str>, StoreError> {
    let record = view.audit(base.head.seq())?;
    let continues = base.head == AuditHead::default()
        || record.is_some_and(|record| record.head() == base.head);
    Ok(match continues && base.revision <= view.revision()? {
        true => None,
        false => {
            Some("the store does not continue from the last backup: it was restored or replaced")
        }
    })
}

/// Returns the levels that changed after a revision; `None` if they are too many.
fn changed_levels(
    rows: &dyn Snapshot,
    after: Revision,
) -> Result<Option<BTreeSet<String>>, StoreError> {
    let start = change_key(after.next(), "");
    let (mut levels, mut count) = (BTreeSet::new(), 0);
    for key in rows.keys(Table::Changes, (Bound::Included(&start), Bound::Unbounded))? {
        let (key, _) = key?;
        if let Some((_, level)) = parse_change_key(&key)
            && !levels.contains(level)
        {
            levels.insert(level.to_owned());
        }
        count += 1;
        if count > MAX_BACKUP_CHANGES {
            return Ok(None);
        }
    }
    Ok(Some(levels))
}

fn counts(rows: &dyn Snapshot) -> Result<BTreeMap<String, u64>, StoreError> {
    let count = |table: Table| Ok((table.name().to_owned(), rows.count(table)?));
    Table::ALL.into_iter().map(count).collect()
}

/// A backup of changes that is being written.
struct Writing<'w, W: Write> {
    rows: &'w dyn Snapshot,
    base: &'w BackupBase,
    levels: BTreeSet<String>,
    stream: Stream<W>,
}

impl<W: Write> Writing<'_, W> {
    fn write(&mut self) -> Result<(), BackupError> {
        let after = self.base.head.seq().saturating_add(1).to_be_bytes();
        let new_states = self.new_states()?.len() as u64;
        let is_whole = [
            (Table::Meta, true),
            (Table::Documents, true),
            (
                Table::History,
                self.count(Table::History)? != self.before(Table::History) + new_states,
            ),
            (Table::Personal, self.old_personal(&after)? != self.before(Table::Personal)),
        ];
        let whole: Vec<Table> =
            is_whole.into_iter().filter_map(|(table, whole)| whole.then_some(table)).collect();
        let head = Head {
            revision: self.base.revision.number(),
            audit: self.base.head.to_string(),
            digest: self.base.digest.clone(),
            whole: whole.iter().map(|table| table.name().to_owned()).collect(),
        };
        let head = serde_json::to_vec(&head).expect("texts and numbers are JSON");
        self.stream.frame(HEAD, &[], &head)?;
        let revision = self.base.revision.next().to_bytes();
        for table in Table::ALL {
            match table {
                Table::Meta | Table::Documents => self.write_from(table, Bound::Unbounded)?,
                Table::Entries => self.write_entries()?,
                Table::History if whole.contains(&table) => self.write_whole_history()?,
                Table::History => self.write_new_states()?,
                Table::Personal if whole.contains(&table) => self.write_whole_personal(&after)?,
                Table::Changes | Table::Revisions => {
                    self.write_from(table, Bound::Included(&revision))?;
                }
                Table::Audit | Table::Personal => {
                    self.write_from(table, Bound::Included(&after))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of rows now, and in the backup before.
    fn count(&self, table: Table) -> Result<u64, StoreError> {
        Ok(self.rows.count(table)?)
    }

    fn before(&self, table: Table) -> u64 {
        self.base.rows.get(table.name()).copied().unwrap_or_default()
    }

    /// Writes all rows from a key on.
    fn write_from(&mut self, table: Table, from: Bound<&[u8]>) -> Result<(), BackupError> {
        for row in self.rows.range(table, (from, Bound::Unbounded), Direction::Forward)? {
            let (key, value) = row?;
            self.stream.frame(number(table), &key, &value)?;
        }
        Ok(())
    }

    fn write_entries(&mut self) -> Result<(), BackupError> {
        let levels: Vec<&[u8]> = self.levels.iter().map(String::as_bytes).collect();
        for levels in levels.chunks(BACKUP_ENTRIES) {
            let values = self.rows.get_many(Table::Entries, levels)?;
            for (level, value) in levels.iter().zip(values) {
                match value {
                    Some(value) => self.stream.frame(number(Table::Entries), level, &value)?,
                    None => self.stream.frame(number(Table::Entries) | GONE, level, &[])?,
                }
            }
        }
        Ok(())
    }

    /// Returns the keys of the rows of `history` that are new: the states in force at the revision
    /// of the backup before that were replaced since, and those that came into force later.
    fn new_states(&self) -> Result<Vec<Vec<u8>>, StoreError> {
        let after = self.base.revision;
        let mut found = Vec::new();
        for level in &self.levels {
            let (first, next) = (history_prefix(level), history_key(level, after.next()));
            let range = (Bound::Included(&first[..]), Bound::Excluded(&next[..]));
            if let Some((key, value)) = self.rows.range(Table::History, range, Direction::Back)?.next().transpose()?
                // A deletion is in the history at once.
                && value_length(Table::History, &key, value.len()) > 0
            {
                found.push(key.into_owned());
            }
            let last = history_key(level, Revision::new(u64::MAX));
            let range = (Bound::Included(&next[..]), Bound::Included(&last[..]));
            for key in self.rows.keys(Table::History, range)? {
                found.push(key?.0.into_owned());
            }
        }
        Ok(found)
    }

    fn write_new_states(&mut self) -> Result<(), BackupError> {
        let keys = self.new_states()?;
        for key in keys {
            if let Some(value) = self.rows.get(Table::History, &key)? {
                self.stream.frame(number(Table::History), &key, &value)?;
            }
        }
        Ok(())
    }

    /// Writes every key of `history`, with the values of the levels that have changed.
    fn write_whole_history(&mut self) -> Result<(), BackupError> {
        for row in self.rows.range(Table::History, ALL_KEYS, Direction::Forward)? {
            let (key, value) = row?;
            let is_new =
                parse_history_key(&key).is_none_or(|(level, _)| self.levels.contains(level));
            match is_new {
                true => self.stream.frame(number(Table::History), &key, &value)?,
                false => self.stream.frame(number(Table::History) | SAME, &key, &[])?,
            }
        }
        Ok(())
    }

    /// Returns the number of rows of `personal` that are as old as the backup before.
    fn old_personal(&self, after: &[u8]) -> Result<u64, StoreError> {
        let old = (Bound::Unbounded, Bound::Excluded(after));
        let mut keys = self.rows.keys(Table::Personal, old)?;
        Ok(keys.try_fold(0, |count, key| key.map(|_| count + 1))?)
    }

    fn write_whole_personal(&mut self, after: &[u8]) -> Result<(), BackupError> {
        for key in self.rows.keys(Table::Personal, (Bound::Unbounded, Bound::Excluded(after)))? {
            self.stream.frame(number(Table::Personal) | SAME, &key?.0, &[])?;
        }
        self.write_from(Table::Personal, Bound::Included(after))
    }
}

/// Returns the number of a table in frames.
fn number(table: Table) -> u8 {
    u8::try_from(table.index() + 1).unwrap_or(u8::MAX)
}
