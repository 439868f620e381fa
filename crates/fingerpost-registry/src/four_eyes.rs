//! Which accounts count as two people when a change needs a second person's approval.
//!
//! Anyone who sets the password of an account can sign in with it. So an account whose password an administrator of the organisation
//! set counts as the same person as that administrator, and as all other accounts that the administrator set up, until the user has
//! changed the password and someone independent of them confirms the account: another administrator of the organisation, or one of
//! the installation.

use fingerpost_store::View;

use crate::documents::{load, save};
use crate::events::about_user;
use crate::fault::Fault;
use crate::registry::Inner;
use crate::rights::Access;
use crate::roles::Verb;
use crate::stored::StoredUser;
use crate::users::{administers_all, shown};
use crate::{Actor, Caller, Denial, Id, Registry, RegistryError, User};

impl Registry {
    /// Confirms that a user is a person of their own, regardless of who set up the account. Does nothing if that needs no confirmation.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Conflict`] while the password is the one that someone else set;
    /// [`RegistryError::NotFound`] for a user unknown to the caller; [`RegistryError::Forbidden`] for one with roles elsewhere, for
    /// API keys, and for callers who depend on the user who set up the account; or an error of the store.
    pub fn confirm_user(&self, caller: &Caller, id: &Id) -> Result<User, RegistryError> {
        let registry = self.clone();
        let caller = caller.clone();
        let id = *id;
        self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, registry.inner.now())?;
            let mut stored: StoredUser = load(tx, id.as_str())?.ok_or(RegistryError::NotFound)?;
            shown(&access, stored.user.clone()).ok_or(RegistryError::NotFound)?;
            if !administers_all(&access, &stored.user) {
                return Err(Denial::Operation.into());
            }
            if stored.user.set_up_by.is_some() {
                let is_person = matches!(caller.actor, Actor::User(_));
                let may = access.in_installation(Verb::Admin)
                    || (is_person && are_independent(tx, &access.person, &Actor::User(id))?);
                if !may {
                    return Err(Denial::Dependent.into());
                }
                if !stored.own_password {
                    let detail =
                        "the user must change the password first: the one who set it knows it";
                    return Err(RegistryError::Conflict(vec![Fault::new("", "password", detail)]));
                }
                stored.user.set_up_by = None;
                save(tx, id.as_str(), &stored)?;
                let event = registry.inner.event("user.confirmed", &caller);
                tx.record(about_user(event, &stored.user))?;
            }
            shown(&access, stored.user).ok_or(RegistryError::NotFound)
        })
    }
}

impl Inner {
    /// Returns whom to note as the one who set up an account, for a caller who sets its password.
    pub(crate) fn set_up_by(access: &Access, caller: &Caller) -> Option<Actor> {
        if access.in_installation(Verb::Admin) {
            return None;
        }
        match &access.person {
            Actor::User(id) => Some(Actor::User(*id)),
            _ => Some(caller.actor.clone()),
        }
    }
}

/// Returns whether two actors are certainly two people.
pub(crate) fn are_independent(
    view: &View<'_>,
    one: &Actor,
    other: &Actor,
) -> Result<bool, RegistryError> {
    Ok(match (root(view, one)?, root(view, other)?) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    })
}

/// Returns the actor at the end of the chain of those who set up accounts; `None` if that is a key, which anyone may hold.
fn root(view: &View<'_>, actor: &Actor) -> Result<Option<Actor>, RegistryError> {
    let Actor::User(first) = actor else { return Ok(Some(actor.clone())) };
    let mut chain = vec![*first];
    loop {
        let last = chain[chain.len() - 1];
        let stored: Option<StoredUser> = load(view, last.as_str())?;
        match stored.and_then(|stored| stored.user.set_up_by) {
            None => return Ok(Some(Actor::User(last))),
            // Users who set each other's passwords are one; any of them names them all.
            Some(Actor::User(next)) => match chain.iter().position(|id| *id == next) {
                Some(from) => return Ok(chain[from..].iter().min().copied().map(Actor::User)),
                None if chain.len() == LONGEST_CHAIN => return Ok(None),
                None => chain.push(next),
            },
            Some(_) => return Ok(None),
        }
    }
}

/// Maximum number of accounts that are followed; longer chains count as dependent on everyone.
const LONGEST_CHAIN: usize = 64;
