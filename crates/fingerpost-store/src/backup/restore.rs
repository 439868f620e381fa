//! Restoring a backup: built aside, checked, and moved into place.

use std::io::BufRead;
use std::path::Path;

use super::reading::read;
use super::{BackupError, BackupReport};
use crate::engine::lmdb::{Aside, Lmdb};
use crate::engine::{Engine, Table, Verdict};
use crate::{FsckReport, Store, StoreError, StoreOptions};

/// Bytes of rows after which a commit is made: keeps memory flat.
const COMMIT_BYTES: usize = 16 << 20;

/// What was restored, and what checking it found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestoreReport {
    backup: BackupReport,
    check: FsckReport,
}

impl RestoreReport {
    /// What the backup held.
    #[must_use]
    pub fn backup(&self) -> &BackupReport {
        &self.backup
    }

    /// What checking the restored store found. A fault was in the store that the backup was made of.
    #[must_use]
    pub fn check(&self) -> &FsckReport {
        &self.check
    }
}

impl Store {
    /// Restores a backup into the directory `dir`, which must be missing or empty. The store is built in a directory
    /// within it, and moved into place when the backup was read to its end and found right; before, there is no store.
    ///
    /// # Errors
    ///
    /// [`BackupError::NotEmpty`], [`BackupError::Damaged`], [`BackupError::Io`] if the backup cannot be read, and
    /// [`BackupError::Store`] if the store cannot be written.
    pub fn restore(
        backup: impl BufRead,
        dir: &Path,
        options: StoreOptions,
    ) -> Result<RestoreReport, BackupError> {
        let not_empty = || BackupError::NotEmpty { path: dir.to_owned() };
        let aside = Aside::create(dir)?.ok_or_else(not_empty)?;
        let lmdb = Lmdb::create(aside.path(), options.map_bytes())?;
        let backup = fill(backup, &lmdb)?;
        drop(lmdb);
        let store = Self::open_existing(aside.path(), options)?;
        let report = RestoreReport { backup, check: store.fsck()? };
        drop(store);
        if !aside.move_into_place()? {
            return Err(not_empty());
        }
        Ok(report)
    }

    /// Restores a backup into an engine without rows. Where the backup is damaged, rows of it may be left there.
    ///
    /// # Errors
    ///
    /// As [`Store::restore`].
    pub fn restore_into(
        backup: impl BufRead,
        engine: impl Engine + 'static,
        options: StoreOptions,
    ) -> Result<(Self, RestoreReport), BackupError> {
        for table in Table::ALL {
            if engine.snapshot()?.count(table)? > 0 {
                return Err(BackupError::NotEmpty { path: engine.location().into() });
            }
        }
        let backup = fill(backup, &engine)?;
        let store = Self::over(engine, options)?;
        let check = store.fsck()?;
        Ok((store, RestoreReport { backup, check }))
    }
}

/// A row that was read.
type Row = (Table, Vec<u8>, Vec<u8>);

/// Writes the rows of a backup into an engine.
fn fill(backup: impl BufRead, engine: &dyn Engine) -> Result<BackupReport, BackupError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut bytes = 0;
    let report = read(backup, |table, key, value| {
        bytes += key.len() + value.len();
        rows.push((table, key.to_owned(), value.to_owned()));
        if bytes >= COMMIT_BYTES {
            commit(engine, &rows)?;
            rows.clear();
            bytes = 0;
        }
        Ok(())
    })?;
    commit(engine, &rows)?;
    Ok(report)
}

/// Rows come in order, so they are appended; only what a new store has already is replaced.
fn commit(engine: &dyn Engine, rows: &[Row]) -> Result<(), StoreError> {
    engine.write(&mut |writing| {
        for (table, key, value) in rows {
            writing.append(*table, key, value)?;
        }
        Ok(Verdict::Keep)
    })
}
