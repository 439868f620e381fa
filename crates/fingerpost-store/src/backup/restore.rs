//! Restores a backup: builds the store in a temporary directory, checks it, and moves it into place.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::reading::read;
use super::{BackupError, BackupReport};
use crate::engine::lmdb::{Aside, Lmdb};
use crate::engine::{Engine, Table};
use crate::filling::Filling;
use crate::{FsckReport, Store, StoreOptions};

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
        Self::restore_then(backup, dir, options, |_| Ok(()))
    }

    /// Restores a backup as [`Store::restore`], and changes the store with `then` before it is moved into place: no other process
    /// ever sees it without the changes.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::restore`], and those of `then`; `dir` holds no store then.
    pub fn restore_then<E: From<BackupError>>(
        backup: impl BufRead,
        dir: &Path,
        options: StoreOptions,
        then: impl FnOnce(Arc<Self>) -> Result<(), E>,
    ) -> Result<RestoreReport, E> {
        let not_empty = || BackupError::NotEmpty { path: dir.to_owned() };
        let aside = Aside::create(dir).map_err(BackupError::from)?.ok_or_else(not_empty)?;
        let (store, report) = Self::restored_aside(backup, &aside, options)?;
        then(Arc::new(store))?;
        if !aside.move_into_place().map_err(BackupError::from)? {
            return Err(not_empty().into());
        }
        Ok(report)
    }

    fn restored_aside(
        backup: impl BufRead,
        aside: &Aside,
        options: StoreOptions,
    ) -> Result<(Self, RestoreReport), BackupError> {
        let lmdb = Lmdb::create(aside.path(), options.map_bytes())?;
        let backup = fill(backup, &lmdb)?;
        drop(lmdb);
        let store = Self::open_existing(aside.path(), options)?;
        let check = store.fsck()?;
        Ok((store, RestoreReport { backup, check }))
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

/// Writes the rows of a backup into an engine.
fn fill(backup: impl BufRead, engine: &dyn Engine) -> Result<BackupReport, BackupError> {
    let mut filling = Filling::new(engine);
    let report = read(backup, |table, key, value| Ok(filling.add(table, key, value)?))?;
    filling.finish()?;
    Ok(report)
}
