//! Permissions for accounts: organisations, users and API keys.

use fingerpost_store::View;

use super::{Access, Grant};
use crate::documents::load;
use crate::principals::Principals;
use crate::stored::{StoredKey, StoredUser};
use crate::{
    Actor, Caller, Denial, Id, Membership, Organisation, OrganisationChange, RegistryError, User,
    Verb,
};

/// Organisations.
impl Access {
    /// Returns an organisation that the caller can see.
    pub(crate) fn organisation(
        &self,
        view: &View<'_>,
        id: &Id,
    ) -> Result<Organisation, RegistryError> {
        let found = if self.sees_organisation(id) { load(view, id.as_str())? } else { None };
        found.ok_or(RegistryError::NotFound)
    }

    /// Returns whether the caller can see audit records that concern these organisations; `None`
    /// for the installation.
    pub(crate) fn sees_audit_of(&self, organisations: Option<&[Id]>) -> bool {
        let administers = |id: &Id| self.in_organisation(Verb::Admin, id);
        self.in_installation(Verb::Admin)
            || organisations.is_some_and(|ids| ids.iter().all(administers))
    }

    /// Returns an organisation that the caller administers.
    pub(crate) fn administered_organisation(
        &self,
        view: &View<'_>,
        id: &Id,
    ) -> Result<Organisation, RegistryError> {
        let organisation = self.organisation(view, id)?;
        check(self.in_organisation(Verb::Admin, id), Denial::Operation)?;
        Ok(organisation)
    }

    /// Checks that an administrator of an organisation can change it in this way.
    pub(crate) fn check_organisation_change(
        &self,
        before: &Organisation,
        change: &OrganisationChange,
    ) -> Result<(), RegistryError> {
        let is_of_installation = self.in_installation(Verb::Admin);
        self.check_not_suspended(Some(before))?;
        let needs_installation = change.prefixes.is_some()
            || change.keys.is_some()
            || change.target_hosts.is_some()
            || change.regulated.is_some()
            || change.quotas.is_some();
        check(is_of_installation || !needs_installation, Denial::Operation)?;
        let switches_off = before.approval_required && change.approval_required == Some(false);
        check(is_of_installation || !switches_off, Denial::FourEyes)
    }
}

/// Users.
impl Access {
    /// Returns the user as the caller can see them: with the roles that the caller administers, if
    /// there is one, or all.
    pub(crate) fn visible_part(&self, mut user: User) -> Option<User> {
        if self.in_installation(Verb::Admin) {
            return Some(user);
        }
        user.memberships.retain(|membership| self.administers_role(membership));
        (!user.memberships.is_empty()).then_some(user)
    }

    /// Returns a user with a role that the caller administers.
    pub(crate) fn user(&self, view: &View<'_>, id: &Id) -> Result<StoredUser, RegistryError> {
        let stored: Option<StoredUser> = load(view, id.as_str())?;
        let is_visible = |user: &User| {
            self.in_installation(Verb::Admin)
                || user.memberships.iter().any(|membership| self.administers_role(membership))
        };
        stored.filter(|stored| is_visible(&stored.user)).ok_or(RegistryError::NotFound)
    }

    /// Returns a user all of whose roles the caller administers.
    pub(crate) fn administered_user(
        &self,
        view: &View<'_>,
        id: &Id,
    ) -> Result<StoredUser, RegistryError> {
        let stored = self.user(view, id)?;
        self.check_administers_all(&stored.user)?;
        Ok(stored)
    }

    /// Checks that the caller administers all roles of a user.
    pub(crate) fn check_administers_all(&self, user: &User) -> Result<(), RegistryError> {
        let mut roles = user.memberships.iter();
        let all = roles.all(|membership| self.administers_role(membership));
        check(all || self.in_installation(Verb::Admin), Denial::Operation)
    }

    pub(crate) fn administers_role(&self, membership: &Membership) -> bool {
        self.in_scope(Verb::Admin, membership.organisation)
    }

    /// Checks that the caller can grant all these roles.
    pub(crate) fn check_roles(
        &self,
        view: &View<'_>,
        memberships: &[Membership],
    ) -> Result<(), RegistryError> {
        self.anywhere(Verb::Admin)?;
        for Membership { organisation, role } in memberships {
            if let Some(id) = organisation {
                self.organisation(view, id)?;
            }
            let verbs = role.verbs().to_vec();
            let grant =
                Grant { organisation: *organisation, verbs, prefix: None, role: Some(*role) };
            check(self.may_give(&grant), Denial::Escalation)?;
        }
        Ok(())
    }

    /// Checks that the caller can remove the second factor of a user that the caller administers:
    /// another user's.
    pub(crate) fn check_resets_second_factor(&self, id: &Id) -> Result<(), RegistryError> {
        // One's own needs password and code: see [`Registry::remove_totp`].
        check(self.person != Actor::User(*id), Denial::Operation)
    }

    /// Checks that the caller can confirm an account with these principals.
    pub(crate) fn check_confirms(
        &self,
        caller: &Caller,
        principals: &Principals,
    ) -> Result<(), RegistryError> {
        let is_independent = matches!(caller.actor, Actor::User(_))
            && self.principals.are_independent_of(principals);
        check(is_independent || self.in_installation(Verb::Admin), Denial::Dependent)
    }
}

/// API keys.
impl Access {
    /// Checks that the caller can list and create keys: every user, and keys that administer
    /// accounts.
    pub(crate) fn check_has_keys(&self, caller: &Caller) -> Result<(), RegistryError> {
        match caller.actor {
            Actor::User(_) => Ok(()),
            Actor::Key(_) | Actor::Local(_) => self.anywhere(Verb::Admin),
        }
    }

    /// Checks that the caller can create a key with this grant; returns whether the caller
    /// administers the grant, so that the key can be given to others.
    pub(crate) fn check_new_key(
        &self,
        caller: &Caller,
        grant: &Grant,
        for_organisation: bool,
    ) -> Result<bool, RegistryError> {
        self.check_has_keys(caller)?;
        let may_give = self.may_give(grant);
        let may_lend = !for_organisation && self.may_lend(caller, grant);
        check(may_give || may_lend, Denial::Escalation)?;
        Ok(may_give)
    }

    /// Returns whether a user has these permissions, and can grant them to an own key.
    fn may_lend(&self, caller: &Caller, grant: &Grant) -> bool {
        matches!(caller.actor, Actor::User(_)) && self.grants.iter().any(|own| own.includes(grant))
    }

    /// Returns whether the caller can see and revoke the key.
    pub(crate) fn administers_key(&self, stored: &StoredKey) -> bool {
        stored.key.user.is_some_and(|user| self.person == Actor::User(user))
            || self.in_scope(Verb::Admin, stored.key.organisation)
    }

    /// Returns a key that the caller can see.
    pub(crate) fn key(&self, view: &View<'_>, id: &Id) -> Result<StoredKey, RegistryError> {
        let stored: Option<StoredKey> = load(view, id.as_str())?;
        stored.filter(|stored| self.administers_key(stored)).ok_or(RegistryError::NotFound)
    }

    /// Returns a key that the caller can revoke.
    pub(crate) fn revocable_key(
        &self,
        view: &View<'_>,
        caller: &Caller,
        id: &Id,
    ) -> Result<StoredKey, RegistryError> {
        // A key can always revoke itself, but not with a secret that was replaced.
        if caller.actor != Actor::Key(*id) {
            return self.key(view, id);
        }
        let stored = load(view, id.as_str())?.ok_or(RegistryError::NotFound)?;
        check(!self.by_previous_secret, Denial::PreviousSecret)?;
        Ok(stored)
    }

    /// Returns a key that the caller can give a new secret.
    pub(crate) fn rotatable_key(
        &self,
        view: &View<'_>,
        caller: &Caller,
        id: &Id,
    ) -> Result<StoredKey, RegistryError> {
        let stored: StoredKey = load(view, id.as_str())?.ok_or(RegistryError::NotFound)?;
        check(!self.by_previous_secret, Denial::PreviousSecret)?;
        if caller.actor == Actor::Key(*id) {
            return Ok(stored);
        }
        if !self.administers_key(&stored) {
            return Err(RegistryError::NotFound);
        }
        let grant = Grant {
            organisation: stored.key.organisation,
            verbs: stored.key.verbs.clone(),
            prefix: stored.key.prefix.clone(),
            role: None,
        };
        let is_own = self.person == stored.person;
        let of_organisation = stored.key.user.is_none() && self.in_installation(Verb::Admin);
        check(is_own || of_organisation, Denial::OtherKey)?;
        // Otherwise a key of little permission would get the secret of a stronger one.
        check(self.may_give(&grant) || self.may_lend(caller, &grant), Denial::Escalation)?;
        Ok(stored)
    }
}

fn check(is_permitted: bool, denial: Denial) -> Result<(), RegistryError> {
    if is_permitted { Ok(()) } else { Err(denial.into()) }
}
