//! The target of an import: a registry, or in a dry run an overlay of it.

use std::cell::Cell;
use std::fs;
use std::ops::Bound;
use std::path::PathBuf;

use fingerpost_registry::{
    Applied, Caller, ChangeSetKind, ChangeSetRequest, RecordChange, Registry, RegistryError,
};
use fingerpost_resolver::Entry;
use fingerpost_store::{Revision, StoreError, View};
use tempfile::TempDir;

use crate::ImportError;

/// The target of an import, and its caller.
pub struct ImportTarget {
    registry: Registry,
    caller: Caller,
    is_dry_run: bool,
    /// The change set that everything belongs to.
    set: Cell<Option<Revision>>,
    /// The temporary files of a dry run, where they need names.
    _dir: Option<TempDir>,
}

impl ImportTarget {
    /// Returns a target that writes to the registry itself.
    pub fn registry(registry: Registry, caller: Caller) -> ImportTarget {
        ImportTarget { registry, caller, is_dry_run: false, set: Cell::new(None), _dir: None }
    }

    /// Returns a target that does the same as [`ImportTarget::registry`] over an overlay of the
    /// registry's store, which is dropped with the target: nothing is changed.
    pub fn dry_run(registry: &Registry, caller: Caller) -> Result<ImportTarget, ImportError> {
        let scratch = registry.store().scratch();
        let dir = TempDir::with_prefix_in(PREFIX, &scratch).map_err(ImportError::Temporary)?;
        let registry = registry.overlay(dir.path())?;
        // Open files need no names, and without them nothing is left behind if the process is
        // killed.
        let dir = fs::remove_dir_all(dir.path()).is_err().then_some(dir);
        Ok(ImportTarget { registry, caller, is_dry_run: true, set: Cell::new(None), _dir: dir })
    }

    /// Returns the registry whose rules records are checked against.
    pub(crate) fn rules_of(&self) -> &Registry {
        &self.registry
    }

    /// Returns whether the changes are dropped.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.is_dry_run
    }

    /// Returns whether other processes wait for the transactions of this one: those that share a
    /// database.
    pub(crate) fn is_shared(&self) -> bool {
        !self.is_dry_run && self.registry.store().dir().is_none()
    }

    /// Returns the caller if the store has records, so that it can hold some of the input.
    pub(crate) fn looker(&self) -> Result<Option<Caller>, ImportError> {
        let first = self.registry.store().scan(Bound::Unbounded, "", 1);
        let first = first.map_err(RegistryError::from)?;
        Ok(first.first().map(|_| self.caller.clone()))
    }

    /// Returns a directory for temporary files with as much space as the records themselves need.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.registry.store().scratch()
    }

    /// Applies changes to different levels, in the order of their anchors.
    pub(crate) fn apply(&self, changes: &[RecordChange]) -> Result<Applied, ImportError> {
        let set = ChangeSetRequest::new(ChangeSetKind::Import).joining(self.set.get());
        let set = Some(set).filter(|_| !self.is_dry_run);
        let applied = self.registry.apply_in(&self.caller, changes, set)?;
        self.set.set(applied.change_set.or(self.set.get()));
        Ok(applied)
    }

    /// Returns the change set of what was written.
    pub(crate) fn change_set(&self) -> Option<Revision> {
        self.set.get()
    }

    /// Returns what the levels of changes hold.
    pub(crate) fn current(
        &self,
        changes: &[RecordChange],
    ) -> Result<Vec<Option<Entry>>, ImportError> {
        let entry = |view: &View<'_>, change: &RecordChange| {
            Ok(view.level(change.level())?.map(|(entry, _)| entry))
        };
        let found = self.registry.store().view(|view| {
            changes.iter().map(|change| entry(view, change)).collect::<Result<_, StoreError>>()
        });
        Ok(found.map_err(RegistryError::from)?)
    }
}

/// The beginning of the name of a temporary directory.
const PREFIX: &str = "fingerpost-dry-run-";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fingerpost_registry::RegistryOptions;
    use fingerpost_store::Store;

    use super::*;

    /// A store in a database has no directory, and a service may write nothing where it was
    /// started.
    #[test]
    fn temporary_files_are_where_the_store_says() {
        let set = tempfile::tempdir().unwrap();
        for (store, expected) in [
            (Store::in_memory(), std::env::temp_dir()),
            (Store::in_memory().with_scratch(set.path().join("missing")), std::env::temp_dir()),
            (Store::in_memory().with_scratch(set.path().to_owned()), set.path().to_owned()),
        ] {
            let registry = Registry::new(Arc::new(store), RegistryOptions::default());
            let caller = Caller::local("import");
            let dry_run = ImportTarget::dry_run(&registry, caller.clone()).unwrap();
            assert_eq!(dry_run.scratch(), expected);
            assert_eq!(ImportTarget::registry(registry, caller).scratch(), expected);
        }
    }
}
