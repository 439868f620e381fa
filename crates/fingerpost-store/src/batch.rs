//! Batches: puts and deletions that are applied together or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use fingerpost_resolver::{Anchor, Entry};

use crate::Event;

/// Changes of any number of levels, applied as a whole. The last change of a level counts.
///
/// For bulk loads, use 5,000 to 10,000 changes per batch: this spreads the cost of one
/// synchronisation with the disk, and needs only a few megabytes of memory.
#[derive(Clone, Debug)]
pub struct Batch {
    changes: BTreeMap<Anchor, Change>,
    is_checked: bool,
    author: Option<Event>,
}

/// One change of a level.
#[derive(Clone, Debug)]
pub enum Change {
    /// The level gets exactly this entry.
    Put(Arc<Entry>),
    /// The level becomes empty; deleting an empty level is not an error.
    Delete,
}

impl Batch {
    /// Creates an empty batch that is checked against the rule across levels (RES-2.5.9-1) when it
    /// is written.
    pub fn new() -> Self {
        Self { changes: BTreeMap::new(), is_checked: true, author: None }
    }

    /// Creates an empty batch that is not checked against the rule across levels: for restoring an
    /// export unchanged, and for tests of how a resolver handles such data.
    pub fn unchecked() -> Self {
        Self { is_checked: false, ..Self::new() }
    }

    /// Creates a checked batch of these changes of different levels; changes in the order of their
    /// levels need no search.
    pub fn of(changes: impl IntoIterator<Item = (Anchor, Change)>) -> Self {
        Self { changes: changes.into_iter().collect(), ..Self::new() }
    }

    /// Sets the author for the audit record that [`Store::write`] makes; default: `local`. The time
    /// of the event is replaced by that of each write. Clearing the batch keeps the author.
    ///
    /// [`Store::write`]: crate::Store::write
    pub fn by(mut self, author: Event) -> Self {
        self.author = Some(author);
        self
    }

    /// Registers an entry at its level, replacing any existing one.
    pub fn put(&mut self, entry: impl Into<Arc<Entry>>) -> &mut Self {
        let entry = entry.into();
        self.changes.insert(entry.anchor().clone(), Change::Put(entry));
        self
    }

    /// Deletes the entry of a level.
    pub fn delete(&mut self, level: impl Into<Anchor>) -> &mut Self {
        self.changes.insert(level.into(), Change::Delete);
        self
    }

    /// Removes a change from the batch, for instance one that [`StoreError::MissingDefault`] names,
    /// to write the rest.
    ///
    /// [`StoreError::MissingDefault`]: crate::StoreError::MissingDefault
    pub fn withdraw(&mut self, level: &impl AsRef<str>) -> Option<Change> {
        self.changes.remove(level.as_ref())
    }

    /// Removes all changes.
    pub fn clear(&mut self) {
        self.changes.clear();
    }

    /// Returns the number of levels that change.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns whether the batch has no changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns whether the batch is checked against the rule across levels.
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }

    /// Returns the changes in the order of their levels.
    pub fn changes(&self) -> impl Iterator<Item = (&Anchor, &Change)> {
        self.changes.iter()
    }

    pub(crate) fn change(&self, level: &Anchor) -> Option<&Change> {
        self.changes.get(level)
    }

    pub(crate) fn author(&self) -> Option<&Event> {
        self.author.as_ref()
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}
