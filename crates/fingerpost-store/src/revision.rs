//! What every store of link entries can do.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;

use crate::{Batch, Levels, StoreError};

/// A store of entries by level. All methods may be called from any thread, and block.
pub trait LinkStore: Send + Sync + 'static {
    /// Everything registered at the levels that apply to a request for `key`, most granular first
    /// (RES-2.5.10-4), from one snapshot that holds every write which returned before, in any process.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of these entries is damaged, or that the store cannot be read.
    fn read(&self, key: &EntityKey) -> Result<Levels, StoreError>;

    /// Applies a batch, wholly or not at all; when this returns it is durable. An empty batch changes
    /// nothing and returns the present revision.
    ///
    /// # Errors
    ///
    /// [`StoreError::MissingDefault`] if a checked batch breaks the rule across levels (RES-2.5.9-1), or that the
    /// store cannot be written. In every case the store is as it was.
    fn write(&self, batch: &Batch) -> Result<Revision, StoreError>;

    /// At most `limit` entries whose level begins with `prefix`, in the order of their canonical texts, from the
    /// bound `from` on, each with the revision of its last change.
    ///
    /// A store is walked page by page, each page a snapshot of its own, by passing the last level as
    /// [`Bound::Excluded`].
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of these entries is damaged, or that the store cannot be read.
    fn scan(
        &self,
        from: Bound<&str>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(Arc<Entry>, Revision)>, StoreError>;
}

/// A store that is shared, such as by the public and the admin side of one server.
impl<S: LinkStore> LinkStore for Arc<S> {
    fn read(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        (**self).read(key)
    }

    fn write(&self, batch: &Batch) -> Result<Revision, StoreError> {
        (**self).write(batch)
    }

    fn scan(
        &self,
        from: Bound<&str>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(Arc<Entry>, Revision)>, StoreError> {
        (**self).scan(from, prefix, limit)
    }
}

/// Number of a batch: 0 for a new store, one more with each batch that is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Revision(u64);

impl Revision {
    /// The revision with this number, such as one that a caller names.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number itself.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The revision after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The stored form, which orders as the number does.
    pub(crate) const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    pub(crate) const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
