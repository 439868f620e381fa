//! Users: created by administrators, with roles in organisations or the whole installation.
//!
//! Administrators of an organisation see only a user's roles in their own organisations. They can change the name, password and
//! state only of users all of whose roles they administer; otherwise they could take over accounts with more permissions.

use fingerpost_store::{Transaction, View};

use crate::documents::{load, load_page, remove, save};
use crate::events::{about_user, attempts_on};
use crate::fault::Fault;
use crate::organisations::name;
use crate::ownership::organisation;
use crate::rights::{Access, Grant};
use crate::roles::Verb;
use crate::stored::{Index, StoredKey, StoredUser};
use crate::text::{MAX_LOGIN, MAX_MEMBERSHIPS, fold, is_login};
use crate::{
    Ability, Actor, Caller, Client, Denial, Id, Membership, NewUser, Page, Registry, RegistryError,
    Secret, User, UserChange, password, sessions,
};

impl Registry {
    /// Returns the users with a role that the caller administers.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for callers who administer nothing, or an error of the store.
    pub fn users(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<User>, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            if !access.is_admin_somewhere() {
                return Err(Denial::Operation.into());
            }
            crate::pages::page(
                after,
                limit,
                |after, limit| load_page(view, after, limit),
                |stored: StoredUser| Ok(shown(&access, stored.user)),
            )
        })
    }

    /// Returns a user with a role that the caller administers, or the caller.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NotFound`] for any other, or an error of the store.
    pub fn user(&self, caller: &Caller, id: &Id) -> Result<User, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            let stored: StoredUser = load(view, id.as_str())?.ok_or(RegistryError::NotFound)?;
            if caller.actor == Actor::User(*id) {
                return Ok(stored.user);
            }
            shown(&access, stored.user).ok_or(RegistryError::NotFound)
        })
    }

    /// Creates a user.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for roles that the caller cannot grant, [`RegistryError::Invalid`],
    /// [`RegistryError::Conflict`] if the login is taken, or an error of the store.
    pub fn create_user(&self, caller: &Caller, new: NewUser) -> Result<User, RegistryError> {
        let mut faults = Vec::from_iter(login_faults(&new.login));
        let name = if new.name.is_empty() { String::new() } else { name(&new.name, &mut faults) };
        faults
            .extend(new.password.as_ref().and_then(|new| password::check(new, "/password").err()));
        faults.extend(membership_faults(&new.memberships));
        self.may_give_all(caller, &new.memberships)?;
        if !faults.is_empty() {
            return Err(RegistryError::invalid(faults));
        }
        let password = new.password.as_ref().map(password::hash).transpose()?;
        let registry = self.clone();
        let caller = caller.clone();
        self.inner.store.transact(move |tx| {
            let now = registry.inner.now();
            let access = Access::of(tx, &caller, now)?;
            may_give(tx, &access, &new.memberships)?;
            if new.memberships.is_empty() && !access.in_installation(Verb::Admin) {
                // Only administrators of the installation could see such a user.
                let detail = "a role in one of your organisations is required";
                return Err(RegistryError::invalid(vec![Fault::new(
                    "/memberships",
                    "memberships",
                    detail,
                )]));
            }
            let folded = fold(&new.login);
            if Index::Login.find(tx, &folded)?.is_some() {
                let detail = "this login is taken";
                return Err(RegistryError::Conflict(vec![Fault::new("/login", "login", detail)]));
            }
            let user = User {
                id: Id::random(),
                login: new.login.clone(),
                name: name.clone(),
                memberships: new.memberships.clone(),
                disabled: false,
                created: now,
            };
            Index::Login.insert(tx, &folded, user.id)?;
            let stored = StoredUser { user, password: password.clone(), federated: None };
            save(tx, stored.user.id.as_str(), &stored)?;
            let event = registry.inner.event("user.created", &caller);
            tx.record(about_user(event, &stored.user))?;
            Ok(stored.user)
        })
    }

    /// Changes a user. A new password or disabling ends the user's sessions.
    ///
    /// # Errors
    ///
    /// The errors of [`Registry::create_user`], and [`RegistryError::NotFound`].
    pub fn update_user(
        &self,
        caller: &Caller,
        id: &Id,
        change: UserChange,
    ) -> Result<User, RegistryError> {
        let mut faults = Vec::new();
        let name = change.name.as_deref().map(|given| name(given, &mut faults));
        faults.extend(
            change.password.as_ref().and_then(|new| password::check(new, "/password").err()),
        );
        faults.extend(membership_faults(change.memberships.as_deref().unwrap_or_default()));
        self.user(caller, id)?;
        self.may_give_all(caller, change.memberships.as_deref().unwrap_or_default())?;
        if !faults.is_empty() {
            return Err(RegistryError::invalid(faults));
        }
        let hash = change.password.as_ref().map(password::hash).transpose()?;
        let registry = self.clone();
        let caller = caller.clone();
        let id = *id;
        self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, registry.inner.now())?;
            let mut stored: StoredUser = load(tx, id.as_str())?.ok_or(RegistryError::NotFound)?;
            shown(&access, stored.user.clone()).ok_or(RegistryError::NotFound)?;
            let is_of_account = name.is_some() || hash.is_some() || change.disabled.is_some();
            if is_of_account && !administers_all(&access, &stored.user) {
                return Err(Denial::Operation.into());
            }
            if let Some(memberships) = &change.memberships {
                may_give(tx, &access, memberships)?;
                let hidden = |own: &Membership| !administers(&access, own);
                let mut all: Vec<Membership> =
                    stored.user.memberships.iter().copied().filter(hidden).collect();
                all.extend(memberships.iter().copied());
                stored.user.memberships = all;
            }
            stored.user.name = name.clone().unwrap_or(stored.user.name);
            stored.user.disabled = change.disabled.unwrap_or(stored.user.disabled);
            let ends_sessions = hash.is_some() || stored.user.disabled;
            stored.password = hash.clone().or(stored.password);
            if ends_sessions {
                sessions::end_all(tx, &id, None)?;
            }
            save(tx, id.as_str(), &stored)?;
            let event = registry.inner.event("user.changed", &caller);
            tx.record(about_user(event, &stored.user))?;
            shown(&access, stored.user).ok_or(RegistryError::NotFound)
        })
    }

    /// Changes the caller's own password; all other sessions end.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`] if the old one is wrong or the caller is not a user, [`RegistryError::Throttled`],
    /// [`RegistryError::Invalid`], or an error of the store.
    pub fn change_password(
        &self,
        caller: &Caller,
        old: &Secret,
        new: &Secret,
    ) -> Result<(), RegistryError> {
        let Actor::User(id) = caller.actor else { return Err(RegistryError::Unauthenticated) };
        let now = self.inner.now();
        let stored: StoredUser = self.inner.store.view(|view| {
            Access::of(view, caller, now)?;
            load(view, id.as_str())?.ok_or(RegistryError::Unauthenticated)
        })?;
        self.inner.throttle.attempt(&fold(&stored.user.login), caller.client.address)?;
        if !password::verify(old, stored.password.as_deref())? {
            return Err(RegistryError::Unauthenticated);
        }
        password::check(new, "/new").map_err(|fault| RegistryError::invalid(vec![fault]))?;
        let hash = password::hash(new)?;
        let registry = self.clone();
        let caller = caller.clone();
        self.inner.store.transact(move |tx| {
            Access::of(tx, &caller, now)?;
            let mut now_stored: StoredUser =
                load(tx, id.as_str())?.ok_or(RegistryError::Unauthenticated)?;
            if now_stored.password != stored.password {
                return Err(RegistryError::Unauthenticated); // it was changed meanwhile
            }
            now_stored.password = Some(hash.clone());
            save(tx, id.as_str(), &now_stored)?;
            sessions::end_all(tx, &id, caller.session.as_deref())?;
            let event = registry.inner.event("user.passwordChanged", &caller);
            tx.record(about_user(event, &now_stored.user))?;
            Ok(())
        })
    }

    /// Erases a user: account, login, name, sessions, and the name and addresses in the audit log, which stays verifiable.
    /// Their actions stay recorded, under an id that no longer identifies anyone.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NotFound`] for a user unknown to the caller, [`RegistryError::Forbidden`] for one with roles elsewhere,
    /// or an error of the store.
    pub fn erase_person(&self, caller: &Caller, id: &Id) -> Result<(), RegistryError> {
        let registry = self.clone();
        let caller = caller.clone();
        let id = *id;
        self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, registry.inner.now())?;
            let stored: StoredUser = load(tx, id.as_str())?.ok_or(RegistryError::NotFound)?;
            shown(&access, stored.user.clone()).ok_or(RegistryError::NotFound)?;
            if !administers_all(&access, &stored.user) {
                return Err(Denial::Operation.into());
            }
            sessions::end_all(tx, &id, None)?;
            Index::Login.remove(tx, &fold(&stored.user.login))?;
            if let Some(federated) = &stored.federated {
                Index::Federated.remove(tx, federated)?;
            }
            remove::<StoredUser>(tx, id.as_str())?;
            let person = Actor::User(id);
            let mut by = caller.clone();
            if access.person == person {
                // The record of the erasure must not contain the erased data.
                by.name.clear();
                by.client = Client::new(by.client.via);
            }
            let event = || about_user(registry.inner.event("person.erased", &by), &stored.user);
            tx.erase_personal(&person.to_string(), event())?;
            tx.erase_personal(&attempts_on(&id), event())?;
            for key in keys_of(tx, &person)? {
                tx.erase_personal(&Actor::Key(key).to_string(), event())?;
            }
            Ok(())
        })
    }

    /// Returns the permissions of the caller, for display.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn abilities(&self, caller: &Caller) -> Result<Vec<Ability>, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            let mut abilities = Vec::new();
            for grant in &access.grants {
                let owner = organisation(view, grant.organisation)?;
                if grant.organisation.is_some() && owner.is_none() {
                    continue; // it was deleted meanwhile
                }
                abilities.push(Ability {
                    organisation: grant.organisation,
                    organisation_name: owner.as_ref().map(|owner| owner.name.clone()),
                    role: grant.role,
                    verbs: grant.verbs.clone(),
                    prefix: grant.prefix.clone(),
                    regulated: access.may_use_regulated(owner.as_ref()),
                });
            }
            Ok(abilities)
        })
    }

    fn may_give_all(
        &self,
        caller: &Caller,
        memberships: &[Membership],
    ) -> Result<(), RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            if !access.is_admin_somewhere() {
                return Err(Denial::Operation.into());
            }
            may_give(view, &access, memberships)
        })
    }
}

/// Returns the user as the caller can see them: with the roles that the caller administers, if there is one, or all.
fn shown(access: &Access, mut user: User) -> Option<User> {
    if access.in_installation(Verb::Admin) {
        return Some(user);
    }
    user.memberships.retain(|membership| administers(access, membership));
    (!user.memberships.is_empty()).then_some(user)
}

fn administers(access: &Access, membership: &Membership) -> bool {
    match &membership.organisation {
        Some(id) => access.in_organisation(Verb::Admin, id),
        None => access.in_installation(Verb::Admin),
    }
}

fn administers_all(access: &Access, user: &User) -> bool {
    access.in_installation(Verb::Admin)
        || user.memberships.iter().all(|membership| administers(access, membership))
}

/// Checks that the caller can grant all these roles.
fn may_give(
    view: &View<'_>,
    access: &Access,
    memberships: &[Membership],
) -> Result<(), RegistryError> {
    for Membership { organisation, role } in memberships {
        if let Some(id) = organisation {
            crate::organisations::find(view, access, id)?;
        }
        let verbs = role.verbs().to_vec();
        let grant = Grant { organisation: *organisation, verbs, prefix: None, role: Some(*role) };
        if !access.may_give(&grant) {
            return Err(Denial::Escalation.into());
        }
    }
    if !access.is_admin_somewhere() {
        return Err(Denial::Operation.into());
    }
    Ok(())
}

/// Returns the keys that a user created, or that keys of theirs created.
fn keys_of(tx: &Transaction<'_>, person: &Actor) -> Result<Vec<Id>, RegistryError> {
    let mut keys = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let found = load_page::<StoredKey>(tx, after.as_deref(), 500)?;
        let Some((last, _)) = found.last() else { return Ok(keys) };
        after = Some(last.clone());
        keys.extend(
            found.iter().filter(|(_, key)| key.person == *person).map(|(_, key)| key.key.id),
        );
    }
}

fn login_faults(login: &str) -> Option<Fault> {
    let detail = || format!("login must have 1 to {MAX_LOGIN} characters and no spaces");
    (!is_login(login)).then(|| Fault::new("/login", "login", detail()))
}

fn membership_faults(memberships: &[Membership]) -> Option<Fault> {
    let repeats = memberships.iter().enumerate().any(|(index, one)| {
        memberships[..index].iter().any(|other| other.organisation == one.organisation)
    });
    if repeats || memberships.len() > MAX_MEMBERSHIPS {
        let detail =
            format!("at most {MAX_MEMBERSHIPS} roles are allowed, and one in each organisation");
        return Some(Fault::new("/memberships", "memberships", detail));
    }
    None
}
