//! The target of an import: a registry, or in a dry run a temporary one that is filled from it as needed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use fingerpost_registry::{Applied, Caller, Change, Registry, RegistryOptions};
use fingerpost_resolver::Anchor;
use fingerpost_store::{Batch, Store, StoreError, StoreOptions};
use tempfile::TempDir;

use crate::ImportError;

/// The target of an import, and its caller.
#[derive(Debug)]
pub struct Target {
    registry: Registry,
    caller: Caller,
    rehearsal: Option<Rehearsal>,
}

/// A temporary store for a dry run. Levels that are about to change are copied there first.
#[derive(Debug)]
struct Rehearsal {
    base: Option<Arc<Store>>,
    _dir: TempDir,
}

impl Target {
    /// Returns a target that writes to the registry itself.
    #[must_use]
    pub fn registry(registry: Registry, caller: Caller) -> Target {
        Target { registry, caller, rehearsal: None }
    }

    /// Returns a dry run against the records in `base`, if there are any. `base` is not changed; all changes are made
    /// in a temporary store.
    ///
    /// # Errors
    ///
    /// [`ImportError`]: the temporary store cannot be created.
    pub fn dry_run(
        base: Option<Arc<Store>>,
        options: RegistryOptions,
        store: StoreOptions,
        caller: Caller,
    ) -> Result<Target, ImportError> {
        let dir = TempDir::with_prefix("fingerpost-dry-run-").map_err(ImportError::Temporary)?;
        let registry = Registry::new(Arc::new(Store::open(dir.path(), store)?), options);
        Ok(Target { registry, caller, rehearsal: Some(Rehearsal { base, _dir: dir }) })
    }

    /// Returns the registry whose rules records are checked against.
    pub(crate) fn rules_of(&self) -> &Registry {
        &self.registry
    }

    /// Returns a directory for temporary files with as much space as the records themselves need.
    pub(crate) fn scratch(&self) -> &Path {
        self.registry.store().dir().unwrap_or(Path::new("."))
    }

    /// Applies changes to different levels.
    pub(crate) fn apply(&self, changes: &[Change]) -> Result<Applied, ImportError> {
        if let Some(Rehearsal { base: Some(base), .. }) = &self.rehearsal {
            self.bring(base, changes)?;
        }
        Ok(self.registry.apply(&self.caller, changes)?)
    }

    /// Copies the levels that these changes concern to the temporary store, unless they are already there.
    fn bring(&self, base: &Store, changes: &[Change]) -> Result<(), StoreError> {
        let over = self.registry.store();
        let levels: BTreeSet<&str> = changes
            .iter()
            .flat_map(|change| [change.level().as_str(), change.level().key_level()])
            .collect();
        let mut batch = Batch::unchecked();
        base.view(|base| {
            over.view(|over| {
                for level in levels.into_iter().filter_map(Anchor::from_canonical) {
                    if over.level(&level)?.is_none()
                        && let Some((entry, _)) = base.level(&level)?
                    {
                        batch.put(entry);
                    }
                }
                Ok::<_, StoreError>(())
            })
        })?;
        over.write(&batch).map(|_| ())
    }
}
