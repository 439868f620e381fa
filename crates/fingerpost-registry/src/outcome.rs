//! What became of a change.

use fingerpost_store::Revision;
use serde::{Deserialize, Serialize};

use crate::Id;
use crate::fault::Fault;

/// What became of a change of one level.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Outcome {
    /// The level holds the record now.
    Written {
        /// The revision of the level.
        #[serde(with = "revision")]
        revision: Revision,
        /// Was nothing registered there before?
        created: bool,
        /// What the registrant should know nevertheless.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
    /// The level held exactly this already. There is no new revision, and no row of history.
    Unchanged {
        /// The revision of the level.
        #[serde(with = "revision")]
        revision: Revision,
        /// What the registrant should know nevertheless.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
    /// The level holds nothing now.
    Deleted {
        /// The revision of the deletion.
        #[serde(with = "revision")]
        revision: Revision,
    },
    /// The owner requires a second person, who has to release the change now.
    Proposed {
        /// The proposal.
        id: Id,
        /// What the registrant should know nevertheless.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
    /// A dry run: nothing changed, and this would have happened.
    Checked {
        /// What would have happened.
        would: Would,
        /// What the registrant should know nevertheless.
        #[serde(default)]
        warnings: Vec<Fault>,
    },
}

/// What a dry run tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Would {
    /// A level would have been registered.
    Create,
    /// A level would have been replaced.
    Replace,
    /// A level would have been deleted.
    Delete,
    /// The level holds exactly this already.
    Nothing,
    /// A second person would have to release the change.
    Propose,
}

impl Outcome {
    /// The revision of the level afterwards, if something was written or was there already.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        match self {
            Outcome::Written { revision, .. }
            | Outcome::Unchanged { revision, .. }
            | Outcome::Deleted { revision } => Some(*revision),
            Outcome::Proposed { .. } | Outcome::Checked { .. } => None,
        }
    }

    /// What a dry run tells that would have had this outcome.
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

    /// What the registrant should know.
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

/// Revisions as numbers.
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

/// Revisions as numbers, or null.
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
