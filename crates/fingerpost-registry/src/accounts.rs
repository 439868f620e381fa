//! Organisations, people, keys and sessions as they are shown and asked for. None of these types holds a secret
//! except [`NewUser`] and [`UserChange`], which are only read.

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::rights::{Role, Verb};
use crate::{Actor, CompanyPrefix, Id, Secret};

/// An organisation and what it owns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organisation {
    /// Its id.
    pub id: Id,
    /// How people call it.
    pub name: String,
    /// Its company prefixes; no two organisations have overlapping ones.
    pub prefixes: Vec<CompanyPrefix>,
    /// Single keys that it owns, with everything below them, whoever has the prefix.
    #[serde(with = "crate::key_levels")]
    pub keys: Vec<EntityKey>,
    /// Has a second person to release each change?
    pub approval_required: bool,
    /// May it use regulated link types?
    pub regulated: bool,
    /// When it was made.
    pub created: Timestamp,
}

/// An organisation to be made. Texts are checked then.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct NewOrganisation {
    /// How people call it.
    pub name: String,
    /// Its company prefixes.
    pub prefixes: Vec<String>,
    /// Single keys, as paths: `/01/09506000134352`.
    pub keys: Vec<String>,
    /// Has a second person to release each change?
    pub approval_required: bool,
    /// May it use regulated link types?
    pub regulated: bool,
}

/// What to change about an organisation; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OrganisationChange {
    /// How people call it.
    pub name: Option<String>,
    /// Its company prefixes, all of them.
    pub prefixes: Option<Vec<String>>,
    /// Its single keys, all of them.
    pub keys: Option<Vec<String>>,
    /// Has a second person to release each change?
    pub approval_required: Option<bool>,
    /// May it use regulated link types?
    pub regulated: Option<bool>,
}

/// A role somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Membership {
    /// In this organisation; `None`: in the whole installation.
    #[serde(default)]
    pub organisation: Option<Id>,
    /// What one may do there.
    pub role: Role,
}

/// A person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The id.
    pub id: Id,
    /// The name that is typed to sign in.
    pub login: String,
    /// How people call them.
    pub name: String,
    /// What they may do, as far as the caller may know.
    pub memberships: Vec<Membership>,
    /// Are they kept from signing in?
    pub disabled: bool,
    /// When the account was made.
    pub created: Timestamp,
}

/// A person to be made known.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewUser {
    /// The name that is typed to sign in: 1 to 128 characters without spaces; letter case does not count.
    pub login: String,
    /// How people call them.
    #[serde(default)]
    pub name: String,
    /// `None`: they sign in elsewhere, or not yet.
    #[serde(default)]
    pub password: Option<Secret>,
    /// What they may do.
    #[serde(default)]
    pub memberships: Vec<Membership>,
}

/// What to change about a person; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UserChange {
    /// How people call them.
    pub name: Option<String>,
    /// A new password; all their sessions end.
    pub password: Option<Secret>,
    /// What they may do, as far as the caller may know of it.
    pub memberships: Option<Vec<Membership>>,
    /// Are they kept from signing in? Their sessions end.
    pub disabled: Option<bool>,
}

/// A key for programs. Its secret is shown once, when it is made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// The id, which is part of the token.
    pub id: Id,
    /// What it is for.
    pub label: String,
    /// Where it counts; `None`: in the whole installation.
    pub organisation: Option<Id>,
    /// What it may do.
    pub verbs: Vec<Verb>,
    /// Only keys of things that begin with these digits, where their company prefix stands.
    pub prefix: Option<String>,
    /// From when on it no longer counts.
    pub expires: Option<Timestamp>,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
    /// When it was made.
    pub created: Timestamp,
    /// By whom.
    pub created_by: Actor,
    /// When it was used last, to the minute.
    pub last_used: Option<Timestamp>,
    /// Whose own key it is: it never gives more than that person may do at the time. `None`: made by an administrator, it stands
    /// by itself.
    #[serde(default)]
    pub user: Option<Id>,
}

/// A key to be made.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewKey {
    /// What it is for.
    pub label: String,
    /// Where it counts; `None`: in the whole installation.
    #[serde(default)]
    pub organisation: Option<Id>,
    /// What it may do: `read`, `write`, `admin`.
    pub verbs: Vec<Verb>,
    /// Only keys of things that begin with these digits, where their company prefix stands.
    #[serde(default)]
    pub prefix: Option<String>,
    /// From when on it no longer counts.
    #[serde(default)]
    pub expires: Option<Timestamp>,
}

/// A person's sign-in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// SHA-256 of its token.
    pub id: String,
    /// Whose it is.
    pub user: Id,
    /// When it began.
    pub created: Timestamp,
    /// When it was used last, to the minute.
    pub seen: Timestamp,
    /// When it ends at the latest.
    pub expires: Timestamp,
    /// It ends when it is not used for so many seconds.
    pub idle_seconds: i64,
}

/// A session with what its holder needs.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// Whose it is.
    pub user: User,
    /// What the browser keeps in a cookie.
    pub token: Secret,
    /// What the page sends along with every change; made from the token, so that it comes again after a reload.
    pub csrf: Secret,
}

/// What a caller may do, for showing: decisions are made in the operations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ability {
    /// Where; `None`: in the whole installation.
    pub organisation: Option<Id>,
    /// Its name.
    pub organisation_name: Option<String>,
    /// The role of a person; keys have none.
    pub role: Option<Role>,
    /// What.
    pub verbs: Vec<Verb>,
    /// Only keys of things that begin with these digits.
    pub prefix: Option<String>,
    /// May regulated link types be used there?
    pub regulated: bool,
}

/// Some items of a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Page<T> {
    /// The items, in their order.
    pub items: Vec<T>,
    /// Where the next page begins, if there is more.
    pub next: Option<String>,
}
