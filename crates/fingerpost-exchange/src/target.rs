//! The target of an import: a registry, or in a dry run a temporary one that is filled from it as needed.

use std::collections::BTreeSet;
use std::fs;
use std::ops::{Bound, ControlFlow};
use std::path::PathBuf;
use std::sync::Arc;

use fingerpost_registry::{Applied, Caller, Change, Registry, RegistryOptions};
use fingerpost_resolver::{Anchor, AnchorForm};
use fingerpost_store::{Batch, Store, StoreError, StoreOptions, View};
use tempfile::TempDir;

use crate::ImportError;

/// The target of an import, and its caller.
#[derive(Debug)]
pub struct Target {
    registry: Registry,
    caller: Caller,
    rehearsal: Option<Rehearsal>,
}

/// A temporary store for a dry run. What changes are judged by is copied there first.
#[derive(Debug)]
struct Rehearsal {
    base: Option<Arc<Store>>,
    /// The ranges that were copied last: the canonical text of each begins with this.
    ranges: Option<String>,
    scratch: Option<PathBuf>,
    _dir: Option<TempDir>,
}

impl Target {
    /// Returns a target that writes to the registry itself.
    #[must_use]
    pub fn registry(registry: Registry, caller: Caller) -> Target {
        Target { registry, caller, rehearsal: None }
    }

    /// Returns a dry run against the records in `base`, if there are any. `base` is not changed; all changes are made
    /// in a temporary store. The caller needs no account.
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
        let dir = TempDir::with_prefix(PREFIX).map_err(ImportError::Temporary)?;
        let registry = Registry::new(Arc::new(Store::open(dir.path(), store)?), options);
        let rehearsal = Rehearsal { base, ranges: None, scratch: None, _dir: Some(dir) };
        Ok(Target { registry, caller, rehearsal: Some(rehearsal) })
    }

    /// Returns a dry run of what a caller can do in a registry: with its permissions, the quotas of organisations, and the
    /// approval that they require. Nothing is changed there; all changes are made in a temporary store, in the directory of its
    /// store.
    ///
    /// # Errors
    ///
    /// [`ImportError`]: the caller has no account, or the temporary store cannot be created.
    pub fn rehearsal(registry: &Registry, caller: Caller) -> Result<Target, ImportError> {
        let scratch = registry.store().scratch();
        let dir = TempDir::with_prefix_in(PREFIX, &scratch).map_err(ImportError::Temporary)?;
        let store = Arc::new(Store::open(dir.path(), StoreOptions::default())?);
        // An open store needs no names for its files, and without them nothing is left behind if the process is killed.
        let dir = fs::remove_dir_all(dir.path()).is_err().then_some(dir);
        let base = Some(Arc::clone(registry.store()));
        let rehearsal = Rehearsal { base, ranges: None, scratch: Some(scratch), _dir: dir };
        Ok(Target {
            registry: registry.rehearsal(store, &caller)?,
            caller,
            rehearsal: Some(rehearsal),
        })
    }

    /// Returns the registry whose rules records are checked against.
    pub(crate) fn rules_of(&self) -> &Registry {
        &self.registry
    }

    /// Returns whether the changes are made in a temporary store.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.rehearsal.is_some()
    }

    /// Returns whether other processes wait for the transactions of this one: those that share a database.
    pub(crate) fn is_shared(&self) -> bool {
        !self.is_dry_run() && self.registry.store().dir().is_none()
    }

    /// Returns a directory for temporary files with as much space as the records themselves need.
    pub(crate) fn scratch(&self) -> PathBuf {
        let rehearsal = self.rehearsal.as_ref().and_then(|rehearsal| rehearsal.scratch.clone());
        rehearsal.unwrap_or_else(|| self.registry.store().scratch())
    }

    /// Applies changes to different levels, in the order of their anchors.
    pub(crate) fn apply(&mut self, changes: &[Change]) -> Result<Applied, ImportError> {
        if let Some(rehearsal) = &mut self.rehearsal {
            rehearsal.bring(self.registry.store(), changes)?;
        }
        Ok(self.registry.apply(&self.caller, changes)?)
    }
}

impl Rehearsal {
    /// Copies what these changes are judged by to the temporary store, unless it is already there: the levels that they concern, and
    /// the ranges with which theirs may have values in common.
    fn bring(&mut self, over: &Store, changes: &[Change]) -> Result<(), StoreError> {
        let Some(base) = self.base.clone() else { return Ok(()) };
        let levels: BTreeSet<&str> = changes
            .iter()
            .flat_map(|change| [change.level().as_str(), change.level().key_level()])
            .collect();
        let mut batch = Batch::unchecked();
        base.view(|base| {
            over.view(|over| {
                for level in levels.into_iter().filter_map(Anchor::from_canonical) {
                    bring_level(base, over, &level, &mut batch)?;
                }
                Ok::<_, StoreError>(())
            })
        })?;
        over.write(&batch)?;
        for siblings in changes.iter().filter_map(|change| siblings(change.level())) {
            if self.ranges.as_deref() != Some(siblings) {
                bring_ranges(&base, over, siblings)?;
                self.ranges = Some(siblings.to_owned());
            }
        }
        Ok(())
    }
}

/// Adds a level of the base to a batch, unless it is in the temporary store.
fn bring_level(
    base: &View<'_>,
    over: &View<'_>,
    level: &Anchor,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    if over.level(level)?.is_some() {
        return Ok(());
    }
    match base.level(level) {
        Ok(Some((entry, _))) => {
            batch.put(entry);
        }
        Ok(None) => {}
        // A damaged record can be replaced, as if there were none.
        Err(error) if error.is_damaged_row() => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Copies all ranges of a qualifier and length at one level, some in a transaction.
fn bring_ranges(base: &Store, over: &Store, siblings: &str) -> Result<(), StoreError> {
    let mut after: Option<String> = None;
    loop {
        let (mut batch, mut seen) = (Batch::unchecked(), 0);
        let from = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut last = None;
        base.view(|base| {
            over.view(|over| {
                base.visit_levels(from, siblings, |entry, _| -> Result<_, StoreError> {
                    seen += 1;
                    last = Some(entry.anchor().as_str().to_owned());
                    if over.level(entry.anchor())?.is_none() {
                        batch.put(entry);
                    }
                    Ok(if seen < AT_ONCE {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    })
                })
            })
        })?;
        over.write(&batch)?;
        if seen < AT_ONCE {
            return Ok(());
        }
        after = last;
    }
}

/// Returns what the canonical texts of a range and of those that it must not overlap begin with; `None` for other anchors.
fn siblings(level: &Anchor) -> Option<&str> {
    let AnchorForm::Range { first, last } = level.form() else { return None };
    let text = level.as_str();
    Some(&text[..text.len() - first.len() - last.len() - 1])
}

/// Number of ranges copied in one transaction.
const AT_ONCE: usize = 500;

/// The beginning of the name of a temporary directory.
const PREFIX: &str = "fingerpost-dry-run-";

#[cfg(test)]
mod tests {
    use super::*;

    /// A store in a database has no directory, and a service may write nothing where it was started.
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
            let rehearsal = Target::rehearsal(&registry, caller.clone()).unwrap();
            assert_eq!(rehearsal.scratch(), expected);
            assert_eq!(Target::registry(registry, caller).scratch(), expected);
        }
    }
}
