//! Prunes history: deletes old states, but keeps the record of their changes.

use fingerpost_engine::{ALL_KEYS, Table};

use crate::format::{Stored, parse_history_key};
use crate::transaction::Transaction;
use crate::{Event, Revision, StoreError};

/// Action of the audit record of a pruning.
pub(crate) const PRUNED: &str = "history.pruned";
/// Detail of that record: states replaced in this revision or earlier may be missing.
pub(crate) const BEFORE: &str = "before";

impl Transaction<'_> {
    /// Deletes at most `limit` states that were replaced in revision `before` or earlier; returns
    /// their number. States in force after `before` are kept, as well as the record of each change,
    /// its time and its actor. If it deletes any state, it records `event` with the action
    /// `history.pruned`, which verification needs.
    pub fn prune_history(
        &mut self,
        before: Revision,
        limit: usize,
        event: Event,
    ) -> Result<u64, StoreError> {
        self.guarded(|this| {
            // Future revisions cannot be pruned, nor may their states be missing later.
            let before = before.min(this.revision()?);
            let dropped = this.replaced(before, limit)?;
            for key in &dropped {
                this.delete(Table::History, key)?;
            }
            let count = dropped.len() as u64;
            if count > 0 {
                let mut event = event.detail(BEFORE, before.number()).detail("states", count);
                event.action = PRUNED.into();
                this.append_record(event, None)?;
            }
            Ok(count)
        })
    }

    /// Returns the keys of states in the history that were replaced in revision `before` or
    /// earlier.
    fn replaced(&self, before: Revision, limit: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut found = Vec::new();
        let mut last: Option<Vec<u8>> = None;
        for key in self.keys(Table::History, ALL_KEYS)? {
            if found.len() >= limit {
                return Ok(found);
            }
            let (key, _) = key?;
            let Some((level, revision)) = parse_history_key(&key) else { continue };
            let Some(previous) = last.replace(key.to_vec()) else { continue };
            match parse_history_key(&previous) {
                Some((of, _)) if of == level => {
                    found.extend((revision <= before).then_some(previous));
                }
                _ => found.extend(self.replaced_now(previous, before)?),
            }
        }
        if let Some(last) = last
            && found.len() < limit
        {
            found.extend(self.replaced_now(last, before)?);
        }
        Ok(found)
    }

    /// Returns the key of the last state of a level in the history, if the current entry replaced
    /// it in revision `before` or earlier.
    fn replaced_now(&self, key: Vec<u8>, before: Revision) -> Result<Option<Vec<u8>>, StoreError> {
        let Some((level, _)) = parse_history_key(&key) else { return Ok(None) };
        let present = self.undamaged(Table::Entries, level.as_bytes())?;
        let present = present.and_then(|value| Some(Stored::parse(level, &value).ok()?.revision));
        Ok(present.filter(|revision| *revision <= before).map(|_| key))
    }
}
