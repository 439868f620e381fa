//! The embedded store: how it is opened, and what it says about itself.

use std::fmt;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;
use heed::{AnyTls, RoTxn};

use crate::cache::HotCache;
use crate::databases::Databases;
use crate::environment::Environment;
use crate::format::{FORMAT, REVISION_KEY, parse_revision};
use crate::group::Queue;
use crate::upgrade::upgrade;
use crate::{Batch, Levels, LinkStore, Revision, StoreError};

/// Default size of the map: address space only, so it is generous. At 400 bytes an entry, 600 million entries.
const DEFAULT_MAP_SIZE: usize = 256 << 30;

/// Default bound of the hot cache: some 400,000 keys. Scans are skewed, but with a long tail: over a million products, Zipf's law lets a
/// cache of a quarter of this size miss about one request in six.
const DEFAULT_CACHE_BYTES: usize = 256 << 20;

/// How a store is opened.
///
/// ```
/// let options = fingerpost_store::StoreOptions::default().cache_bytes(256 << 20);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    map_size: usize,
    cache_bytes: usize,
}

impl StoreOptions {
    /// Size of the memory map in bytes, rounded up to 64 KiB: the most the data file can grow to. It takes
    /// address space, not memory or disk. 256 GiB unless told. Processes that share a store use the same.
    #[must_use]
    pub fn map_size(mut self, bytes: usize) -> Self {
        self.map_size = bytes;
        self
    }

    /// Bound of the hot cache in bytes; 0 for none. 256 MiB unless told.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    pub(crate) fn map_bytes(&self) -> usize {
        self.map_size
    }
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { map_size: DEFAULT_MAP_SIZE, cache_bytes: DEFAULT_CACHE_BYTES }
    }
}

/// A store in a directory of this machine. See the [crate's page](crate) for its guarantees.
///
/// One process opens a directory once and shares the handle; other processes may open it as well. Dropping
/// the handle closes it.
pub struct Store {
    pub(crate) environment: Environment,
    pub(crate) databases: Databases,
    pub(crate) cache: Option<HotCache>,
    pub(crate) queue: Queue,
}

impl Store {
    /// Opens the store in `dir`; creates it, and the directory, when missing. A store of an older format is
    /// brought to this release's first, wholly or not at all; earlier releases then refuse it.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerFormat`], [`StoreError::NotAStore`], [`StoreError::AlreadyOpen`],
    /// [`StoreError::Permission`], [`StoreError::DiskFull`] and others; a store that exists is as it was.
    pub fn open(dir: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let environment = Environment::create(dir, options.map_size)?;
        Self::in_environment(environment, options)
    }

    /// Opens the store in `dir`, which must exist; otherwise as [`Store::open`].
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] if there is none, and those of [`Store::open`].
    pub fn open_existing(dir: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let environment = Environment::open_existing(dir, options.map_size)?;
        Self::in_environment(environment, options)
    }

    fn in_environment(environment: Environment, options: StoreOptions) -> Result<Self, StoreError> {
        let (databases, format) = Databases::open(&environment)?;
        let cache = HotCache::new(options.cache_bytes);
        let store = Self { environment, databases, cache, queue: Queue::default() };
        if format < FORMAT {
            store.transact_alone(upgrade)?;
        }
        Ok(store)
    }

    /// The directory of the store.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.environment.dir()
    }

    /// Number of levels that hold an entry.
    ///
    /// # Errors
    ///
    /// That the store cannot be read.
    pub fn len(&self) -> Result<u64, StoreError> {
        let txn = self.environment.read()?;
        self.databases.entries.len(&txn).map_err(|error| self.environment.fault(error))
    }

    /// Whether no level holds an entry.
    ///
    /// # Errors
    ///
    /// That the store cannot be read.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Revision of the last batch written, by any process.
    ///
    /// # Errors
    ///
    /// That the store cannot be read.
    pub fn revision(&self) -> Result<Revision, StoreError> {
        let txn = self.environment.read()?;
        self.revision_in(&txn)
    }

    pub(crate) fn revision_in(&self, txn: &RoTxn<'_, AnyTls>) -> Result<Revision, StoreError> {
        let bytes = self
            .databases
            .meta
            .get(txn, REVISION_KEY)
            .map_err(|error| self.environment.fault(error))?;
        Ok(bytes.and_then(parse_revision).unwrap_or_default())
    }
}

impl LinkStore for Store {
    fn read(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        self.read_levels(key)
    }

    fn write(&self, batch: &Batch) -> Result<Revision, StoreError> {
        self.write_batch(batch)
    }

    fn scan(
        &self,
        from: Bound<&str>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(Arc<Entry>, Revision)>, StoreError> {
        self.page(from, prefix, limit)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path()).finish_non_exhaustive()
    }
}
