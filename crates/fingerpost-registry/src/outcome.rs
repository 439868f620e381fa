//! Outcomes of changes.

use fingerpost_store::Revision;
use serde::{Deserialize, Serialize};

use crate::Id;
use crate::fault::Fault;

/// The outcome of a change of one level.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Outcome {
    /// The record was written.
    Written {
        /// The revision of the level.
        #[serde(with = "revision")]
        revision: Revision,
        /// Whether nothing was registered there before.
        created: bool,
        /// Warnings about the record.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
    /// The level was the same already. There is no new revision, and no row of history.
    Unchanged {
        /// The revision of the level.
        #[serde(with = "revision")]
        revision: Revision,
        /// Warnings about the record.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
    /// The level was deleted.
    Deleted {
        /// The revision of the deletion.
        #[serde(with = "revision")]
        revision: Revision,
    },
    /// The owner requires approval: a second person has to approve the proposal.
    Proposed {
        /// The proposal.
        id: Id,
        /// Warnings about the record.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
    /// A dry run: nothing changed.
    Checked {
        /// What would have happened.
        would: Would,
        /// Warnings about the record.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
}

/// What a change would do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Would {
    /// Register a level.
    Create,
    /// Replace a level.
    Replace,
    /// Delete a level.
    Delete,
    /// Nothing: the level is the same already.
    Nothing,
    /// Make a proposal, which a second person has to approve.
    Propose,
}

impl Outcome {
    /// Returns the revision of the level afterwards, if something was written or was there already.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        match self {
            Outcome::Written { revision, .. }
            | Outcome::Unchanged { revision, .. }
            | Outcome::Deleted { revision } => Some(*revision),
            Outcome::Proposed { .. } | Outcome::Checked { .. } => None,
        }
    }

    /// Returns the outcome of a dry run that would have had this one.
    pub(crate) fn of_dry_run(self) -> Outcome {
        let (would, warnings) = match self {
            Outcome::Written { created: true, warnings, .. } => (Would::Create, warnings),
            Outcome::Written { created: false, warnings, .. } => (Would::Replace, warnings),
            Outcome::Unchanged { warnings, .. } => (Would::Nothing, warnings),
            Outcome::Deleted { .. } => (Would::Delete, Vec::new()),
            Outcome::Proposed { warnings, .. } => (Would::Propose, warnings),
            Outcome::Checked { would, warnings } => (would, warnings),
        };
        Outcome::Checked { would, warnings }
    }

    /// Returns the warnings about the record.
    #[must_use]
    pub fn warnings(&self) -> &[Fault] {
        match self {
            Outcome::Written { warnings, .. }
            | Outcome::Unchanged { warnings, .. }
            | Outcome::Proposed { warnings, .. }
            | Outcome::Checked { warnings, .. } => warnings,
            Outcome::Deleted { .. } => &[],
        }
    }
}

/// Serialization of revisions as numbers.
pub(crate) mod revision {
    use fingerpost_store::Revision;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        revision: &Revision,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(revision.number())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Revision, D::Error> {
        u64::deserialize(deserializer).map(Revision::new)
    }
}

/// Serialization of revisions as numbers or null.
pub(crate) mod optional_revision {
    use fingerpost_store::Revision;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        revision: &Option<Revision>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        revision.map(Revision::number).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Revision>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Revision::new))
    }
}
