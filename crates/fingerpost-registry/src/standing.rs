//! How organisations and users stand: suspended, and with accepted terms.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How the records of a suspended organisation answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SuspensionMode {
    /// As before.
    Answer,
    /// As if nothing were registered.
    Stop,
    /// With a sentence of the operator, instead of redirects too.
    Notice,
}

/// A suspension of an organisation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Suspension))]
pub struct OrganisationSuspension {
    /// How the records answer.
    pub mode: SuspensionMode,
    /// What the operator says, on one line, if the mode is `notice`.
    pub notice: Option<String>,
    /// Since when.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub since: Timestamp,
}

/// The terms that a user accepted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AcceptedTerms {
    /// The version.
    pub version: String,
    /// When the user accepted it.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub at: Timestamp,
}
