//! Invitations: an administrator invites an address with a role; the reader of the mail follows the
//! link in it, chooses a name and a password, and gets the account. The login is the address.
//!
//! An administrator of an organisation may have access to the invited mailbox, so the account
//! counts as set up by the inviter until somebody independent confirms it (`principals.rs`).

use fingerpost_store::{Event, Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::documents::{Document, load, load_page, load_sized, remove, save};
use crate::events::{about_user, concerning};
use crate::failures::Counters;
use crate::fault::Fault;
use crate::limits::MAX_OPEN_INVITATIONS;
use crate::organisations::name;
use crate::outbox::{Content, is_address, of_token, post};
use crate::principals::Principals;
use crate::registry::{Context, Inner};
use crate::rights::{Access, key_counts};
use crate::roles::Role;
use crate::stored::{Index, StoredKey, StoredUser};
use crate::text::fold;
#[cfg(feature = "schema")]
use crate::text::schema;
use crate::{
    Actor, Caller, ClientInfo, Id, Membership, Organisation, Page, Registry, RegistryError, Secret,
    User, Verb, password,
};

/// An invitation that was not accepted yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    /// The id.
    pub id: Id,
    /// The address of the mail, and the login of the account.
    pub address: String,
    /// The role in an organisation or the whole installation.
    #[serde(flatten)]
    pub membership: Membership,
    /// When it was last sent; null while its first mail waits.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub sent: Option<Timestamp>,
    /// When it ends.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub expires: Timestamp,
    /// Who invited.
    pub created_by: Actor,
    /// When it was created.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub created: Timestamp,
}

/// A new invitation.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewInvitation {
    /// The address of the mail, in ASCII; it becomes the login.
    pub address: String,
    /// The organisation; null or absent for the whole installation.
    #[serde(default)]
    pub organisation: Option<Id>,
    /// The role.
    pub role: Role,
    /// The language of the mail, as a tag; English if there are no texts in it.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub language: String,
}

/// The acceptance of an invitation.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The token in the link of the mail.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub token: Secret,
    /// The name of the user.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Name))]
    pub name: String,
    /// The password.
    #[cfg_attr(feature = "schema", schema(value_type = schema::NewPassword))]
    pub password: Secret,
}

/// An invitation with the data that is not shown.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredInvitation {
    #[serde(flatten)]
    pub(crate) invitation: Invitation,
    language: String,
    /// SHA-256 of the secret in the last mail.
    pub(crate) digest: Option<String>,
    /// The users who may be behind the inviter, unless that was the operator.
    #[serde(default, skip_serializing_if = "Principals::are_unknown")]
    principals: Principals,
    by_operator: bool,
}

impl Document for StoredInvitation {
    const COLLECTION: &'static str = "invitations";
}

impl Registry {
    /// Returns the invitations to roles that the caller administers.
    pub fn invitations(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Invitation>, RegistryError> {
        self.view_as(caller, |view, access| {
            access.anywhere(Verb::Admin)?;
            crate::pages::page(
                after,
                limit,
                |after, limit| load_sized(view, after, limit),
                |StoredInvitation { invitation, .. }| {
                    Ok(access.administers_role(&invitation.membership).then_some(invitation))
                },
            )
        })
    }

    /// Invites an address. `origin`: that of the console, to which the link in the mail leads.
    ///
    /// Fails with [`RegistryError::Forbidden`] for a role that the caller cannot grant,
    /// [`RegistryError::Invalid`], [`RegistryError::Conflict`] if the address has an account or an
    /// invitation, [`RegistryError::TooLarge`], [`RegistryError::Throttled`], or an error of the
    /// store.
    pub fn invite(
        &self,
        caller: &Caller,
        new: NewInvitation,
        origin: &str,
    ) -> Result<Invitation, RegistryError> {
        let origin = origin.to_owned();
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            let membership = Membership { organisation: new.organisation, role: new.role };
            access.check_roles(tx, &[membership])?;
            if !is_address(&new.address) {
                let detail = "address must be a mail address such as ada@example.org";
                return Err(RegistryError::invalid(vec![Fault::new(
                    "/address", "address", detail,
                )]));
            }
            let taken = |detail: &str| {
                Err(RegistryError::Conflict(vec![Fault::new("/address", "address", detail)]))
            };
            if Index::Login.find(tx, &fold(&new.address))?.is_some() {
                return taken("this address has an account; give it the role instead");
            }
            let mut open = 0;
            for (id, stored) in load_page::<StoredInvitation>(tx, None, usize::MAX)? {
                let one = &stored.invitation;
                if one.expires <= now {
                    remove::<StoredInvitation>(tx, &id)?;
                } else if one.membership.organisation == new.organisation {
                    open += 1;
                    if fold(&one.address) == fold(&new.address) {
                        return taken("this address is invited already; send the invitation again");
                    }
                }
            }
            if open >= MAX_OPEN_INVITATIONS {
                let limit = MAX_OPEN_INVITATIONS as u64;
                return Err(RegistryError::TooLarge { what: "open invitations", limit });
            }
            let stored = StoredInvitation {
                invitation: Invitation {
                    id: Id::random(),
                    address: new.address.clone(),
                    membership,
                    sent: None,
                    expires: now,
                    created_by: caller.actor.clone(),
                    created: now,
                },
                language: new.language.clone(),
                digest: None,
                principals: access.principals.clone(),
                by_operator: access.in_installation(Verb::Admin),
            };
            dispatch(tx, inner, caller, stored, ("invitation.created", &origin))
        })
    }

    /// Sends an invitation again, with a new link; the one before is not valid any more.
    ///
    /// Fails with [`RegistryError::NotFound`] for an invitation to a role that the caller does not
    /// administer, [`RegistryError::Throttled`], or an error of the store.
    pub fn resend_invitation(
        &self,
        caller: &Caller,
        id: &Id,
        origin: &str,
    ) -> Result<Invitation, RegistryError> {
        let (id, origin) = (*id, origin.to_owned());
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let mut stored = administered(tx, access, &id)?;
            access.check_roles(tx, &[stored.invitation.membership])?;
            stored.digest = None;
            stored.invitation.created_by = caller.actor.clone();
            stored.principals = access.principals.clone();
            stored.by_operator = access.in_installation(Verb::Admin);
            dispatch(tx, inner, caller, stored, ("invitation.resent", &origin))
        })
    }

    /// Revokes an invitation: the link in its mail is not valid any more.
    ///
    /// Fails as [`Registry::resend_invitation`].
    pub fn revoke_invitation(&self, caller: &Caller, id: &Id) -> Result<(), RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let stored = administered(tx, access, &id)?;
            remove::<StoredInvitation>(tx, id.as_str())?;
            let event = inner.event("invitation.revoked", caller);
            tx.record(concerning_invitation(event, &stored.invitation))?;
            Ok(())
        })
    }

    /// Creates the account of an invitation, which ends with it. Hashes the password.
    ///
    /// Fails with [`RegistryError::Invalid`], also for a token that is wrong, used, replaced or too
    /// old, or whose inviter could not invite any more; [`RegistryError::Conflict`] if the address
    /// got an account meanwhile; or an error of the store.
    pub fn accept_invitation(
        &self,
        acceptance: Acceptance,
        client: &ClientInfo,
    ) -> Result<User, RegistryError> {
        let Acceptance { token, name: given, password } = acceptance;
        self.inner.store.view(|view| valid(view, &token, self.inner.now()))?;
        let mut faults = Vec::from_iter(password::check(&password, "/password").err());
        let name = name(&given, &mut faults);
        if !faults.is_empty() {
            return Err(RegistryError::invalid(faults));
        }
        let hash = password::hash(&password)?;
        let (inner, client) = (self.inner.clone(), client.clone());
        self.inner.store.transact(move |tx| {
            let stored = valid(tx, &token, inner.now())?;
            let StoredInvitation { invitation, principals, by_operator, .. } = stored;
            let folded = fold(&invitation.address);
            if Index::Login.find(tx, &folded)?.is_some() {
                let detail = "this address has an account already; sign in instead";
                return Err(RegistryError::Conflict(vec![Fault::new("/token", "login", detail)]));
            }
            let user = User {
                id: Id::random(),
                login: invitation.address.clone(),
                name: name.clone(),
                memberships: vec![invitation.membership],
                disabled: false,
                second_factor: false,
                set_up_by: (!by_operator).then(|| invitation.created_by.clone()),
                terms: None,
                created: inner.now(),
            };
            let mut account = StoredUser::new(user, Some(hash.clone()), None);
            account.own_password = true;
            if !by_operator {
                account.principals.add_setter(&principals);
            }
            Index::Login.insert(tx, &folded, account.user.id)?;
            save(tx, account.user.id.as_str(), &account)?;
            remove::<StoredInvitation>(tx, invitation.id.as_str())?;
            let actor = Actor::User(account.user.id).to_string();
            let event = inner.event_of("user.created", actor, &account.user.name, &client);
            let event = event.detail("invitation", invitation.id.as_str());
            tx.record(about_user(event, &account.user))?;
            Ok(account.user)
        })
    }
}

/// Saves an invitation with a new end, puts its mail into the outbox, and records that.
fn dispatch(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    caller: &Caller,
    mut stored: StoredInvitation,
    (action, origin): (&'static str, &str),
) -> Result<Invitation, RegistryError> {
    let (now, lifetime) = (inner.now(), inner.options.invitation_lifetime);
    stored.invitation.expires = now.checked_add(lifetime).unwrap_or(Timestamp::MAX);
    let StoredInvitation { invitation, language, .. } = &stored;
    let sender = invitation.membership.organisation.map(|id| id.to_string()).unwrap_or_default();
    let rates = Counters::of_mail(&fold(&invitation.address), &sender);
    rates.check(tx, now)?;
    rates.count(tx, now)?;
    post(tx, Content::Invitation(invitation.id), (language, origin), now, lifetime)?;
    save(tx, invitation.id.as_str(), &stored)?;
    tx.record(concerning_invitation(inner.event(action, caller), &stored.invitation))?;
    Ok(stored.invitation)
}

/// Returns an invitation to a role that the caller administers.
fn administered(
    view: &View<'_>,
    access: &Access,
    id: &Id,
) -> Result<StoredInvitation, RegistryError> {
    let stored = load::<StoredInvitation>(view, id.as_str())?;
    let stored = stored.filter(|it| access.administers_role(&it.invitation.membership));
    stored.ok_or(RegistryError::NotFound)
}

/// Returns the invitation of a token, if it can be accepted.
fn valid(
    view: &View<'_>,
    token: &Secret,
    now: Timestamp,
) -> Result<StoredInvitation, RegistryError> {
    let digest_of = |stored: &StoredInvitation| {
        let is_open = stored.invitation.expires > now && may_still_invite(view, stored, now);
        stored.digest.clone().filter(|_| is_open)
    };
    of_token(view, "fpi", token, digest_of).map(|(_, stored)| stored)
}

/// Returns whether the organisation exists, and the inviter administers it as before. An account
/// that cannot be read cannot have invited.
fn may_still_invite(view: &View<'_>, stored: &StoredInvitation, now: Timestamp) -> bool {
    let wanted = stored.invitation.membership.organisation;
    let includes = |scope: Option<Id>| scope.is_none() || scope == wanted;
    let exists = wanted.is_none_or(|id| {
        load::<Organisation>(view, id.as_str()).is_ok_and(|found| found.is_some())
    });
    let may = match &stored.invitation.created_by {
        Actor::Local(_) => true,
        Actor::User(id) => matches!(load::<StoredUser>(view, id.as_str()), Ok(Some(it)) if {
            let is_admin = |one: &Membership| one.role == Role::Admin && includes(one.organisation);
            !it.user.disabled && it.user.memberships.iter().any(is_admin)
        }),
        Actor::Key(id) => matches!(load::<StoredKey>(view, id.as_str()), Ok(Some(it)) if {
            key_counts(&it, now) && it.key.verbs.contains(&Verb::Admin) && includes(it.key.organisation)
        }),
    };
    exists && may
}

/// Adds the role of an invitation to an event. The address is personal, and not in the log.
pub(crate) fn concerning_invitation(event: Event, invitation: &Invitation) -> Event {
    let role = serde_json::to_value(invitation.membership).unwrap_or_default();
    let event = event.subject(invitation.id.as_str()).detail("membership", role);
    concerning(event, invitation.membership.organisation)
}
