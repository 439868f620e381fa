//! What a write changes: puts and deletions that happen together or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;

use crate::Event;

/// Changes of any number of levels, applied as a whole. The last change of a level counts.
///
/// For bulk loads 5,000 to 10,000 changes per batch are a good size: the cost of one synchronisation with the
/// disk is spread, and memory stays at a few megabytes.
#[derive(Clone, Debug)]
pub struct Batch {
    changes: BTreeMap<EntityKey, Change>,
    is_checked: bool,
    author: Option<Event>,
}

/// One change of a level.
#[derive(Clone, Debug)]
pub enum Change {
    /// The level holds exactly this entry from now on.
    Put(Arc<Entry>),
    /// The level holds nothing from now on; deleting what is not there is no fault.
    Delete,
}

impl Batch {
    /// An empty batch, to be judged by the rule across levels (RES-2.5.9-1) when it is written.
    #[must_use]
    pub fn new() -> Self {
        Self { changes: BTreeMap::new(), is_checked: true, author: None }
    }

    /// An empty batch that is written without judging the rule across levels: for restoring an export as it
    /// was, and for tests of what a resolver does with such data.
    #[must_use]
    pub fn unchecked() -> Self {
        Self { is_checked: false, ..Self::new() }
    }

    /// Names who writes, for the audit record that [`Store::write`] makes; `local` unless told. The time of
    /// each write takes the place of that of the event. It stays when the batch is cleared.
    ///
    /// [`Store::write`]: crate::Store::write
    #[must_use]
    pub fn by(mut self, author: Event) -> Self {
        self.author = Some(author);
        self
    }

    /// Registers an entry at its level, in place of what is there.
    pub fn put(&mut self, entry: impl Into<Arc<Entry>>) -> &mut Self {
        let entry = entry.into();
        self.changes.insert(entry.key().clone(), Change::Put(entry));
        self
    }

    /// Empties a level.
    pub fn delete(&mut self, level: EntityKey) -> &mut Self {
        self.changes.insert(level, Change::Delete);
        self
    }

    /// Takes a change back, for instance one that [`StoreError::MissingDefault`] names, so that the rest can
    /// be written.
    ///
    /// [`StoreError::MissingDefault`]: crate::StoreError::MissingDefault
    pub fn withdraw(&mut self, level: &EntityKey) -> Option<Change> {
        self.changes.remove(level)
    }

    /// Takes all changes back.
    pub fn clear(&mut self) {
        self.changes.clear();
    }

    /// Number of levels that change.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether the rule across levels is judged.
    #[must_use]
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }

    /// The changes in the order of their levels.
    pub fn changes(&self) -> impl Iterator<Item = (&EntityKey, &Change)> {
        self.changes.iter()
    }

    pub(crate) fn change(&self, level: &EntityKey) -> Option<&Change> {
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
