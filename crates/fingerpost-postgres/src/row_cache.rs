//! The rows that the last writes of this process read, prefetched or wrote, as long as no other
//! process has written.
//!
//! The row that a writer locks has the random id of the last commit. If this process has seen or
//! made that commit, the cached rows are current. A number would not do, because a promoted replica
//! can reach the same number with other rows.

use std::collections::HashMap;

use fingerpost_engine::{Prefetch, Table};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::fault::Fault;
use crate::layers::Layer;
use crate::limits::{COPIED_ROWS, MAX_CACHE_BYTES, MAX_CACHED_VALUE, MAX_KEYS};
use crate::query::{Query, Tables};
use crate::session::{Bound, Param, Session};

/// What a row takes besides its key and its value.
const OVERHEAD: usize = 100;

/// Rows as of a commit, and the last key of each table.
#[derive(Default)]
pub(crate) struct RowCache {
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

impl RowCache {
    /// Begins a write after a commit: forgets all if the cache is of another one.
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

    /// Keeps the rows that the [`statements`] of a prefetch returned.
    pub(crate) fn keep(&mut self, prefetch: &Prefetch, results: &[Vec<Row>]) -> Result<(), Fault> {
        for (table, keys) in prefetch.rows() {
            keys.iter().for_each(|key| self.set_row(table, key, None));
        }
        prefetch.last().iter().for_each(|table| self.set_last(*table, None));
        for row in results.iter().flatten() {
            let index: i32 = column(row, 0)?;
            let Some(&table) = Table::ALL.get(index.unsigned_abs() as usize) else { continue };
            let (key, value) = (column(row, 2)?, column(row, 3)?);
            if column(row, 1)? {
                self.set_last(table, Some(key));
            }
            self.set_row(table, key, Some(value));
        }
        Ok(())
    }

    /// Returns the value of a key, if it is cached, or that there is no row.
    pub(crate) fn row(&self, table: Table, key: &[u8]) -> Option<Option<&[u8]>> {
        self.rows[table.index()].get(key).map(Option::as_deref)
    }

    /// Returns the key of the last row of a table.
    pub(crate) fn last(&self, table: Table) -> &Last {
        &self.last[table.index()]
    }

    pub(crate) fn set_row(&mut self, table: Table, key: &[u8], value: Option<&[u8]>) {
        let length = value.map_or(0, <[u8]>::len);
        if length > MAX_CACHED_VALUE {
            self.rows[table.index()].remove(key);
            return;
        }
        self.bytes += key.len() + length + OVERHEAD;
        if self.bytes > MAX_CACHE_BYTES {
            self.rows = Default::default();
            self.bytes = key.len() + length + OVERHEAD;
        }
        self.rows[table.index()].insert(key.to_vec(), value.map(<[u8]>::to_vec));
    }

    pub(crate) fn set_last(&mut self, table: Table, key: Option<&[u8]>) {
        self.last[table.index()] = key.map_or(Last::None, |key| Last::Key(key.to_vec()));
    }

    /// Notes changes that were sent. Rows of a bulk load are not read again soon.
    pub(crate) fn apply(&mut self, changes: &Layer) {
        for table in Table::ALL {
            let rows = changes.table(table);
            for (key, value) in rows {
                match rows.len() < COPIED_ROWS {
                    true => self.set_row(table, key, value.as_deref()),
                    false => drop(self.rows[table.index()].remove(key)),
                }
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

/// Returns the statements that read prefetched rows: one, unless there are more keys of a table
/// than [`MAX_KEYS`]. The server runs them after the statement that takes the lock. In `READ
/// COMMITTED` each of them sees what was committed when it began, which is all that other nodes
/// have written.
pub(crate) fn statements<'a>(
    session: &Session,
    prefetch: &'a Prefetch,
) -> Result<Vec<Bound<'a>>, Fault> {
    let mut reads = Vec::new();
    for part in 0.. {
        let keys = |table: Table| {
            let (_, keys) = prefetch.rows().find(|(of, _)| *of == table)?;
            keys.chunks(MAX_KEYS).nth(part)
        };
        let rows: Tables = Table::ALL.into_iter().filter(|table| keys(*table).is_some()).collect();
        let last = prefetch.last().iter().copied().filter(|_| part == 0).collect();
        if rows == Tables::default() && last == Tables::default() {
            break;
        }
        let boxed = |keys: &'a [Vec<u8>]| Box::new(keys) as Param<'a>;
        let params = rows.iter().filter_map(keys).map(boxed).collect();
        reads.push(Bound { statement: session.statement(Query::Prefetch { rows, last })?, params });
    }
    Ok(reads)
}

fn column<'r, T: FromSql<'r>>(row: &'r Row, index: usize) -> Result<T, Fault> {
    row.try_get(index).map_err(Fault::Postgres)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Changed;

    const TABLE: Table = Table::Audit;

    fn layer(changes: &[(&[u8], Option<&[u8]>)]) -> Layer {
        let mut layer = Layer::default();
        for (key, value) in changes {
            let change = Changed::new(value.map(<[u8]>::to_vec), false, Default::default());
            layer.set(TABLE, key.to_vec(), change);
        }
        layer
    }

    #[test]
    fn a_commit_of_others_makes_all_unknown() {
        let mut cache = RowCache::default();
        cache.begin(b"one");
        cache.set_last(TABLE, None);
        cache.commit(b"two", &layer(&[(b"a", Some(b"1")), (b"b", None)]));
        cache.begin(b"two");
        assert_eq!(cache.row(TABLE, b"a"), Some(Some(&b"1"[..])));
        assert_eq!(cache.row(TABLE, b"b"), Some(None));
        assert_eq!(cache.row(TABLE, b"c"), None);
        assert_eq!(*cache.last(TABLE), Last::Key(b"a".to_vec()));
        cache.begin(b"three");
        assert_eq!(cache.row(TABLE, b"a"), None);
        assert_eq!(*cache.last(TABLE), Last::Unknown);
    }

    #[test]
    fn the_last_row_is_unknown_after_it_was_deleted() {
        let mut cache = RowCache::default();
        cache.apply(&layer(&[(b"z", Some(b"1"))]));
        assert_eq!(*cache.last(TABLE), Last::Unknown, "there may be others");
        cache.set_last(TABLE, Some(b"b"));
        cache.apply(&layer(&[(b"a", Some(b"1"))]));
        assert_eq!(*cache.last(TABLE), Last::Key(b"b".to_vec()));
        cache.apply(&layer(&[(b"c", Some(b"1")), (b"d", None)]));
        assert_eq!(*cache.last(TABLE), Last::Key(b"c".to_vec()));
        cache.apply(&layer(&[(b"c", None)]));
        assert_eq!(*cache.last(TABLE), Last::Unknown);
    }

    #[test]
    fn memory_is_bounded() {
        let mut cache = RowCache::default();
        for n in 0_u32..1000 {
            cache.set_row(TABLE, &n.to_be_bytes(), Some(&vec![0; 60_000]));
            cache.set_row(TABLE, b"long", Some(&vec![0; MAX_CACHED_VALUE + 1]));
        }
        let bytes = cache.rows[TABLE.index()].values().flatten().map(Vec::len).sum::<usize>();
        assert!(bytes <= MAX_CACHE_BYTES, "{bytes}");
        assert_eq!(cache.row(TABLE, b"long"), None);
    }
}
