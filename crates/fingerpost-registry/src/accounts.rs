//! Organisations, users, keys and sessions as they are shown and requested. The API uses these types for requests and
//! responses.
//!
//! Data that is not shown, such as digests of secrets, is in `stored`. Only [`NewUser`] and [`UserChange`] hold secrets; these
//! are only read, never written.

use fingerpost_gs1::EntityKey;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::roles::{Role, Verb};
#[cfg(feature = "schema")]
use crate::text::schema;
use crate::{Actor, CompanyPrefix, Id, Secret};

/// An organisation and what it owns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Organisation {
    /// The id.
    pub id: Id,
    /// The name.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Name))]
    pub name: String,
    /// The company prefixes. No two organisations have overlapping ones.
    pub prefixes: Vec<CompanyPrefix>,
    /// Single GS1 keys that it owns with all levels below, even if another organisation has the company prefix.
    #[serde(with = "crate::key_levels")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<schema::LevelKey>))]
    pub keys: Vec<EntityKey>,
    /// Whether changes need a second person's approval.
    pub approval_required: bool,
    /// Whether regulated link types are allowed.
    pub regulated: bool,
    /// When it was created.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub created: Timestamp,
}

/// A new organisation.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewOrganisation {
    /// The name.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Name))]
    pub name: String,
    /// The company prefixes. They must not overlap with each other, or with those of other organisations.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<CompanyPrefix>, required = false, max_items = 1000))]
    pub prefixes: Vec<String>,
    /// Single GS1 keys, as paths without qualifiers: `/01/09506000134352`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<schema::LevelKey>, required = false, max_items = 1000))]
    pub keys: Vec<String>,
    /// Whether changes need a second person's approval.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub approval_required: bool,
    /// Whether regulated link types are allowed.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub regulated: bool,
}

/// A change of an organisation. Absent members stay as they are.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrganisationChange {
    /// The new name.
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::Name>))]
    pub name: Option<String>,
    /// The new company prefixes, all of them.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<CompanyPrefix>>, max_items = 1000))]
    pub prefixes: Option<Vec<String>>,
    /// The new single GS1 keys, all of them.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<schema::LevelKey>>, max_items = 1000))]
    pub keys: Option<Vec<String>>,
    /// Whether changes need a second person's approval.
    pub approval_required: Option<bool>,
    /// Whether regulated link types are allowed.
    pub regulated: Option<bool>,
}

/// A role in an organisation or the whole installation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Membership {
    /// The organisation; null or absent for the whole installation.
    #[serde(default)]
    pub organisation: Option<Id>,
    /// The role.
    pub role: Role,
}

/// A user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The id.
    pub id: Id,
    /// The login.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Login))]
    pub login: String,
    /// The name; can be empty.
    pub name: String,
    /// The roles, as far as the caller can see them.
    pub memberships: Vec<Membership>,
    /// Whether sign-in is disabled.
    pub disabled: bool,
    /// When the account was created.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub created: Timestamp,
}

/// A new user.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewUser {
    /// The login.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Login))]
    pub login: String,
    /// The name; can be empty.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = schema::OptionalName, required = false))]
    pub name: String,
    /// The password; absent if the user signs in with an OpenID Connect provider, or not yet.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::NewPassword>))]
    pub password: Option<Secret>,
    /// The roles, at most one in each organisation.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 200))]
    pub memberships: Vec<Membership>,
}

/// A change of a user. Absent members stay as they are.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserChange {
    /// The new name.
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::Name>))]
    pub name: Option<String>,
    /// The new password. All sessions of the user end.
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::NewPassword>))]
    pub password: Option<Secret>,
    /// The new roles, all of them as far as the caller can see them.
    #[cfg_attr(feature = "schema", schema(max_items = 200))]
    pub memberships: Option<Vec<Membership>>,
    /// Whether sign-in is disabled. Disabling ends all sessions of the user.
    pub disabled: Option<bool>,
}

/// An API key. Its secret is shown once, when the key is created.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Key))]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// The id, which is part of the token.
    pub id: Id,
    /// The label.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Label))]
    pub label: String,
    /// The organisation for which it is valid; null for the whole installation.
    pub organisation: Option<Id>,
    /// The permitted operations.
    pub verbs: Vec<Verb>,
    /// The only company prefix for which it is valid.
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::KeyPrefix>))]
    pub prefix: Option<String>,
    /// When it expires.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub expires: Option<Timestamp>,
    /// When it was revoked.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub revoked: Option<Timestamp>,
    /// When it was created.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub created: Timestamp,
    /// Who created it.
    pub created_by: Actor,
    /// When it was last used, to the minute.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub last_used: Option<Timestamp>,
}

/// A new API key.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewKey {
    /// The label.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Label))]
    pub label: String,
    /// The organisation for which it is valid; null or absent for the whole installation.
    #[serde(default)]
    pub organisation: Option<Id>,
    /// The permitted operations, at least one.
    #[cfg_attr(feature = "schema", schema(min_items = 1))]
    pub verbs: Vec<Verb>,
    /// The only company prefix for which it is valid. Excludes the verb `admin`.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::KeyPrefix>))]
    pub prefix: Option<String>,
    /// When it expires (RFC 3339); in the future.
    #[serde(default, deserialize_with = "crate::text::optional_instant")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub expires: Option<Timestamp>,
}

/// A session of a user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// SHA-256 of its token.
    pub id: String,
    /// The user.
    pub user: Id,
    /// When it began.
    pub created: Timestamp,
    /// When it was last used, to the minute.
    pub seen: Timestamp,
    /// When it ends at the latest.
    pub expires: Timestamp,
    /// Seconds without a request after which it ends.
    pub idle_seconds: i64,
}

impl Session {
    /// Returns whether the session is valid at an instant.
    pub(crate) fn is_alive(&self, now: Timestamp) -> bool {
        // The last use may not be saved yet, so permissions allow a little more time than sessions.
        let idle = SignedDuration::from_secs(self.idle_seconds).saturating_add(UNSAVED);
        now < self.expires && now.duration_since(self.seen) < idle
    }
}

/// A session with the data that its user needs.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// The user.
    pub user: User,
    /// The token, which the browser keeps in a cookie.
    pub token: Secret,
    /// The token that the page sends with every change. It is derived from `token` to be the same after a reload.
    pub csrf: Secret,
}

/// What a caller is permitted to do somewhere, for display: every operation decides again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ability {
    /// The organisation; null for the whole installation.
    pub organisation: Option<Id>,
    /// The name of the organisation.
    pub organisation_name: Option<String>,
    /// The role of a user; null for a key.
    pub role: Option<Role>,
    /// The permitted operations.
    pub verbs: Vec<Verb>,
    /// The only company prefix for which they are permitted.
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::KeyPrefix>))]
    pub prefix: Option<String>,
    /// Whether regulated link types are allowed.
    pub regulated: bool,
}

/// A page of a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Page<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// The cursor of the next page, if there is one.
    pub next: Option<String>,
}

/// The schemas above repeat these limits, because attributes take literals only.
#[cfg(feature = "schema")]
const _: () = {
    assert!(crate::text::MAX_OWNED == 1000);
    assert!(crate::text::MAX_MEMBERSHIPS == 200);
};

/// Maximum delay in saving the last use of a session.
const UNSAVED: SignedDuration = SignedDuration::from_mins(2);
