//! Walks the trees of a data file page by page, and checks that LMDB can follow them safely.
//!
//! A sound tree has pages of the right kind at the right depth, each used once; nodes within their
//! page that fill it exactly; keys in order and within the range that the branches above promise;
//! and as many pages and entries as its description says. The contents of values are not checked
//! here.

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::leaves::{Leaf, Leaves, PageChunks, Visit};
use super::{
    BIG, BRANCH, DataFile, Fault, HEADER, LEAF, Meta, NO_PAGE, NODE, OVERFLOW, SUBTREE, Tree,
    damaged, u16_at, u32_at, u64_at,
};
use crate::limits::{MAX_DEPTH, MAX_KEY_BYTES, MIN_SHARE};

const MISCOUNTED: &str =
    "a tree has a number of pages or entries that differs from its description";

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

/// Checks the trees of one commit, with about this many bytes of memory for the leaves that are to
/// be read.
pub(crate) fn check_trees(
    file: &DataFile,
    meta: &Meta,
    depth: Depth,
    memory: usize,
) -> Result<(), Fault> {
    if meta.free.flags != INTEGER_KEYS || meta.main.flags != 0 {
        return damaged("the kind of its trees is unknown");
    }
    // A number of pages that no file can have must not take memory or time.
    if meta.last_page / 1024 > file.length {
        return damaged("its number of pages is not that of data.mdb");
    }
    let pages = usize::try_from(meta.last_page + 1).unwrap_or(usize::MAX);
    let used = match depth {
        Depth::Whole => (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        Depth::Roots => Vec::new(),
    };
    let walk = Walk { file, meta, depth, memory, used };
    let tables = walk.whole(&[(meta.main, Kind::Main)])?;
    if tables.iter().any(|table| table.flags != 0) {
        return damaged("the kind of one of its tables is unknown");
    }
    let tables = tables.into_iter().map(|table| (table, Kind::Table));
    let trees: Vec<_> = tables.chain([(meta.free, Kind::Free)]).collect();
    match depth {
        Depth::Whole => walk.whole(&trees).map(drop),
        Depth::Roots => trees.iter().try_for_each(|(tree, kind)| walk.root(tree, *kind)),
    }
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
    memory: usize,
    /// One bit for each page that is in use or free.
    used: Vec<AtomicU64>,
}

/// What a walk found in a tree.
#[derive(Default, PartialEq, Eq)]
struct Counts {
    branches: u64,
    leaves: u64,
    overflow: u64,
    entries: u64,
}

/// What a walk found.
struct Found {
    /// Those of each tree.
    counts: Vec<Counts>,
    /// The tables that leaves describe.
    tables: Vec<Tree>,
}

impl Found {
    fn of(trees: &[(Tree, Kind)]) -> Self {
        let counts = trees.iter().map(|_| Counts::default()).collect();
        Self { counts, tables: Vec::new() }
    }

    /// Adds what was found in other leaves.
    fn add(&mut self, other: Self) {
        for (own, other) in self.counts.iter_mut().zip(other.counts) {
            own.leaves += other.leaves;
            own.entries += other.entries;
            own.overflow += other.overflow;
        }
        self.tables.extend(other.tables);
    }
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

impl Node<'_> {
    /// Returns the number of the page that a node of a branch leads to.
    #[inline]
    pub(super) fn child(&self) -> u64 {
        u64::from(self.low) | u64::from(self.flags) << 32
    }
}

impl Walk<'_> {
    /// Checks the root of a tree.
    fn root(&self, tree: &Tree, kind: Kind) -> Result<(), Fault> {
        check_description(tree)?;
        if tree.root == NO_PAGE {
            return Ok(());
        }
        let root = Visit { page: tree.root, level: 1, from: None, to: None };
        let page = self.file.page(self.meta, root.page)?;
        let nodes = nodes(&page, &root, tree.depth, kind)?;
        if tree.depth == 1 {
            let value = |node| self.value(root.page, node, kind, &mut Vec::new()).map(drop);
            nodes.iter().try_for_each(value)?;
        }
        Ok(())
    }

    /// Checks trees, together in the order of the file; returns the tables that they describe.
    fn whole(&self, trees: &[(Tree, Kind)]) -> Result<Vec<Tree>, Fault> {
        trees.iter().try_for_each(|(tree, _)| check_description(tree))?;
        let mut found = Found::of(trees);
        let mut leaves = Leaves::new(self.memory);
        while leaves.end() <= self.meta.last_page {
            leaves.begin_part(leaves.end(), self.meta);
            for (index, (tree, _)) in trees.iter().enumerate() {
                found.counts[index].branches = 0;
                if tree.root != NO_PAGE {
                    let root = Visit { page: tree.root, level: 1, from: None, to: None };
                    self.branch(&root, index, trees, &mut found, &mut leaves)?;
                }
            }
            found.add(self.leaves(&mut leaves, trees)?);
        }
        let described = trees.iter().map(|(tree, _)| Counts {
            branches: tree.branches,
            leaves: tree.leaves,
            overflow: tree.overflow,
            entries: tree.entries,
        });
        if !found.counts.iter().eq(&described.collect::<Vec<_>>()) {
            return damaged(MISCOUNTED);
        }
        Ok(found.tables)
    }

    /// Follows the branches below a page of a tree, counts them, and adds the leaves. Pages that
    /// change between two parts of the file lead to no more branches than its description has.
    fn branch(
        &self,
        visit: &Visit<'_>,
        index: usize,
        trees: &[(Tree, Kind)],
        found: &mut Found,
        leaves: &mut Leaves,
    ) -> Result<(), Fault> {
        let (tree, kind) = &trees[index];
        if visit.level == tree.depth && visit.page <= self.meta.last_page {
            leaves.add(index, visit);
            return Ok(());
        }
        let page = self.file.page(self.meta, visit.page)?;
        if leaves.is_first_part() {
            self.take(visit.page)?;
        }
        found.counts[index].branches += 1;
        if found.counts[index].branches > tree.branches {
            return damaged(MISCOUNTED);
        }
        let nodes = nodes(&page, visit, tree.depth, *kind)?;
        for (at, node) in nodes.iter().enumerate() {
            let from = if at == 0 { visit.from } else { Some(node.key) };
            let to = nodes.get(at + 1).map_or(visit.to, |next| Some(next.key));
            let below = Visit { page: node.child(), level: visit.level + 1, from, to };
            self.branch(&below, index, trees, found, leaves)?;
        }
        Ok(())
    }

    /// Checks leaves of trees in the order of the file, on all processors.
    fn leaves(&self, all: &mut Leaves, trees: &[(Tree, Kind)]) -> Result<Found, Fault> {
        all.sort();
        let all = &*all;
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = all.leaves().len().div_ceil(threads).max(MIN_SHARE);
        let check = |leaves: &[Leaf]| -> Result<Found, Fault> {
            let mut pages = PageChunks::new(self.file, self.meta);
            let mut found = Found::of(trees);
            for leaf in leaves {
                let (tree, kind) = &trees[leaf.tree];
                let visit = all.visit(leaf, tree.depth);
                let page = pages.page(visit.page)?;
                self.take(visit.page)?;
                let nodes = nodes(page, &visit, tree.depth, *kind)?;
                let counts = &mut found.counts[leaf.tree];
                counts.leaves += 1;
                counts.entries += nodes.len() as u64;
                for node in &nodes {
                    counts.overflow += self.value(visit.page, node, *kind, &mut found.tables)?;
                }
            }
            Ok(found)
        };
        thread::scope(|scope| {
            let mut shares = all.leaves().chunks(share);
            let first = shares.next().unwrap_or_default();
            let others: Vec<_> = shares.map(|share| scope.spawn(move || check(share))).collect();
            let mut found = check(first)?;
            for other in others {
                found.add(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok(found)
        })
    }

    /// Checks the value of a node; returns how many overflow pages it has.
    fn value(
        &self,
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
    fn overflow(&self, first: u64, size: usize) -> Result<u64, Fault> {
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
    fn free(&self, page: u64, list: &[u8]) -> Result<(), Fault> {
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
    fn take(&self, page: u64) -> Result<(), Fault> {
        if self.depth == Depth::Roots {
            return Ok(());
        }
        let word = usize::try_from(page / 64).unwrap_or(usize::MAX);
        let bit = 1 << (page % 64);
        match self.used.get(word) {
            Some(bits) if bits.fetch_or(bit, Ordering::Relaxed) & bit == 0 => Ok(()),
            _ => damaged(format!("page {page} is used twice")),
        }
    }
}

fn check_description(tree: &Tree) -> Result<(), Fault> {
    match tree.depth {
        0 if tree.root == NO_PAGE => Ok(()),
        0..=MAX_DEPTH if tree.root != NO_PAGE => Ok(()),
        0..=MAX_DEPTH => damaged("an empty tree has a depth"),
        depth => damaged(format!("a tree has {depth} levels")),
    }
}

/// Returns the nodes of a page after checking the page.
pub(super) fn nodes<'p>(
    page: &'p [u8],
    visit: &Visit<'_>,
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
fn in_order(nodes: &[Node<'_>], visit: &Visit<'_>, is_branch: bool) -> bool {
    let keys = || nodes.iter().skip(usize::from(is_branch)).map(|node| node.key);
    let ascend = keys().zip(keys().skip(1)).all(|(one, next)| one < next);
    let has_names = keys().all(|key| !key.is_empty());
    let first = keys().next().zip(visit.from);
    let last = keys().next_back().zip(visit.to);
    ascend
        && has_names
        && first.is_none_or(|(key, from)| key >= from)
        && last.is_none_or(|(key, to)| key < to)
}
