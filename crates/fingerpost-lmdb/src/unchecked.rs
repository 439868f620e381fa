//! Reads of a file that was not checked as a whole.
//!
//! A damaged key hides its row, and those that a search no longer reaches because of it. Once a
//! file was checked, few searches pay for finding that. Until then, each one verifies the pages
//! that lead to its position and all rows of the leaves there, and a range the row after its end.

use std::borrow::Cow;
use std::iter;
use std::ops::{Bound, RangeBounds};
use std::sync::atomic::Ordering;

use fingerpost_engine::checksum::verified;
use fingerpost_engine::{Direction, EngineError, KeyRange, RowIter, Table};

use super::{Lmdb, Reading};

impl Lmdb {
    /// Sets whether damage to the file is to be expected, because it was not checked. Reads then
    /// cost more, and are errors where a damaged page or key could hide a row. A file that was just
    /// opened counts as checked.
    pub fn set_unchecked(&self, is_unchecked: bool) {
        self.is_unchecked.store(is_unchecked, Ordering::Release);
    }

    /// Returns whether damage to the file is to be expected.
    #[inline]
    pub fn is_unchecked(&self) -> bool {
        self.is_unchecked.load(Ordering::Acquire)
    }
}

impl Reading<'_> {
    /// Verifies the rows beside the position of a key that was not found: one of them can be the
    /// missing row with a damaged key.
    pub(super) fn verify_beside(&self, table: Table, key: &[u8]) -> Result<(), EngineError> {
        let beside = self.of(table)?.beside(key).map_err(|fault| self.fault(fault))?;
        beside
            .into_iter()
            .try_for_each(|(key, value)| verified(table, key, Cow::Borrowed(value)).map(|_| ()))
    }

    /// Returns the rows of a range of a file that was not checked.
    pub(super) fn unchecked_range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        let is_back = direction == Direction::Back;
        let begin = if is_back { range.1 } else { range.0 };
        if let Bound::Included(key) | Bound::Excluded(key) = begin {
            self.verify_beside(table, key)?;
        }
        let beyond =
            if is_back { (Bound::Unbounded, range.1) } else { (range.0, Bound::Unbounded) };
        let mut rows = self.of(table)?.range(beyond, is_back).map_err(|fault| self.fault(fault))?;
        let end = if is_back { range.0 } else { range.1 }.map(<[u8]>::to_vec);
        let mut has_ended = false;
        Ok(Box::new(iter::from_fn(move || {
            let next = if has_ended { None } else { rows.next() };
            let (key, value) = match next? {
                Ok(row) => row,
                Err(fault) => return Some(Err(self.fault(fault))),
            };
            let end = end.as_ref().map(Vec::as_slice);
            let rest = if is_back { (end, Bound::Unbounded) } else { (Bound::Unbounded, end) };
            has_ended = !rest.contains(key);
            match has_ended {
                true => verified(table, key, value.into()).err().map(Err),
                false => Some(Ok((key.into(), value.into()))),
            }
        })))
    }
}
