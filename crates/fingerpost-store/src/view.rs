//! Reads one snapshot: levels and their history. The submodules read changes, documents and audit
//! records.

mod changes;
mod recalls;
mod records;

use std::iter::Map;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use fingerpost_engine::{
    Bytes, Direction, EngineError, KeyRange, Mutate, Row, Rows, Table, borrowed, end_of,
};
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, Viewer};

use crate::format::{
    REVISION_KEY, Stored, encoded_entry, history_key, history_prefix, parse_history_key,
    parse_revision,
};
use crate::{Prefetch, Revision, StoreError};

pub use changes::ChangeKind;

/// One snapshot of a store, passed to the closure of [`Store::view`] and readable through a
/// [`Transaction`].
///
/// [`Store::view`]: crate::Store::view
/// [`Transaction`]: crate::Transaction
pub struct View<'t> {
    location: &'t str,
    reach: Reach<'t>,
}

/// The rows to read: those of a snapshot, or of a write.
enum Reach<'t> {
    Snapshot(&'t dyn Rows),
    Write(&'t mut dyn Mutate),
}

/// Rows or keys of a range.
pub(crate) type ItemIter<'r, T> = Map<
    Box<dyn Iterator<Item = Result<T, EngineError>> + 'r>,
    fn(Result<T, EngineError>) -> Result<T, StoreError>,
>;

fn with_store_error<T>(item: Result<T, EngineError>) -> Result<T, StoreError> {
    Ok(item?)
}

/// The value of a level from one revision on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    revision: Revision,
    entry: Option<Entry>,
}

impl State {
    /// Returns the revision that created this state.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the entry; `None` when the level was deleted.
    pub fn entry(&self) -> Option<&Entry> {
        self.entry.as_ref()
    }

    /// Returns the entry by value.
    pub fn into_entry(self) -> Option<Entry> {
        self.entry
    }
}

/// Levels.
impl<'t> View<'t> {
    /// Returns the entry at exactly this level, and the revision that last changed it.
    pub fn level(&self, level: &impl AsRef<str>) -> Result<Option<(Entry, Revision)>, StoreError> {
        let level = level.as_ref();
        let Some(bytes) = self.stored(level)? else { return Ok(None) };
        let stored = Stored::parse(level, &bytes)?;
        Ok(Some((stored.decode(level)?, stored.revision)))
    }

    /// Returns at most `limit` entries whose level begins with `prefix`, starting at the bound
    /// `from`, in the order of their canonical texts.
    pub fn levels_from(
        &self,
        from: Bound<&str>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(Entry, Revision)>, StoreError> {
        let mut page = Vec::new();
        if limit > 0 {
            self.visit_levels(from, prefix, |entry, revision| -> Result<_, StoreError> {
                page.push((entry, revision));
                Ok(if page.len() < limit {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            })?;
        }
        Ok(page)
    }

    /// Returns the key level of the first entry whose level begins with `prefix`, and of which this
    /// viewer sees any link.
    pub fn first_key(
        &self,
        prefix: &str,
        viewer: &Viewer,
    ) -> Result<Option<EntityKey>, StoreError> {
        for row in self.entries(Bound::Unbounded, prefix)? {
            let (key, bytes) = row?;
            let key = self.text(&key)?;
            let stored = Stored::parse(key, &bytes)?;
            let level = Stored::anchor(key)?;
            let is_seen = match viewer.is_public() {
                true => stored.decode_public(key, level.clone())?.is_some(),
                false => viewer.see(&Arc::new(stored.decode(key)?)).is_some(),
            };
            if is_seen {
                return Ok(EntityKey::from_canonical(level.key_level()));
            }
        }
        Ok(None)
    }

    /// Visits the entries that [`View::levels_from`] returns, until `visit` breaks or fails.
    pub fn visit_levels<E: From<StoreError>>(
        &self,
        from: Bound<&str>,
        prefix: &str,
        mut visit: impl FnMut(Entry, Revision) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        for row in self.entries(from, prefix)? {
            let (key, bytes) = row?;
            let level = self.text(&key)?;
            let stored = Stored::parse(level, &bytes)?;
            if visit(stored.decode(level)?, stored.revision)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Announces that these levels and documents are read next, one by one: a database returns all
    /// of them in one round trip. The last rows of tables are ignored.
    pub fn prefetch(&self, prefetch: &Prefetch) -> Result<(), StoreError> {
        Ok(self.rows().prefetch(prefetch.rows())?)
    }

    /// Returns for each level whether it holds exactly this encoded entry ([`Entry::encode`]).
    pub fn holds(&self, entries: &[(&[u8], &[u8])]) -> Result<Vec<bool>, StoreError> {
        let levels: Vec<_> = entries.iter().map(|(level, _)| *level).collect();
        let stored = self.rows().get_many(Table::Entries, &levels)?;
        let holds = |(stored, (_, entry)): (&Option<Bytes<'_>>, &(_, &[u8]))| {
            stored.as_deref().and_then(encoded_entry) == Some(*entry)
        };
        Ok(stored.iter().zip(entries).map(holds).collect())
    }

    /// Returns the size of the record at exactly this level, as stored: that of
    /// [`stored_bytes`](crate::stored_bytes).
    pub fn stored_bytes(&self, level: &impl AsRef<str>) -> Result<Option<u64>, StoreError> {
        if let (Reach::Write(_), Ok(stored)) = (&self.reach, self.stored(level.as_ref())) {
            return Ok(stored.map(|stored| stored.len() as u64)); // a write knows the row already, or reads it next
        }
        let key = Bound::Included(level.as_ref().as_bytes());
        let found = self.keys(Table::Entries, (key, key))?.next().transpose()?;
        Ok(found.map(|(_, length)| length as u64))
    }

    /// Visits the levels that begin with `prefix` with the sizes of their records, in the order of
    /// their canonical texts from the bound `from` on, until `visit` breaks or fails. It decodes
    /// nothing.
    pub fn visit_sizes<E: From<StoreError>>(
        &self,
        from: Bound<&str>,
        prefix: &str,
        mut visit: impl FnMut(&str, u64) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let (from, end) = (from_prefix(from, prefix), end_of(prefix.as_bytes()));
        for key in self.keys(Table::Entries, (from.map(str::as_bytes), borrowed(&end)))? {
            let (key, length) = key?;
            if visit(self.text(&key)?, length as u64)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Returns the revision of the last batch.
    pub fn revision(&self) -> Result<Revision, StoreError> {
        let bytes = self.get(Table::Meta, REVISION_KEY)?;
        Ok(bytes.and_then(|bytes| parse_revision(&bytes)).unwrap_or_default())
    }

    /// Returns all states of a level that are still stored, the current one first. Deletions are
    /// states too.
    pub fn states(&self, level: &impl AsRef<str>) -> Result<Vec<State>, StoreError> {
        let text = level.as_ref();
        let mut states = Vec::new();
        if let Some(bytes) = self.stored(text)? {
            states.push(decode_state(text, Stored::parse(text, &bytes)?.revision, &bytes)?);
        }
        for row in self.rows_back(Table::History, &history_prefix(text))? {
            let (key, bytes) = row?;
            states.push(decode_state(text, self.history_revision(&key)?, &bytes)?);
        }
        Ok(states)
    }

    /// Returns the revisions of at most `limit` states of a level that are still stored, the newest
    /// first, from before a revision on, with what each did. It decodes no state.
    pub fn revisions(
        &self,
        level: &impl AsRef<str>,
        before: Option<Revision>,
        limit: usize,
    ) -> Result<Vec<(Revision, ChangeKind)>, StoreError> {
        let text = level.as_ref();
        let is_before = |revision: Revision| before.is_none_or(|before| revision < before);
        let mut found = Vec::new();
        if let Some(bytes) = self.stored(text)? {
            let revision = Stored::parse(text, &bytes)?.revision;
            found.extend(is_before(revision).then_some((revision, ChangeKind::Put)));
        }
        let first = history_prefix(text);
        let last = match before {
            Some(before) => Bound::Excluded(history_key(text, before)),
            None => end_of(&first),
        };
        let range = (Bound::Included(&*first), borrowed(&last));
        for row in self.rows().range(Table::History, range, Direction::Back)? {
            if found.len() >= limit {
                break;
            }
            let (key, bytes) = row?;
            let kind = if bytes.is_empty() { ChangeKind::Delete } else { ChangeKind::Put };
            found.push((self.history_revision(&key)?, kind));
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Returns the state of a level after `revision`; `None` if the level had never held anything
    /// until then, or if that state was pruned.
    pub fn state_at(
        &self,
        level: &impl AsRef<str>,
        revision: Revision,
    ) -> Result<Option<State>, StoreError> {
        let text = level.as_ref();
        if let Some(bytes) = self.stored(text)? {
            let stored = Stored::parse(text, &bytes)?;
            if stored.revision <= revision {
                return decode_state(text, stored.revision, &bytes).map(Some);
            }
        }
        let (first, last) = (history_prefix(text), history_key(text, revision));
        let range = (Bound::Included(&*first), Bound::Included(&*last));
        match self.rows().range(Table::History, range, Direction::Back)?.next().transpose()? {
            Some((key, bytes)) => {
                decode_state(text, self.history_revision(&key)?, &bytes).map(Some)
            }
            None => Ok(None),
        }
    }

    fn history_revision(&self, key: &[u8]) -> Result<Revision, StoreError> {
        let parsed = parse_history_key(key).map(|(_, revision)| revision);
        parsed.ok_or_else(|| self.damaged("a key in the history is malformed"))
    }
}

/// Methods for other modules of this crate.
impl<'t> View<'t> {
    pub(crate) fn reading(location: &'t str, rows: &'t dyn Rows) -> Self {
        Self { location, reach: Reach::Snapshot(rows) }
    }

    pub(crate) fn writing(location: &'t str, rows: &'t mut dyn Mutate) -> Self {
        Self { location, reach: Reach::Write(rows) }
    }

    pub(crate) fn rows(&self) -> &dyn Rows {
        match &self.reach {
            Reach::Snapshot(rows) => *rows,
            Reach::Write(rows) => &**rows,
        }
    }

    /// Returns the rows that were passed to [`View::writing`].
    pub(crate) fn rows_to_write(&mut self) -> &mut (dyn Mutate + 't) {
        match &mut self.reach {
            Reach::Write(rows) => &mut **rows,
            Reach::Snapshot(_) => unreachable!("only a transaction writes, and it is made so"),
        }
    }

    pub(crate) fn location(&self) -> &'t str {
        self.location
    }

    pub(crate) fn damaged(&self, detail: impl Into<String>) -> StoreError {
        StoreError::damaged(self.location, detail)
    }

    pub(crate) fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, StoreError> {
        Ok(self.rows().get(table, key)?)
    }

    /// Returns the value of a key as [`View::get`] does; `None` also if its row is damaged, which a
    /// check reports elsewhere.
    pub(crate) fn undamaged(
        &self,
        table: Table,
        key: &[u8],
    ) -> Result<Option<Bytes<'_>>, StoreError> {
        self.get(table, key)
            .or_else(|error| if error.is_damaged_row() { Ok(None) } else { Err(error) })
    }

    /// Returns the keys of a range, also those of damaged rows.
    pub(crate) fn keys(
        &self,
        table: Table,
        range: KeyRange<'_>,
    ) -> Result<ItemIter<'_, (Bytes<'_>, usize)>, StoreError> {
        Ok(self.rows().keys(table, range)?.map(with_store_error as fn(_) -> _))
    }

    /// Returns the rows of a range.
    pub(crate) fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
    ) -> Result<ItemIter<'_, Row<'_>>, StoreError> {
        Ok(self.rows().range(table, range, Direction::Forward)?.map(with_store_error as fn(_) -> _))
    }

    /// Returns the rows of a range, the greatest key first.
    pub(crate) fn range_back(
        &self,
        table: Table,
        range: KeyRange<'_>,
    ) -> Result<ItemIter<'_, Row<'_>>, StoreError> {
        Ok(self.rows().range(table, range, Direction::Back)?.map(with_store_error as fn(_) -> _))
    }

    /// Returns the rows whose keys begin with `prefix`, the greatest first.
    pub(crate) fn rows_back(
        &self,
        table: Table,
        prefix: &[u8],
    ) -> Result<ItemIter<'_, Row<'_>>, StoreError> {
        self.range_back(table, (Bound::Included(prefix), borrowed(&end_of(prefix))))
    }

    /// Returns the value stored at a level.
    pub(crate) fn stored(&self, level: &str) -> Result<Option<Bytes<'_>>, StoreError> {
        self.get(Table::Entries, level.as_bytes())
    }

    /// Returns the stored levels from `from` on that begin with `prefix`.
    pub(crate) fn entries(
        &self,
        from: Bound<&str>,
        prefix: &str,
    ) -> Result<ItemIter<'_, Row<'_>>, StoreError> {
        let (from, end) = (from_prefix(from, prefix), end_of(prefix.as_bytes()));
        self.range(Table::Entries, (from.map(str::as_bytes), borrowed(&end)))
    }

    /// Returns the key of an entry as text.
    pub(crate) fn text<'k>(&self, key: &'k [u8]) -> Result<&'k str, StoreError> {
        std::str::from_utf8(key).map_err(|_| self.damaged("the key of an entry is no text"))
    }
}

/// Returns the later one of a bound and the beginning of a prefix.
fn from_prefix<'t>(from: Bound<&'t str>, prefix: &'t str) -> Bound<&'t str> {
    match from {
        Bound::Included(text) | Bound::Excluded(text) if text >= prefix => from,
        _ => Bound::Included(prefix),
    }
}

/// Decodes a number of 8 bytes.
pub(crate) fn number(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

fn decode_state(level: &str, revision: Revision, bytes: &[u8]) -> Result<State, StoreError> {
    let entry = match bytes {
        [] => None,
        bytes => Some(Stored::parse(level, bytes)?.decode(level)?),
    };
    Ok(State { revision, entry })
}
