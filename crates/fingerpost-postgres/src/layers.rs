//! Changes of a write that were not sent yet: one layer for the write, and one more for each open
//! savepoint.
//!
//! Reads look through the layers first, so a change need not be sent before a read. A savepoint
//! that is undone before anything was sent costs no message at all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound;

use fingerpost_engine::{ChangeIter, Direction, RowIter, Table, changed_rows, layered};

/// Rows to put and keys to delete.
pub(crate) type Changes = BTreeMap<Vec<u8>, Changed>;

/// A change of a row.
pub(crate) struct Changed {
    /// The value to put; `None` to delete the row.
    value: Option<Vec<u8>>,
    /// Whether the server has no row with this key.
    is_new: bool,
    /// The columns of an entry for SQL.
    pub(crate) described: Described,
}

/// The revision and the record of an entry, for those who read them by SQL.
pub(crate) type Described = (Option<i64>, Option<String>);

impl Changed {
    pub(crate) fn new(value: Option<Vec<u8>>, is_new: bool, described: Described) -> Self {
        Self { value, is_new, described }
    }

    /// Returns the value to put; `None` to delete the row.
    pub(crate) fn as_deref(&self) -> Option<&[u8]> {
        self.value.as_deref()
    }

    /// Whether the server has no row with this key.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns this change after an earlier one of the same row. If that one replaces or deletes a
    /// row, the server may have it.
    fn after(self, earlier: &Self) -> Self {
        Self { is_new: earlier.is_new, ..self }
    }
}

/// The changes since the layer was opened.
#[derive(Default)]
pub(crate) struct Layer {
    tables: [Changes; Table::ALL.len()],
    rows: usize,
    bytes: usize,
    /// Whether the server has the savepoint of this layer.
    pub(crate) has_savepoint: bool,
}

impl Layer {
    /// Returns the changes of a table.
    pub(crate) fn table(&self, table: Table) -> &Changes {
        &self.tables[table.index()]
    }

    /// Adds a change.
    pub(crate) fn set(&mut self, table: Table, key: Vec<u8>, change: Changed) {
        let described = change.described.1.as_ref().map_or(0, String::len);
        let size = key.len() + change.as_deref().map_or(0, <[u8]>::len) + described;
        // A replaced change is counted as well: the sizes only determine when to send.
        self.rows += 1;
        self.bytes += size;
        add(&mut self.tables[table.index()], key, change);
    }

    /// Returns the number of changes and of their bytes, at least.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.rows, self.bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Forgets the changes, which were sent.
    pub(crate) fn clear(&mut self) {
        for table in &mut self.tables {
            table.clear();
        }
        (self.rows, self.bytes) = (0, 0);
    }

    /// Adds the changes of the layer above.
    pub(crate) fn absorb(&mut self, upper: Self) {
        for (mine, theirs) in self.tables.iter_mut().zip(upper.tables) {
            for (key, change) in theirs {
                add(mine, key, change);
            }
        }
        self.rows += upper.rows;
        self.bytes += upper.bytes;
    }
}

/// Adds a change to those of a layer.
fn add(changes: &mut Changes, key: Vec<u8>, change: Changed) {
    match changes.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(change);
        }
        Entry::Occupied(mut entry) => {
            let change = change.after(entry.get());
            entry.insert(change);
        }
    }
}

/// Returns the rows of a range as the layers have changed them. `rows` are those of the server.
pub(crate) fn changed<'a>(
    rows: RowIter<'a>,
    layers: &'a [Layer],
    table: Table,
    (from, before): &(Vec<u8>, Option<Vec<u8>>),
    direction: Direction,
) -> RowIter<'a> {
    let mut all: Option<ChangeIter<'a>> = None;
    let is_empty = before.as_ref().is_some_and(|before| before <= from);
    for layer in layers {
        let changes = layer.table(table);
        if changes.is_empty() || is_empty {
            continue;
        }
        let end = before.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = changes.range::<[u8], _>((Bound::Included(from.as_slice()), end));
        let borrowed = |(key, value): (&'a Vec<u8>, &'a Changed)| {
            Ok((Cow::Borrowed(key.as_slice()), value.as_deref().map(Cow::Borrowed)))
        };
        let upper: ChangeIter<'a> = match direction {
            Direction::Forward => Box::new(range.map(borrowed)),
            Direction::Back => Box::new(range.rev().map(borrowed)),
        };
        all = Some(match all {
            Some(lower) => layered(upper, lower, direction),
            None => upper,
        });
    }
    match all {
        Some(all) => changed_rows(all, rows, direction),
        None => rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(changes: &[(&str, Option<&str>)]) -> Layer {
        let mut layer = Layer::default();
        for (key, value) in changes {
            let change = Changed::new(value.map(|v| v.into()), false, Described::default());
            layer.set(Table::Audit, key.as_bytes().to_vec(), change);
        }
        layer
    }

    fn shown(layers: &[Layer], from: &str, before: Option<&str>, direction: Direction) -> String {
        let is_in = |key: &str| from <= key && before.is_none_or(|before| key < before);
        let mut rows: Vec<_> = ["b", "d", "f"].into_iter().filter(|key| is_in(key)).collect();
        if direction == Direction::Back {
            rows.reverse();
        }
        let rows = rows
            .into_iter()
            .map(|key| Ok((Cow::Borrowed(key.as_bytes()), Cow::Borrowed(&b"0"[..]))));
        let range = (from.as_bytes().to_vec(), before.map(|before| before.as_bytes().to_vec()));
        let found = changed(Box::new(rows), layers, Table::Audit, &range, direction);
        let text = found.map(|row| {
            let (key, value) = row.unwrap();
            format!("{}{} ", String::from_utf8_lossy(&key), String::from_utf8_lossy(&value))
        });
        text.collect()
    }

    #[test]
    fn upper_layers_count_in_both_directions() {
        let layers = [
            layer(&[("a", Some("1")), ("b", Some("1")), ("d", None), ("g", Some("1"))]),
            layer(&[]),
            layer(&[("a", None), ("c", Some("2")), ("d", Some("2")), ("g", Some("2"))]),
        ];
        assert_eq!(shown(&layers, "", None, Direction::Forward), "b1 c2 d2 f0 g2 ");
        assert_eq!(shown(&layers, "", None, Direction::Back), "g2 f0 d2 c2 b1 ");
        assert_eq!(shown(&layers, "c", Some("f"), Direction::Forward), "c2 d2 ");
        assert_eq!(shown(&layers, "c", Some("f"), Direction::Back), "d2 c2 ");
        assert_eq!(shown(&layers, "x", Some("a"), Direction::Forward), "");
        assert_eq!(shown(&layers[..2], "", None, Direction::Forward), "a1 b1 f0 g1 ");
        assert_eq!(shown(&[], "", None, Direction::Back), "f0 d0 b0 ");
    }
}
