//! Changes of one level: the common form of all kinds of write.
//!
//! PUT, PATCH, DELETE, batches, imports, reverting and approving create [`Change`]s; only `apply`
//! applies them.

use std::sync::Arc;

use fingerpost_resolver::{Accepted, Anchor, Entry, Refused, read_record, write_record};

use crate::fault::{Fault, faults};
use crate::registry::Inner;
use crate::{Precondition, RegistryError};

/// A change of one level: its new record, or its deletion.
#[derive(Clone, Debug)]
pub struct Change {
    wanted: Wanted,
    precondition: Option<Precondition>,
    warnings: Vec<Fault>,
}

#[derive(Clone, Debug)]
enum Wanted {
    Record(Arc<Entry>),
    Nothing(Anchor),
}

impl Change {
    /// Creates a change that registers a record, replacing any existing one.
    pub fn put(accepted: Accepted) -> Change {
        let Accepted { entry, warnings } = accepted;
        let wanted = Wanted::Record(Arc::new(entry));
        Change { wanted, precondition: None, warnings: faults(&warnings) }
    }

    /// Creates a change that deletes a level.
    pub fn delete(level: Anchor) -> Change {
        Change { wanted: Wanted::Nothing(level), precondition: None, warnings: Vec::new() }
    }

    /// Adds a precondition: the change is refused unless it is met.
    pub fn only_if(self, precondition: Option<Precondition>) -> Change {
        Change { precondition, ..self }
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
    ) -> Result<Change, Refused> {
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
            _ => Ok(Change::put(accepted)),
        }
    }

    /// Creates a change that restores an earlier record, if the current rules allow it.
    pub(crate) fn change_back(
        &self,
        level: &Anchor,
        entry: Option<&Entry>,
    ) -> Result<Change, Refused> {
        match entry {
            Some(entry) => self.read_change(Some(level), write_record(entry).as_bytes()),
            None => Ok(Change::delete(level.clone())),
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
