//! The files of a data directory: their names, the lock file, and stores that are built in a
//! temporary directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use fingerpost_engine::EngineError;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::errors::io_fault;

use crate::limits::{MAX_READERS, PROBED_BYTES};

pub(super) const DATA_FILE: &str = "data.mdb";
pub(super) const LOCK_FILE: &str = "lock.mdb";

/// Size of a lock file with [`MAX_READERS`] slots: 64 bytes per slot and a page for the header.
const LOCK_FILE_BYTES: usize = 64 * MAX_READERS as usize + 4096;

/// Names the start of the operating system during which commits were last deferred.
const BOOT_FILE: &str = "boot.id";

/// Beginning of the name of a temporary directory for building a store; the number of the process
/// follows.
const ASIDE: &str = "restoring.";

/// A temporary directory for building a store. It is within the empty target, to need no
/// permissions outside; dropping removes it.
#[derive(Debug)]
pub struct Aside {
    dir: PathBuf,
    aside: PathBuf,
    /// The target, locked, so that other processes can distinguish this directory from one that a
    /// killed process left.
    _lock: File,
}

impl Aside {
    /// Creates `dir`, which must be missing or empty, and a directory in it; returns `None` if
    /// `dir` is not empty. Deletes what killed processes left in `dir`.
    pub fn create(dir: &Path) -> Result<Option<Self>, EngineError> {
        let fault = |error| io_fault(dir, error);
        fs::create_dir_all(dir).map_err(fault)?;
        let lock = File::open(dir).map_err(fault)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(EngineError::InUse { path: dir.to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        let left = left_aside(dir).map_err(fault)?;
        if fs::read_dir(dir).map_err(fault)?.count() > left.len() {
            return Ok(None);
        }
        for aside in left {
            fs::remove_dir_all(aside).map_err(fault)?;
        }
        let aside = dir.join(format!("{ASIDE}{}", std::process::id()));
        fs::create_dir(&aside).map_err(fault)?;
        Ok(Some(Self { dir: dir.to_owned(), aside, _lock: lock }))
    }

    /// Returns the directory to build in.
    pub fn path(&self) -> &Path {
        &self.aside
    }

    /// Moves the data file into place, without replacing one that appeared meanwhile; returns
    /// whether it did. No handle of the store may be open.
    pub fn move_into_place(self) -> io::Result<bool> {
        let (from, to) = (self.aside.join(DATA_FILE), self.dir.join(DATA_FILE));
        if renameat_with(CWD, &from, CWD, &to, RenameFlags::NOREPLACE).is_err() {
            if to.exists() {
                return Ok(false);
            }
            fs::rename(from, to)?; // the file system cannot do it in one step
        }
        let dir = self.dir.clone();
        drop(self);
        sync_directory(&dir)?;
        Ok(true)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.aside); // the next restore removes what is left
    }
}

/// Returns the directories for building a store that are in `dir`.
fn left_aside(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for item in fs::read_dir(dir)? {
        let item = item?;
        let name = item.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(ASIDE)?.parse::<u32>().ok());
        found.extend(process.map(|_| item.path()));
    }
    Ok(found)
}

/// Refuses a directory without a store in which a restore is running or was interrupted, because an
/// empty store there would look like a restored one.
pub(super) fn refuse_unfinished(dir: &Path) -> Result<(), EngineError> {
    let aside = match left_aside(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io_fault(dir, error)),
        found => found.unwrap_or_default().pop(),
    };
    match aside {
        Some(aside) => Err(EngineError::Restoring { path: dir.to_owned(), aside }),
        None => Ok(()),
    }
}

/// Deletes what a restore left that was killed after the store was in place.
pub(super) fn clear_finished(dir: &Path) {
    for aside in left_aside(dir).unwrap_or_default() {
        let _ = fs::remove_dir_all(aside); // the store does not need it
    }
}

/// Returns the id of the current start of the operating system, if it has one.
fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
}

/// Returns whether the machine was restarted since commits were deferred, so that the last one may
/// not be on disk.
pub(super) fn was_restarted(dir: &Path) -> bool {
    fs::read_to_string(dir.join(BOOT_FILE)).is_ok_and(|noted| Some(noted) != boot())
}

/// Returns whether commits can be deferred.
pub(super) fn can_defer() -> bool {
    boot().is_some()
}

/// Notes the current start of the operating system: what was committed before is on disk. Another
/// process can defer commits at this time, so the note is never taken back.
pub(super) fn note_start(dir: &Path) -> io::Result<()> {
    let path = dir.join(BOOT_FILE);
    match boot() {
        Some(_) if path.exists() && !was_restarted(dir) => return Ok(()),
        Some(boot) => {
            let mut file = create_private(&path)?;
            file.write_all(boot.as_bytes())?;
            file.sync_all()?;
        }
        None => fs::remove_file(&path)?,
    }
    sync_directory(dir)
}

/// Creates a missing lock file with its blocks allocated.
///
/// LMDB would create a sparse file and write to it through a map; on a full disk, that ends the
/// process with SIGBUS instead of an error. This writes a temporary file and links it into place,
/// so no process can use an incomplete one.
pub(super) fn prepare_lock_file(dir: &Path) -> io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let lock = dir.join(LOCK_FILE);
    if lock.exists() {
        return Ok(());
    }
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let aside = dir.join(format!("{LOCK_FILE}.{}.{count}", std::process::id()));
    let written = create_private(&aside).and_then(|mut file| file.write_all(&[0; LOCK_FILE_BYTES]));
    if written.is_ok() {
        // This fails if another process was first, or if the file system has no links; LMDB then
        // creates its own file.
        let _ = fs::hard_link(&aside, &lock);
    }
    let removed = fs::remove_file(&aside);
    written.and(removed)
}

/// Tries to allocate space up to and beyond `end`, the length of the data file, in a temporary
/// file.
pub(super) fn probe_space(dir: &Path, end: u64) -> io::Result<()> {
    let path = dir.join(format!("space.{}", std::process::id()));
    let mut file = create_private(&path)?;
    let result = file
        .seek(SeekFrom::Start(end))
        .and_then(|_| file.write_all(&[0x55; PROBED_BYTES]))
        .and_then(|()| file.sync_all());
    drop(file);
    fs::remove_file(&path).and(result)
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the names of new files durable, which LMDB does not do.
pub(super) fn sync_directory(dir: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        File::open(dir)?.sync_all()?;
        // A parent directory without access is not an error of the store.
        if let Some(Ok(parent)) = dir.parent().map(File::open) {
            parent.sync_all()?;
        }
    }
    Ok(())
}
