//! The leaves of trees in the order of the file. In the order of their keys, as branches list
//! them, a file that is larger than memory would take one disk access for each leaf.

use std::ops::Range;

use super::{DataFile, Fault, Meta, check_number};
use crate::limits::LEAF_CHUNK_PAGES;

/// A page to visit: its number, its level from 1 for the root, and the range of its keys.
pub(super) struct Visit<'k> {
    pub(super) page: u64,
    pub(super) level: u16,
    pub(super) from: Option<&'k [u8]>,
    pub(super) to: Option<&'k [u8]>,
}

/// A leaf: its page, the index of its tree, and the range of its keys.
pub(super) struct Leaf {
    page: u64,
    pub(super) tree: usize,
    from: Option<Key>,
    to: Option<Key>,
}

/// A part of the keys of [`Leaves`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    begin: u32,
    end: u32,
}

impl Key {
    fn range(self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }
}

/// Leaves of a part of the file: as many as may be held in memory.
pub(super) struct Leaves {
    leaves: Vec<Leaf>,
    /// The bounds of the leaves, one after another.
    keys: Vec<u8>,
    memory: usize,
    begin: u64,
    end: u64,
}

impl Leaves {
    pub(super) fn new(memory: usize) -> Self {
        let memory = memory.min(u32::MAX as usize / 2);
        Self { leaves: Vec::new(), keys: Vec::new(), memory, begin: 0, end: 0 }
    }

    /// Begins a part at a page. It ends at the end of the file or, if it would be too large,
    /// before.
    pub(super) fn begin_part(&mut self, begin: u64, meta: &Meta) {
        self.leaves.clear();
        self.keys.clear();
        (self.begin, self.end) = (begin, meta.last_page + 1);
    }

    /// Whether no part of the file comes before.
    pub(super) fn is_first_part(&self) -> bool {
        self.begin == 0
    }

    /// Whether a page is in this part.
    pub(super) fn has(&self, page: u64) -> bool {
        (self.begin..self.end).contains(&page)
    }

    /// Adds a leaf if it is in this part. Those of a tree come in the order of their keys.
    pub(super) fn add(&mut self, tree: usize, visit: &Visit<'_>) {
        // A second leaf on the only page of a part is found to be damage; more tell nothing.
        let is_full = self.end - self.begin == 1 && self.leaves.len() > 1;
        if !self.has(visit.page) || is_full {
            return;
        }
        let before = self.leaves.last().and_then(|leaf| leaf.to);
        let from = visit.from.map(|key| {
            let known = before.filter(|before| &self.keys[before.range()] == key);
            known.unwrap_or_else(|| self.add_key(key))
        });
        let to = visit.to.map(|key| self.add_key(key));
        self.leaves.push(Leaf { page: visit.page, tree, from, to });
        let bytes = |all: &Self| all.leaves.len() * size_of::<Leaf>() + all.keys.len();
        while bytes(self) > self.memory && self.end - self.begin > 1 {
            self.end = u64::midpoint(self.begin, self.end).max(self.begin + 1);
            self.shorten();
        }
    }

    fn add_key(&mut self, key: &[u8]) -> Key {
        let begin = self.keys.len();
        self.keys.extend_from_slice(key);
        key_at(begin, key.len())
    }

    /// Removes the leaves that are no longer in this part, and their keys.
    fn shorten(&mut self) {
        let end = self.end;
        self.leaves.retain(|leaf| leaf.page < end);
        let mut length = 0;
        let mut last: Option<(Key, Key)> = None;
        let keys = self.leaves.iter_mut().flat_map(|leaf| [&mut leaf.from, &mut leaf.to]);
        for key in keys.flatten() {
            let moved = match last {
                Some((before, moved)) if before == *key => moved,
                _ => {
                    self.keys.copy_within(key.range(), length);
                    let moved = key_at(length, key.range().len());
                    length += key.range().len();
                    moved
                }
            };
            last = Some((*key, moved));
            *key = moved;
        }
        self.keys.truncate(length);
    }

    /// Brings the leaves into the order of the file.
    pub(super) fn sort(&mut self) {
        self.leaves.sort_unstable_by_key(|leaf| leaf.page);
    }

    pub(super) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Returns the page with which the next part begins.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Returns how to visit a leaf of a tree with this many levels.
    pub(super) fn visit(&self, leaf: &Leaf, level: u16) -> Visit<'_> {
        let key = |key: Option<Key>| key.map(|key| &self.keys[key.range()]);
        Visit { page: leaf.page, level, from: key(leaf.from), to: key(leaf.to) }
    }
}

/// Returns the key at a place. `Leaves::new` bounds the memory, so a place has 32 bits.
fn key_at(begin: usize, length: usize) -> Key {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Key { begin: place(begin), end: place(begin + length) }
}

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

    use super::super::{Depth, Tree, check_trees};
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

    #[test]
    fn a_table_beyond_the_last_page_is_found_before_opening() {
        let dir = tempfile::tempdir().unwrap();
        let engine = Lmdb::create(dir.path(), LmdbOptions::default()).unwrap();
        let mut write = |rows: &mut dyn fingerpost_engine::Mutate| {
            rows.put(Table::Entries, b"key", b"value")?;
            Ok(Verdict::Keep)
        };
        engine.write(&Prefetch::NONE, &mut write).unwrap();
        drop(engine);
        let path = dir.path().join(crate::files::DATA_FILE);
        let file = DataFile::open(&path).unwrap();
        let metas = file.metas().unwrap().unwrap();
        let meta = Meta::newest(&metas);
        let check = || check_trees(&file, meta, Depth::Roots, usize::MAX);
        assert!(check().is_ok());
        // The description of the table of one row: 48 bytes, the last eight of which are its root.
        let page = file.page(meta, meta.main.root).unwrap();
        let is_table = |bytes: &[u8]| {
            Tree::parse(bytes)
                .is_some_and(|tree| (tree.depth, tree.leaves, tree.entries) == (1, 1, 1))
        };
        let at = page.windows(48).position(is_table).unwrap();
        let data = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        let begin = meta.main.root * meta.page_size() as u64 + at as u64;
        data.write_all_at(&[1], begin + 45).unwrap();
        assert!(check().is_err());
    }
}
