//! How organisations and users stand: suspended, presented by a brand, and with accepted terms.

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

/// The brand of an organisation. Whatever is absent is that of the installation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Brand))]
#[serde(rename_all = "camelCase", default)]
pub struct BrandSettings {
    /// The name at the top of pages; absent or null: the name of the organisation.
    pub name: Option<String>,
    /// The colour of buttons and links, as `#rrggbb`.
    pub accent: Option<String>,
    /// The version of the logo; null if there is none.
    pub logo: Option<String>,
    /// The origins from which pages load pictures of its products.
    pub image_sources: Vec<String>,
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
