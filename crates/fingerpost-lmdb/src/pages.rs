//! Reads the pages of an LMDB data file without mapping it, to check a file before LMDB uses it.
//!
//! LMDB trusts its file. A page that lies beyond the end of the file, or an offset that points out
//! of its page, ends the process with a signal. This module describes the format (version 1 of
//! LMDB's data format, little endian, 64 bits) as far as a check needs it; `walk` checks the trees.
//!
//! | part | layout |
//! |---|---|
//! | page | number (8 bytes), padding (2), flags (2), end of the offsets (2), begin of the nodes (2), offsets of the nodes (2 each), free space, nodes |
//! | overflow page | number (8), padding (2), flags (2), number of pages (4), value |
//! | node of a leaf | size of the value (4), flags (2), size of the key (2), key, value or the number (8) of its overflow page |
//! | node of a branch | number of the page (6), size of the key (2), key |
//! | meta page | header (16), magic (4), version (4), address (8), map size (8), free tree (48), main tree (48), last page (8), transaction (8) |
//! | tree | page size or padding (4), flags (2), depth (2), branch, leaf and overflow pages (8 each), entries (8), root (8) |

mod leaves;
mod reader;
mod walk;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::limits::MAX_META_READS;

pub(super) use reader::{Pages, Reader};
pub(super) use walk::{Depth, check_trees};

/// Length of the header of a page.
const HEADER: usize = 16;
/// Length of a node before its key.
pub(super) const NODE: usize = 8;
/// Length of the description of a tree.
const TREE: usize = 48;
/// Length of the parts of a meta page that are used.
pub(super) const META: usize = 152;
/// Offset of the main tree in a meta page. The last page and the transaction come after it.
pub(super) const MAIN: usize = 88;

const MAGIC: u32 = 0xBEEF_C0DE;
const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const OVERFLOW: u16 = 0x04;
const META_FLAG: u16 = 0x08;
/// The root of an empty tree.
const NO_PAGE: u64 = u64::MAX;
/// The value of the node is on overflow pages.
const BIG: u16 = 0x01;
/// The value of the node describes a tree.
const SUBTREE: u16 = 0x02;

/// A sentence about the damage that a check found, or an error while reading.
#[derive(Debug)]
pub(crate) enum Fault {
    Damaged(String),
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn damaged<T>(text: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Damaged(text.into()))
}

/// A data file, opened for reading.
#[derive(Debug)]
pub(super) struct DataFile {
    file: File,
    length: u64,
}

/// The description of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Tree {
    /// The page size in the free tree of a meta page, otherwise 0.
    pad: u32,
    flags: u16,
    depth: u16,
    branches: u64,
    leaves: u64,
    overflow: u64,
    entries: u64,
    root: u64,
}

/// The beginning of a node of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeHead {
    pub(super) value: usize,
    flags: u16,
    pub(super) key: usize,
}

/// One of the two meta pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Meta {
    free: Tree,
    main: Tree,
    last_page: u64,
    pub(super) transaction: u64,
}

impl DataFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self { file, length })
    }

    /// Reads the meta pages. Returns `None` for a file that LMDB refuses itself, because it is
    /// empty or begins differently.
    pub(super) fn metas(&self) -> Result<Option<[Meta; 2]>, Fault> {
        // Others can commit between the two reads, and while they last. What is damaged stays so.
        let mut before = None;
        for _ in 0..MAX_META_READS {
            let Some(pages) = self.meta_pages()? else { return Ok(None) };
            match parse_metas(&pages) {
                Err(_) if before != Some(pages) => before = Some(pages),
                metas => return metas.map(Some),
            }
        }
        damaged("its meta pages were different each time they were read")
    }

    fn meta_pages(&self) -> Result<Option<[[u8; META]; 2]>, Fault> {
        let mut first = [0; META];
        if self.length < META as u64 {
            return if self.length == 0 { Ok(None) } else { self.cut_off(2 * 4096) };
        }
        self.file.read_exact_at(&mut first, 0)?;
        let (Some(MAGIC), Some(page_size)) = (u32_at(&first, 16), u32_at(&first, 40)) else {
            return Ok(None);
        };
        if !page_size.is_power_of_two() || !(512..=65536).contains(&page_size) {
            return damaged(format!("its page size is {page_size}"));
        }
        if self.length < 2 * u64::from(page_size) {
            return self.cut_off(2 * u64::from(page_size));
        }
        let mut second = [0; META];
        self.file.read_exact_at(&mut second, u64::from(page_size))?;
        Ok(Some([first, second]))
    }

    fn cut_off<T>(&self, expected: u64) -> Result<T, Fault> {
        damaged(format!(
            "data.mdb has {} bytes, expected at least {expected}: it was cut off",
            self.length
        ))
    }

    /// Returns whether the file is shorter than its last page. That is normal if the last pages are
    /// free.
    pub(super) fn is_short(&self, meta: &Meta) -> bool {
        (meta.last_page.saturating_add(1)).saturating_mul(meta.page_size() as u64) > self.length
    }

    /// Reads a whole page, and checks its number.
    fn page(&self, meta: &Meta, number: u64) -> Result<Vec<u8>, Fault> {
        let mut page = Vec::new();
        self.read_pages(meta, number, 1, &mut page)?;
        check_number(&page, number)?;
        Ok(page)
    }

    /// Reads up to `count` whole pages from number `first` on, at least one, into `pages`.
    fn read_pages(
        &self,
        meta: &Meta,
        first: u64,
        count: u64,
        pages: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let size = meta.page_size() as u64;
        if first < 2 || first > meta.last_page {
            return damaged(format!("page {first} is not in the store"));
        }
        let there = (self.length / size).saturating_sub(first);
        let count = count.min(there).min(meta.last_page + 1 - first);
        if count == 0 {
            return damaged(format!("page {first} is beyond the end of data.mdb: it was cut off"));
        }
        pages.resize(usize::try_from(count * size).unwrap_or(usize::MAX), 0);
        match self.file.read_exact_at(pages, first * size) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                damaged(format!("page {first} is beyond the end of data.mdb: it was cut off"))
            }
            Err(error) => Err(Fault::Io(error)),
        }
    }
}

fn check_number(page: &[u8], number: u64) -> Result<(), Fault> {
    match u64_at(page, 0) {
        Some(found) if found == number => Ok(()),
        _ => damaged(format!("page {number} has the number of another page")),
    }
}

fn parse_metas([first, second]: &[[u8; META]; 2]) -> Result<[Meta; 2], Fault> {
    let metas = [Meta::parse(0, first)?, Meta::parse(1, second)?];
    let [one, two] = &metas;
    if one.page_size() != two.page_size() {
        return damaged("its meta pages have different page sizes");
    }
    if one.transaction.abs_diff(two.transaction) > 1 {
        return damaged("the transactions of its meta pages do not follow each other");
    }
    let newest = Meta::newest(&metas);
    if !newest.is_sound() {
        return damaged(format!("meta page {} is damaged", newest.transaction % 2));
    }
    Ok(metas)
}

/// Returns where in a data file the name of the first table is as of a commit, and the name; `None`
/// if others have committed twice since.
pub(super) fn first_table(
    path: &Path,
    transaction: u64,
) -> Result<Option<(usize, Vec<u8>)>, Fault> {
    let file = DataFile::open(path)?;
    let metas = file.metas()?;
    let meta = metas.iter().flatten().find(|meta| meta.transaction == transaction);
    let Some(meta) = meta else { return Ok(None) };
    let number = meta.main.root;
    let page = file.page(meta, number)?;
    // A page has room for the descriptions of all tables.
    let found = u16_at(&page, HEADER).map(usize::from).and_then(|offset| {
        let length = usize::from(u16_at(&page, offset + 6)?);
        let name = page.get(offset + NODE..)?.get(..length)?.to_owned();
        let begin = usize::try_from(number).ok()?.checked_mul(page.len())?;
        Some((begin + offset + NODE, name))
    });
    match found {
        Some(found) if meta.main.depth == 1 => Ok(Some(found)),
        _ => damaged("its list of tables is damaged"),
    }
}

/// Lets a data file, which nobody has open, continue the commit numbers of another: its last commit
/// gets this number.
pub(super) fn continue_from(path: &Path, transaction: u64) -> Result<(), Fault> {
    let found = DataFile::open(path)?;
    let Some(metas) = found.metas()? else { return damaged("the new file has no meta pages") };
    let newest = Meta::newest(&metas);
    let size = newest.page_size() as u64;
    let mut bytes = [0; META];
    found.file.read_exact_at(&mut bytes, newest.transaction % 2 * size)?;
    let file = OpenOptions::new().write(true).open(path)?;
    // Both meta pages describe the same trees, so whichever LMDB reads, the rows are the same.
    for transaction in [transaction.saturating_sub(1), transaction] {
        let page = transaction % 2;
        bytes[..8].copy_from_slice(&page.to_le_bytes());
        bytes[144..].copy_from_slice(&transaction.to_le_bytes());
        file.write_all_at(&bytes, page * size)?;
    }
    Ok(file.sync_all()?)
}

/// Values on overflow pages.
impl DataFile {
    fn has_page(&self, meta: &Meta, number: u64) -> bool {
        (number + 1) * meta.page_size() as u64 <= self.length
    }

    /// Reads a value from its overflow pages.
    fn value(&self, meta: &Meta, first: u64, size: usize) -> io::Result<Vec<u8>> {
        let mut value = vec![0; size];
        let begin = first * meta.page_size() as u64 + HEADER as u64;
        self.file.read_exact_at(&mut value, begin)?;
        Ok(value)
    }
}

impl Meta {
    /// Returns the meta page of the last commit, as LMDB chooses it.
    pub(super) fn newest(metas: &[Self; 2]) -> &Self {
        let [one, two] = metas;
        if one.transaction < two.transaction { two } else { one }
    }

    /// Returns the meta page of the commit before the last one.
    pub(super) fn oldest(metas: &[Self; 2]) -> &Self {
        let [one, two] = metas;
        if one.transaction < two.transaction { one } else { two }
    }

    pub(super) fn page_size(&self) -> usize {
        self.free.pad as usize
    }

    fn parse(number: u64, bytes: &[u8; META]) -> Result<Self, Fault> {
        let parsed = (|| {
            let is_meta = u64_at(bytes, 0)? == number && u16_at(bytes, 10)? == META_FLAG;
            let meta = Self {
                free: Tree::parse(&bytes[40..88])?,
                main: Tree::parse(&bytes[MAIN..MAIN + TREE])?,
                last_page: u64_at(bytes, 136)?,
                transaction: u64_at(bytes, 144)?,
            };
            let belongs = meta.transaction == 0 || meta.transaction % 2 == number;
            (is_meta && belongs && u32_at(bytes, 16)? == MAGIC).then_some(meta)
        })();
        match parsed {
            Some(meta) => Ok(meta),
            None => damaged(format!("meta page {number} is damaged")),
        }
    }

    /// Returns whether the page can describe a store. One that a commit wrote in part cannot; LMDB
    /// then uses the other page, which is that of the commit before, and overwrites this one.
    fn is_sound(&self) -> bool {
        let holds = |tree: &Tree| tree.root == NO_PAGE || tree.root <= self.last_page;
        (1..1 << 48).contains(&self.last_page) && holds(&self.free) && holds(&self.main)
    }
}

impl NodeHead {
    #[inline]
    pub(super) fn parse(&[v0, v1, v2, v3, f0, f1, k0, k1]: &[u8; NODE]) -> Self {
        let value = u32::from_le_bytes([v0, v1, v2, v3]) as usize;
        let (flags, key) = (u16::from_le_bytes([f0, f1]), u16::from_le_bytes([k0, k1]));
        Self { value, flags, key: usize::from(key) }
    }

    /// Returns that of a node that contains its value.
    pub(super) fn of(key: &[u8], value: &[u8]) -> Self {
        Self { value: value.len(), flags: 0, key: key.len() }
    }

    /// Returns the length of such a node, up to the end of its value.
    #[inline]
    pub(super) fn length(&self) -> usize {
        NODE + self.key + self.value
    }
}

impl Tree {
    fn parse(bytes: &[u8]) -> Option<Self> {
        (bytes.len() == TREE).then_some(())?;
        Some(Self {
            pad: u32_at(bytes, 0)?,
            flags: u16_at(bytes, 4)?,
            depth: u16_at(bytes, 6)?,
            branches: u64_at(bytes, 8)?,
            leaves: u64_at(bytes, 16)?,
            overflow: u64_at(bytes, 24)?,
            entries: u64_at(bytes, 32)?,
            root: u64_at(bytes, 40)?,
        })
    }
}

fn bytes_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..)?.first_chunk().copied()
}

fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    bytes_at(bytes, offset).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes_at(bytes, offset).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    bytes_at(bytes, offset).map(u64::from_le_bytes)
}
