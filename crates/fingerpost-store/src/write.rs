//! Writing a batch: one transaction, durable when it returns, or nothing.

use crate::batch::{Batch, Change};
use crate::format::{REVISION_KEY, encode};
use crate::{EmbeddedStore, Revision, StoreError, rule};

impl EmbeddedStore {
    /// See [`crate::LinkStore::write`]. Dropping the transaction on any error takes everything back.
    pub(crate) fn write_batch(&self, batch: &Batch) -> Result<Revision, StoreError> {
        if batch.is_empty() {
            return self.revision();
        }
        let fault = |error| self.environment.fault(error);
        let mut txn = self.environment.write()?;
        let revision = self.revision_in(&txn)?.next();
        let entries = self.databases.entries;
        let mut value = Vec::new();
        for (level, change) in batch.changes() {
            match change {
                Change::Put(entry) => {
                    encode(entry, revision, &mut value);
                    entries.put(&mut txn, level.as_str(), &value).map_err(fault)?;
                }
                Change::Delete => {
                    entries.delete(&mut txn, level.as_str()).map_err(fault)?;
                }
            }
        }
        if batch.is_checked() {
            rule::judge(&self.environment, entries, &txn, batch)?;
        }
        self.databases.meta.put(&mut txn, REVISION_KEY, &revision.to_bytes()).map_err(fault)?;
        txn.commit().map_err(fault)?;
        Ok(revision)
    }
}
