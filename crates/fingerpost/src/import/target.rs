//! What an import writes to: the store, or for a dry run a temporary one laid over a view of it.

use std::path::Path;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::has_standing_default;
use fingerpost_store::{Batch, LinkStore, Revision, Store, StoreError, StoreOptions};
use tempfile::TempDir;

use crate::config;
use crate::failure::Failure;

/// Where accepted records go.
pub(super) enum Target {
    /// The store itself.
    Store(Box<Store>),
    /// A dry run: written to `over`, read from `over` and then from `base`, if there is a store at all.
    Overlay { over: Box<Store>, base: Option<Box<Store>>, dir: TempDir },
}

impl Target {
    /// Opens the store in `data`, or the view of it for a dry run, which creates and changes nothing there.
    ///
    /// # Errors
    /// What the store says.
    pub(super) fn open(data: &Path, dry_run: bool, options: StoreOptions) -> Result<Self, Failure> {
        if !dry_run {
            return Ok(Self::Store(Box::new(Store::open(data, options)?)));
        }
        let base = match Store::open_existing(data, options) {
            Ok(store) => Some(Box::new(store)),
            Err(StoreError::Missing { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let dir = TempDir::with_prefix("fingerpost-dry-run-").map_err(|error| {
            Failure::advise(
                format!("cannot make a temporary directory: {error}"),
                "set TMPDIR to a directory with free space",
            )
        })?;
        let over = Box::new(Store::open(dir.path(), options)?);
        Ok(Self::Overlay { over, base, dir })
    }

    /// A directory for temporary files, with as much space as the records themselves need.
    pub(super) fn scratch(&self) -> &Path {
        match self {
            Self::Store(store) => store.path(),
            Self::Overlay { dir, .. } => dir.path(),
        }
    }

    /// Writes a batch; the same rule across levels is judged in a dry run.
    ///
    /// # Errors
    /// What the store says.
    pub(super) fn write(&self, batch: &Batch) -> Result<Revision, StoreError> {
        match self {
            Self::Store(store) => store.write(batch),
            Self::Overlay { over, .. } => over.write(batch),
        }
    }

    /// An empty batch of the right kind.
    pub(super) fn new_batch(&self) -> Batch {
        match self {
            Self::Store(_) => Batch::new().by(config::author("import")),
            // Key levels may stand in the store below: `has_default` has looked there.
            Self::Overlay { .. } => Batch::unchecked(),
        }
    }

    /// Has the bare key a default link without a validity window (RES-2.5.9-1)?
    ///
    /// # Errors
    /// What the store says.
    pub(super) fn has_default(&self, key_level: &EntityKey) -> Result<bool, StoreError> {
        let holds = |store: &Store| -> Result<Option<bool>, StoreError> {
            Ok(store.read(key_level)?.last().map(|entry| has_standing_default(entry)))
        };
        match self {
            Self::Store(store) => Ok(holds(store)?.unwrap_or(false)),
            Self::Overlay { over, base, .. } => match (holds(over)?, base) {
                (Some(has), _) => Ok(has),
                (None, Some(base)) => Ok(holds(base)?.unwrap_or(false)),
                (None, None) => Ok(false),
            },
        }
    }
}
