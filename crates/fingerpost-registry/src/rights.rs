//! Permissions: the only module that decides which callers can do what. Operations ask [`Access`],
//! also for the check before the document of a request is read: see
//! [`Operation`](crate::Operation).
//!
//! Permissions are grants: verbs within an organisation or the whole installation, for a key
//! optionally limited to some digits. They are read in the same transaction as the data that they
//! protect, so revoking takes effect at once. A denial depends on the request and on the caller's
//! permissions, never on registered data.

use std::collections::BTreeSet;

use fingerpost_resolver::Anchor;
use fingerpost_store::{Prefetch, View};
use jiff::{SignedDuration, Timestamp};

use crate::documents::{Document, load};
use crate::ownership;
use crate::principals::Principals;
use crate::stored::{StoredKey, StoredUser};
use crate::{
    Actor, Caller, Denial, Id, Membership, Organisation, RegistryError, Role, Session, Verb,
};

mod accounts;

/// Verbs within a scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Grant {
    /// The organisation; `None` for the whole installation.
    pub(crate) organisation: Option<Id>,
    pub(crate) verbs: Vec<Verb>,
    /// The digits that keys must have from the position of their company prefix on.
    pub(crate) prefix: Option<String>,
    /// The role that the grant comes from, for display.
    pub(crate) role: Option<Role>,
}

impl Grant {
    /// Returns the grants of roles.
    fn of_memberships(memberships: &[Membership]) -> Vec<Grant> {
        let grants = memberships.iter().map(|membership| Grant {
            organisation: membership.organisation,
            verbs: membership.role.verbs().to_vec(),
            prefix: None,
            role: Some(membership.role),
        });
        grants.collect()
    }

    fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    fn reaches(&self, key: &Anchor, owner: Option<Id>) -> bool {
        let in_scope = self.organisation.is_none() || self.organisation == owner;
        let in_prefix = self.prefix.as_deref().is_none_or(|digits| {
            key.company_prefix_part().is_some_and(|part| part.starts_with(digits))
        });
        in_scope && in_prefix
    }

    /// Returns whether this grant includes everything that the other grants.
    fn includes(&self, other: &Grant) -> bool {
        let in_scope = self.organisation.is_none() || self.organisation == other.organisation;
        let in_prefix = match (&self.prefix, &other.prefix) {
            (None, _) => true,
            (Some(own), Some(other)) => other.starts_with(own.as_str()),
            (Some(_), None) => false,
        };
        in_scope && in_prefix && other.verbs.iter().all(|verb| self.allows(*verb))
    }
}

/// The permissions of a caller, as of one transaction.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The user behind the caller: for a key, its creator.
    pub(crate) person: Actor,
    /// The users who may be behind the caller.
    pub(crate) principals: Principals,
    pub(crate) grants: Vec<Grant>,
    /// Whether a key is authenticated by the secret that its last rotation replaced.
    pub(crate) by_previous_secret: bool,
    /// When these permissions expire.
    pub(crate) expires: Option<Timestamp>,
}

impl Access {
    /// Returns the permission to read the levels of an organisation, or all.
    pub(crate) fn reading(organisation: Option<Id>) -> Access {
        let grant = Grant { organisation, verbs: vec![Verb::Read], prefix: None, role: None };
        Access {
            person: Actor::Local("webhook".to_owned()),
            principals: Principals::default(),
            grants: vec![grant],
            by_previous_secret: false,
            expires: None,
        }
    }

    /// Reads the current permissions of a caller.
    pub(crate) fn of(
        view: &View<'_>,
        caller: &Caller,
        now: Timestamp,
    ) -> Result<Access, RegistryError> {
        match &caller.actor {
            Actor::Local(_) => Ok(Access {
                person: caller.actor.clone(),
                principals: Principals::only(caller.actor.clone()),
                grants: vec![Grant {
                    organisation: None,
                    verbs: Role::Admin.verbs().to_vec(),
                    prefix: None,
                    role: Some(Role::Admin),
                }],
                by_previous_secret: false,
                expires: None,
            }),
            Actor::Key(id) => Access::of_key(view, id, caller.secret, now),
            Actor::User(id) => Access::of_user(view, id, caller.session.as_deref(), now),
        }
    }

    fn of_key(
        view: &View<'_>,
        id: &Id,
        secret: Option<u32>,
        now: Timestamp,
    ) -> Result<Access, RegistryError> {
        let stored: StoredKey = load(view, id.as_str())?.ok_or(RegistryError::Unauthenticated)?;
        if !key_counts(&stored, now) {
            return Err(RegistryError::Unauthenticated);
        }
        let by_previous_secret = secret != Some(stored.current_secret());
        if by_previous_secret
            && (secret != Some(stored.rotations) || stored.previous_at(now).is_none())
        {
            return Err(RegistryError::Unauthenticated); // it was rotated meanwhile
        }
        let mut verbs = stored.key.verbs;
        if verbs.contains(&Verb::Admin) && !verbs.contains(&Verb::Approve) {
            verbs.push(Verb::Approve);
        }
        // Otherwise it could make an administrator who revokes the key.
        verbs.retain(|verb| *verb != Verb::Admin || !by_previous_secret);
        let mut grant = Grant {
            organisation: stored.key.organisation,
            verbs,
            prefix: stored.key.prefix,
            role: None,
        };
        if let Some(id) = stored.key.user {
            let user: StoredUser =
                load(view, id.as_str())?.ok_or(RegistryError::Unauthenticated)?;
            if user.user.disabled || !user.keys_count(stored.key.created, now) {
                return Err(RegistryError::Unauthenticated);
            }
            let own = Grant::of_memberships(&user.user.memberships);
            let verbs = std::mem::take(&mut grant.verbs);
            grant.verbs = verbs
                .into_iter()
                .filter(|verb| {
                    let one = Grant { verbs: vec![*verb], ..grant.clone() };
                    own.iter().any(|own| own.includes(&one))
                })
                .collect();
        }
        Ok(Access {
            person: stored.person,
            principals: stored.principals,
            grants: vec![grant],
            by_previous_secret,
            expires: stored.key.expires,
        })
    }

    fn of_user(
        view: &View<'_>,
        id: &Id,
        session: Option<&str>,
        now: Timestamp,
    ) -> Result<Access, RegistryError> {
        let stored: StoredUser = load(view, id.as_str())?.ok_or(RegistryError::Unauthenticated)?;
        let session = session.map(|id| load::<Session>(view, id)).transpose()?.flatten();
        let session = session.filter(|session| session.user == *id && session.is_alive(now));
        let session = session.filter(|_| !stored.user.disabled);
        let session = session.ok_or(RegistryError::Unauthenticated)?;
        let grants = match session.limited || session.lacks_terms {
            true => Vec::new(),
            false => Grant::of_memberships(&stored.user.memberships),
        };
        let (person, principals) = (Actor::User(*id), stored.principals);
        Ok(Access { person, principals, grants, by_previous_secret: false, expires: None })
    }

    /// Returns whether this is permitted for a level of this owner.
    pub(crate) fn reaches(&self, verb: Verb, key: &Anchor, owner: Option<Id>) -> bool {
        self.grants.iter().any(|grant| grant.allows(verb) && grant.reaches(key, owner))
    }

    /// Returns the owner of a level, if this is permitted there.
    pub(crate) fn on_level(
        &self,
        view: &View<'_>,
        verb: Verb,
        key: &Anchor,
    ) -> Result<Option<Id>, RegistryError> {
        let owner = ownership::owner(view, key)?;
        self.permits(verb, key, owner).map(|()| owner)
    }

    /// Checks that this is permitted for a level of this owner.
    pub(crate) fn permits(
        &self,
        verb: Verb,
        key: &Anchor,
        owner: Option<Id>,
    ) -> Result<(), RegistryError> {
        if self.reaches(verb, key, owner) {
            Ok(())
        } else if self.reaches(Verb::Read, key, owner) {
            Err(Denial::Operation.into())
        } else {
            Err(Denial::Level.into())
        }
    }

    /// Returns the organisations in which the caller has rights; `None` for a right in the whole
    /// installation.
    pub(crate) fn organisations(&self) -> Option<Vec<Id>> {
        let ids = self.grants.iter().map(|grant| grant.organisation);
        let ids: Option<BTreeSet<Id>> = ids.collect();
        ids.map(|ids| ids.into_iter().collect())
    }

    /// Returns whether this is permitted in the whole installation.
    pub(crate) fn in_installation(&self, verb: Verb) -> bool {
        let whole = |grant: &Grant| grant.organisation.is_none() && grant.prefix.is_none();
        self.grants.iter().any(|grant| whole(grant) && grant.allows(verb))
    }

    /// Checks that this is permitted in the whole installation.
    pub(crate) fn check_installation(&self, verb: Verb) -> Result<(), RegistryError> {
        if self.in_installation(verb) { Ok(()) } else { Err(Denial::Operation.into()) }
    }

    /// Returns whether this is permitted in a whole organisation.
    pub(crate) fn in_organisation(&self, verb: Verb, id: &Id) -> bool {
        let whole = |grant: &Grant| {
            grant.organisation.is_none_or(|own| own == *id) && grant.prefix.is_none()
        };
        self.grants.iter().any(|grant| whole(grant) && grant.allows(verb))
    }

    /// Checks that this is permitted for some level.
    pub(crate) fn anywhere(&self, verb: Verb) -> Result<(), RegistryError> {
        let may = self.grants.iter().any(|grant| grant.allows(verb));
        if may { Ok(()) } else { Err(Denial::Operation.into()) }
    }

    /// Returns whether the caller can see an organisation.
    pub(crate) fn sees_organisation(&self, id: &Id) -> bool {
        self.grants.iter().any(|grant| grant.organisation.is_none_or(|own| own == *id))
    }

    /// Returns whether this is permitted in a whole organisation; `None` for the whole
    /// installation.
    pub(crate) fn in_scope(&self, verb: Verb, organisation: Option<Id>) -> bool {
        match organisation {
            None => self.in_installation(verb),
            Some(id) => self.in_organisation(verb, &id),
        }
    }

    /// Returns whether this permission can be granted to others.
    pub(crate) fn may_give(&self, grant: &Grant) -> bool {
        self.in_scope(Verb::Admin, grant.organisation)
            && self.grants.iter().any(|own| own.includes(grant))
    }

    /// Returns whether a change of a level of this organisation needs a second person's approval.
    pub(crate) fn needs_approval(&self, owner: Option<&Organisation>) -> bool {
        owner.is_some_and(|owner| owner.approval_required) && !self.in_installation(Verb::Admin)
    }

    /// Checks that the caller can approve changes of these levels that someone else proposed.
    pub(crate) fn check_approves<'k>(
        &self,
        view: &View<'_>,
        caller: &Caller,
        proposer: &Proposer<'_>,
        mut levels: impl Iterator<Item = &'k Anchor>,
    ) -> Result<(), RegistryError> {
        levels.try_for_each(|level| self.on_level(view, Verb::Approve, level).map(drop))?;
        if self.person == *proposer.person || caller.actor.to_string() == proposer.actor {
            return Err(Denial::SamePerson.into());
        }
        match self.principals.are_independent_of(proposer.principals) {
            true => Ok(()),
            false => Err(Denial::Dependent.into()),
        }
    }

    /// Returns the owners of levels, whose changes by this person the caller can reject or
    /// withdraw.
    pub(crate) fn owners_if_decidable(
        &self,
        view: &View<'_>,
        person: &Actor,
        levels: &[Anchor],
    ) -> Result<BTreeSet<Option<Id>>, RegistryError> {
        // Withdrawing needs the same permission as proposing.
        let verb = if self.person == *person { Verb::Write } else { Verb::Approve };
        let mut owners = BTreeSet::new();
        for level in levels {
            let owner = ownership::owner(view, level)?;
            owners.insert(owner);
            if !self.reaches(verb, level, owner) {
                return Err(Denial::Operation.into());
            }
        }
        Ok(owners)
    }

    /// Checks that the organisation of a level is not suspended, unless the caller writes in the
    /// whole installation.
    pub(crate) fn check_not_suspended(
        &self,
        owner: Option<&Organisation>,
    ) -> Result<(), RegistryError> {
        let is_suspended = owner.is_some_and(|owner| owner.suspended.is_some());
        match is_suspended && !self.in_installation(Verb::Write) {
            true => Err(Denial::Suspended.into()),
            false => Ok(()),
        }
    }

    /// Returns whether regulated link types can be used on a level of this organisation.
    pub(crate) fn may_use_regulated(&self, owner: Option<&Organisation>) -> bool {
        owner.is_some_and(|owner| owner.regulated) || self.in_installation(Verb::Admin)
    }
}

/// Who proposed changes.
pub(crate) struct Proposer<'p> {
    /// The user behind the caller who proposed them.
    pub(crate) person: &'p Actor,
    /// The user or key that proposed them, as text.
    pub(crate) actor: &'p str,
    pub(crate) principals: &'p Principals,
}

/// Returns the id of a caller who is a user.
pub(crate) fn own_id(caller: &Caller) -> Result<Id, RegistryError> {
    match caller.actor {
        Actor::User(id) => Ok(id),
        Actor::Key(_) | Actor::Local(_) => Err(RegistryError::Unauthenticated),
    }
}

impl StoredUser {
    /// Returns whether keys of this user, created at a time, are valid at this time: those of a
    /// user of another identity provider only for a while after the last sign-in, because the
    /// provider reports nothing about users who left.
    fn keys_count(&self, created: Timestamp, now: Timestamp) -> bool {
        // Accounts of earlier releases: the user was at the provider when the key was created.
        let until = self.keys_until.or_else(|| created.checked_add(FEDERATED_KEYS).ok());
        self.federated.is_none() || until.is_some_and(|until| now < until)
    }
}

/// Returns the documents from which [`Access::of`] reads the permissions of a caller, as far as the
/// caller tells.
pub(crate) fn prefetch(caller: &Caller) -> Prefetch {
    let none = Prefetch::default();
    match &caller.actor {
        Actor::Local(_) => none,
        Actor::Key(id) => none.document(StoredKey::COLLECTION, id.as_str()),
        Actor::User(id) => {
            let user = none.document(StoredUser::COLLECTION, id.as_str());
            let session = caller.session.iter();
            session.fold(user, |rows, id| rows.document(Session::COLLECTION, id))
        }
    }
}

/// Returns whether a key is valid at this time.
pub(crate) fn key_counts(stored: &StoredKey, now: Timestamp) -> bool {
    stored.key.revoked.is_none() && stored.key.expires.is_none_or(|expires| now < expires)
}

/// Default of the time for which keys of a user of another identity provider stay valid after a
/// sign-in.
pub(crate) const FEDERATED_KEYS: SignedDuration = SignedDuration::from_hours(30 * 24);
