//! Stores for tests: one in memory, one that fails.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, RwLock};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, Rules, read_record};
use fingerpost_store::{Batch, Change, Levels, LinkStore, Revision, StoreError, Unavailable};
use serde_json::Value;

/// Entries in memory, in the order of their keys. Keeps no rule across levels.
#[derive(Debug, Default)]
pub struct MemoryStore(RwLock<BTreeMap<String, Arc<Entry>>>);

impl MemoryStore {
    /// A store with these records, past the rule across levels (`stored_breaks`).
    ///
    /// # Panics
    ///
    /// If a record is refused.
    #[must_use]
    pub fn with_records(records: &[Value], rules: &Rules<'_>) -> Self {
        let mut batch = Batch::unchecked();
        for record in records {
            let json = record.to_string();
            let accepted = read_record(json.as_bytes(), rules)
                .unwrap_or_else(|refused| panic!("{refused} in {json}"));
            batch.put(accepted.entry);
        }
        let store = Self::default();
        store.apply(&batch);
        store
    }

    fn apply(&self, batch: &Batch) {
        let mut entries = self.0.write().expect("no test panics while it writes");
        for (key, change) in batch.changes() {
            match change {
                Change::Put(entry) => entries.insert(key.as_str().to_owned(), Arc::clone(entry)),
                Change::Delete => entries.remove(key.as_str()),
            };
        }
    }
}

impl LinkStore for MemoryStore {
    fn read(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        let entries = self.0.read().expect("no test panics while it writes");
        let mut levels = Levels::new();
        key.levels()
            .filter_map(|level| entries.get(&*level))
            .for_each(|entry| levels.push(Arc::clone(entry)));
        Ok(levels)
    }

    fn write(&self, batch: &Batch) -> Result<Revision, StoreError> {
        self.apply(batch);
        Ok(Revision::default())
    }

    fn scan(
        &self,
        from: Bound<&str>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(Arc<Entry>, Revision)>, StoreError> {
        let entries = self.0.read().expect("no test panics while it writes");
        let range = entries.range::<str, _>((from, Bound::Unbounded));
        let found = range.filter(|(key, _)| key.starts_with(prefix)).take(limit);
        Ok(found.map(|(_, entry)| (Arc::clone(entry), Revision::default())).collect())
    }
}

/// A store that cannot be reached (RES-2.4.1-5).
#[derive(Clone, Copy, Debug, Default)]
pub struct FailingStore;

impl FailingStore {
    const ERROR: StoreError = StoreError::Unavailable(Unavailable::Stopped);
}

impl LinkStore for FailingStore {
    fn read(&self, _: &EntityKey) -> Result<Levels, StoreError> {
        Err(Self::ERROR)
    }

    fn write(&self, _: &Batch) -> Result<Revision, StoreError> {
        Err(Self::ERROR)
    }

    fn scan(
        &self,
        _: Bound<&str>,
        _: &str,
        _: usize,
    ) -> Result<Vec<(Arc<Entry>, Revision)>, StoreError> {
        Err(Self::ERROR)
    }
}
