//! Changes of one level: the common form of all kinds of write.
//!
//! PUT, PATCH, DELETE, batches, imports, reverting and approving create [`RecordChange`]s; only
//! `apply` applies them.

use std::sync::Arc;

use fingerpost_resolver::{
    Accepted, Anchor, Entry, Refused, Rules, read_record, record_with_rest, write_record,
};

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
    /// Whether the rest of the current record stays, and which titles replace no other one.
    keeps: Option<fn(&str) -> bool>,
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
        RecordChange { warnings: faults(&warnings), ..RecordChange::of(wanted) }
    }

    /// Creates a change that deletes a level.
    pub fn delete(level: Anchor) -> RecordChange {
        RecordChange::of(Wanted::Nothing(level))
    }

    fn of(wanted: Wanted) -> RecordChange {
        let (precondition, keeps, warnings) = (None, None, Vec::new());
        RecordChange { wanted, precondition, ends_recall: false, keeps, warnings }
    }

    /// Keeps everything of the current record that the new one does not replace; see
    /// [`record_with_rest`]. Titles that `is_usual` replace no other title.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_registry::{Caller, RecordChange, Registry, RegistryOptions};
    /// # use fingerpost_resolver::read_record;
    /// # use fingerpost_store::Store;
    /// let registry = Registry::new(Arc::new(Store::in_memory()), RegistryOptions::new());
    /// let caller = Caller::local("example");
    /// let put = |links: &str| {
    ///     let record = format!(r#"{{"anchor": "/01/09506000134352", "links": [
    ///         {{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"}},
    ///         {{"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}} {links}]}}"#);
    ///     Ok::<_, fingerpost_resolver::Refused>(RecordChange::put(read_record(record.as_bytes(), &registry.rules())?))
    /// };
    /// let shops = r#", {"linkType": "gs1:hasRetailers", "href": "https://example.com/s", "title": "Shops"}"#;
    /// registry.apply(&caller, &[put(shops)?])?;
    /// registry.apply(&caller, &[put("")?.keeping_rest(|_| false)])?;
    /// let level = registry.read(&caller, &"01/09506000134352".parse()?)?;
    /// assert_eq!(level.entry.link_count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keeping_rest(self, is_usual: fn(&str) -> bool) -> RecordChange {
        RecordChange { keeps: Some(is_usual), ..self }
    }

    /// Returns the change with what it keeps of the current record.
    ///
    /// Fails if the rules refuse the record then.
    pub fn over(&self, current: &Entry, rules: &Rules<'_>) -> Result<RecordChange, Refused> {
        let (Some(entry), Some(is_usual)) = (self.entry(), self.keeps) else {
            return Ok(self.clone());
        };
        let record = record_with_rest(current, entry, is_usual);
        let Accepted { entry, .. } = read_record(record.as_bytes(), rules)?;
        Ok(RecordChange { wanted: Wanted::Record(Arc::new(entry)), ..self.clone() })
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

    pub(crate) fn keeps_rest(&self) -> bool {
        self.keeps.is_some()
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
