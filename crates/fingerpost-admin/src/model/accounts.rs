//! Organisations, people, keys and sessions.

use fingerpost_registry::{
    Ability, ApiKey, Id, Membership, NewKey, NewOrganisation, NewUser, Organisation,
    OrganisationChange, Role, Secret, SignedIn, User, UserChange, Verb,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::instant;

/// An organisation and what it owns.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Organisation)]
pub(crate) struct OrganisationBody {
    id: String,
    /// How people call it.
    name: String,
    /// Its GS1 Company Prefixes.
    prefixes: Vec<String>,
    /// Single keys that it owns, as paths.
    keys: Vec<String>,
    /// Has a second person to release each change?
    approval_required: bool,
    /// May it use regulated link types?
    regulated: bool,
    created: String,
}

impl From<Organisation> for OrganisationBody {
    fn from(organisation: Organisation) -> Self {
        Self {
            id: organisation.id.to_string(),
            prefixes: organisation.prefixes.iter().map(ToString::to_string).collect(),
            keys: organisation.keys.iter().map(|key| format!("/{}", key.as_str())).collect(),
            approval_required: organisation.approval_required,
            regulated: organisation.regulated,
            created: instant(organisation.created),
            name: organisation.name,
        }
    }
}

/// An organisation to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewOrganisation)]
pub(crate) struct NewOrganisationBody {
    /// How people call it.
    name: String,
    /// Its GS1 Company Prefixes: 4 to 12 digits, not overlapping those of others.
    #[serde(default)]
    prefixes: Vec<String>,
    /// Single keys, as paths such as `/01/09506000134352`.
    #[serde(default)]
    keys: Vec<String>,
    /// Has a second person to release each change?
    #[serde(default)]
    approval_required: bool,
    /// May it use regulated link types?
    #[serde(default)]
    regulated: bool,
}

impl From<NewOrganisationBody> for NewOrganisation {
    fn from(body: NewOrganisationBody) -> Self {
        let NewOrganisationBody { name, prefixes, keys, approval_required, regulated } = body;
        Self { name, prefixes, keys, approval_required, regulated }
    }
}

/// What to change about an organisation; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = OrganisationChange)]
pub(crate) struct OrganisationChangeBody {
    name: Option<String>,
    /// All of them.
    prefixes: Option<Vec<String>>,
    /// All of them.
    keys: Option<Vec<String>>,
    approval_required: Option<bool>,
    regulated: Option<bool>,
}

impl From<OrganisationChangeBody> for OrganisationChange {
    fn from(body: OrganisationChangeBody) -> Self {
        let OrganisationChangeBody { name, prefixes, keys, approval_required, regulated } = body;
        Self { name, prefixes, keys, approval_required, regulated }
    }
}

/// What a person may do somewhere; each role may do all that the ones before it may.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Role)]
pub(crate) enum RoleBody {
    /// Sees levels, history and proposals.
    Reader,
    /// Changes levels.
    Editor,
    /// Releases changes of others.
    Approver,
    /// Gives rights to people and keys, and sees the audit log.
    Admin,
}

impl From<Role> for RoleBody {
    fn from(role: Role) -> Self {
        match role {
            Role::Reader => Self::Reader,
            Role::Editor => Self::Editor,
            Role::Approver => Self::Approver,
            Role::Admin => Self::Admin,
        }
    }
}

impl From<RoleBody> for Role {
    fn from(role: RoleBody) -> Self {
        match role {
            RoleBody::Reader => Self::Reader,
            RoleBody::Editor => Self::Editor,
            RoleBody::Approver => Self::Approver,
            RoleBody::Admin => Self::Admin,
        }
    }
}

/// One kind of operation.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Verb)]
pub(crate) enum VerbBody {
    /// See levels, history and proposals.
    Read,
    /// Change levels.
    Write,
    /// Release changes of others.
    Approve,
    /// Give rights, and see the audit log.
    Admin,
}

impl From<Verb> for VerbBody {
    fn from(verb: Verb) -> Self {
        match verb {
            Verb::Read => Self::Read,
            Verb::Write => Self::Write,
            Verb::Approve => Self::Approve,
            Verb::Admin => Self::Admin,
        }
    }
}

impl From<VerbBody> for Verb {
    fn from(verb: VerbBody) -> Self {
        match verb {
            VerbBody::Read => Self::Read,
            VerbBody::Write => Self::Write,
            VerbBody::Approve => Self::Approve,
            VerbBody::Admin => Self::Admin,
        }
    }
}

/// A role somewhere.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Membership)]
pub(crate) struct MembershipBody {
    /// In this organisation; null or absent: in the whole installation.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    organisation: Option<Id>,
    role: RoleBody,
}

impl From<Membership> for MembershipBody {
    fn from(Membership { organisation, role }: Membership) -> Self {
        Self { organisation, role: role.into() }
    }
}

impl From<MembershipBody> for Membership {
    fn from(MembershipBody { organisation, role }: MembershipBody) -> Self {
        Self { organisation, role: role.into() }
    }
}

/// A person.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
pub(crate) struct UserBody {
    id: String,
    /// The name that is typed to sign in.
    login: String,
    /// How people call them.
    name: String,
    /// What they may do, as far as you may know.
    memberships: Vec<MembershipBody>,
    /// Are they kept from signing in?
    disabled: bool,
    created: String,
}

impl From<User> for UserBody {
    fn from(user: User) -> Self {
        Self {
            id: user.id.to_string(),
            memberships: user.memberships.into_iter().map(MembershipBody::from).collect(),
            disabled: user.disabled,
            created: instant(user.created),
            login: user.login,
            name: user.name,
        }
    }
}

/// A person to be made known.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewUser)]
pub(crate) struct NewUserBody {
    /// The name that is typed to sign in: 1 to 128 characters without spaces; letter case does not count.
    login: String,
    /// How people call them.
    #[serde(default)]
    name: String,
    /// 12 to 256 bytes; absent: they sign in elsewhere, or not yet.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Password)]
    password: Option<Secret>,
    #[serde(default)]
    memberships: Vec<MembershipBody>,
}

impl From<NewUserBody> for NewUser {
    fn from(body: NewUserBody) -> Self {
        let NewUserBody { login, name, password, memberships } = body;
        let memberships = memberships.into_iter().map(Membership::from).collect();
        Self { login, name, password, memberships }
    }
}

/// What to change about a person; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserChange)]
pub(crate) struct UserChangeBody {
    name: Option<String>,
    /// A new password; all their sessions end.
    #[schema(value_type = Option<String>, format = Password)]
    password: Option<Secret>,
    /// All of them, as far as you may know.
    memberships: Option<Vec<MembershipBody>>,
    /// `true` ends their sessions.
    disabled: Option<bool>,
}

impl From<UserChangeBody> for UserChange {
    fn from(body: UserChangeBody) -> Self {
        let UserChangeBody { name, password, memberships, disabled } = body;
        let memberships =
            memberships.map(|all| all.into_iter().map(Membership::from).collect::<Vec<_>>());
        Self { name, password, memberships, disabled }
    }
}

/// A key for programs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Key)]
pub(crate) struct KeyBody {
    id: String,
    /// What it is for.
    label: String,
    /// Where it counts; null: in the whole installation.
    organisation: Option<String>,
    verbs: Vec<VerbBody>,
    /// Only keys of things that begin with these digits, where their company prefix stands.
    prefix: Option<String>,
    expires: Option<String>,
    revoked: Option<String>,
    created: String,
    /// Who made it.
    created_by: String,
    /// When it was used last, to the minute.
    last_used: Option<String>,
}

impl From<ApiKey> for KeyBody {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            organisation: key.organisation.map(|id| id.to_string()),
            verbs: key.verbs.into_iter().map(VerbBody::from).collect(),
            expires: key.expires.map(instant),
            revoked: key.revoked.map(instant),
            created: instant(key.created),
            created_by: key.created_by.to_string(),
            last_used: key.last_used.map(instant),
            label: key.label,
            prefix: key.prefix,
        }
    }
}

/// A key to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = NewKey)]
pub(crate) struct NewKeyBody {
    /// What it is for.
    label: String,
    /// Where it counts; null or absent: in the whole installation.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    organisation: Option<Id>,
    verbs: Vec<VerbBody>,
    /// Only keys of things that begin with these digits, where their company prefix stands.
    #[serde(default)]
    prefix: Option<String>,
    /// From when on it no longer counts (RFC 3339).
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    expires: Option<Timestamp>,
}

impl From<NewKeyBody> for NewKey {
    fn from(body: NewKeyBody) -> Self {
        let NewKeyBody { label, organisation, verbs, prefix, expires } = body;
        let verbs = verbs.into_iter().map(Verb::from).collect();
        Self { label, organisation, verbs, prefix, expires }
    }
}

/// A key with its secret, which is shown this once.
#[derive(Serialize, ToSchema)]
#[schema(as = MadeKey)]
pub(crate) struct MadeKeyBody {
    pub(crate) key: KeyBody,
    /// What goes into `Authorization: Bearer …`. Nobody can show it again.
    pub(crate) token: String,
}

macro_rules! page {
    ($(#[$doc:meta])* $name:ident as $shown:ident { $items:ident: $item:ty }) => {
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        #[schema(as = $shown)]
        pub(crate) struct $name {
            /// In the order in which they were made.
            pub(crate) $items: Vec<$item>,
            /// `after` of the next page, if there is one.
            pub(crate) next: Option<String>,
        }
    };
}

page!(
    /// A page of organisations.
    OrganisationsBody as Organisations { organisations: OrganisationBody }
);
page!(
    /// A page of people.
    UsersBody as Users { users: UserBody }
);
page!(
    /// A page of keys.
    KeysBody as Keys { keys: KeyBody }
);

/// What a caller may do, for showing; it is decided again with each request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Ability)]
pub(crate) struct AbilityBody {
    /// Where; null: in the whole installation.
    organisation: Option<String>,
    organisation_name: Option<String>,
    /// The role of a person; keys have none.
    role: Option<RoleBody>,
    verbs: Vec<VerbBody>,
    /// Only keys of things that begin with these digits.
    prefix: Option<String>,
    /// May regulated link types be used there?
    regulated: bool,
}

impl From<Ability> for AbilityBody {
    fn from(ability: Ability) -> Self {
        Self {
            organisation: ability.organisation.map(|id| id.to_string()),
            organisation_name: ability.organisation_name,
            role: ability.role.map(RoleBody::from),
            verbs: ability.verbs.into_iter().map(VerbBody::from).collect(),
            prefix: ability.prefix,
            regulated: ability.regulated,
        }
    }
}

/// What is typed to sign in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SignIn)]
pub(crate) struct SignInBody {
    pub(crate) login: String,
    #[schema(value_type = String, format = Password)]
    pub(crate) password: Secret,
}

/// A change of one's own password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PasswordChange)]
pub(crate) struct PasswordChangeBody {
    #[schema(value_type = String, format = Password)]
    pub(crate) old: Secret,
    #[schema(value_type = String, format = Password)]
    pub(crate) new: Secret,
}

/// Who is signed in, or how one signs in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionBody {
    /// Null: nobody.
    user: Option<SessionUserBody>,
    /// Goes into `X-CSRF-Token` with every change.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf: Option<String>,
    /// What they may do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    rights: Vec<AbilityBody>,
    /// When the session ends at the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    /// The ways to sign in here.
    sign_in: SignInWays,
}

/// The ways to sign in.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct SignInWays {
    /// `POST /v1/session`
    pub(crate) password: bool,
    /// `GET /v1/oidc/start`
    pub(crate) oidc: bool,
}

/// Who is signed in.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SessionUser)]
pub(crate) struct SessionUserBody {
    id: String,
    login: String,
    name: String,
}

impl SessionBody {
    pub(crate) fn nobody(sign_in: SignInWays) -> Self {
        Self { user: None, csrf: None, rights: Vec::new(), expires: None, sign_in }
    }

    pub(crate) fn new(signed_in: &SignedIn, rights: Vec<Ability>, sign_in: SignInWays) -> Self {
        Self {
            user: Some(SessionUserBody {
                id: signed_in.user.id.to_string(),
                login: signed_in.user.login.clone(),
                name: signed_in.user.name.clone(),
            }),
            csrf: Some(signed_in.csrf.expose().to_owned()),
            rights: rights.into_iter().map(AbilityBody::from).collect(),
            expires: Some(instant(signed_in.session.expires)),
            sign_in,
        }
    }
}
