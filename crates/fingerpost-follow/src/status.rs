//! How far a copy is, for load balancers and operators.

use fingerpost_store::Revision;
use serde::{Serialize, Serializer};

/// How far a copy is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FollowerStatus {
    /// Whether the copy is complete, so that the node answers scans.
    pub complete: bool,
    /// The revision of the copy.
    #[serde(serialize_with = "number")]
    pub revision: Revision,
    /// Whether the source answers.
    pub connected: bool,
    /// How many revisions the copy is behind the source, as far as the node knows; `None` if the
    /// source never answered.
    pub lag_revisions: Option<u64>,
    /// For how many seconds the copy has been behind the source, or the source has not answered.
    /// It counts from the start of the process at the earliest.
    pub lag_seconds: u64,
}

fn number<S: Serializer>(revision: &Revision, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(revision.number())
}
