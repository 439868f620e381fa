//! The change set that a request belongs to.

use fingerpost_store::Revision;
use serde::{Deserialize, Serialize};

/// What made the changes of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChangeSetKind {
    /// An import of files.
    Import,
    /// A batch, such as the deletion of selected records.
    Batch,
    /// A recall.
    Recall,
    /// The end of a recall.
    EndOfRecall,
    /// The return to the state before another set.
    Undo,
}

/// The set that changes belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChangeSetRequest {
    pub(crate) kind: ChangeSetKind,
    pub(crate) joins: Option<Revision>,
    pub(crate) undoes: Option<Revision>,
}

impl ChangeSetRequest {
    /// Returns a request for a new set.
    pub fn new(kind: ChangeSetKind) -> ChangeSetRequest {
        ChangeSetRequest { kind, joins: None, undoes: None }
    }

    /// Adds the changes to an existing set of the same caller, if there is one yet.
    pub fn joining(self, set: Option<Revision>) -> ChangeSetRequest {
        ChangeSetRequest { joins: set.or(self.joins), ..self }
    }
}
