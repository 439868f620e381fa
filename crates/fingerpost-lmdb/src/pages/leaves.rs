//! The leaves of trees in the order of the file. In the order of their keys, as branches list
//! them, a file that is larger than memory would take one disk access for each leaf.

use super::{DataFile, Fault, Meta, check_number};
use crate::limits::LEAF_CHUNK_PAGES;

/// A page to visit: its number, its level from 1 for the root, and the range of its keys.
pub(super) struct Visit {
    pub(super) page: u64,
    pub(super) level: u16,
    pub(super) from: Option<Vec<u8>>,
    pub(super) to: Option<Vec<u8>>,
}

/// A leaf, with the index of its tree.
pub(super) type Leaf = (usize, Visit);

/// Leaves of a part of the file: as many as may be held in memory.
pub(super) struct Leaves {
    leaves: Vec<Leaf>,
    bytes: usize,
    memory: usize,
    begin: u64,
    end: u64,
}

impl Leaves {
    /// Begins a part at a page. It ends at the end of the file or, if it would be too large,
    /// before.
    pub(super) fn from_page(begin: u64, meta: &Meta, memory: usize) -> Self {
        Self { leaves: Vec::new(), bytes: 0, memory, begin, end: meta.last_page + 1 }
    }

    /// Whether no part of the file comes before.
    pub(super) fn is_first_part(&self) -> bool {
        self.begin == 0
    }

    /// Whether a page is in this part.
    pub(super) fn has(&self, page: u64) -> bool {
        (self.begin..self.end).contains(&page)
    }

    /// Adds a leaf if it is in this part.
    pub(super) fn add(&mut self, tree: usize, visit: Visit) {
        if !self.has(visit.page) {
            return;
        }
        self.bytes += bytes(&visit);
        self.leaves.push((tree, visit));
        while self.bytes > self.memory && self.end - self.begin > 1 {
            self.end = u64::midpoint(self.begin, self.end).max(self.begin + 1);
            self.leaves.retain(|(_, visit)| visit.page < self.end);
            self.bytes = self.leaves.iter().map(|(_, visit)| bytes(visit)).sum();
        }
    }

    /// Returns the leaves in the order of the file, and the page with which the next part begins.
    pub(super) fn in_order(mut self) -> (Vec<Leaf>, u64) {
        self.leaves.sort_unstable_by_key(|(_, visit)| visit.page);
        (self.leaves, self.end)
    }
}

/// Returns about how much memory a leaf takes.
fn bytes(visit: &Visit) -> usize {
    let key = |key: &Option<Vec<u8>>| key.as_ref().map_or(0, |key| key.len() + ALLOCATION);
    size_of::<Leaf>() + key(&visit.from) + key(&visit.to)
}

/// What an allocation takes besides its bytes.
const ALLOCATION: usize = 16;

/// Reads pages in ascending order, many at a time.
pub(super) struct PageChunks<'f> {
    file: &'f DataFile,
    meta: &'f Meta,
    first: u64,
    bytes: Vec<u8>,
}

impl<'f> PageChunks<'f> {
    pub(super) fn new(file: &'f DataFile, meta: &'f Meta) -> Self {
        Self { file, meta, first: 0, bytes: Vec::new() }
    }

    /// Returns a whole page, after checking its number.
    pub(super) fn page(&mut self, number: u64) -> Result<&[u8], Fault> {
        let size = self.meta.page_size();
        let end = self.first + (self.bytes.len() / size) as u64;
        if !(self.first..end).contains(&number) {
            self.file.read_pages(self.meta, number, LEAF_CHUNK_PAGES, &mut self.bytes)?;
            self.first = number;
        }
        let begin = usize::try_from(number - self.first).unwrap_or(usize::MAX) * size;
        let page = &self.bytes[begin..begin + size];
        check_number(page, number)?;
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use fingerpost_engine::{Engine, Prefetch, Table, Verdict};

    use super::super::{Depth, check_trees};
    use super::*;
    use crate::{Lmdb, LmdbOptions};

    /// A store of some hundred pages: rows with values on overflow pages, too, and free pages.
    fn store() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let engine = Lmdb::create(dir.path(), LmdbOptions::default()).unwrap();
        for round in 0..3_u32 {
            let write = |rows: &mut dyn fingerpost_engine::Mutate| {
                for row in 0..4000_u32 {
                    let length = if row % 400 == round { 6000 } else { 30 + row as usize % 90 };
                    let key = row.wrapping_mul(2_654_435_761).to_be_bytes();
                    rows.put(Table::Entries, &key, &vec![7; length])?;
                }
                Ok(Verdict::Keep)
            };
            engine.write(&Prefetch::NONE, &mut { write }).unwrap();
        }
        dir
    }

    /// Whether the last commit is sound, checked with this much memory.
    fn is_sound(path: &std::path::Path, memory: usize) -> bool {
        let Ok(file) = DataFile::open(path) else { return false };
        let Ok(Some(metas)) = file.metas() else { return false };
        check_trees(&file, Meta::newest(&metas), Depth::Whole, memory).is_ok()
    }

    #[test]
    fn a_check_in_many_parts_finds_what_a_check_in_one_part_finds() {
        let dir = store();
        let path = dir.path().join(crate::files::DATA_FILE);
        let length = std::fs::metadata(&path).unwrap().len();
        assert!(length > 300 * 4096, "{length}");
        for memory in [0, 1 << 10, 1 << 14, usize::MAX] {
            assert!(is_sound(&path, memory), "{memory}");
        }
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let (mut damaged, mut state) = (0, 1_u64);
        for _ in 0..100 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // The beginning of a page has what its nodes depend on.
            let page = 2 + (state >> 33) % (length / 4096 - 2);
            let at = page * 4096 + (state >> 20) % 64;
            let mut byte = [0];
            file.read_exact_at(&mut byte, at).unwrap();
            file.write_all_at(&[byte[0] ^ 1 << (state >> 60 & 7)], at).unwrap();
            let found = is_sound(&path, usize::MAX);
            assert_eq!(is_sound(&path, 1 << 13), found, "byte {at}");
            damaged += u32::from(!found);
            file.write_all_at(&byte, at).unwrap();
        }
        assert!((20..100).contains(&damaged), "{damaged}");
    }
}
