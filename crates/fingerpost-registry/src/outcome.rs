//! Outcomes of changes.

use fingerpost_store::Revision;
use serde::{Deserialize, Serialize, Serializer};

use crate::Id;
use crate::fault::Fault;

/// The outcome of a change of one level.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangeOutcome {
    /// What happened to the level.
    pub status: ChangeStatus,
    /// The revision of the level afterwards.
    #[serde(default, with = "optional_revision", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub revision: Option<Revision>,
    /// The proposal, which a second person has to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Id>,
    /// What would happen, in a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would: Option<Would>,
    /// Warnings about the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub warnings: Vec<Fault>,
}

/// What happened to a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChangeStatus {
    /// Registered; nothing was there before.
    Created,
    /// Replaced.
    Replaced,
    /// Nothing: it was the same already. There is no new revision, and no row of history.
    Unchanged,
    /// Deleted.
    Deleted,
    /// Proposed; a second person has to approve it.
    Proposed,
    /// Checked in a dry run.
    Checked,
    /// Refused; nothing happened.
    Refused,
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

impl ChangeOutcome {
    pub(crate) fn new(status: ChangeStatus, warnings: &[Fault]) -> ChangeOutcome {
        let warnings = warnings.to_vec();
        ChangeOutcome { status, revision: None, proposal: None, would: None, warnings }
    }

    /// Returns the outcome of a dry run that would have had this one.
    pub(crate) fn of_dry_run(self) -> ChangeOutcome {
        let would = match self.status {
            ChangeStatus::Created => Would::Create,
            ChangeStatus::Replaced => Would::Replace,
            ChangeStatus::Unchanged => Would::Nothing,
            ChangeStatus::Deleted => Would::Delete,
            ChangeStatus::Proposed => Would::Propose,
            ChangeStatus::Checked | ChangeStatus::Refused => return self,
        };
        ChangeOutcome {
            would: Some(would),
            ..ChangeOutcome::new(ChangeStatus::Checked, &self.warnings)
        }
    }
}

/// Serializes a revision as a number.
pub(crate) fn revision<S: Serializer>(
    revision: &Revision,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(revision.number())
}

/// Reads a revision that is a number.
pub(crate) fn read_revision<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Revision, D::Error> {
    u64::deserialize(deserializer).map(Revision::new)
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
