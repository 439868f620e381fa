//! Reads changes and their times: the index of changes, and the times of revisions.

use std::ops::{Bound, ControlFlow};

use fingerpost_engine::{Row, Table};
use jiff::Timestamp;

use super::{ItemIter, View, number};
use crate::format::{change_key, parse_change_key};
use crate::{Revision, StoreError};

/// The kind of a change of a level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChangeKind {
    /// The level got an entry, new or replacing another.
    Put,
    /// The level lost its entry.
    Delete,
}

/// Changes and their times.
impl<'t> View<'t> {
    /// Visits changes from a cursor on, ordered by revision, then by level, until `visit` breaks or
    /// fails. A cursor is a revision and the text of a level, or of anything that texts of levels
    /// are ordered by.
    pub fn visit_changes<E: From<StoreError>>(
        &self,
        from: Bound<(Revision, &str)>,
        visit: impl FnMut(Revision, &str, ChangeKind) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let from = from.map(|(revision, text)| change_key(revision, text));
        let from = from.as_ref().map(Vec::as_slice);
        self.visit_rows(self.range(Table::Changes, (from, Bound::Unbounded))?, visit)
    }

    /// Visits changes backwards, from those before a cursor on: the newest revision first, until
    /// `visit` breaks or fails. `before` as in [`View::visit_changes`]; all changes without one.
    pub fn visit_changes_back<E: From<StoreError>>(
        &self,
        before: Option<(Revision, &str)>,
        visit: impl FnMut(Revision, &str, ChangeKind) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let before = before.map(|(revision, text)| change_key(revision, text));
        let end = before.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        self.visit_rows(self.range_back(Table::Changes, (Bound::Unbounded, end))?, visit)
    }

    fn visit_rows<E: From<StoreError>>(
        &self,
        rows: ItemIter<'_, Row<'_>>,
        mut visit: impl FnMut(Revision, &str, ChangeKind) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        for row in rows {
            let (key, hash) = row?;
            let (revision, level) = parse_change_key(&key)
                .ok_or_else(|| self.damaged("a key in the index of changes is malformed"))?;
            let kind = if hash.is_empty() { ChangeKind::Delete } else { ChangeKind::Put };
            if visit(revision, level, kind)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Returns the first revision made at `at` or later; if there is none, the next revision to be
    /// made.
    pub fn first_revision_since(&self, at: Timestamp) -> Result<Revision, StoreError> {
        // Times never decrease in the chain, so revisions are ordered by time too.
        let (mut low, mut high) = (1, self.revision()?.number() + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            let middle_key = middle.to_be_bytes();
            let range = (Bound::Included(&middle_key[..]), Bound::Unbounded);
            let row = self.range(Table::Revisions, range)?.next().transpose()?;
            // Revisions from before an upgrade may have no row, because none of their data is left.
            let Some((revision, seq)) =
                row.and_then(|(key, seq)| Some((number(&key)?, number(&seq)?)))
            else {
                high = middle;
                continue;
            };
            let Some(record) = self.audit(seq)? else {
                return Err(self.damaged(format!("audit record {seq} is missing")));
            };
            if record.at() < at {
                low = revision + 1;
            } else {
                high = middle;
            }
        }
        Ok(Revision::new(low))
    }
}
