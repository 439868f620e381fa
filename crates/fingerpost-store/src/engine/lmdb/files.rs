//! The files of a data directory: building a store aside, and moving it into place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::environment::{DATA_FILE, sync_directory};

/// A directory to build a store in, within an empty one, so that no rights are needed beside it; removed in the end.
pub(crate) struct Aside {
    dir: PathBuf,
    aside: PathBuf,
}

impl Aside {
    /// Creates `dir`, which must be missing or empty, and a directory in it; `None` if it holds something.
    pub(crate) fn create(dir: &Path) -> io::Result<Option<Self>> {
        fs::create_dir_all(dir)?;
        if fs::read_dir(dir)?.next().is_some() {
            return Ok(None);
        }
        let aside = dir.join(format!("restoring.{}", std::process::id()));
        fs::create_dir(&aside)?;
        Ok(Some(Self { dir: dir.to_owned(), aside }))
    }

    /// Where to build.
    pub(crate) fn path(&self) -> &Path {
        &self.aside
    }

    /// Gives the data file its place, without replacing one that came there meanwhile; whether it did. No handle of
    /// the store may be open.
    pub(crate) fn move_into_place(self) -> io::Result<bool> {
        let (from, to) = (self.aside.join(DATA_FILE), self.dir.join(DATA_FILE));
        if fs::hard_link(&from, &to).is_err() {
            if to.exists() {
                return Ok(false);
            }
            fs::rename(from, to)?; // where there are no links
        }
        let dir = self.dir.clone();
        drop(self);
        sync_directory(&dir)?;
        Ok(true)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.aside); // what stays is in nobody's way, and tells its name
    }
}
