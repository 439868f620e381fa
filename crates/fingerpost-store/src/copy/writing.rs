//! Writes a copy.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use fingerpost_engine::{ALL_KEYS, Table};
use fingerpost_resolver::Anchor;

use super::{CopyRow, CopyState, CopyValue, LevelRange, Selection};
use crate::format::{COPY_KEY, REVISION_KEY, Stored};
use crate::limits::MAX_WRONG_LEVELS;
use crate::transaction::Transaction;
use crate::{Store, StoreError, View};

#[cfg(doc)]
use super::SpanDigest;

impl Store {
    /// Changes a copy in one transaction. An empty store becomes a copy. The only way to write to a
    /// copy: each batch of changes and the [`CopyState`] that it leads to are stored together, or
    /// not at all.
    ///
    /// `work` can be run several times, each time after its changes were rolled back.
    pub fn write_copy<T, E: From<StoreError>>(
        &self,
        work: impl Fn(&mut CopyWriter<'_, '_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let written = self.alone(|transaction| {
            let state = transaction.copy_state()?;
            if state.is_none() && has_data(transaction)? {
                return Err(StoreError::NotACopy { location: self.location().to_owned() }.into());
            }
            work(&mut CopyWriter { transaction, state })
        })?;
        self.is_copy.store(true, Ordering::Release);
        Ok(written)
    }
}

/// Returns whether there is anything that a copy would replace.
fn has_data(view: &View<'_>) -> Result<bool, StoreError> {
    let mut has_data = view.revision()?.number() > 0;
    for table in Table::ALL.into_iter().filter(|table| *table != Table::Meta) {
        has_data |= view.keys(table, ALL_KEYS)?.next().is_some();
    }
    Ok(has_data)
}

/// A transaction of [`Store::write_copy`].
pub struct CopyWriter<'w, 't> {
    transaction: &'w mut Transaction<'t>,
    state: Option<CopyState>,
}

impl CopyWriter<'_, '_> {
    /// Returns the state of the copy at the beginning of the transaction; `None` if the store is
    /// empty.
    pub fn state(&self) -> Option<&CopyState> {
        self.state.as_ref()
    }

    /// Stores a new state.
    pub fn set_state(&mut self, state: &CopyState) -> Result<(), StoreError> {
        let revision = state.position.revision().to_bytes();
        self.transaction.guarded(|transaction| {
            let json = serde_json::to_vec(state)
                .map_err(|error| transaction.damaged(format!("the state of the copy: {error}")))?;
            transaction.put(Table::Meta, COPY_KEY, &json)?;
            transaction.put(Table::Meta, REVISION_KEY, &revision)
        })
    }

    /// Applies changes. Levels whose value the source cannot read stay as they are.
    pub fn apply(&mut self, rows: &[CopyRow]) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| self.apply_one(row))
    }

    fn apply_one(&mut self, row: &CopyRow) -> Result<(), StoreError> {
        let key = row.level.as_bytes();
        match &row.value {
            CopyValue::Stored(value) => {
                check(&row.level, value)?;
                self.transaction.guarded(|this| this.put(Table::Entries, key, value))
            }
            CopyValue::Deleted => self.transaction.guarded(|this| this.delete(Table::Entries, key)),
            CopyValue::Damaged => Ok(()),
        }
    }

    /// Makes a span hold exactly these rows, of which no level is outside of the span; returns the
    /// number of changed levels.
    pub fn replace(&mut self, span: &LevelRange, rows: &[CopyRow]) -> Result<u64, StoreError> {
        let mut missing: BTreeMap<&str, &CopyRow> =
            rows.iter().map(|row| (row.level.as_str(), row)).collect();
        let (mut left, mut count) = (Some(span.clone()), 0);
        while let Some(span) = left {
            let mut wrong = Vec::new();
            let until =
                self.transaction.visit_span(&Selection::default(), &span, |level, value| {
                    match missing.remove(level).map(|row| &row.value) {
                        None => wrong.push((level.to_owned(), None)),
                        Some(CopyValue::Stored(new)) if value != Some(new) => {
                            wrong.push((level.to_owned(), Some(new)));
                        }
                        Some(_) => {}
                    }
                    wrong.len() < MAX_WRONG_LEVELS
                })?;
            count += wrong.len() as u64;
            for (level, value) in wrong {
                let value = value.cloned().map_or(CopyValue::Deleted, CopyValue::Stored);
                self.apply_one(&CopyRow { level, value })?;
            }
            left = until.map(|until| span.rest(until));
        }
        count += missing.len() as u64;
        missing.into_values().try_for_each(|row| self.apply_one(row))?;
        Ok(count)
    }

    /// Returns the number of rows of the copy in a span, and their [digest](SpanDigest::digest).
    pub fn digest(&self, span: &LevelRange) -> Result<(u64, String), StoreError> {
        let whole = super::CopyLimit { rows: usize::MAX, bytes: usize::MAX };
        let found = self.transaction.digest_of(&Selection::default(), span, whole)?;
        Ok((found.rows, found.digest))
    }

    /// Returns the number of levels of the copy.
    pub fn len(&self) -> Result<u64, StoreError> {
        Ok(self.transaction.rows().count(Table::Entries)?)
    }

    /// Returns whether the copy has no levels.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }
}

/// Checks that a value is an entry of a level.
fn check(level: &str, value: &[u8]) -> Result<(), StoreError> {
    let corrupt = |detail: &str| StoreError::Corrupt {
        key: level.to_owned(),
        detail: format!("the source sent {detail}"),
    };
    let anchor = Anchor::from_canonical(level).ok_or_else(|| corrupt("a key that is no level"))?;
    let stored = Stored::parse(level, value).map_err(|_| corrupt("too few bytes"))?;
    let entry = stored.decode_at(level, anchor).map_err(|_| corrupt("bytes that are no entry"))?;
    if stored.flags_fit(&entry) { Ok(()) } else { Err(corrupt("flags that do not fit the entry")) }
}
