//! Restores a backup: builds the store in a temporary directory, checks it, and moves it into
//! place.

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use fingerpost_engine::{Engine, Table};
use fingerpost_lmdb::{Aside, Lmdb};

use super::merging::read_chain;
use super::reading::BackupRow;
use super::rewinding::RestorePoint;
use super::{BackupError, BackupReport};
use crate::filling::Filling;
use crate::{FsckReport, Revision, Store, StoreOptions};

/// The result of a restore, with the check of the restored store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestoreReport {
    backup: BackupReport,
    revision: Revision,
    check: FsckReport,
}

impl RestoreReport {
    /// Returns the contents of the backup.
    pub fn backup(&self) -> &BackupReport {
        &self.backup
    }

    /// Returns the revision of the restored store, before what its restoration recorded.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the check of the restored store. Any fault in it was already in the store that was
    /// backed up.
    pub fn check(&self) -> &FsckReport {
        &self.check
    }
}

impl Store {
    /// Restores a backup into the directory `dir`, which must be missing or empty. Builds the store
    /// in a directory within `dir`, and moves it into place only when the backup was read to its
    /// end and verified; until then, `dir` holds no store.
    ///
    /// Fails with [`BackupError::NotEmpty`], [`BackupError::Damaged`],
    /// [`BackupError::Io`] if the backup cannot be read, and [`BackupError::Store`] if the store
    /// cannot be written.
    pub fn restore(
        backup: impl BufRead,
        dir: &Path,
        options: StoreOptions,
    ) -> Result<RestoreReport, BackupError> {
        Self::restore_chain_then([backup], dir, options, None, |_, _| Ok(()))
    }

    /// Restores a chain of backups as [`Store::restore`]: a full one, then those of changes, each
    /// of which is based on the one before. With a point, the store is taken back to it: levels,
    /// history and audit log are those of the revision, while documents are those of the last
    /// backup, because they have no history. Personal data that was erased meanwhile stays erased.
    ///
    /// Calls `then` before the store is moved into place, to compare the report with what is
    /// expected and to change the store: no other process ever sees it without the changes.
    pub fn restore_chain_then<R: BufRead, E: From<BackupError>>(
        backups: impl IntoIterator<Item = R>,
        dir: &Path,
        options: StoreOptions,
        at: Option<RestorePoint>,
        then: impl FnOnce(Arc<Self>, &RestoreReport) -> Result<(), E>,
    ) -> Result<RestoreReport, E> {
        let not_empty = || BackupError::NotEmpty { path: dir.to_owned() };
        let aside = Aside::create(dir).map_err(BackupError::from)?.ok_or_else(not_empty)?;
        let (store, report) = Self::restored_aside(backups, &aside, options, at)?;
        then(Arc::new(store), &report)?;
        if !aside.move_into_place().map_err(BackupError::from)? {
            return Err(not_empty().into());
        }
        Ok(report)
    }

    fn restored_aside<R: BufRead>(
        backups: impl IntoIterator<Item = R>,
        aside: &Aside,
        options: StoreOptions,
        at: Option<RestorePoint>,
    ) -> Result<(Self, RestoreReport), BackupError> {
        let lmdb = Lmdb::create(aside.path(), options.lmdb())?;
        let backup = fill(backups, &lmdb)?;
        drop(lmdb);
        let store = Self::open_existing(aside.path(), options)?;
        let revision = match at {
            Some(at) => store.rewind_to(at)?,
            None => backup.revision(),
        };
        let check = store.fsck()?;
        Ok((store, RestoreReport { backup, revision, check }))
    }

    /// Restores a backup into an empty engine. If the backup is damaged, some of its rows may
    /// remain there.
    pub fn restore_into(
        backup: impl BufRead,
        engine: impl Engine + 'static,
    ) -> Result<(Self, RestoreReport), BackupError> {
        for table in Table::ALL {
            if engine.snapshot()?.count(table)? > 0 {
                return Err(BackupError::NotEmpty { path: engine.location().into() });
            }
        }
        let backup = fill([backup], &engine)?;
        let store = Self::over(engine)?;
        let check = store.fsck()?;
        let revision = backup.revision();
        Ok((store, RestoreReport { backup, revision, check }))
    }
}

/// Writes the rows of a chain of backups into an engine.
fn fill<R: BufRead>(
    backups: impl IntoIterator<Item = R>,
    engine: &dyn Engine,
) -> Result<BackupReport, BackupError> {
    let mut filling = Filling::new(engine);
    let add = |row: BackupRow| Ok(filling.add(row.table, row.key, row.value)?);
    let report = read_chain(backups, add)?;
    filling.finish()?;
    Ok(report)
}
