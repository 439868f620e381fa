//! Brings a data file into memory in its own order, while a check reads it in the order of its
//! keys.
//!
//! A check of a file that is not in memory waits for one page after the other; a disk delivers a
//! file in order several times as fast.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::limits::READ_AHEAD_CHUNK;

/// Runs `check` while another thread reads the file. A file that takes more than half of the
/// available memory is not read ahead: its first pages would be dropped before they are checked.
pub(super) fn with_read_ahead<T>(path: &Path, check: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let file = File::open(path).ok().filter(|file| fits(file) == Some(true));
        if let Some(file) = file {
            // Without the thread, the check takes longer and finds the same.
            let _ = thread::Builder::new()
                .name("read-ahead".to_owned())
                .spawn_scoped(scope, || read(file, &is_over));
        }
        let result = check();
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

/// Reads to the end of the file, or until the check is over. The check reports errors itself.
fn read(mut file: File, is_over: &AtomicBool) {
    let mut chunk = vec![0; READ_AHEAD_CHUNK];
    while !is_over.load(Ordering::Relaxed) && file.read(&mut chunk).is_ok_and(|read| read > 0) {}
}

fn fits(file: &File) -> Option<bool> {
    Some(file.metadata().ok()?.len() <= available(&fs::read_to_string("/proc/meminfo").ok()?)? / 2)
}

/// Parses the available memory in bytes from the text of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_parsed() {
        let text = "MemTotal:       24689784 kB\nMemAvailable:   13010924 kB\nBuffers: 1 kB\n";
        assert_eq!(available(text), Some(13_010_924 * 1024));
        for text in ["", "MemAvailable: many kB\n", "MemAvailable: 18446744073709551615 kB\n"] {
            assert_eq!(available(text), None);
        }
    }

    #[test]
    fn a_check_ends_the_reading() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(64 << 30).unwrap();
        assert_eq!(with_read_ahead(file.path(), || 7), 7);
        assert_eq!(with_read_ahead(Path::new("/nonexistent"), || 7), 7);
    }
}
