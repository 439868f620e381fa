//! Which accounts may be used by the same person, when a change needs a second person's approval.
//! The model of that is in `principals.rs`.

use fingerpost_store::{Transaction, View};

use crate::documents::{Document, load, load_page, save};
use crate::events::about_user;
use crate::fault::Fault;
use crate::principals::Principals;
use crate::proposals::ProposalState;
use crate::registry::Context;
use crate::rights::Access;
use crate::roles::Verb;
use crate::stored::{StoredKey, StoredUser};
use crate::{Actor, Caller, Id, Proposal, Registry, RegistryError, User};

impl StoredUser {
    /// Returns the user as the only principal.
    fn own_principal(&self) -> Principals {
        Principals::only(Actor::User(self.user.id))
    }

    /// Notes that the caller knows the password, which it has just set.
    pub(crate) fn password_is_known_to(&mut self, access: &Access, caller: &Caller) {
        let own = Actor::User(self.user.id);
        if caller.actor == own {
            return;
        }
        self.own_password = false;
        self.user.set_up_by = None;
        self.principals = self.own_principal();
        if !access.in_installation(Verb::Admin) {
            self.principals.add_setter(&access.principals);
            self.user.set_up_by = match &access.person {
                Actor::User(id) if *id != self.user.id => Some(Actor::User(*id)),
                _ => Some(caller.actor.clone()),
            };
        }
    }
}

impl Registry {
    /// Confirms that only its own user has an account, regardless of who set it up. Does nothing if
    /// that needs no confirmation.
    ///
    /// Fails with [`RegistryError::Conflict`] while the password is the one that someone else set;
    /// [`RegistryError::NotFound`] for a user unknown to the caller; [`RegistryError::Forbidden`]
    /// for one with roles elsewhere, for API keys, and for callers who depend on the user who
    /// set up the account; or an error of the store.
    pub fn confirm_user(&self, caller: &Caller, id: &Id) -> Result<User, RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let mut stored = access.administered_user(tx, &id)?;
            if stored.principals != stored.own_principal() {
                access.check_confirms(caller, &stored.principals)?;
                if !stored.own_password {
                    let detail =
                        "the user must change the password first: the one who set it knows it";
                    return Err(RegistryError::Conflict(vec![Fault::new("", "password", detail)]));
                }
                stored.user.set_up_by = None;
                stored.principals = stored.own_principal();
                save(tx, id.as_str(), &stored)?;
                let event = inner.event("user.confirmed", caller);
                tx.record(about_user(event, &stored.user))?;
            }
            access.visible_part(stored.user).ok_or(RegistryError::NotFound)
        })
    }

    /// Determines the principals of accounts, keys and open proposals in a store of an earlier
    /// release, which stored only who set up an account. Accounts, keys and proposals that lead
    /// to a deleted account get unknown principals. Does nothing after the first time. Call
    /// this at the start of a server: until it has run, all of them are unknown.
    pub fn determine_principals(&self) -> Result<(), RegistryError> {
        let store = &self.inner.store;
        if store.view(|view| view.document(UPGRADES, PRINCIPALS))?.is_some() {
            return Ok(());
        }
        // Keys and proposals are derived from the accounts as they are found, before confirmations
        // by this release.
        self.upgrade::<StoredKey>(|view, stored| {
            determine(view, &mut stored.principals, &stored.person)
        })?;
        self.upgrade::<Proposal>(|view, proposal| {
            let is_open = proposal.state == ProposalState::Open;
            Ok(is_open && determine(view, &mut proposal.principals, &proposal.person)?)
        })?;
        self.upgrade::<StoredUser>(|view, stored| {
            determine(view, &mut stored.principals, &Actor::User(stored.user.id))
        })?;
        store.transact(|tx| Ok(tx.put_document(UPGRADES, PRINCIPALS, b"1")?))
    }

    /// Changes the documents of a collection for which `change` returns true, in short
    /// transactions.
    fn upgrade<D: Document + Send + 'static>(
        &self,
        change: fn(&View<'_>, &mut D) -> Result<bool, RegistryError>,
    ) -> Result<(), RegistryError> {
        let mut after: Option<String> = None;
        loop {
            let from = after.clone();
            after = self.inner.store.transact(move |tx: &mut Transaction<'_>| {
                let page = load_page::<D>(tx, from.as_deref(), UPGRADED_AT_ONCE)?;
                let last = page.last().map(|(id, _)| id.clone());
                for (id, mut document) in page {
                    if change(tx, &mut document)? {
                        save(tx, &id, &document)?;
                    }
                }
                Ok::<_, RegistryError>(last)
            })?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// Determines principals that are unknown; returns whether they are known now.
fn determine(
    view: &View<'_>,
    principals: &mut Principals,
    actor: &Actor,
) -> Result<bool, RegistryError> {
    if !principals.are_unknown() {
        return Ok(false);
    }
    *principals = principals_by_set_up(view, actor)?;
    Ok(!principals.are_unknown())
}

/// Returns the principals of an actor in a store of an earlier release: everybody on the chain of
/// those who set up accounts.
fn principals_by_set_up(view: &View<'_>, actor: &Actor) -> Result<Principals, RegistryError> {
    let mut principals = Principals::only(actor.clone());
    let mut next = Some(actor.clone());
    while let Some(actor) = next {
        match actor {
            Actor::Local(_) => break,
            Actor::Key(_) => return Ok(Principals::default()),
            Actor::User(id) => {
                let stored: Option<StoredUser> = load(view, id.as_str())?;
                let Some(stored) = stored else { return Ok(Principals::default()) };
                next = stored.user.set_up_by;
                let before = principals.clone();
                if let Some(setter) = &next {
                    principals.add(&Principals::only(setter.clone()));
                }
                // Users who set each other's passwords, or a chain that is too long.
                if principals == before || principals.are_unknown() {
                    break;
                }
            }
        }
    }
    Ok(principals)
}

/// The collection that notes finished upgrades.
const UPGRADES: &str = "upgrades";

/// The upgrade of [`Registry::determine_principals`].
const PRINCIPALS: &str = "principals";

/// Number of documents upgraded in one transaction.
const UPGRADED_AT_ONCE: usize = 500;
