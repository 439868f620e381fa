//! What a process has done with a store, and how large the store is.

use super::{Backend, Store};
use crate::{Activity, StoreError, StoreSize};

impl Store {
    /// Returns what this process has done with the store since it opened it.
    #[must_use]
    pub fn activity(&self) -> Activity {
        let mut activity = self.writes.read();
        activity.waiting = self.queue.waiting();
        if let Some(cache) = &self.cache {
            cache.tell(&mut activity);
        }
        activity
    }

    /// Returns how large the store is; `None` if it is not in files of this machine.
    ///
    /// # Errors
    ///
    /// If the data file cannot be looked at.
    pub fn size(&self) -> Result<Option<StoreSize>, StoreError> {
        match &self.backend {
            Backend::Lmdb(lmdb) => lmdb.raw().size().map(Some),
            Backend::Other(_) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_gs1::EntityKey;

    use super::*;
    use crate::StoreOptions;

    #[test]
    fn reads_and_commits_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), StoreOptions::default()).unwrap();
        let before = store.activity();
        store
            .transact(|tx| -> Result<(), StoreError> { tx.put_document("notes", "a", b"{}") })
            .unwrap();
        let key = EntityKey::parse("/01/09506000134352").unwrap();
        for _ in 0..5 {
            store.read(&key).unwrap();
        }
        let after = store.activity();
        assert_eq!(after.commits - before.commits, 1);
        assert_eq!(after.operations - before.operations, 1);
        assert!(after.committing > before.committing);
        assert_eq!((after.failures, after.waiting), (0, 0));
        // A level enters the cache with its second miss.
        assert_eq!((after.cache_misses, after.cache_hits, after.cache_items), (2, 3, 1));
        assert!(after.cache_bytes > 0 && after.cache_bytes < after.cache_limit);
        let size = store.size().unwrap().unwrap();
        assert!(size.used > 0 && size.used <= size.file && size.file < size.map, "{size:?}");
    }
}
