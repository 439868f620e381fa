//! Users: created by administrators, with roles in organisations or the whole installation.
//!
//! Administrators of an organisation see only a user's roles in their own organisations. They can
//! change the name, password and state only of users all of whose roles they administer; otherwise
//! they could take over accounts with more permissions.

use fingerpost_store::Transaction;

use crate::documents::{load, load_page, load_sized, remove, save};
use crate::events::{about_user, attempts_on};
use crate::fault::Fault;
use crate::limits::{MAX_LOGIN_CHARACTERS, MAX_MEMBERSHIPS};
use crate::organisations::name;
use crate::ownership::organisation;
use crate::password_reset::StoredReset;
use crate::registry::Context;
use crate::roles::Verb;
use crate::stored::{Index, StoredKey, StoredUser};
use crate::text::{fold, is_login};
use crate::{
    Ability, Actor, Caller, ClientInfo, Id, Membership, NewUser, Page, Registry, RegistryError,
    Secret, User, UserChange, password, sessions,
};

impl Registry {
    /// Returns the users with a role that the caller administers.
    pub fn users(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<User>, RegistryError> {
        self.view_as(caller, |view, access| {
            access.anywhere(Verb::Admin)?;
            crate::pages::page(
                after,
                limit,
                |after, limit| load_sized(view, after, limit),
                |stored: StoredUser| Ok(access.visible_part(stored.user)),
            )
        })
    }

    /// Returns a user with a role that the caller administers, or the caller.
    pub fn user(&self, caller: &Caller, id: &Id) -> Result<User, RegistryError> {
        self.view_as(caller, |view, access| {
            if caller.actor == Actor::User(*id) {
                let stored: Option<StoredUser> = load(view, id.as_str())?;
                return stored.map(|stored| stored.user).ok_or(RegistryError::NotFound);
            }
            let stored = access.user(view, id)?;
            access.visible_part(stored.user).ok_or(RegistryError::NotFound)
        })
    }

    /// Returns the user with a login, if the caller can see it.
    pub fn user_of_login(
        &self,
        caller: &Caller,
        login: &str,
    ) -> Result<Option<User>, RegistryError> {
        self.view_as(caller, |view, access| {
            let id = Index::Login.find(view, &fold(login))?;
            let stored = id.map(|id| load::<StoredUser>(view, id.as_str())).transpose()?.flatten();
            Ok(stored.and_then(|stored| access.visible_part(stored.user)))
        })
    }

    /// Creates a user.
    ///
    /// Fails with [`RegistryError::Forbidden`] for roles that the caller cannot grant,
    /// [`RegistryError::Invalid`], [`RegistryError::Conflict`] if the login is taken, or an
    /// error of the store.
    pub fn create_user(&self, caller: &Caller, new: NewUser) -> Result<User, RegistryError> {
        let mut faults = Vec::from_iter(login_faults(&new.login));
        let name = if new.name.is_empty() { String::new() } else { name(&new.name, &mut faults) };
        faults
            .extend(new.password.as_ref().and_then(|new| password::check(new, "/password").err()));
        faults.extend(membership_faults(&new.memberships));
        self.view_as(caller, |view, access| access.check_roles(view, &new.memberships))?;
        if !faults.is_empty() {
            return Err(RegistryError::invalid(faults));
        }
        let password = new.password.as_ref().map(password::hash).transpose()?;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            access.check_roles(tx, &new.memberships)?;
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
                second_factor: false,
                set_up_by: None,
                terms: None,
                created: now,
            };
            Index::Login.insert(tx, &folded, user.id)?;
            let mut stored = StoredUser::new(user, password.clone(), None);
            if password.is_some() {
                stored.password_is_known_to(access, caller);
            }
            save(tx, stored.user.id.as_str(), &stored)?;
            let event = inner.event("user.created", caller);
            tx.record(about_user(event, &stored.user))?;
            Ok(stored.user)
        })
    }

    /// Changes a user. A new password or disabling ends the user's sessions; a new password also
    /// revokes the user's API keys.
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
        let memberships = change.memberships.as_deref().unwrap_or_default();
        self.view_as(caller, |view, access| access.check_roles(view, memberships))?;
        if !faults.is_empty() {
            return Err(RegistryError::invalid(faults));
        }
        let hash = change.password.as_ref().map(password::hash).transpose()?;
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let mut stored = access.user(tx, &id)?;
            let is_of_account = name.is_some() || hash.is_some() || change.disabled.is_some();
            if is_of_account {
                access.check_administers_all(&stored.user)?;
            }
            if let Some(memberships) = &change.memberships {
                access.check_roles(tx, memberships)?;
                let hidden = |own: &Membership| !access.administers_role(own);
                let mut all: Vec<Membership> =
                    stored.user.memberships.iter().copied().filter(hidden).collect();
                all.extend(memberships.iter().copied());
                stored.user.memberships = all;
            }
            stored.user.name = name.clone().unwrap_or(stored.user.name);
            stored.user.disabled = change.disabled.unwrap_or(stored.user.disabled);
            // A session without a second factor does not become one of an administrator who needs
            // one.
            let lacks_factor = change.memberships.is_some()
                && stored.lacks_second_factor(inner.options.require_second_factor);
            let ends_sessions = hash.is_some() || stored.user.disabled || lacks_factor;
            stored.password = hash.clone().or(stored.password);
            if ends_sessions {
                sessions::end_all(tx, &id, None)?;
            }
            let mut event = inner.event("user.changed", caller);
            if hash.is_some() {
                stored.password_is_known_to(access, caller);
                let revoked = inner.revoke_keys_of(tx, caller, &id)?;
                stored.devices.clear();
                event = event.detail("password", "reset").detail("revokedKeys", revoked);
            }
            save(tx, id.as_str(), &stored)?;
            tx.record(about_user(event, &stored.user))?;
            access.visible_part(stored.user).ok_or(RegistryError::NotFound)
        })
    }

    /// Changes the caller's own password; all other sessions end. `revoke_keys`: the caller's API
    /// keys are revoked, too.
    ///
    /// Fails with [`RegistryError::Unauthenticated`] if the old one is wrong or the caller is not a
    /// user, [`RegistryError::Throttled`], [`RegistryError::Invalid`], or an error of the
    /// store.
    pub fn change_password(
        &self,
        caller: &Caller,
        old: &Secret,
        new: &Secret,
        revoke_keys: bool,
    ) -> Result<(), RegistryError> {
        let stored = self.check_own_password(caller, old)?;
        let id = stored.user.id;
        let is_other = old.expose() != new.expose();
        password::check(new, "/new").map_err(|fault| RegistryError::invalid(vec![fault]))?;
        let hash = password::hash(new)?;
        self.transact_as(caller, move |tx, &Context { inner, caller, .. }| {
            let mut now_stored: StoredUser =
                load(tx, id.as_str())?.ok_or(RegistryError::Unauthenticated)?;
            if now_stored.password != stored.password {
                return Err(RegistryError::Unauthenticated); // it was changed meanwhile
            }
            now_stored.password = Some(hash.clone());
            now_stored.own_password |= is_other;
            save(tx, id.as_str(), &now_stored)?;
            sessions::end_all(tx, &id, caller.session.as_deref())?;
            let mut event = inner.event("user.passwordChanged", caller);
            if revoke_keys {
                let revoked = inner.revoke_keys_of(tx, caller, &id)?;
                event = event.detail("revokedKeys", revoked);
            }
            tx.record(about_user(event, &now_stored.user))?;
            Ok(())
        })
    }

    /// Erases a user: account, login, name, sessions, and the name and addresses in the audit log,
    /// which stays verifiable. Their actions stay recorded, under an id that no longer
    /// identifies anyone.
    ///
    /// Fails with [`RegistryError::NotFound`] for a user unknown to the caller,
    /// [`RegistryError::Forbidden`] for one with roles elsewhere, or an error of the store.
    pub fn erase_person(&self, caller: &Caller, id: &Id) -> Result<(), RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let stored = access.administered_user(tx, &id)?;
            sessions::end_all(tx, &id, None)?;
            Index::Login.remove(tx, &fold(&stored.user.login))?;
            if let Some(federated) = &stored.federated {
                Index::Federated.remove(tx, federated)?;
            }
            remove::<StoredUser>(tx, id.as_str())?;
            remove::<StoredReset>(tx, id.as_str())?;
            let person = Actor::User(id);
            let mut by = caller.clone();
            if access.person == person {
                // The record of the erasure must not contain the erased data.
                by.name.clear();
                by.client = ClientInfo::new(by.client.via);
            }
            let event = about_user(inner.event("person.erased", &by), &stored.user);
            let mut actors = vec![person.to_string(), attempts_on(&id)];
            actors.extend(keys_of(tx, &person)?.into_iter().map(|key| Actor::Key(key).to_string()));
            let actors: Vec<&str> = actors.iter().map(String::as_str).collect();
            Ok(tx.erase_personal(&actors, &event)?)
        })?;
        self.inner.store.finish_erasures()?;
        Ok(())
    }

    /// Returns the permissions of the caller, for display.
    pub fn abilities(&self, caller: &Caller) -> Result<Vec<Ability>, RegistryError> {
        self.view_as(caller, |view, access| {
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
}

/// Returns the keys that a user created, or that keys of theirs created.
pub(crate) fn keys_of(tx: &Transaction<'_>, person: &Actor) -> Result<Vec<Id>, RegistryError> {
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
    let detail = || format!("login must have 1 to {MAX_LOGIN_CHARACTERS} characters and no spaces");
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
