//! Writes a single batch: [`Store::write`].

use crate::batch::{Batch, Change};
use crate::event::now;
use crate::limits::{MAX_SHARED_BYTES, MAX_SHARED_CHANGES};
use crate::{Event, Revision, Store, StoreError};

/// The actor of a batch without an author.
const NOBODY_NAMED: &str = "local";

impl Store {
    /// Applies a batch, completely or not at all; it is durable when this returns. An empty batch
    /// changes nothing and returns the current revision.
    ///
    /// Fails with [`StoreError::MissingDefault`] if a checked batch breaks the rule across levels
    /// (RES-2.5.9-1), or an error if the store cannot be written. In every case the store is
    /// unchanged.
    pub fn write(&self, batch: &Batch) -> Result<Revision, StoreError> {
        if batch.is_empty() {
            return self.revision();
        }
        let event = match batch.author() {
            Some(author) => Event { at: now(), ..author.clone() },
            None => Event::new("links.write", NOBODY_NAMED, now()),
        };
        if is_small(batch) {
            let batch = batch.clone();
            return self.transact(move |transaction| transaction.write(&batch, event.clone()));
        }
        self.transact_alone(|transaction| transaction.write(batch, event.clone()))
    }
}

fn is_small(batch: &Batch) -> bool {
    let size = |change: &Change| match change {
        Change::Put(entry) => entry.size(),
        Change::Delete => 0,
    };
    batch.len() <= MAX_SHARED_CHANGES
        && batch.changes().map(|(_, change)| size(change)).sum::<usize>() <= MAX_SHARED_BYTES
}
