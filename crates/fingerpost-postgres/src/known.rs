//! Rows that a writer knows without asking: those that its last writes read or wrote, as long as nobody else has written.
//!
//! The row that a writer locks has the random id of the last commit. If it is the one that this process has seen or made, the rows
//! are still as they were; a number would not do, because a promoted replica can reach the same number with other rows.

use std::collections::HashMap;

use fingerpost_engine::Table;

use crate::layers::Layer;

/// Bytes of known rows; when they are more, all are forgotten.
const MOST: usize = 16 << 20;
/// The longest value that is kept.
const LONGEST: usize = 64 << 10;
/// What a row takes besides its key and its value.
const OVERHEAD: usize = 100;

/// Rows as of a commit, and the last key of each table.
#[derive(Default)]
pub(crate) struct Known {
    commit: Vec<u8>,
    rows: [HashMap<Vec<u8>, Option<Vec<u8>>>; Table::ALL.len()],
    last: [Last; Table::ALL.len()],
    bytes: usize,
}

/// The last row of a table.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) enum Last {
    #[default]
    Unknown,
    None,
    Key(Vec<u8>),
}

impl Known {
    /// Begins a write after a commit: forgets all if it is not the one that is known.
    pub(crate) fn begin(&mut self, commit: &[u8]) {
        if self.commit != commit {
            *self = Self { commit: commit.to_vec(), ..Self::default() };
        }
    }

    /// Ends a write with a commit whose last changes are these.
    pub(crate) fn commit(&mut self, commit: &[u8], changes: &Layer) {
        self.apply(changes);
        self.commit = commit.to_vec();
    }

    /// Forgets all rows, within a write.
    pub(crate) fn forget_rows(&mut self) {
        let commit = std::mem::take(&mut self.commit);
        *self = Self { commit, ..Self::default() };
    }

    /// Returns the value of a key, if it is known, or that there is none.
    pub(crate) fn row(&self, table: Table, key: &[u8]) -> Option<Option<&[u8]>> {
        self.rows[table.index()].get(key).map(Option::as_deref)
    }

    /// Returns the key of the last row of a table.
    pub(crate) fn last(&self, table: Table) -> &Last {
        &self.last[table.index()]
    }

    pub(crate) fn set_row(&mut self, table: Table, key: &[u8], value: Option<&[u8]>) {
        let length = value.map_or(0, <[u8]>::len);
        if length > LONGEST {
            self.rows[table.index()].remove(key);
            return;
        }
        self.bytes += key.len() + length + OVERHEAD;
        if self.bytes > MOST {
            self.rows = Default::default();
            self.bytes = key.len() + length + OVERHEAD;
        }
        self.rows[table.index()].insert(key.to_vec(), value.map(<[u8]>::to_vec));
    }

    pub(crate) fn set_last(&mut self, table: Table, key: Option<&[u8]>) {
        self.last[table.index()] = key.map_or(Last::None, |key| Last::Key(key.to_vec()));
    }

    /// Notes changes that were sent.
    pub(crate) fn apply(&mut self, changes: &Layer) {
        for table in Table::ALL {
            for (key, value) in changes.table(table) {
                self.set_row(table, key, value.as_deref());
                self.move_last(table, key, value.as_deref().is_some());
            }
        }
    }

    fn move_last(&mut self, table: Table, key: &[u8], is_put: bool) {
        let last = &mut self.last[table.index()];
        match last {
            Last::None if is_put => *last = Last::Key(key.to_vec()),
            Last::Key(known) if is_put && known.as_slice() < key => *last = Last::Key(key.to_vec()),
            Last::Key(known) if !is_put && known.as_slice() == key => *last = Last::Unknown,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Table = Table::Audit;

    fn layer(changes: &[(&[u8], Option<&[u8]>)]) -> Layer {
        let mut layer = Layer::default();
        for (key, value) in changes {
            layer.set(TABLE, key.to_vec(), value.map(<[u8]>::to_vec), false);
        }
        layer
    }

    #[test]
    fn a_commit_of_others_makes_all_unknown() {
        let mut known = Known::default();
        known.begin(b"one");
        known.set_last(TABLE, None);
        known.commit(b"two", &layer(&[(b"a", Some(b"1")), (b"b", None)]));
        known.begin(b"two");
        assert_eq!(known.row(TABLE, b"a"), Some(Some(&b"1"[..])));
        assert_eq!(known.row(TABLE, b"b"), Some(None));
        assert_eq!(known.row(TABLE, b"c"), None);
        assert_eq!(*known.last(TABLE), Last::Key(b"a".to_vec()));
        known.begin(b"three");
        assert_eq!(known.row(TABLE, b"a"), None);
        assert_eq!(*known.last(TABLE), Last::Unknown);
    }

    #[test]
    fn the_last_row_is_unknown_after_it_was_deleted() {
        let mut known = Known::default();
        known.apply(&layer(&[(b"z", Some(b"1"))]));
        assert_eq!(*known.last(TABLE), Last::Unknown, "there may be others");
        known.set_last(TABLE, Some(b"b"));
        known.apply(&layer(&[(b"a", Some(b"1"))]));
        assert_eq!(*known.last(TABLE), Last::Key(b"b".to_vec()));
        known.apply(&layer(&[(b"c", Some(b"1")), (b"d", None)]));
        assert_eq!(*known.last(TABLE), Last::Key(b"c".to_vec()));
        known.apply(&layer(&[(b"c", None)]));
        assert_eq!(*known.last(TABLE), Last::Unknown);
    }

    #[test]
    fn memory_is_bounded() {
        let mut known = Known::default();
        for n in 0_u32..1000 {
            known.set_row(TABLE, &n.to_be_bytes(), Some(&vec![0; 60_000]));
            known.set_row(TABLE, b"long", Some(&vec![0; LONGEST + 1]));
        }
        let bytes = known.rows[TABLE.index()].values().flatten().map(Vec::len).sum::<usize>();
        assert!(bytes <= MOST, "{bytes}");
        assert_eq!(known.row(TABLE, b"long"), None);
    }
}
