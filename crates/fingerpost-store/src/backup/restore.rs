//! Restores a backup: builds the store in a temporary directory, checks it, and moves it into place.

use std::io::BufRead;
use std::path::Path;

use super::reading::read;
use super::{BackupError, BackupReport};
use crate::engine::lmdb::{Aside, Lmdb};
use crate::engine::{Engine, Table, Verdict};
use crate::{FsckReport, Store, StoreError, StoreOptions};

/// Number of bytes of rows per commit, which limits memory.
const COMMIT_BYTES: usize = 16 << 20;

/// The result of a restore, with the check of the restored store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestoreReport {
    backup: BackupReport,
    check: FsckReport,
}

impl RestoreReport {
    /// Returns the contents of the backup.
    #[must_use]
    pub fn backup(&self) -> &BackupReport {
        &self.backup
    }

    /// Returns the check of the restored store. Any fault in it was already in the store that was backed up.
    #[must_use]
    pub fn check(&self) -> &FsckReport {
        &self.check
    }
}

impl Store {
    /// Restores a backup into the directory `dir`, which must be missing or empty. Builds the store in a directory within
    /// `dir`, and moves it into place only when the backup was read to its end and verified; until then, `dir` holds no store.
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

    /// Restores a backup into an empty engine. If the backup is damaged, some of its rows may remain there.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::restore`].
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

/// Appends the rows, because they come in order; puts only those that a new store already has.
fn commit(engine: &dyn Engine, rows: &[Row]) -> Result<(), StoreError> {
    engine.write(&mut |writing| {
        for (table, key, value) in rows {
            writing.append(*table, key, value)?;
        }
        Ok(Verdict::Keep)
    })
}
