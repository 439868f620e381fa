//! Reads rows from the pages of a commit, and checks each page and node before following it.
//!
//! LMDB trusts its pages: one bit that changes under a running server can lead it out of the file,
//! which ends the process. Here the same bit is an error of the requests that need the page. What a
//! check of the whole file finds and one page cannot show, such as a page that is used twice, is
//! left to [`check_trees`](super::check_trees).

use std::hint::black_box;
use std::ops::Bound;

use super::leaves::Visit;
use super::walk::{Kind, Node, node, nodes};
use super::{
    BIG, BRANCH, Fault, HEADER, LEAF, NO_PAGE, OVERFLOW, SUBTREE, Tree, damaged, u16_at, u32_at,
    u64_at,
};
use crate::limits::{MAX_DEPTH, MAX_PREFETCH, SEARCHES};

/// The pages of a data file, as long as a commit is kept.
pub(crate) trait Pages {
    /// Returns `count` pages from number `first` on, if the file has them.
    fn pages(&self, first: u64, count: u64) -> Option<&[u8]>;

    /// Returns the bytes of a page.
    fn page_bytes(&self) -> usize;

    /// Begins to read pages that are needed soon, if the system reads single pages.
    fn prefetch(&self, first: u64, count: u64);
}

const DAMAGED_DESCRIPTION: &str = "a tree has a damaged description";

/// A key and its value.
pub(crate) type Row<'p> = (&'p [u8], &'p [u8]);

/// Reads the rows of one tree.
#[derive(Debug)]
pub(crate) struct Reader<'p, P> {
    pages: &'p P,
    tree: Tree,
}

/// A position between two rows of a tree.
enum Position<'k> {
    Begin,
    Before(&'k [u8]),
    After(&'k [u8]),
    /// The same as `Before`, in the leaf of the row before it.
    Behind(&'k [u8]),
    End,
}

/// A position in a leaf, with the range of keys that the branches above promise for it.
struct Gap<'p> {
    leaf: Page<'p>,
    index: usize,
    from: Option<&'p [u8]>,
    to: Option<&'p [u8]>,
    /// The branch above the leaf, and its node there; none if the leaf is the root.
    branch: Option<(u64, usize)>,
}

/// A page of nodes. Its header was checked.
#[derive(Clone, Copy)]
struct Page<'p> {
    number: u64,
    bytes: &'p [u8],
    free_end: usize,
    count: usize,
    is_branch: bool,
}

/// The rows of a range.
pub(crate) struct Range<'p, P> {
    reader: Reader<'p, P>,
    gap: Option<Gap<'p>>,
    end: Bound<Box<[u8]>>,
    is_back: bool,
    /// How many of the next leaves were prefetched.
    prefetched: usize,
    /// How many leaves are prefetched together next.
    window: usize,
}

impl<P> Clone for Reader<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Reader<'_, P> {}

impl<'p, P: Pages> Reader<'p, P> {
    /// Creates a reader of the tree with this description.
    #[inline]
    pub(crate) fn new(pages: &'p P, description: &[u8]) -> Result<Self, Fault> {
        match Tree::parse(description) {
            Some(tree) => Ok(Self { pages, tree }),
            None => damaged("the description of a table is damaged"),
        }
    }

    /// Returns a reader of the table with this name; this one reads the main tree.
    #[inline]
    pub(crate) fn table(&self, name: &str) -> Result<Self, Fault> {
        match self.find(name.as_bytes())? {
            Some((_, node)) if node.flags == SUBTREE => {
                let description = node.rest.get(..node.low as usize).unwrap_or_default();
                Self::new(self.pages, description)
            }
            _ => damaged(format!("the table `{name}` is missing")),
        }
    }

    /// Returns how many rows the tree has.
    pub(crate) fn entries(&self) -> u64 {
        self.tree.entries
    }

    #[inline]
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<&'p [u8]>, Fault> {
        let Some((page, node)) = self.find(key)? else { return Ok(None) };
        self.value(page, &node).map(Some)
    }

    /// Returns the value of each key. Goes down the tree with many keys at once and reads all their
    /// next pages before it looks into one, so that the waits for memory overlap: they take most of
    /// the time of a search in a large tree.
    pub(crate) fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<&'p [u8]>>, Fault> {
        if self.tree.root == NO_PAGE {
            return Ok(vec![None; keys.len()]);
        }
        let depth = self.tree.depth;
        if !(1..=MAX_DEPTH).contains(&depth) {
            return damaged(DAMAGED_DESCRIPTION);
        }
        let mut values = Vec::with_capacity(keys.len());
        for keys in keys.chunks(SEARCHES) {
            let mut numbers = [self.tree.root; SEARCHES];
            for _ in 1..depth {
                for (number, key) in numbers.iter_mut().zip(keys) {
                    let branch = self.page(*number, true)?;
                    let next = branch.child_at(&Position::Before(key))?;
                    *number = branch.node(next)?.child();
                }
                let numbers = &numbers[..keys.len()];
                self.prefetch(numbers);
                self.load(numbers);
            }
            for (number, key) in numbers.into_iter().zip(keys) {
                let leaf = self.page(number, false)?;
                let index = leaf.count_before(0, |row| row < *key)?;
                values.push(match leaf.row(index, key)? {
                    Some(node) => Some(self.value(number, &node)?),
                    None => None,
                });
            }
        }
        Ok(values)
    }

    /// Prefetches pages, those with successive numbers together.
    fn prefetch(&self, numbers: &[u64]) {
        for run in numbers.chunk_by(|number, next| next.wrapping_sub(*number) <= 1) {
            self.pages.prefetch(run[0], run[run.len() - 1] - run[0] + 1);
        }
    }

    /// Reads the beginnings of pages and of some of their nodes. What is damaged is found later.
    fn load(&self, numbers: &[u64]) {
        let page = |number: &u64| self.pages.pages(*number, 1).unwrap_or_default();
        let counts = numbers.iter().map(|number| u16_at(page(number), 12).unwrap_or_default());
        black_box(counts.fold(0, |all, count| all ^ count));
        let nodes = numbers.iter().flat_map(|number| {
            let page = page(number);
            let nodes =
                usize::from(u16_at(page, 12).unwrap_or_default()).saturating_sub(HEADER) / 2;
            [1, 2, 3].map(|quarter| {
                let offset = u16_at(page, HEADER + 2 * (quarter * nodes / 4)).unwrap_or_default();
                page.get(usize::from(offset)).copied().unwrap_or_default()
            })
        });
        black_box(nodes.fold(0, |all, byte| all ^ byte));
    }

    /// Returns the rows of a range in the order of their keys, or the other way round.
    pub(crate) fn range(
        &self,
        (from, to): (Bound<&[u8]>, Bound<&[u8]>),
        is_back: bool,
    ) -> Result<Range<'p, P>, Fault> {
        let position = match (is_back, from, to) {
            (false, Bound::Unbounded, _) => Position::Begin,
            (false, Bound::Included(key), _) | (true, _, Bound::Excluded(key)) => {
                Position::Before(key)
            }
            (false, Bound::Excluded(key), _) | (true, _, Bound::Included(key)) => {
                Position::After(key)
            }
            (true, _, Bound::Unbounded) => Position::End,
        };
        let end = if is_back { from } else { to }.map(Box::from);
        let gap = self.descend::<false>(&position)?;
        Ok(Range { reader: *self, gap, end, is_back, prefetched: 0, window: 0 })
    }

    /// Returns the rows beside the position of a key that was not found, and checks the pages that
    /// hide the key if they are damaged: the branches that lead there, the leaf, and the one before
    /// or after it if the position is between both.
    pub(crate) fn beside(&self, key: &[u8]) -> Result<Vec<Row<'p>>, Fault> {
        let mut rows = Vec::new();
        let Some(gap) = self.descend::<true>(&Position::Before(key))? else { return Ok(rows) };
        let (other, follows) = match (gap.index, gap.from, gap.to) {
            (0, Some(from), _) => {
                let other = self.descend::<true>(&Position::Behind(from))?;
                let follows = other.as_ref().is_some_and(|other| other.to == gap.from);
                (other, follows)
            }
            (index, _, Some(to)) if index == gap.leaf.count => {
                let other = self.descend::<true>(&Position::Before(to))?;
                let follows = other.as_ref().is_some_and(|other| other.from == gap.to);
                (other, follows)
            }
            _ => (None, true),
        };
        if !follows {
            return out_of_order(gap.leaf.number);
        }
        for leaf in [Some(gap), other].into_iter().flatten().map(|gap| gap.leaf) {
            for index in 0..leaf.count {
                let node = leaf.node(index)?;
                rows.push((node.key, self.value(leaf.number, &node)?));
            }
        }
        Ok(rows)
    }

    /// Returns the leaf node of a key and the number of its page.
    #[inline]
    fn find(&self, key: &[u8]) -> Result<Option<(u64, Node<'p>)>, Fault> {
        let Some(Gap { leaf, index, .. }) = self.descend::<false>(&Position::Before(key))? else {
            return Ok(None);
        };
        Ok(leaf.row(index, key)?.map(|node| (leaf.number, node)))
    }

    /// Follows the branches to a position; returns `None` in an empty tree. Checks all nodes of the
    /// pages, or only those that it follows.
    #[inline]
    fn descend<const WHOLE: bool>(
        &self,
        position: &Position<'_>,
    ) -> Result<Option<Gap<'p>>, Fault> {
        let mut number = self.tree.root;
        if number == NO_PAGE {
            return Ok(None);
        }
        let (mut from, mut to, mut branch) = (None, None, None);
        for level in 1..=self.tree.depth.min(MAX_DEPTH) {
            let page = self.page(number, level < self.tree.depth)?;
            if WHOLE {
                let visit = Visit { page: number, level, from, to };
                nodes(page.bytes, &visit, self.tree.depth, Kind::Table)?;
            }
            if !page.is_branch {
                let index = page.count_before(0, |key| position.is_after_row(key))?;
                return Ok(Some(Gap { leaf: page, index, from, to, branch }));
            }
            let index = page.child_at(position)?;
            let child = page.node(index)?;
            if index > 0 {
                from = Some(child.key);
            }
            if index + 1 < page.count {
                to = Some(page.node(index + 1)?.key);
            }
            number = child.child();
            branch = Some((page.number, index));
        }
        damaged(DAMAGED_DESCRIPTION)
    }

    #[inline]
    fn page(&self, number: u64, is_branch: bool) -> Result<Page<'p>, Fault> {
        let bytes = self.bytes(number, 1, if is_branch { BRANCH } else { LEAF })?;
        let end = |offset| u16_at(bytes, offset).map_or(0, usize::from);
        let (lower, free_end) = (end(12), end(14));
        if lower <= HEADER || lower > free_end || free_end > bytes.len() {
            return outside(number);
        }
        Ok(Page { number, bytes, free_end, count: (lower - HEADER) / 2, is_branch })
    }

    /// Returns pages after checking the header of the first.
    #[inline]
    fn bytes(&self, first: u64, count: u64, flags: u16) -> Result<&'p [u8], Fault> {
        let bytes = self.pages.pages(first, count).unwrap_or_default();
        match (u64_at(bytes, 0), u16_at(bytes, 10)) {
            (Some(number), Some(kind)) if number == first && kind == flags => Ok(bytes),
            (None, _) => damaged(format!("page {first} is not in the store")),
            _ => damaged(format!("page {first} is not the page that it should be")),
        }
    }

    /// Returns the value of a leaf node of a page.
    #[inline]
    fn value(&self, page: u64, node: &Node<'p>) -> Result<&'p [u8], Fault> {
        let size = node.low as usize;
        match node.flags {
            0 => node.rest.get(..size).map_or_else(|| outside(page), Ok),
            BIG => {
                let first = u64_at(node.rest, 0).unwrap_or(NO_PAGE);
                let count = ((HEADER - 1 + size) / self.pages.page_bytes() + 1) as u64;
                self.pages.prefetch(first, count);
                let bytes = self.bytes(first, count, OVERFLOW)?;
                match bytes.get(HEADER..HEADER + size) {
                    Some(value) if u32_at(bytes, 12).map(u64::from) == Some(count) => Ok(value),
                    _ => damaged(format!("page {first} does not hold the value that it should")),
                }
            }
            _ => damaged(format!("page {page} has a value of an unknown kind")),
        }
    }
}

impl Position<'_> {
    /// Returns whether the position is after the row of this key.
    #[inline]
    fn is_after_row(&self, row: &[u8]) -> bool {
        match self {
            Self::Begin => false,
            Self::Before(key) | Self::Behind(key) => row < *key,
            Self::After(key) => row <= *key,
            Self::End => true,
        }
    }

    /// Returns whether the position is in the pages from this key of a branch on.
    #[inline]
    fn is_after_branch(&self, branch: &[u8]) -> bool {
        match self {
            Self::Before(key) => branch <= *key,
            position => position.is_after_row(branch),
        }
    }
}

impl Gap<'_> {
    /// Returns whether a key is in the range of the leaf.
    fn has(&self, key: &[u8]) -> bool {
        self.from.is_none_or(|from| from <= key) && self.to.is_none_or(|to| key < to)
    }
}

impl<'p> Page<'p> {
    #[inline]
    fn node(&self, index: usize) -> Result<Node<'p>, Fault> {
        // Below `count`, the offset is in the page.
        let offset = u16_at(self.bytes, HEADER + 2 * index).map_or(0, usize::from);
        match node(self.bytes, offset, self.free_end, self.is_branch) {
            Some(node) => Ok(node),
            None => outside(self.number),
        }
    }

    /// Returns the node of a branch that leads to a position. The first key of a branch has no
    /// meaning.
    #[inline]
    fn child_at(&self, position: &Position<'_>) -> Result<usize, Fault> {
        Ok(self.count_before(1, |key| position.is_after_branch(key))? - 1)
    }

    /// Returns the node of a leaf at the position of a key, if it has this key.
    #[inline]
    fn row(&self, index: usize, key: &[u8]) -> Result<Option<Node<'p>>, Fault> {
        if index == self.count {
            return Ok(None);
        }
        let node = self.node(index)?;
        Ok((*node.key == *key).then_some(node))
    }

    /// Returns how many nodes are before a position, from the node `first` on.
    #[inline]
    fn count_before(
        &self,
        first: usize,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<usize, Fault> {
        let (mut low, mut high) = (first, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            if is_before(self.node(middle)?.key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

impl<'p, P: Pages> Range<'p, P> {
    /// Returns the next leaf node and the number of its page.
    fn advance(&mut self) -> Result<Option<(u64, Node<'p>)>, Fault> {
        while let Some(gap) = &mut self.gap {
            if self.is_back && gap.index > 0 {
                gap.index -= 1;
                return Ok(Some((gap.leaf.number, gap.leaf.node(gap.index)?)));
            }
            if !self.is_back && gap.index < gap.leaf.count {
                gap.index += 1;
                return Ok(Some((gap.leaf.number, gap.leaf.node(gap.index - 1)?)));
            }
            let next = match (self.is_back, gap.from, gap.to) {
                (true, Some(from), _) => self.reader.descend::<false>(&Position::Behind(from))?,
                (false, _, Some(to)) => self.reader.descend::<false>(&Position::Before(to))?,
                _ => None,
            };
            let Some(mut next) = next else {
                self.gap = None;
                break;
            };
            // Each leaf begins where the one before it ends, so this comes to an end.
            let (follows, index, edge) = match self.is_back {
                true => (next.to == gap.from, next.leaf.count, next.leaf.count - 1),
                false => (next.from == gap.to, 0, 0),
            };
            next.index = index;
            if !follows || !next.has(next.leaf.node(edge)?.key) {
                return out_of_order(next.leaf.number);
            }
            self.prefetch(&next);
            self.gap = Some(next);
        }
        Ok(None)
    }

    /// Prefetches the leaves that come after the next one in its branch: none at first, then each
    /// time twice as many, because a range that has gone so far seldom ends soon.
    fn prefetch(&mut self, next: &Gap<'p>) {
        if self.prefetched > 0 {
            self.prefetched -= 1;
            return;
        }
        // What is damaged is found when it is read.
        let branch = next.branch.map(|(branch, node)| (self.reader.page(branch, true), node));
        let Some((Ok(branch), node)) = branch else { return };
        let nodes = match self.is_back {
            true => node.saturating_sub(self.window)..node,
            false => node + 1..branch.count.min(node + 1 + self.window),
        };
        let leaves = nodes.filter_map(|node| Some(branch.node(node).ok()?.child()));
        let leaves: Vec<_> = leaves.collect();
        self.reader.prefetch(&leaves);
        self.prefetched = leaves.len();
        self.window = (2 * self.window).clamp(1, MAX_PREFETCH);
    }

    fn is_in_range(&self, key: &[u8]) -> bool {
        match (&self.end, self.is_back) {
            (Bound::Unbounded, _) => true,
            (Bound::Included(end), true) => *key >= **end,
            (Bound::Excluded(end), true) => *key > **end,
            (Bound::Included(end), false) => *key <= **end,
            (Bound::Excluded(end), false) => *key < **end,
        }
    }

    fn next_row(&mut self) -> Result<Option<Row<'p>>, Fault> {
        let Some((page, node)) = self.advance()? else { return Ok(None) };
        if !self.is_in_range(node.key) {
            return Ok(None);
        }
        Ok(Some((node.key, self.reader.value(page, &node)?)))
    }
}

impl<'p, P: Pages> Iterator for Range<'p, P> {
    type Item = Result<Row<'p>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row().transpose();
        if !matches!(row, Some(Ok(_))) {
            self.gap = None; // nothing after an end or an error
        }
        row
    }
}

#[cold]
fn outside<T>(page: u64) -> Result<T, Fault> {
    damaged(format!("page {page} has nodes outside of their area"))
}

#[cold]
fn out_of_order<T>(page: u64) -> Result<T, Fault> {
    damaged(format!("page {page} has keys out of order"))
}
