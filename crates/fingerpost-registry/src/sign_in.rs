//! Sign-in by password, or with another identity provider (OpenID Connect).
//!
//! Neither the answer nor its time reveals whether a login exists.

use fingerpost_store::Transaction;

use crate::documents::{load, save};
use crate::events::{about_user, attempts_on};
use crate::fault::Fault;
use crate::registry::Inner;
use crate::secret::digest;
use crate::stored::{Index, StoredUser};
use crate::text::{fold, is_login};
use crate::{
    Actor, Client, Id, Membership, Registry, RegistryError, Secret, SignedIn, User, password,
    sessions,
};

/// An identity from another provider, and the roles that it grants.
#[derive(Clone, Debug)]
pub struct Federated {
    /// The issuer of the identity.
    pub issuer: String,
    /// The issuer's id of the user; never reassigned to another user.
    pub subject: String,
    /// The display name.
    pub name: String,
    /// The login to show; if it is taken, a new one is derived from it.
    pub login: String,
    /// The roles, replaced at each sign-in.
    pub memberships: Vec<Membership>,
}

impl Registry {
    /// Signs a user in by password.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`] for a wrong login or password, or a disabled account;
    /// [`RegistryError::Throttled`] after too many attempts for the login or from the address; or an error of the store.
    pub fn sign_in(
        &self,
        login: &str,
        password: &Secret,
        client: &Client,
    ) -> Result<SignedIn, RegistryError> {
        let is_possible = is_login(login);
        let login = fold(login);
        self.inner.throttle.attempt(&login, client.address)?;
        let stored: Option<StoredUser> = self.inner.store.view(|view| {
            let id = if is_possible { Index::Login.find(view, &login)? } else { None };
            id.map_or(Ok(None), |id| load(view, id.as_str()))
        })?;
        let hash = stored.as_ref().and_then(|stored| stored.password.as_deref());
        let is_right = password::verify(password, hash)?;
        let known = stored.as_ref().map(|stored| stored.user.id);
        let user = stored.filter(|stored| is_right && !stored.user.disabled);
        let inner = self.inner.clone();
        let client = client.clone();
        let signed_in = self.inner.store.transact(move |tx| {
            let Some(before) = &user else {
                tx.record(refused(&inner, known, &client))?;
                return Ok(None);
            };
            // The verified data must be unchanged.
            let stored: Option<StoredUser> = load(tx, before.user.id.as_str())?;
            let stored = stored.filter(|now| !now.user.disabled && now.password == before.password);
            match stored {
                Some(stored) => begin(tx, &inner, stored.user, &client).map(Some),
                None => Ok(None),
            }
        })?;
        signed_in.ok_or(RegistryError::Unauthenticated)
    }

    /// Signs in a user of another identity provider; creates the account at the first sign-in. The caller has verified the
    /// identity. Without memberships, sign-in is refused, and an existing user loses all memberships and sessions.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`] if the account is disabled or there are no memberships, [`RegistryError::Invalid`]
    /// for a role in an organisation that does not exist, or an error of the store.
    pub fn sign_in_federated(
        &self,
        who: &Federated,
        client: &Client,
    ) -> Result<SignedIn, RegistryError> {
        let inner = self.inner.clone();
        let client = client.clone();
        let who = who.clone();
        let signed_in = self.inner.store.transact(move |tx| {
            let name = digest(&format!("{}\n{}", who.issuer, who.subject));
            let stored = match Index::Federated.find(tx, &name)? {
                Some(id) => load::<StoredUser>(tx, id.as_str())?,
                None => None,
            };
            check_memberships(tx, &who.memberships)?;
            let stored = match stored {
                Some(stored) if stored.user.disabled => {
                    tx.record(refused(&inner, Some(stored.user.id), &client))?;
                    return Ok(None);
                }
                Some(stored) if who.memberships.is_empty() => {
                    dismiss(tx, &inner, stored, &client)?;
                    return Ok(None);
                }
                None if who.memberships.is_empty() => {
                    tx.record(refused(&inner, None, &client).detail("reason", NO_ROLE))?;
                    return Ok(None);
                }
                Some(stored) => renewed(tx, &inner, stored, who.clone(), &client)?,
                None => new_user(tx, &inner, who.clone(), &name, &client)?,
            };
            save(tx, stored.user.id.as_str(), &stored)?;
            begin(tx, &inner, stored.user, &client).map(Some)
        })?;
        signed_in.ok_or(RegistryError::Unauthenticated)
    }
}

fn begin(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    user: User,
    client: &Client,
) -> Result<SignedIn, RegistryError> {
    let actor = Actor::User(user.id).to_string();
    let event = inner.event_of("session.created", actor, &user.name, client);
    let signed_in = sessions::begin(tx, user, inner)?;
    tx.record(event)?;
    Ok(signed_in)
}

/// Returns the event of a failed attempt. It does not contain the entered login or password: users mistake one for the other.
fn refused(inner: &Inner, known: Option<Id>, client: &Client) -> fingerpost_store::Event {
    match known {
        Some(id) => inner
            .event_of("session.refused", attempts_on(&id), "", client)
            .subject(Actor::User(id).to_string()),
        None => inner.event_of("session.refused", "sign-in".to_owned(), "", client),
    }
}

/// Updates the name and the roles from the identity provider.
fn renewed(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    mut stored: StoredUser,
    who: Federated,
    client: &Client,
) -> Result<StoredUser, RegistryError> {
    stored.user.name = who.name;
    if stored.user.memberships != who.memberships {
        stored.user.memberships = who.memberships;
        tx.record(changed(inner, &stored.user, client))?;
    }
    Ok(stored)
}

/// Removes all roles of a user to whom the identity provider no longer grants any.
fn dismiss(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    mut stored: StoredUser,
    client: &Client,
) -> Result<(), RegistryError> {
    let id = stored.user.id;
    if !stored.user.memberships.is_empty() {
        stored.user.memberships.clear();
        tx.record(changed(inner, &stored.user, client))?;
        save(tx, id.as_str(), &stored)?;
    }
    sessions::end_all(tx, &id, None)?;
    tx.record(refused(inner, Some(id), client).detail("reason", NO_ROLE))?;
    Ok(())
}

/// Returns the event of a user whose roles the identity provider changed at sign-in.
fn changed(inner: &Inner, user: &User, client: &Client) -> fingerpost_store::Event {
    let actor = Actor::User(user.id).to_string();
    about_user(inner.event_of("user.changed", actor, &user.name, client), user)
}

fn new_user(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    who: Federated,
    name: &str,
    client: &Client,
) -> Result<StoredUser, RegistryError> {
    let id = Id::random();
    let is_free = is_login(&who.login) && Index::Login.find(tx, &fold(&who.login))?.is_none();
    let login = if is_free { who.login } else { format!("federated-{id}") };
    Index::Login.insert(tx, &fold(&login), id)?;
    Index::Federated.insert(tx, name, id)?;
    let roles = serde_json::to_value(&who.memberships).unwrap_or_default();
    let actor = Actor::User(id).to_string();
    let event = inner.event_of("user.created", actor.clone(), &who.name, client);
    tx.record(event.subject(actor).detail("memberships", roles))?;
    let user = User {
        id,
        login,
        name: who.name,
        memberships: who.memberships,
        disabled: false,
        created: inner.now(),
    };
    Ok(StoredUser { user, password: None, federated: Some(name.to_owned()) })
}

fn check_memberships(
    tx: &Transaction<'_>,
    memberships: &[Membership],
) -> Result<(), RegistryError> {
    let mut faults = Vec::new();
    for (index, membership) in memberships.iter().enumerate() {
        let Some(id) = membership.organisation else { continue };
        if load::<crate::Organisation>(tx, id.as_str())?.is_none() {
            let detail = "there is no organisation with this id";
            faults.push(Fault::new(format!("/memberships/{index}"), "memberships", detail));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(RegistryError::invalid(faults)) }
}

/// Why a user of another identity provider was refused.
const NO_ROLE: &str = "no role";
