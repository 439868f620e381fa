//! When recalls began.

use fingerpost_resolver::{Anchor, Entry};
use jiff::Timestamp;

use super::View;
use crate::limits::MAX_RECALLED_STATES;
use crate::{Revision, StoreError};

impl View<'_> {
    /// Returns the revision with which a recalled level was recalled, as far as its history is
    /// still stored. `current` is the revision of its record; later changes do not matter.
    pub fn recall_began(&self, level: &Anchor, current: Revision) -> Result<Revision, StoreError> {
        let mut began = current;
        for _ in 0..MAX_RECALLED_STATES {
            let Some(earlier) = began.number().checked_sub(1).map(Revision::new) else { break };
            match self.state_at(level, earlier)? {
                Some(state) if state.entry().is_some_and(Entry::is_recalled) => {
                    began = state.revision();
                }
                _ => break,
            }
        }
        Ok(began)
    }

    /// Returns when a level was recalled; `None` if it is not recalled, or if that is no longer
    /// known.
    pub fn recalled_since(&self, level: &Anchor) -> Result<Option<Timestamp>, StoreError> {
        let Some((entry, current)) = self.level(level)? else { return Ok(None) };
        if !entry.is_recalled() {
            return Ok(None);
        }
        let record = self.audit_of(self.recall_began(level, current)?)?;
        Ok(record.map(|record| record.at()))
    }
}
