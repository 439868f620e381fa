//! Changes of one level: the common form of all kinds of write.
//!
//! PUT, PATCH, DELETE, batches, imports, reverting and approving create [`RecordChange`]s; only
//! `apply` applies them.

use std::sync::Arc;

use fingerpost_resolver::{Accepted, Anchor, Entry, Refused, read_record, write_record};

use crate::fault::{Fault, faults};
use crate::registry::Inner;
use crate::{Precondition, RegistryError};

/// A change of one level: its new record, or its deletion.
#[derive(Clone, Debug)]
pub struct RecordChange {
    wanted: Wanted,
    precondition: Option<Precondition>,
    /// Whether the recall of the level may end.
    ends_recall: bool,
    warnings: Vec<Fault>,
}

#[derive(Clone, Debug)]
enum Wanted {
    Record(Arc<Entry>),
    Nothing(Anchor),
}

impl RecordChange {
    /// Creates a change that registers a record, replacing any existing one.
    pub fn put(accepted: Accepted) -> RecordChange {
        let Accepted { entry, warnings } = accepted;
        let wanted = Wanted::Record(Arc::new(entry));
        RecordChange { wanted, precondition: None, ends_recall: false, warnings: faults(&warnings) }
    }

    /// Creates a change that deletes a level.
    pub fn delete(level: Anchor) -> RecordChange {
        let wanted = Wanted::Nothing(level);
        RecordChange { wanted, precondition: None, ends_recall: false, warnings: Vec::new() }
    }

    /// Adds a precondition: the change is refused unless it is met.
    pub fn only_if(self, precondition: Option<Precondition>) -> RecordChange {
        RecordChange { precondition, ..self }
    }

    /// Marks the change as the end of a recall, which no other change may be.
    pub(crate) fn ending_recall(self) -> RecordChange {
        RecordChange { ends_recall: true, ..self }
    }

    /// Returns the level.
    pub fn level(&self) -> &Anchor {
        match &self.wanted {
            Wanted::Record(entry) => entry.anchor(),
            Wanted::Nothing(level) => level,
        }
    }

    /// Returns the new entry of the level; `None` for a deletion.
    pub fn entry(&self) -> Option<&Arc<Entry>> {
        match &self.wanted {
            Wanted::Record(entry) => Some(entry),
            Wanted::Nothing(_) => None,
        }
    }

    pub(crate) fn precondition(&self) -> Option<Precondition> {
        self.precondition
    }

    pub(crate) fn ends_recall(&self) -> bool {
        self.ends_recall
    }

    pub(crate) fn warnings(&self) -> &[Fault] {
        &self.warnings
    }
}

impl Inner {
    /// Parses a record and reports all faults at once. `level` is the level that the caller names
    /// outside of the record.
    pub(crate) fn read_change(
        &self,
        level: Option<&Anchor>,
        record: &[u8],
    ) -> Result<RecordChange, Refused> {
        let accepted = read_record(record, &self.rules())?;
        match level {
            Some(level) if accepted.entry.anchor() != level => Err(Refused {
                faults: vec![fingerpost_resolver::RecordFault::new(
                    "/anchor".to_owned(),
                    "anchor",
                    format!("expected /{level}, found /{}", accepted.entry.anchor()),
                )],
                warnings: accepted.warnings,
            }),
            _ => Ok(RecordChange::put(accepted)),
        }
    }

    /// Creates a change that restores an earlier record, if the current rules allow it.
    pub(crate) fn change_back(
        &self,
        level: &Anchor,
        entry: Option<&Entry>,
    ) -> Result<RecordChange, Refused> {
        match entry {
            Some(entry) => self.read_change(Some(level), write_record(entry).as_bytes()),
            None => Ok(RecordChange::delete(level.clone())),
        }
    }
}

impl From<Refused> for RegistryError {
    fn from(refused: Refused) -> RegistryError {
        RegistryError::Invalid {
            faults: faults(&refused.faults),
            warnings: faults(&refused.warnings),
        }
    }
}
