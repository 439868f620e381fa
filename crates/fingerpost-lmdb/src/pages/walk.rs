//! Walks the trees of a data file page by page, and checks that LMDB can follow them safely.
//!
//! A sound tree has pages of the right kind at the right depth, each used once; nodes within their
//! page that fill it exactly; keys in order and within the range that the branches above promise;
//! and as many pages and entries as its description says. The contents of values are not checked
//! here.

use std::borrow::Cow;

use super::{
    BIG, BRANCH, DataFile, Fault, HEADER, LEAF, Meta, NO_PAGE, NODE, OVERFLOW, SUBTREE, Tree,
    damaged, u16_at, u32_at, u64_at,
};
use crate::limits::{MAX_DEPTH, MAX_KEY_BYTES};

/// The flags of the free tree: its keys are numbers.
const INTEGER_KEYS: u16 = 0x08;

/// How much of the trees to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Depth {
    /// The directory of tables, and the root of each table: a few pages.
    Roots,
    /// Every page.
    Whole,
}

/// Checks the trees of one commit.
pub(crate) fn check_trees(file: &DataFile, meta: &Meta, depth: Depth) -> Result<(), Fault> {
    if meta.free.flags != INTEGER_KEYS || meta.main.flags != 0 {
        return damaged("the kind of its trees is unknown");
    }
    let pages = usize::try_from(meta.last_page + 1).unwrap_or(usize::MAX);
    let used = match depth {
        // A number of pages that no file can have must not take memory.
        Depth::Whole if meta.last_page / 1024 <= file.length => vec![0; pages.div_ceil(64)],
        Depth::Whole => return damaged("its number of pages is not that of data.mdb"),
        Depth::Roots => Vec::new(),
    };
    let mut walk = Walk { file, meta, depth, used };
    let tables = walk.tree(&meta.main, Kind::Main)?;
    for table in &tables {
        if table.flags != 0 {
            return damaged("the kind of one of its tables is unknown");
        }
        walk.tree(table, Kind::Table)?;
    }
    walk.tree(&meta.free, Kind::Free)?;
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The tree whose values describe the tables.
    Main,
    Table,
    /// The tree of free pages.
    Free,
}

struct Walk<'f> {
    file: &'f DataFile,
    meta: &'f Meta,
    depth: Depth,
    /// One bit for each page that is in use or free.
    used: Vec<u64>,
}

/// A page to visit: its number, its level from 1 for the root, and the range of its keys.
pub(super) struct Visit {
    pub(super) page: u64,
    pub(super) level: u16,
    pub(super) from: Option<Vec<u8>>,
    pub(super) to: Option<Vec<u8>>,
}

/// What a walk found in a tree.
#[derive(Default, PartialEq, Eq)]
struct Counts {
    branches: u64,
    leaves: u64,
    overflow: u64,
    entries: u64,
}

/// A node of a page.
pub(super) struct Node<'p> {
    /// Size of the value in a leaf, the low part of the page number in a branch.
    pub(super) low: u32,
    pub(super) flags: u16,
    pub(super) key: &'p [u8],
    /// What follows the key, to the end of the page.
    pub(super) rest: &'p [u8],
}

impl Walk<'_> {
    /// Checks a tree; returns the tables that the main tree describes.
    fn tree(&mut self, tree: &Tree, kind: Kind) -> Result<Vec<Tree>, Fault> {
        let mut tables = Vec::new();
        let mut counts = Counts::default();
        let is_whole = self.depth == Depth::Whole || kind == Kind::Main;
        let mut open = Vec::new();
        if tree.root == NO_PAGE {
            if tree.depth != 0 {
                return damaged("an empty tree has a depth");
            }
        } else {
            open.push(Visit { page: tree.root, level: 1, from: None, to: None });
        }
        if tree.depth > MAX_DEPTH {
            return damaged(format!("a tree has {} levels", tree.depth));
        }
        while let Some(visit) = open.pop() {
            let page = self.file.page(self.meta, visit.page)?;
            self.take(visit.page)?;
            let nodes = nodes(&page, &visit, tree.depth, kind)?;
            if visit.level < tree.depth {
                counts.branches += 1;
                if is_whole {
                    descend(&visit, &nodes, &mut open);
                }
            } else {
                counts.leaves += 1;
                counts.entries += nodes.len() as u64;
                for node in &nodes {
                    counts.overflow += self.value(visit.page, node, kind, &mut tables)?;
                }
            }
        }
        let described = Counts {
            branches: tree.branches,
            leaves: tree.leaves,
            overflow: tree.overflow,
            entries: tree.entries,
        };
        if is_whole && counts != described {
            return damaged(
                "a tree has a number of pages or entries that differs from its description",
            );
        }
        Ok(tables)
    }

    /// Checks the value of a node; returns how many overflow pages it has.
    fn value(
        &mut self,
        page: u64,
        node: &Node<'_>,
        kind: Kind,
        tables: &mut Vec<Tree>,
    ) -> Result<u64, Fault> {
        let size = node.low as usize;
        if node.flags & !(BIG | SUBTREE) != 0 || (node.flags == SUBTREE) != (kind == Kind::Main) {
            return damaged(format!("page {page} has a value of an unknown kind"));
        }
        let mut overflow = 0;
        let value = if node.flags & BIG == 0 {
            Cow::Borrowed(&node.rest[..size])
        } else {
            let first = u64_at(node.rest, 0).unwrap_or_default(); // `length` has checked that it is there
            overflow = self.overflow(first, size)?;
            match kind {
                Kind::Free => Cow::Owned(self.file.value(self.meta, first, size)?),
                Kind::Main | Kind::Table => Cow::Borrowed(&[][..]),
            }
        };
        match kind {
            Kind::Main => match Tree::parse(&value) {
                Some(table) => tables.push(table),
                None => return damaged("the description of a table is damaged"),
            },
            Kind::Free if self.depth == Depth::Whole => self.free(page, &value)?,
            Kind::Free | Kind::Table => {}
        }
        Ok(overflow)
    }

    /// Checks the overflow pages of a value of `size` bytes; returns their number.
    fn overflow(&mut self, first: u64, size: usize) -> Result<u64, Fault> {
        let pages = ((HEADER - 1 + size) / self.meta.page_size() + 1) as u64;
        let page = self.file.page(self.meta, first)?;
        let described = u32_at(&page, 12).map(u64::from);
        if u16_at(&page, 10) != Some(OVERFLOW) || described != Some(pages) {
            return damaged(format!("page {first} does not hold the value that it should"));
        }
        let last = first + pages - 1;
        if last > self.meta.last_page || !self.file.has_page(self.meta, last) {
            return damaged(format!("page {last} is beyond the end of data.mdb: it was cut off"));
        }
        (first..=last).try_for_each(|page| self.take(page))?;
        Ok(pages)
    }

    /// Checks a list of free pages: their number, then the pages.
    fn free(&mut self, page: u64, list: &[u8]) -> Result<(), Fault> {
        let mut numbers = list.chunks_exact(8).filter_map(|bytes| u64_at(bytes, 0));
        let count = usize::try_from(numbers.next().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        if list.len() < 8 || !list.len().is_multiple_of(8) || count > list.len() / 8 - 1 {
            return damaged(format!("page {page} has a damaged list of free pages"));
        }
        for free in numbers.take(count) {
            if free < 2 || free > self.meta.last_page {
                return damaged(format!("page {page} lists a free page that is not in the store"));
            }
            self.take(free)?;
        }
        Ok(())
    }

    /// Notes that a page has its use, which nothing else may have.
    fn take(&mut self, page: u64) -> Result<(), Fault> {
        if self.depth == Depth::Roots {
            return Ok(());
        }
        let word = usize::try_from(page / 64).unwrap_or(usize::MAX);
        match self.used.get_mut(word) {
            Some(bits) if *bits & (1 << (page % 64)) == 0 => {
                *bits |= 1 << (page % 64);
                Ok(())
            }
            _ => damaged(format!("page {page} is used twice")),
        }
    }
}

/// Adds the pages below a branch, each with the range of its keys.
fn descend(visit: &Visit, nodes: &[Node<'_>], open: &mut Vec<Visit>) {
    for (index, node) in nodes.iter().enumerate() {
        let from = if index == 0 { visit.from.clone() } else { Some(node.key.to_vec()) };
        let next = nodes.get(index + 1).map(|next| next.key.to_vec());
        let page = u64::from(node.low) | u64::from(node.flags) << 32;
        let to = next.or_else(|| visit.to.clone());
        open.push(Visit { page, level: visit.level + 1, from, to });
    }
}

/// Returns the nodes of a page after checking the page.
pub(super) fn nodes<'p>(
    page: &'p [u8],
    visit: &Visit,
    depth: u16,
    kind: Kind,
) -> Result<Vec<Node<'p>>, Fault> {
    let number = visit.page;
    let is_branch = visit.level < depth;
    let expected = if is_branch { BRANCH } else { LEAF };
    if u16_at(page, 10) != Some(expected) || visit.level > depth {
        return damaged(format!("page {number} is of the wrong kind"));
    }
    let parsed = offsets(page).and_then(|(offsets, free_end)| {
        let nodes: Option<Vec<_>> =
            offsets.iter().map(|&offset| node(page, offset, free_end, is_branch)).collect();
        let nodes = nodes?;
        // The nodes fill the page to its end, so none overlaps another.
        let filled: usize = nodes.iter().map(|node| length(node, is_branch)).sum();
        (filled == page.len() - free_end).then_some(nodes)
    });
    let Some(nodes) = parsed else {
        return damaged(format!("page {number} has nodes outside of their area"));
    };
    if kind != Kind::Free && !in_order(&nodes, visit, is_branch) {
        return damaged(format!("page {number} has keys out of order"));
    }
    if kind == Kind::Free && nodes.iter().skip(usize::from(is_branch)).any(|n| n.key.len() != 8) {
        return damaged(format!("page {number} has a key of the wrong size"));
    }
    Ok(nodes)
}

/// Returns the offsets of the nodes of a page, and the end of its free space.
fn offsets(page: &[u8]) -> Option<(Vec<usize>, usize)> {
    let (lower, upper) = (usize::from(u16_at(page, 12)?), usize::from(u16_at(page, 14)?));
    let is_sound =
        lower > HEADER && lower.is_multiple_of(2) && lower <= upper && upper <= page.len();
    let offsets = is_sound.then(|| &page[HEADER..lower])?.chunks_exact(2);
    Some((offsets.filter_map(|bytes| u16_at(bytes, 0)).map(usize::from).collect(), upper))
}

/// Returns the node at an offset, if it is within the page.
#[inline]
pub(super) fn node(
    page: &[u8],
    offset: usize,
    free_end: usize,
    is_branch: bool,
) -> Option<Node<'_>> {
    let bytes = page.get(offset..).filter(|_| offset >= free_end && offset.is_multiple_of(2))?;
    let size = usize::from(u16_at(bytes, 6)?);
    let node = Node {
        low: u32_at(bytes, 0)?,
        flags: u16_at(bytes, 4)?,
        key: bytes.get(NODE..NODE + size)?,
        rest: bytes.get(NODE + size..)?,
    };
    (size <= MAX_KEY_BYTES && length(&node, is_branch) <= bytes.len().next_multiple_of(2))
        .then_some(node)
}

/// Returns the number of bytes that a node takes in its page, which is even.
fn length(node: &Node<'_>, is_branch: bool) -> usize {
    let value = match node.flags {
        _ if is_branch => 0,
        flags if flags & BIG != 0 => size_of::<u64>(),
        _ => node.low as usize,
    };
    (NODE + node.key.len() + value).next_multiple_of(2)
}

/// Returns whether the keys ascend within the range that the branches above promise. The first key
/// of a branch has no meaning.
fn in_order(nodes: &[Node<'_>], visit: &Visit, is_branch: bool) -> bool {
    let keys = || nodes.iter().skip(usize::from(is_branch)).map(|node| node.key);
    let ascend = keys().zip(keys().skip(1)).all(|(one, next)| one < next);
    let has_names = keys().all(|key| !key.is_empty());
    let first = keys().next().zip(visit.from.as_deref());
    let last = keys().next_back().zip(visit.to.as_deref());
    ascend
        && has_names
        && first.is_none_or(|(key, from)| key >= from)
        && last.is_none_or(|(key, to)| key < to)
}
