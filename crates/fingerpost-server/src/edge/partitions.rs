//! Sorts rows by the pages of their shards, in bounded memory: rows come in the order of their
//! anchors, and hashes spread them over all shards.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::rows::Row;
use crate::failure::Failure;
use crate::limits::MAX_EDGE_ROWS_IN_MEMORY;

/// Rows by page: in memory, and in a file for each page when they are too many.
pub(super) struct Partitions {
    pages: Vec<Vec<u8>>,
    bytes: usize,
    scratch: PathBuf,
    /// Created when it is needed, and deleted at the end.
    files: Option<TempDir>,
}

impl Partitions {
    pub(super) fn new(pages: usize, scratch: &Path) -> Self {
        let pages = vec![Vec::new(); pages];
        Self { pages, bytes: 0, scratch: scratch.to_owned(), files: None }
    }

    /// Adds a row of a shard.
    pub(super) fn push(
        &mut self,
        page: usize,
        shard: usize,
        (anchor, entry): &Row,
    ) -> Result<(), Failure> {
        let Some(rows) = self.pages.get_mut(page) else { return Ok(()) };
        let before = rows.len();
        for length in [shard, anchor.len(), entry.len()] {
            rows.extend((length as u64).to_le_bytes());
        }
        rows.extend(anchor.as_bytes());
        rows.extend(entry);
        self.bytes += rows.len() - before;
        if self.bytes > MAX_EDGE_ROWS_IN_MEMORY {
            self.spill().map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    /// Returns the rows of a page by their shards.
    pub(super) fn take(&mut self, page: usize) -> Result<BTreeMap<usize, Vec<Row>>, Failure> {
        let mut bytes = Vec::new();
        if let Some(files) = &self.files {
            match fs::read(files.path().join(page.to_string())) {
                Ok(found) => bytes = found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        bytes.extend(self.pages.get_mut(page).map(std::mem::take).unwrap_or_default());
        let mut shards: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
        let mut rest = &bytes[..];
        while let Some((shard, row)) = read(&mut rest) {
            shards.entry(shard).or_default().push(row);
        }
        Ok(shards)
    }

    fn spill(&mut self) -> io::Result<()> {
        let files = match self.files.take() {
            Some(files) => files,
            None => TempDir::new_in(&self.scratch)?,
        };
        let folder = self.files.insert(files).path();
        for (number, rows) in self.pages.iter_mut().enumerate().filter(|(_, it)| !it.is_empty()) {
            let file = folder.join(number.to_string());
            OpenOptions::new().create(true).append(true).open(file)?.write_all(rows)?;
            *rows = Vec::new();
        }
        self.bytes = 0;
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::advise(
            format!("cannot sort the records in `{}`: {error}", self.scratch.display()),
            "give it as much space as the store has, and permission to write",
        )
    }
}

fn read(rest: &mut &[u8]) -> Option<(usize, Row)> {
    let mut number = || {
        let (bytes, after) = rest.split_first_chunk::<8>()?;
        *rest = after;
        usize::try_from(u64::from_le_bytes(*bytes)).ok()
    };
    let (shard, anchor, entry) = (number()?, number()?, number()?);
    let (anchor, after) = rest.split_at_checked(anchor)?;
    let (entry, after) = after.split_at_checked(entry)?;
    *rest = after;
    Some((shard, (String::from_utf8(anchor.to_vec()).ok()?, entry.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 37.3: an export sorts in bounded memory.
    #[test]
    fn rows_come_back_by_page_and_shard_from_memory_and_from_files() {
        let scratch = tempfile::tempdir().unwrap();
        let mut parts = Partitions::new(3, scratch.path());
        let row = |number: usize| (format!("01/{number:014}"), vec![7; number % 5]);
        for number in 0..100 {
            parts.push(number % 2, number % 4, &row(number)).unwrap();
            if number % 30 == 29 {
                parts.spill().unwrap();
                assert_eq!(parts.bytes, 0);
            }
        }
        let mut found = Vec::new();
        for page in 0..3 {
            for (shard, rows) in parts.take(page).unwrap() {
                assert_eq!(shard % 2, page);
                found.extend(rows);
            }
        }
        found.sort();
        assert_eq!(found, (0..100).map(row).collect::<Vec<_>>());
        drop(parts);
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0, "temporary files are deleted");
    }
}
