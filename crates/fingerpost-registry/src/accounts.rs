//! Organisations, users, keys and sessions as they are shown and requested. The API uses these
//! types for requests and responses.
//!
//! Data that is not shown, such as digests of secrets, is in `stored`. Only [`NewUser`] and
//! [`UserChange`] hold secrets; these are only read, never written.

use std::fmt;

use fingerpost_gs1::EntityKey;
use jiff::{SignedDuration, Timestamp};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

#[cfg(feature = "schema")]
use crate::limits::{MAX_MEMBERSHIPS, MAX_NOTICE_CHARACTERS, MAX_OWNED, MAX_TARGET_HOSTS};
use crate::roles::{Role, Verb};
#[cfg(feature = "schema")]
use crate::text::schema;
use crate::{
    AcceptedTerms, Actor, BrandSettings, CompanyPrefix, Id, OrganisationSuspension, Secret,
};

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
    /// Single GS1 keys that it owns with all levels below, even if another organisation has the
    /// company prefix.
    #[serde(with = "crate::key_levels")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<schema::LevelKey>))]
    pub keys: Vec<EntityKey>,
    /// Whether changes need a second person's approval.
    pub approval_required: bool,
    /// Whether regulated link types are allowed.
    pub regulated: bool,
    /// The hosts that its links may lead to, such as `www.example.com`, or `*.example.com` for all
    /// names below it. Empty: any.
    #[serde(default)]
    pub target_hosts: Vec<String>,
    /// Whether the country of the client is the context of requests that name none, where the
    /// operator has configured its origin. A record can say otherwise (`contextFrom`).
    #[serde(default)]
    pub context_from_country: bool,
    /// Since when and how it is suspended; null if it is not.
    #[serde(default)]
    pub suspended: Option<OrganisationSuspension>,
    /// How pages about its keys present it; null: as the installation.
    #[serde(default)]
    pub brand: Option<BrandSettings>,
    /// The most that it may use.
    #[serde(default)]
    pub quotas: Quotas,
    /// When it was created.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub created: Timestamp,
}

/// The most that an organisation may use. Absent or null: the default of the installation, which
/// may be no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Quotas {
    /// Levels with a record.
    pub levels: Option<u64>,
    /// Bytes of these records, as stored.
    pub bytes: Option<u64>,
    /// API keys that are not revoked.
    pub keys: Option<u64>,
    /// Proposals that wait.
    pub proposals: Option<u64>,
}

/// How much an organisation uses, and how much it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Usage {
    /// Levels with a record.
    pub levels: Used,
    /// Bytes of these records, as stored.
    pub bytes: Used,
    /// API keys that are not revoked.
    pub keys: Used,
    /// Proposals that wait.
    pub proposals: Used,
    /// Whether levels and bytes are still being counted, after an upgrade or a change of what the
    /// organisation owns.
    pub counting: bool,
}

/// How much of their quotas organisations use, for operators. It names nobody.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct QuotaUse {
    /// The number of organisations.
    pub organisations: u64,
    /// The largest part of a quota that any organisation uses, 1 for all of it: of levels, bytes,
    /// keys and proposals. 0 without quotas.
    pub highest: [f64; 4],
    /// The number of organisations that use all of it.
    pub exhausted: [u64; 4],
}

impl QuotaUse {
    /// The names of the quotas, in the order of the numbers.
    pub const NAMES: [&str; 4] = ["levels", "bytes", "keys", "proposals"];
}

/// A number in use, and its quota.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Used {
    /// The number in use.
    pub used: u64,
    /// The quota; null for no limit.
    pub quota: Option<u64>,
}

/// Deserializes the quotas of a request, which can have no unknown members.
fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Quotas, D::Error> {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
    struct Strict {
        levels: Option<u64>,
        bytes: Option<u64>,
        keys: Option<u64>,
        proposals: Option<u64>,
    }
    // Serde would take the members of an array for those of an object.
    struct Object;
    impl<'de> Visitor<'de> for Object {
        type Value = Strict;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Strict, A::Error> {
            Strict::deserialize(MapAccessDeserializer::new(members))
        }
    }
    let Strict { levels, bytes, keys, proposals } = deserializer.deserialize_map(Object)?;
    if [levels, bytes, keys, proposals].into_iter().flatten().any(|quota| quota > i64::MAX as u64) {
        return Err(D::Error::custom("expected a number of at most 63 bits"));
    }
    Ok(Quotas { levels, bytes, keys, proposals })
}

/// As [`strict`], for a member that can be absent.
fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Quotas>, D::Error> {
    strict(deserializer).map(Some)
}

/// A new organisation.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewOrganisation {
    /// The name.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Name))]
    pub name: String,
    /// The company prefixes. They must not overlap with each other, or with those of other
    /// organisations.
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
    /// The hosts that its links may lead to, such as `www.example.com`, or `*.example.com` for all
    /// names below it. Empty: any.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false, max_items = 100))]
    pub target_hosts: Vec<String>,
    /// Whether the country of the client is the context of requests that name none, where the
    /// operator has configured its origin. A record can say otherwise (`contextFrom`).
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub context_from_country: bool,
    /// The most that it may use.
    #[serde(default, deserialize_with = "strict")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub quotas: Quotas,
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
    /// The new hosts that its links may lead to, all of them; empty for any.
    #[cfg_attr(feature = "schema", schema(max_items = 100))]
    pub target_hosts: Option<Vec<String>>,
    /// Whether the country of the client is the context of requests that name none, where the
    /// operator has configured its origin. A record can say otherwise (`contextFrom`).
    pub context_from_country: Option<bool>,
    /// The new quotas, all of them.
    #[serde(default, deserialize_with = "optional")]
    pub quotas: Option<Quotas>,
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
    /// Whether sign-in needs a second factor (RFC 6238).
    #[serde(default)]
    pub second_factor: bool,
    /// Who set the password, if that was neither the user nor an administrator of the
    /// installation, and nobody confirmed the account since: both can sign in as this user, so
    /// they count as one person when changes are approved.
    #[serde(default)]
    pub set_up_by: Option<Actor>,
    /// The terms that the user accepted last.
    #[serde(default)]
    pub terms: Option<AcceptedTerms>,
    /// When the account was created.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub created: Timestamp,
}

impl User {
    /// Returns what the user is called: the name, or the login if there is none.
    pub(crate) fn display_name(&self) -> &str {
        if self.name.is_empty() { &self.login } else { &self.name }
    }
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
    /// The new password. All sessions of the user end, and the user's API keys are revoked.
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
    /// The user to whom it belongs: it never permits more than the user may do at the time, and
    /// ends with the account. Null: it belongs to the organisation, or to the installation.
    #[serde(default)]
    pub user: Option<Id>,
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
    /// When it last got a new secret.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub rotated: Option<Timestamp>,
    /// Until when the secret before that one is valid too.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub previous_until: Option<Timestamp>,
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
    /// Whether the key belongs to the organisation, or to the installation, instead of to you: it
    /// stays valid when you lose your permissions or leave. For administrators only.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub for_organisation: bool,
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

/// A new secret for an API key.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyRotation {
    /// Until when the current secret stays valid (RFC 3339): at most 30 days from now; absent: 24
    /// hours. A time in the past ends it at once.
    #[serde(default, deserialize_with = "crate::text::optional_instant")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub previous_until: Option<Timestamp>,
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
    /// The kind of client that began it, such as `Firefox on Windows`.
    #[serde(default)]
    pub client: String,
    /// Whether it has no permissions until the user has set up a second factor.
    #[serde(default)]
    pub limited: bool,
    /// Whether it has no permissions until the user has accepted the terms.
    #[serde(default)]
    pub lacks_terms: bool,
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
    /// The token that the page sends with every change. It is derived from `token` to be the same
    /// after a reload.
    pub csrf: Secret,
    /// The token by which the browser is recognised at the next sign-in, if it has none yet.
    pub device: Option<Secret>,
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
    assert!(MAX_OWNED == 1000);
    assert!(MAX_TARGET_HOSTS == 100);
    assert!(MAX_NOTICE_CHARACTERS == 300);
    assert!(MAX_MEMBERSHIPS == 200);
};

/// Maximum delay in saving the last use of a session.
const UNSAVED: SignedDuration = SignedDuration::from_mins(2);
