//! Pruning: states that nobody asks for any more leave the history, the record of their changes stays.

use crate::format::parse_history_key;
use crate::transaction::Transaction;
use crate::{Event, Revision, StoreError};

/// Action of the record that says that states were dropped.
pub(crate) const PRUNED: &str = "history.pruned";
/// Detail of that record: states that were replaced by then may be missing.
pub(crate) const BEFORE: &str = "before";

impl Transaction<'_> {
    /// Drops at most `limit` states that were replaced in revision `before` or earlier, so that no state in force
    /// after it is touched; returns how many. What changed when, and by whom, stays. If any is dropped, records
    /// `event`, whose action becomes `history.pruned`, so that verifying knows.
    ///
    /// # Errors
    ///
    /// That the store cannot be read or written.
    pub fn prune_history(
        &mut self,
        before: Revision,
        limit: usize,
        event: Event,
    ) -> Result<u64, StoreError> {
        self.guarded(|this| {
            // What has not happened yet cannot be dropped, nor be permitted to be missing later.
            let before = before.min(this.revision()?);
            let dropped = this.replaced(before, limit)?;
            for key in &dropped {
                this.delete_row(this.databases().history, key)?;
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

    /// Keys of states in the history that were replaced by then.
    fn replaced(&self, before: Revision, limit: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut found = Vec::new();
        let rows = self.databases().history.iter(self.txn()).map_err(|error| self.fault(error))?;
        let mut last: Option<(&[u8], &str)> = None;
        for row in rows {
            if found.len() >= limit {
                return Ok(found);
            }
            let (key, _) = row.map_err(|error| self.fault(error))?;
            let Some((level, revision)) = parse_history_key(key) else { continue };
            match last.replace((key, level)) {
                Some((key, of)) if of == level => {
                    found.extend((revision <= before).then(|| key.to_vec()));
                }
                Some((key, of)) => found.extend(self.replaced_now(key, of, before)?),
                None => {}
            }
        }
        if let Some((key, level)) = last
            && found.len() < limit
        {
            found.extend(self.replaced_now(key, level, before)?);
        }
        Ok(found)
    }

    /// The key of the last state of a level in the history, if what is there now replaced it by then.
    fn replaced_now(
        &self,
        key: &[u8],
        level: &str,
        before: Revision,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let present =
            self.stored(level)?.and_then(|value| crate::format::Stored::parse(level, value).ok());
        Ok(present.filter(|stored| stored.revision <= before).map(|_| key.to_vec()))
    }
}
