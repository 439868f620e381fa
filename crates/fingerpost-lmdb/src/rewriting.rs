//! Replaces the data file of a store by a rewritten one, while no other process uses the store.
//!
//! Each process that has a store open holds a shared lock on the first byte of
//! `lock.mdb`; one that opens it waits for that lock, and only then opens `data.mdb`. Rewriting
//! takes an exclusive lock on the whole file. The numbers of readers and of the last commit in
//! `lock.mdb` stay valid for a process that waits, so the new file continues the commit numbers of
//! the old one.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use fingerpost_engine::format::FORMAT_KEY;
use fingerpost_engine::{Engine, EngineError, Mutate, Prefetch, Table, Verdict};
use rustix::fs::{FlockOperation, fcntl_lock};

use super::errors::io_fault;
use super::files::{DATA_FILE, LOCK_FILE, sync_directory};
use super::{Lmdb, check, pages};

/// Beginning of the name of the directory in which the new file is built.
const ASIDE: &str = "compacting.";

/// A data file that is being rewritten. Dropping it removes the new file, if it did not replace the
/// old one.
#[derive(Debug)]
pub struct Rewriting {
    dir: PathBuf,
    aside: PathBuf,
    /// Closing any handle of the lock file releases LMDB's locks too, so this is dropped after the
    /// store.
    _lock: File,
}

impl Rewriting {
    /// Checks that no other process has the store open, and creates a directory for the new file.
    pub fn begin(old: &Lmdb) -> Result<Self, EngineError> {
        let dir = old.dir().to_owned();
        let fault = |error| io_fault(&dir, error);
        let lock = OpenOptions::new().read(true).write(true).open(dir.join(LOCK_FILE));
        let lock = lock.map_err(fault)?;
        match fcntl_lock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => {
                return Err(EngineError::InUse { path: dir });
            }
            Err(error) => return Err(fault(error.into())),
        }
        remove_leftovers(&dir).map_err(fault)?;
        let aside = dir.join(format!("{ASIDE}{}", std::process::id()));
        fs::create_dir(&aside).map_err(fault)?;
        Ok(Self { dir, aside, _lock: lock })
    }

    /// Returns the directory to build in.
    pub fn path(&self) -> &Path {
        &self.aside
    }

    /// Replaces the data file of `old` by that of `new`; returns the lengths of both.
    pub fn replace(&self, old: &Lmdb, new: Lmdb) -> Result<(u64, u64), EngineError> {
        while old.last_transaction() < new.last_transaction() {
            commit_nothing(old)?;
        }
        let commit = old.last_transaction();
        drop(new);
        let fault = |error| io_fault(&self.dir, error);
        let (from, to) = (self.aside.join(DATA_FILE), self.dir.join(DATA_FILE));
        let before = fs::metadata(&to).map_err(fault)?;
        pages::continue_from(&from, commit).map_err(|found| check::error_of(&self.aside, found))?;
        check::check_before_opening(&self.aside, true)?;
        let after = take_over(&from, &before).map_err(fault)?;
        fs::rename(&from, &to).map_err(fault)?;
        sync_directory(&self.dir).map_err(fault)?;
        Ok((before.len(), after))
    }
}

impl Drop for Rewriting {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.aside); // the next rewriting removes what is left
    }
}

/// Commits a row as it is, only for the number of the commit.
fn commit_nothing(lmdb: &Lmdb) -> Result<(), EngineError> {
    lmdb.write(&Prefetch::NONE, &mut |rows: &mut dyn Mutate| {
        let format = rows.get(Table::Meta, FORMAT_KEY)?.map(std::borrow::Cow::into_owned);
        rows.put(Table::Meta, FORMAT_KEY, &format.unwrap_or_default())?;
        Ok(Verdict::Keep)
    })
}

/// Gives a file the owner and the permissions of another one, and writes it to disk; returns its
/// length.
fn take_over(path: &Path, like: &fs::Metadata) -> io::Result<u64> {
    let file = OpenOptions::new().write(true).open(path)?;
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (like.uid(), like.gid()) {
        chown(path, Some(like.uid()), Some(like.gid()))?;
    }
    file.set_permissions(like.permissions())?;
    file.sync_all()?;
    Ok(own.len())
}

fn remove_leftovers(dir: &Path) -> io::Result<()> {
    for item in fs::read_dir(dir)? {
        let item = item?;
        if item.file_name().to_string_lossy().starts_with(ASIDE) {
            fs::remove_dir_all(item.path())?;
        }
    }
    Ok(())
}
