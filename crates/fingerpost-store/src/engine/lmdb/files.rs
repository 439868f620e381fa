//! The files of a data directory: builds a store in a temporary directory and moves it into place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::environment::{DATA_FILE, sync_directory};

/// A temporary directory for building a store. It is within the empty target, to need no permissions outside; dropping removes
/// it.
pub(crate) struct Aside {
    dir: PathBuf,
    aside: PathBuf,
}

impl Aside {
    /// Creates `dir`, which must be missing or empty, and a directory in it; returns `None` if `dir` is not empty.
    pub(crate) fn create(dir: &Path) -> io::Result<Option<Self>> {
        fs::create_dir_all(dir)?;
        if fs::read_dir(dir)?.next().is_some() {
            return Ok(None);
        }
        let aside = dir.join(format!("restoring.{}", std::process::id()));
        fs::create_dir(&aside)?;
        Ok(Some(Self { dir: dir.to_owned(), aside }))
    }

    /// Returns the directory to build in.
    pub(crate) fn path(&self) -> &Path {
        &self.aside
    }

    /// Moves the data file into place, without replacing one that appeared meanwhile; returns whether it did. No handle of the
    /// store may be open.
    pub(crate) fn move_into_place(self) -> io::Result<bool> {
        let (from, to) = (self.aside.join(DATA_FILE), self.dir.join(DATA_FILE));
        if fs::hard_link(&from, &to).is_err() {
            if to.exists() {
                return Ok(false);
            }
            fs::rename(from, to)?; // the file system has no links
        }
        let dir = self.dir.clone();
        drop(self);
        sync_directory(&dir)?;
        Ok(true)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.aside); // a directory that cannot be removed does no harm, and its name identifies it
    }
}
