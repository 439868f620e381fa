//! Reads what a copy needs of its source, and the state of a copy.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use fingerpost_engine::{Bytes, Direction, EngineError, Rows, Table, borrowed};

use super::{
    CopyChanges, CopyLimit, CopyPage, CopyRow, CopyState, CopyValue, LevelRange, Position,
    Selection, SpanDigest,
};
use crate::format::{COPY_KEY, RowsDigest, Stored, history_key};
use crate::limits::{COPIED_VALUES, MAX_SKIPPED_ROWS, NEAR_REVISIONS};
use crate::view::{ChangeKind, View, number};
use crate::{AuditHead, Revision, Store, StoreError};
use data_encoding::HEXLOWER;

impl Store {
    /// Returns the state of a copy; `None` if this store is not a copy.
    pub fn copy_state(&self) -> Result<Option<CopyState>, StoreError> {
        self.view(|view| view.copy_state())
    }
}

/// Returns the state of a copy; `None` if this store is not a copy.
pub(crate) fn state<R: Rows + ?Sized>(
    rows: &R,
    location: &str,
) -> Result<Option<CopyState>, StoreError> {
    let Some(json) = rows.get(Table::Meta, COPY_KEY)? else { return Ok(None) };
    serde_json::from_slice(&json)
        .map(Some)
        .map_err(|error| StoreError::damaged(location, format!("the state of the copy: {error}")))
}

/// What a copy needs.
impl View<'_> {
    /// Returns the state of a copy; `None` if this store is not a copy.
    pub fn copy_state(&self) -> Result<Option<CopyState>, StoreError> {
        state(self.rows(), self.location())
    }

    /// Returns the position of the last batch.
    pub fn position(&self) -> Result<Position, StoreError> {
        self.position_at(self.revision()?)
    }

    /// Returns whether the store has, or had, this position.
    pub fn has_position(&self, position: &Position) -> Result<bool, StoreError> {
        let revision = position.revision();
        Ok(revision <= self.revision()? && self.position_at(revision)? == *position)
    }

    /// Returns the position of the last batch, and whether the store has, or had, another one.
    /// Costs a database four questions, or more if the other position is long ago.
    pub fn position_after(&self, other: &Position) -> Result<(Position, bool), StoreError> {
        let revision = self.revision()?;
        if other.revision() >= revision {
            let position = self.position_at(revision)?;
            let has_other = position == *other;
            return Ok((position, has_other));
        }
        let (key, from) = (revision.to_bytes(), other.revision().to_bytes());
        let range = (Bound::Unbounded, Bound::Included(&key[..]));
        let mut seqs = Vec::new();
        for row in self.rows().range(Table::Revisions, range, Direction::Back)?.take(NEAR_REVISIONS)
        {
            let (key, seq) = row?;
            let is_other = key[..] <= from[..];
            if seqs.is_empty() || is_other {
                seqs.push(seq.into_owned());
            }
            if is_other {
                break;
            }
        }
        let [last, before] = &seqs[..] else {
            return Ok((self.position_at(revision)?, self.has_position(other)?));
        };
        let heads = self.rows().get_many(Table::Audit, &[last, before])?;
        let head = |seq: &[u8], value: &Option<Bytes<'_>>| match (number(seq), value) {
            (Some(seq), Some(value)) => self.head_of(seq, value).map(Some),
            _ => Ok(None),
        };
        let (Some(last), Some(before)) = (head(last, &heads[0])?, head(before, &heads[1])?) else {
            return Ok((self.position_at(revision)?, self.has_position(other)?));
        };
        let before = Position::new(other.revision(), before);
        Ok((Position::new(revision, last), before == *other))
    }

    /// Returns the hash of the first audit record, which distinguishes this store from others;
    /// `None` if there is none.
    pub fn origin(&self) -> Result<Option<String>, StoreError> {
        Ok(self.audit(1)?.map(|record| record.head().hash()))
    }

    fn position_at(&self, revision: Revision) -> Result<Position, StoreError> {
        let key = revision.to_bytes();
        let range = (Bound::Unbounded, Bound::Included(&key[..]));
        // Revisions of stores that were upgraded from the first format may have no row.
        let row =
            self.rows().range(Table::Revisions, range, Direction::Back)?.next().transpose()?;
        let Some((_, seq)) = row else { return Ok(Position::new(revision, AuditHead::default())) };
        let head = number(&seq).map(|seq| self.head_at(seq)).transpose()?.flatten();
        let head = head.ok_or_else(|| {
            self.damaged(format!("the audit record of revision {revision} is missing"))
        })?;
        Ok(Position::new(revision, head))
    }

    /// Returns the values of the levels that changed after a revision, as of a later one: of the
    /// last one, whose position is `at`, unless there are more changes than `limit`.
    pub fn changes_to_copy(
        &self,
        selection: &Selection,
        after: Revision,
        at: &Position,
        mut limit: CopyLimit,
    ) -> Result<CopyChanges, StoreError> {
        loop {
            let last = at.revision().max(after);
            let (upto, changed) = self.last_changes(selection, after, last, limit.rows)?;
            let rows = self.values_of(&changed, limit)?;
            return match rows {
                Values::Read(rows) if upto == at.revision() => {
                    Ok(CopyChanges::Rows { upto: *at, rows })
                }
                Values::Read(rows) => Ok(CopyChanges::Rows { upto: self.position_at(upto)?, rows }),
                Values::Pruned => Ok(CopyChanges::Pruned),
                Values::TooLarge => {
                    limit.rows /= 4;
                    continue;
                }
            };
        }
    }

    /// Returns the last change of each level in the revisions after `after`, and the revision up to
    /// which these are all.
    fn last_changes(
        &self,
        selection: &Selection,
        after: Revision,
        last: Revision,
        limit: usize,
    ) -> Result<(Revision, Changed), StoreError> {
        let (mut changed, mut upto, mut looked) = (Changed::new(), after, 0);
        let mut is_full = false;
        let from = Bound::Included((after.next(), ""));
        self.visit_changes(from, |revision, level, kind| -> Result<_, StoreError> {
            is_full =
                revision != upto && (changed.len() >= limit || looked >= limit * MAX_SKIPPED_ROWS);
            if is_full && upto > after {
                return Ok(ControlFlow::Break(()));
            }
            is_full = false;
            (upto, looked) = (revision, looked + 1);
            if selection.covers(level) {
                changed.insert(level.to_owned(), (revision, kind));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let upto = if is_full { upto } else { last };
        Ok((upto, changed))
    }

    fn values_of(&self, changed: &Changed, limit: CopyLimit) -> Result<Values, StoreError> {
        let (mut rows, mut bytes) = (Vec::with_capacity(changed.len()), 0);
        let changed: Vec<_> = changed.iter().collect();
        for some in changed.chunks(COPIED_VALUES) {
            let stored = self.entries_of(some)?;
            for ((level, (revision, kind)), stored) in some.iter().zip(stored) {
                let value = match kind {
                    ChangeKind::Delete => CopyValue::Deleted,
                    ChangeKind::Put => match self.state_of(level, *revision, &stored)? {
                        Some(value) => value,
                        None => return Ok(Values::Pruned),
                    },
                };
                if let CopyValue::Stored(value) = &value {
                    bytes += value.len();
                }
                if bytes > limit.bytes && limit.rows > 1 {
                    return Ok(Values::TooLarge);
                }
                rows.push(CopyRow { level: (*level).clone(), value });
            }
        }
        Ok(Values::Read(rows))
    }

    /// Returns the current values of levels; `Err(())` stands for a damaged one.
    fn entries_of(
        &self,
        levels: &[(&String, &(Revision, ChangeKind))],
    ) -> Result<Vec<Result<Option<Bytes<'_>>, ()>>, StoreError> {
        let keys: Vec<&[u8]> = levels.iter().map(|(level, _)| level.as_bytes()).collect();
        match self.rows().get_many(Table::Entries, &keys) {
            Ok(values) => Ok(values.into_iter().map(Ok).collect()),
            Err(EngineError::Row { .. }) => {
                let values = keys.iter().map(|key| match self.get(Table::Entries, key) {
                    Err(error) if error.is_damaged_row() => Ok(Err(())),
                    found => found.map(Ok),
                });
                values.collect()
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the value that a level got in a revision, given its current one; `None` if it was
    /// pruned.
    fn state_of(
        &self,
        level: &str,
        revision: Revision,
        stored: &Result<Option<Bytes<'_>>, ()>,
    ) -> Result<Option<CopyValue>, StoreError> {
        if let Ok(Some(value)) = stored
            && Stored::parse(level, value).is_ok_and(|stored| stored.revision == revision)
        {
            return Ok(Some(CopyValue::Stored(value.to_vec())));
        }
        match self.get(Table::History, &history_key(level, revision)) {
            Ok(Some(value)) => Ok(Some(CopyValue::Stored(value.into_owned()))),
            Ok(None) if stored.is_err() => Ok(Some(CopyValue::Damaged)),
            Ok(None) => Ok(None),
            Err(error) if error.is_damaged_row() => Ok(Some(CopyValue::Damaged)),
            Err(error) => Err(error),
        }
    }

    /// Returns the first rows of a span that belong to a selection.
    pub fn rows_to_copy(
        &self,
        selection: &Selection,
        span: &LevelRange,
        limit: CopyLimit,
    ) -> Result<CopyPage, StoreError> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        let until = self.visit_span(selection, span, |level, value| {
            bytes += value.map_or(0, <[u8]>::len);
            let value = value.map_or(CopyValue::Damaged, |value| CopyValue::Stored(value.to_vec()));
            rows.push(CopyRow { level: level.to_owned(), value });
            rows.len() < limit.rows && bytes < limit.bytes
        })?;
        Ok(CopyPage { rows, until })
    }

    /// Returns a digest of the first rows of a span that belong to a selection.
    pub fn digest_of(
        &self,
        selection: &Selection,
        span: &LevelRange,
        limit: CopyLimit,
    ) -> Result<SpanDigest, StoreError> {
        let (mut digest, mut rows, mut bytes) = (RowsDigest::default(), 0, 0);
        let until = self.visit_span(selection, span, |level, value| {
            digest.add(level.as_bytes(), value.unwrap_or_default());
            (rows, bytes) = (rows + 1, bytes + value.map_or(0, <[u8]>::len));
            rows < limit.rows && bytes < limit.bytes
        })?;
        let (rows, digest) = digest.finish();
        Ok(SpanDigest { rows, digest: HEXLOWER.encode(&digest), until })
    }

    /// Visits the rows of a span that belong to a selection, with `None` for damaged values, until
    /// `visit` returns false. Returns the last level then; `None` if all were visited.
    pub(super) fn visit_span(
        &self,
        selection: &Selection,
        span: &LevelRange,
        mut visit: impl FnMut(&str, Option<&[u8]>) -> bool,
    ) -> Result<Option<String>, StoreError> {
        for (from, to) in selection.ranges(span) {
            for row in self.range(Table::Entries, (borrowed(&from), borrowed(&to)))? {
                let (key, value) = match row {
                    Ok((key, value)) => (key, Some(value)),
                    Err(StoreError::Corrupt { key, .. }) => (Cow::Owned(key.into_bytes()), None),
                    Err(error) => return Err(error),
                };
                let level = self.text(&key)?;
                if !visit(level, value.as_deref()) {
                    return Ok(Some(level.to_owned()));
                }
            }
        }
        Ok(None)
    }
}

/// Levels, each with the revision of its last change and what that did.
type Changed = BTreeMap<String, (Revision, ChangeKind)>;

/// The values of changed levels.
enum Values {
    Read(Vec<CopyRow>),
    Pruned,
    TooLarge,
}
