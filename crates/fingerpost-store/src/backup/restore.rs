//! Restoring a backup: built aside, checked, and moved into place.

use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use heed::PutFlags;

use super::reading::read;
use super::{BackupError, BackupReport};
use crate::databases::{Databases, Rows};
use crate::environment::{DATA_FILE, Environment, sync_directory};
use crate::{FsckReport, Store, StoreOptions};

/// Bytes of rows after which a commit is made: keeps memory flat.
const COMMIT_BYTES: usize = 32 << 20;

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
    /// Restores a backup into `dir`, which must be missing or empty. The store is built in a directory within it,
    /// and moved into place when the backup was read to its end and found right; before, there is no store.
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
        let aside = Aside::create(dir)?;
        let report = build(backup, &aside.0, options)?;
        move_data(&aside.0, dir)?;
        drop(aside);
        sync_directory(dir)?;
        Ok(report)
    }
}

/// Gives the data file its place, without replacing one that came there meanwhile.
fn move_data(aside: &Path, dir: &Path) -> Result<(), BackupError> {
    let (from, to) = (aside.join(DATA_FILE), dir.join(DATA_FILE));
    if fs::hard_link(&from, &to).is_ok() {
        return Ok(());
    }
    if to.exists() {
        return Err(BackupError::NotEmpty { path: dir.to_owned() });
    }
    Ok(fs::rename(from, to)?) // where there are no links
}

fn build(
    backup: impl BufRead,
    dir: &Path,
    options: StoreOptions,
) -> Result<RestoreReport, BackupError> {
    let report = fill(backup, dir, options)?;
    let store = Store::open_existing(dir, options)?;
    Ok(RestoreReport { backup: report, check: store.fsck()? })
}

/// Writes the rows of a backup into a new environment.
fn fill(
    backup: impl BufRead,
    dir: &Path,
    options: StoreOptions,
) -> Result<BackupReport, BackupError> {
    let environment = Environment::create(dir, options.map_bytes())?;
    let tables = Databases::open(&environment)?.0.rows();
    let fault = |error| BackupError::Store(environment.fault(error));
    let mut txn = Some(environment.write()?);
    let mut written = 0;
    let report = read(backup, |place, key, value| {
        let open = match &mut txn {
            Some(open) => open,
            none => none.insert(environment.write()?),
        };
        put(tables[place].1, open, key, value).map_err(fault)?;
        written += key.len() + value.len();
        if written >= COMMIT_BYTES {
            written = 0;
            return txn.take().map_or(Ok(()), |txn| txn.commit().map_err(fault));
        }
        Ok(())
    })?;
    if let Some(txn) = txn {
        txn.commit().map_err(fault)?;
    }
    Ok(report)
}

/// Rows come in order, which fills pages to the end; only what a new store has already is replaced.
fn put(rows: Rows, txn: &mut heed::RwTxn<'_>, key: &[u8], value: &[u8]) -> heed::Result<()> {
    match rows.put_with_flags(txn, PutFlags::APPEND, key, value) {
        Err(heed::Error::Mdb(heed::MdbError::KeyExist)) => rows.put(txn, key, value),
        result => result,
    }
}

/// A directory to build in, within an empty one, so that no rights are needed beside it; removed in the end.
struct Aside(PathBuf);

impl Aside {
    fn create(dir: &Path) -> Result<Self, BackupError> {
        fs::create_dir_all(dir)?;
        if fs::read_dir(dir)?.next().is_some() {
            return Err(BackupError::NotEmpty { path: dir.to_owned() });
        }
        let aside = dir.join(format!("restoring.{}", std::process::id()));
        fs::create_dir(&aside)?;
        Ok(Self(aside))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // what stays is in nobody's way, and tells its name
    }
}
