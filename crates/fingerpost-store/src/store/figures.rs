//! What a process has done with a store, and how large the store is.

use super::{Backend, Store};
use crate::{Activity, StoreError, StoreSize};

impl Store {
    /// Returns what this process has done with the store since it opened it.
    pub fn activity(&self) -> Activity {
        let mut activity = self.writes.read();
        activity.waiting = self.queue.waiting();
        if let Backend::Lmdb(lmdb) = &self.backend {
            lmdb.raw().add_activity(&mut activity);
        }
        if let Some(hot) = &self.hot {
            activity.add_reads(hot.hits(), 0);
            activity.add_memory(hot.bytes());
        }
        activity
    }

    /// Returns how large the store is; `None` if it is not in files of this machine.
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
    use fingerpost_resolver::{Rules, Vocabulary, read_record};

    use super::*;
    use crate::{Batch, StoreOptions};

    #[test]
    fn reads_and_commits_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), StoreOptions::default()).unwrap();
        let before = store.activity();
        store
            .transact(|tx| -> Result<(), StoreError> { tx.put_document("notes", "a", b"{}") })
            .unwrap();
        let record = br#"{"anchor": "/01/09506000134352", "links": [
            {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
            {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
        let vocabulary = Vocabulary::builtin();
        let mut batch = Batch::new();
        batch.put(read_record(record, &Rules::new(&vocabulary)).unwrap().entry);
        store.write(&batch).unwrap();
        for key in ["/01/09506000134352", "/01/09506000134369"] {
            let key = EntityKey::parse(key).unwrap();
            (0..5).for_each(|_| drop(store.read(&key).unwrap()));
        }
        let after = store.activity();
        assert_eq!(after.commits - before.commits, 2);
        assert_eq!(after.operations - before.operations, 2);
        assert!(after.committing > before.committing);
        assert_eq!((after.failures, after.waiting), (0, 0));
        // The second read finds the place of what is registered, and searches again for what is not. After it, both are known.
        assert_eq!((after.cache_misses, after.cache_hits), (3, 7));
        assert!(after.cache_bytes > 0 && after.cache_bytes < after.cache_limit);
        let size = store.size().unwrap().unwrap();
        assert!(size.used > 0 && size.used <= size.file && size.file < size.map, "{size:?}");
    }
}
