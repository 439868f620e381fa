//! Reading one snapshot: levels and their history; what changed when, documents and audit records in the modules below.

mod changes;
mod records;

use std::fmt;
use std::ops::{Bound, ControlFlow};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;
use heed::{RoTxn, RwTxn, WithTls};

use crate::databases::Databases;
use crate::format::{
    REVISION_KEY, Stored, history_key, history_prefix, parse_history_key, parse_revision,
};
use crate::{Revision, Store, StoreError};

pub use changes::ChangeKind;

/// One snapshot of a store: what [`Store::view`] gives, and what a [`Transaction`] reads.
///
/// It reads the map, not the hot cache: what a transaction has not committed yet must not get there.
///
/// [`Transaction`]: crate::Transaction
pub struct View<'t> {
    pub(crate) store: &'t Store,
    snapshot: Snapshot<'t>,
}

enum Snapshot<'t> {
    Reading(RoTxn<'t, WithTls>),
    Writing(RwTxn<'t>),
}

/// What a level held from a revision on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    revision: Revision,
    entry: Option<Entry>,
}

impl State {
    /// The revision that brought it about.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The entry; `None` when the level was deleted.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        self.entry.as_ref()
    }

    /// The entry itself.
    #[must_use]
    pub fn into_entry(self) -> Option<Entry> {
        self.entry
    }
}

impl Store {
    /// Reads one snapshot, which holds every write that returned before, in any process.
    ///
    /// A thread reads one snapshot at a time: `read` must not read the store by other ways.
    ///
    /// ```no_run
    /// # use fingerpost_store::{Store, StoreError, StoreOptions};
    /// # fn main() -> Result<(), StoreError> {
    /// # let store = Store::open("data".as_ref(), StoreOptions::default())?;
    /// let (revision, head) = store.view(|view| Ok::<_, StoreError>((view.revision()?, view.audit_head()?)))?;
    /// println!("revision {revision}, audit head {head}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `read`, or that the store cannot be read.
    pub fn view<T, E: From<StoreError>>(
        &self,
        read: impl FnOnce(&View<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let txn = self.environment.read()?;
        read(&View { store: self, snapshot: Snapshot::Reading(txn) })
    }
}

/// Levels.
impl<'t> View<'t> {
    /// What is registered at exactly this level, and since which revision.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if the entry is damaged, or that the store cannot be read.
    pub fn level(&self, level: &EntityKey) -> Result<Option<(Entry, Revision)>, StoreError> {
        let level = level.as_str();
        let Some(bytes) = self.stored(level)? else { return Ok(None) };
        let stored = Stored::parse(level, bytes)?;
        Ok(Some((stored.decode(level)?, stored.revision)))
    }

    /// At most `limit` entries whose level begins with `prefix`, in the order of their canonical texts, from the
    /// bound `from` on.
    ///
    /// # Errors
    ///
    /// As [`View::level`].
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

    /// Visits entries as [`View::levels_from`] gives them, until `visit` breaks or fails.
    ///
    /// # Errors
    ///
    /// Those of `visit`, and as [`View::level`].
    pub fn visit_levels<E: From<StoreError>>(
        &self,
        from: Bound<&str>,
        prefix: &str,
        mut visit: impl FnMut(Entry, Revision) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        for item in self.range(from, prefix)? {
            let (level, bytes) = item?;
            let stored = Stored::parse(level, bytes)?;
            if visit(stored.decode(level)?, stored.revision)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Revision of the last batch.
    ///
    /// # Errors
    ///
    /// That the store cannot be read.
    pub fn revision(&self) -> Result<Revision, StoreError> {
        let bytes = self.databases().meta.get(self.txn(), REVISION_KEY);
        let bytes = bytes.map_err(|error| self.fault(error))?;
        Ok(bytes.and_then(parse_revision).unwrap_or_default())
    }

    /// Every state of a level that is still kept, the present one first. Deletions are states too.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of them is damaged, or that the store cannot be read.
    pub fn states(&self, level: &EntityKey) -> Result<Vec<State>, StoreError> {
        let text = level.as_str();
        let mut states = Vec::new();
        if let Some(bytes) = self.stored(text)? {
            states.push(decode_state(text, Stored::parse(text, bytes)?.revision, bytes)?);
        }
        let prefix = history_prefix(text);
        let rows = self.databases().history.rev_prefix_iter(self.txn(), &prefix);
        for row in rows.map_err(|error| self.fault(error))? {
            let (key, bytes) = row.map_err(|error| self.fault(error))?;
            states.push(decode_state(text, self.history_revision(key)?, bytes)?);
        }
        Ok(states)
    }

    /// The state that was in force after `revision`; `None` if the level had never held anything by then, or
    /// that state is no longer kept.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if the state is damaged, or that the store cannot be read.
    pub fn state_at(
        &self,
        level: &EntityKey,
        revision: Revision,
    ) -> Result<Option<State>, StoreError> {
        let text = level.as_str();
        if let Some(bytes) = self.stored(text)? {
            let stored = Stored::parse(text, bytes)?;
            if stored.revision <= revision {
                return decode_state(text, stored.revision, bytes).map(Some);
            }
        }
        let range =
            (Bound::Included(history_prefix(text)), Bound::Included(history_key(text, revision)));
        let range = (range.0.as_ref().map(Vec::as_slice), range.1.as_ref().map(Vec::as_slice));
        let rows = self.databases().history.rev_range(self.txn(), &range);
        let last = rows.map_err(|error| self.fault(error))?.next().transpose();
        match last.map_err(|error| self.fault(error))? {
            Some((key, bytes)) => decode_state(text, self.history_revision(key)?, bytes).map(Some),
            None => Ok(None),
        }
    }

    fn history_revision(&self, key: &[u8]) -> Result<Revision, StoreError> {
        let parsed = parse_history_key(key).map(|(_, revision)| revision);
        parsed.ok_or_else(|| self.damaged("a key in the history is malformed".to_owned()))
    }
}

/// What the crate itself needs.
impl<'t> View<'t> {
    pub(crate) fn writing(store: &'t Store, txn: RwTxn<'t>) -> Self {
        Self { store, snapshot: Snapshot::Writing(txn) }
    }

    pub(crate) fn txn(&self) -> &RoTxn<'t> {
        match &self.snapshot {
            Snapshot::Reading(txn) => txn,
            Snapshot::Writing(txn) => txn,
        }
    }

    /// The transaction that [`View::writing`] was given.
    pub(crate) fn write_txn(&mut self) -> &mut RwTxn<'t> {
        match &mut self.snapshot {
            Snapshot::Writing(txn) => txn,
            Snapshot::Reading(_) => unreachable!("only a transaction writes, and it is made so"),
        }
    }

    /// The transaction that [`View::writing`] was given.
    pub(crate) fn into_write_txn(self) -> RwTxn<'t> {
        match self.snapshot {
            Snapshot::Writing(txn) => txn,
            Snapshot::Reading(_) => unreachable!("only a transaction commits, and it is made so"),
        }
    }

    pub(crate) fn databases(&self) -> &'t Databases {
        &self.store.databases
    }

    pub(crate) fn fault(&self, error: heed::Error) -> StoreError {
        self.store.environment.fault(error)
    }

    pub(crate) fn damaged(&self, detail: String) -> StoreError {
        StoreError::Damaged { path: self.store.path().to_owned(), detail }
    }

    /// The value stored at a level.
    pub(crate) fn stored(&self, level: &str) -> Result<Option<&[u8]>, StoreError> {
        self.databases().entries.get(self.txn(), level).map_err(|error| self.fault(error))
    }

    /// The stored levels from `from` on that begin with `prefix`.
    pub(crate) fn range<'v>(
        &'v self,
        from: Bound<&str>,
        prefix: &'v str,
    ) -> Result<impl Iterator<Item = Result<(&'v str, &'v [u8]), StoreError>>, StoreError> {
        self.store.range(self.txn(), from, prefix)
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("path", &self.store.path()).finish_non_exhaustive()
    }
}

/// A number that is stored in 8 bytes.
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
