//! Where the files of a repository are: an interface, and its form for a directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::manifest::MANIFEST;
use crate::limits::MAX_REPOSITORY_FILES;

/// The beginning of the name of a file that is not finished.
const UNFINISHED: &str = ".fingerpost-backup-";

/// The file that a run locks, so that there is one at a time.
const LOCK: &str = ".fingerpost-lock";

/// Why a run cannot begin while another one is in progress.
pub(super) const BUSY: &str = "another backup is running";

/// Writes a file; can be called again to retry.
pub(super) type WriteFile<'w> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'w;

/// Creates a temporary file in a folder, and deletes those that killed processes left there. It is
/// locked while it is open, by which others know that its process is alive.
pub(super) fn create_aside(folder: &Path) -> io::Result<NamedTempFile> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(left) = OpenOptions::new().write(true).open(entry.path())
            && left.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path()); // the next run tries it again
        }
    }
    loop {
        let aside = NamedTempFile::with_prefix_in(UNFINISHED, folder)?;
        // Without locks, nobody deletes the files of others.
        let _ = aside.as_file().lock();
        // Another process can have deleted it before it was locked.
        if aside.path().exists() {
            return Ok(aside);
        }
    }
}

/// Named files in a directory or a bucket.
pub(super) trait Storage: Send + Sync {
    /// Returns the names and sizes of all files, at most [`MAX_REPOSITORY_FILES`], in any order.
    /// What has the name of a manifest and is not a file has the largest size.
    fn list(&self) -> io::Result<Vec<(String, u64)>>;

    /// Opens a file.
    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>>;

    /// Creates or replaces a file with what `write` writes: whole and durable, or not at all.
    fn store(&self, name: &str, write: &mut WriteFile<'_>) -> io::Result<()>;

    /// Deletes a file.
    fn delete(&self, name: &str) -> io::Result<()>;

    /// Locks the storage until the file is dropped; `None` if it cannot be locked by itself.
    fn lock(&self) -> io::Result<Option<File>>;
}

/// A directory.
#[derive(Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Storage for Directory {
    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let metadata = match entry.metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue, /* deleted meanwhile */
                metadata => metadata?,
            };
            if metadata.is_file() {
                found.push((name, metadata.len()));
            } else if name.ends_with(MANIFEST) {
                found.push((name, u64::MAX));
            }
            if found.len() > MAX_REPOSITORY_FILES {
                return Err(too_many());
            }
        }
        Ok(found)
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(self.0.join(name))?))
    }

    fn store(&self, name: &str, write: &mut WriteFile<'_>) -> io::Result<()> {
        // In the same directory, so that it can be renamed atomically; readable by its owner only.
        let mut aside = create_aside(&self.0)?;
        let mut out = BufWriter::new(aside.as_file_mut());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        aside.as_file().sync_all()?;
        aside.persist(self.0.join(name)).map_err(|error| error.error)?;
        File::open(&self.0)?.sync_all() // the name is durable once the directory is
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    fn lock(&self) -> io::Result<Option<File>> {
        fs::create_dir_all(&self.0)?;
        lock_file(&self.0.join(LOCK)).map(Some)
    }
}

/// Locks a file, which is created if it is missing.
pub(super) fn lock_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(io::Error::new(io::ErrorKind::ResourceBusy, BUSY)),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

pub(super) fn too_many() -> io::Error {
    io::Error::other(format!("it has more than {MAX_REPOSITORY_FILES} files"))
}
