//! The engine of a store: LMDB in a directory, or any other.
//!
//! LMDB is a type of its own here, so that the path of a redirect has no dynamic dispatch.

use std::path::Path;
use std::sync::Arc;

use fingerpost_engine::{Checked, Engine, EngineError, Overlay, Prefetch, Snapshot, Work};
use fingerpost_lmdb::{Lmdb, LmdbOptions, StoreSize};

use crate::{Activity, Store, StoreError, StoreOptions};

/// The engine that keeps the rows of a store.
pub(crate) enum Backend {
    /// A concrete type, so that public requests read it without dynamic dispatch.
    Lmdb(Box<Checked<Lmdb>>),
    Other(Checked<Arc<dyn Engine>>),
}

impl Backend {
    /// Calls [`Engine::last_commit`].
    #[inline]
    pub(crate) fn last_commit(&self) -> Option<u64> {
        match self {
            Self::Lmdb(lmdb) => Some(lmdb.raw().last_transaction()),
            Self::Other(engine) => engine.last_commit(),
        }
    }
}

impl Store {
    /// Opens the LMDB store in the directory `dir`; creates the store and the directory if missing.
    /// Upgrades a store of an older format first, completely or not at all; earlier releases can
    /// then no longer open it.
    ///
    /// Fails with [`EngineError::NewerFormat`], [`EngineError::NotAStore`],
    /// [`EngineError::AlreadyOpen`], [`EngineError::Permission`], [`EngineError::DiskFull`] and
    /// others; an existing store is unchanged.
    pub fn open(dir: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let lmdb = Lmdb::create(dir, options.lmdb())?;
        Self::on(Backend::Lmdb(Box::new(Checked::new(lmdb))), options)
    }

    /// Opens the store in `dir`, which must exist. Otherwise the same as [`Store::open`].
    pub fn open_existing(dir: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let lmdb = Lmdb::open_existing(dir, options.lmdb())?;
        Self::on(Backend::Lmdb(Box::new(Checked::new(lmdb))), options)
    }

    /// Returns a store over another one for a dry run: it reads what `below` has, and keeps its own
    /// changes in temporary files in `dir`. `below` is never changed.
    pub fn overlay(below: &Arc<Self>, dir: &Path) -> Result<Self, StoreError> {
        let above = Box::new(Lmdb::create(dir, LmdbOptions::default())?);
        let overlay = Self::over(Overlay::new(RawEngine(Arc::clone(below)), above)?)?;
        Ok(overlay.with_scratch(below.scratch()))
    }

    /// Returns the engine below the checksums.
    pub(crate) fn raw_engine(&self) -> &dyn Engine {
        match &self.backend {
            Backend::Lmdb(lmdb) => lmdb.raw(),
            Backend::Other(engine) => engine.raw(),
        }
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        match &self.backend {
            Backend::Lmdb(lmdb) => &**lmdb,
            Backend::Other(engine) => engine,
        }
    }

    /// Returns the directory of the store, if it has one.
    pub fn dir(&self) -> Option<&Path> {
        match &self.backend {
            Backend::Lmdb(lmdb) => Some(lmdb.raw().dir()),
            Backend::Other(_) => None,
        }
    }

    /// Sets whether damage to the files is to be expected, because nobody has checked them since
    /// they were opened ([`Store::check_pages`], [`Store::check_rows`]). Reads then cost more,
    /// and fail where a damaged page or row could hide another row, which a checked store does
    /// not verify for each read. By default it is not expected. A store in another place than a
    /// directory ignores it.
    pub fn set_unchecked(&self, is_unchecked: bool) {
        if let Backend::Lmdb(lmdb) = &self.backend {
            lmdb.raw().set_unchecked(is_unchecked);
        }
    }

    /// Returns whether damage to the files is to be expected.
    pub fn is_unchecked(&self) -> bool {
        matches!(&self.backend, Backend::Lmdb(lmdb) if lmdb.raw().is_unchecked())
    }

    /// Returns what this process has done with the store since it opened it.
    pub fn activity(&self) -> Activity {
        let mut activity = self.writes.read();
        activity.waiting = self.queue.waiting();
        if let Backend::Lmdb(lmdb) = &self.backend {
            let locations = lmdb.raw().location_cache();
            activity.add_reads(locations.hits, locations.misses);
            activity.add_memory((locations.bytes, locations.limit));
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
            Backend::Lmdb(lmdb) => Ok(Some(lmdb.raw().size()?)),
            Backend::Other(_) => Ok(None),
        }
    }
}

/// The engine below the checksums of a store, shared with the store.
struct RawEngine(Arc<Store>);

impl Engine for RawEngine {
    fn location(&self) -> &str {
        self.0.location()
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        self.0.raw_engine().snapshot()
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.0.raw_engine().write(prefetch, work)
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
        // The second read knows the location of the registered key, and searches again for the
        // other one. After it, both are cached.
        assert_eq!((after.cache_misses, after.cache_hits), (3, 7));
        assert!(after.cache_bytes > 0 && after.cache_bytes < after.cache_limit);
        let size = store.size().unwrap().unwrap();
        assert!(size.used > 0 && size.used <= size.file && size.file < size.map, "{size:?}");
    }
}
