//! Sign-in by password, or with another identity provider (OpenID Connect).
//!
//! Neither the answer nor its time reveals whether a login exists.

use fingerpost_store::{Transaction, View};

use crate::documents::{load, save};
use crate::events::{about_user, attempts_on};
use crate::failures::Counters;
use crate::fault::Fault;
use crate::registry::Inner;
use crate::secret::digest;
use crate::stored::{Index, StoredUser};
use crate::text::{fold, is_login};
use crate::{
    Actor, ClientInfo, Id, Membership, Registry, RegistryError, Secret, SignedIn, User, password,
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

/// An attempt to sign in that was counted, and may be made once.
#[derive(Debug)]
pub struct Attempt {
    /// The login, folded, if a user can have it.
    login: Option<String>,
    /// The digest of a device of the user.
    device: Option<String>,
    counters: Counters,
}

impl Registry {
    /// Signs a user in by password, without a second factor.
    pub fn sign_in(
        &self,
        login: &str,
        password: &Secret,
        client: &ClientInfo,
    ) -> Result<SignedIn, RegistryError> {
        self.finish_sign_in(self.attempt(login, client)?, password, None, client)
    }

    /// Counts an attempt to sign in, which takes little work; the password is checked by
    /// [`Registry::finish_sign_in`].
    pub fn attempt(&self, login: &str, client: &ClientInfo) -> Result<Attempt, RegistryError> {
        let folded = fold(login);
        let login = Some(folded.clone()).filter(|_| is_login(login));
        let stored = self.inner.store.view(|view| user_of(view, login.as_deref()))?;
        let device = client.device.clone();
        let device = device.filter(|it| stored.is_some_and(|stored| stored.knows(it)));
        self.inner.throttle.attempt(&folded, device.as_deref(), client)?;
        let counters = Counters::of_attempt(&folded, device.as_deref(), client);
        self.inner.store.view(|view| counters.check(view, self.inner.now()))?;
        Ok(Attempt { login, device, counters })
    }

    /// Signs a user in by password, and by a code of the second factor if there is one. Hashes the
    /// password, which takes memory and time.
    ///
    /// Fails with [`RegistryError::Unauthenticated`] for a wrong login, password or code, or a
    /// disabled account; [`RegistryError::CodeRequired`] if only the code is missing;
    /// [`RegistryError::Throttled`] after too many codes; or an error of the store.
    pub fn finish_sign_in(
        &self,
        attempt: Attempt,
        password: &Secret,
        code: Option<&Secret>,
        client: &ClientInfo,
    ) -> Result<SignedIn, RegistryError> {
        let Attempt { login, device, counters } = attempt;
        let stored = self.inner.store.view(|view| user_of(view, login.as_deref()))?;
        let hash = stored.as_ref().and_then(|stored| stored.password.as_deref());
        let is_right = password::verify(password, hash)?;
        let known = stored.as_ref().map(|stored| stored.user.id);
        let user = stored.filter(|stored| is_right && !stored.user.disabled);
        if let Some(user) = user.as_ref().filter(|user| user.totp.is_some() && code.is_some()) {
            self.inner.throttle.code(&user.user.id, device.as_deref())?;
        }
        let codes = user.as_ref().map(|it| Counters::of_code(&it.user.id, device.as_deref()));
        if let Some(codes) = codes.as_ref().filter(|_| code.is_some()) {
            self.inner.store.view(|view| codes.check(view, self.inner.now()))?;
        }
        let inner = self.inner.clone();
        let (client, code) = (client.clone(), code.cloned());
        // Also a refusal is recorded, and so no error of the transaction.
        let refusal = || Ok(Err(RegistryError::Unauthenticated));
        self.inner.store.transact(move |tx| {
            let Some(before) = &user else {
                counters.count(tx, inner.now())?;
                tx.record(refused(&inner, known, &client))?;
                return refusal();
            };
            // The verified data must be unchanged.
            let stored: Option<StoredUser> = load(tx, before.user.id.as_str())?;
            let stored = stored.filter(|now| !now.user.disabled && now.password == before.password);
            let Some(mut stored) = stored else { return refusal() };
            if let Some(totp) = &mut stored.totp {
                let Some(code) = &code else { return Ok(Err(RegistryError::CodeRequired)) };
                if !totp.accepts(code.expose(), inner.now()) {
                    codes.iter().try_for_each(|codes| codes.count(tx, inner.now()))?;
                    tx.record(refused(&inner, known, &client).detail("reason", "code"))?;
                    return refusal();
                }
            }
            let device = stored.remember(client.device.as_deref(), inner.now())?;
            save(tx, stored.user.id.as_str(), &stored)?;
            let signed_in = begin(tx, &inner, stored, &client)?;
            Ok::<_, RegistryError>(Ok(SignedIn { device, ..signed_in }))
        })?
    }

    /// Signs in a user of another identity provider; creates the account at the first sign-in. The
    /// caller has verified the identity. Without memberships, sign-in is refused, and an
    /// existing user loses all memberships and sessions.
    ///
    /// Fails with [`RegistryError::Unauthenticated`] if the account is disabled or there are no
    /// memberships, [`RegistryError::Invalid`] for a role in an organisation that does not
    /// exist, or an error of the store.
    pub fn sign_in_federated(
        &self,
        who: &Federated,
        client: &ClientInfo,
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
            let mut stored = match stored {
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
            stored.keys_until = inner.now().checked_add(inner.options.federated_keys).ok();
            save(tx, stored.user.id.as_str(), &stored)?;
            begin(tx, &inner, stored, &client).map(Some)
        })?;
        signed_in.ok_or(RegistryError::Unauthenticated)
    }
}

/// Returns the user of a folded login.
fn user_of(view: &View<'_>, login: Option<&str>) -> Result<Option<StoredUser>, RegistryError> {
    let id = login.map(|login| Index::Login.find(view, login)).transpose()?.flatten();
    id.map_or(Ok(None), |id| load(view, id.as_str()))
}

fn begin(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    stored: StoredUser,
    client: &ClientInfo,
) -> Result<SignedIn, RegistryError> {
    let actor = Actor::User(stored.user.id).to_string();
    let event = inner.event_of("session.created", actor, &stored.user.name, client);
    let signed_in = sessions::begin(tx, stored, inner, client)?;
    tx.record(event)?;
    Ok(signed_in)
}

/// Returns the event of a failed attempt. It does not contain the entered login or password: users
/// mistake one for the other.
fn refused(inner: &Inner, known: Option<Id>, client: &ClientInfo) -> fingerpost_store::Event {
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
    client: &ClientInfo,
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
    client: &ClientInfo,
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
fn changed(inner: &Inner, user: &User, client: &ClientInfo) -> fingerpost_store::Event {
    let actor = Actor::User(user.id).to_string();
    about_user(inner.event_of("user.changed", actor, &user.name, client), user)
}

fn new_user(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    who: Federated,
    name: &str,
    client: &ClientInfo,
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
        second_factor: false,
        set_up_by: None,
        terms: None,
        created: inner.now(),
    };
    Ok(StoredUser::new(user, None, Some(name.to_owned())))
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
