//! The mark of a running server in its data directory. A server that was killed or crashed leaves
//! it there, and the next start checks every page, even with `check_at_start = false`.
//!
//! Damage to a file in use can end the process by a signal: the operating system cannot read a
//! page, or LMDB aborts a write. Nothing can be logged then, and a restart without a check would
//! end the same way. Several servers can share a directory, so each has a mark of its own, and
//! holds a lock on it as long as it runs.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;

/// Beginning of the names of marks; a process number and a counter follow.
const PREFIX: &str = "serving.";

/// The mark of this process, removed when dropped.
#[derive(Debug)]
pub(crate) struct Mark {
    /// Holds the lock. `None` if the directory takes no file.
    own: Option<(PathBuf, File)>,
    /// Marks of servers that ended without removing them.
    left: Vec<PathBuf>,
}

impl Mark {
    /// Finds the marks of earlier servers, and sets that of this one.
    pub(crate) fn set(data: &Path) -> Self {
        let entries = fs::read_dir(data).into_iter().flatten().flatten();
        let marks = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
        let left = marks.map(|entry| entry.path()).filter(|path| is_abandoned(path)).collect();
        Self { own: create(data), left }
    }

    /// Returns whether an earlier server was killed or crashed.
    pub(crate) fn follows_a_crash(&self) -> bool {
        !self.left.is_empty()
    }

    /// Returns whether the pages have to be checked: after a crash, and if a crash of this server
    /// could not be noticed.
    pub(crate) fn demands_a_check(&self) -> bool {
        self.follows_a_crash() || self.own.is_none()
    }

    /// Removes the marks of earlier servers, after a check of the store.
    pub(crate) fn forget_crashes(&mut self) {
        self.left.drain(..).for_each(|path| drop(fs::remove_file(path)));
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.own {
            let _ = fs::remove_file(path); // one that stays makes the next start check more
        }
    }
}

/// Returns whether no process holds the lock of a mark.
fn is_abandoned(mark: &Path) -> bool {
    File::open(mark).is_ok_and(|file| file.try_lock().is_ok())
}

/// Creates a mark. In a container, the number of the process can be that of a server that crashed.
fn create(data: &Path) -> Option<(PathBuf, File)> {
    let paths = (0..1000).map(|count| data.join(format!("{PREFIX}{}.{count}", process::id())));
    for path in paths {
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return file.try_lock().is_ok().then_some((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_is_left_counts_until_the_store_was_checked() {
        let dir = tempfile::tempdir().unwrap();
        let running = Mark::set(dir.path());
        assert!(!running.demands_a_check());
        // Another server beside it, which crashes.
        let mut crashed = Mark::set(dir.path());
        assert!(!crashed.follows_a_crash());
        crashed.own = None;
        for _ in 0..2 {
            assert!(Mark::set(dir.path()).follows_a_crash());
        }
        Mark::set(dir.path()).forget_crashes();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        drop(running);
        assert!(!Mark::set(dir.path()).follows_a_crash());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_takes_no_mark_is_checked() {
        let dir = tempfile::tempdir().unwrap();
        let mark = Mark::set(&dir.path().join("missing"));
        assert!(mark.demands_a_check() && !mark.follows_a_crash());
    }
}
