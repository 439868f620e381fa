//! Terms that members accept at their first sign-in, and again when the version changes. Until then
//! a session permits nothing else. Administrators of the installation set the terms, and need
//! not accept them.

use crate::documents::{load, save};
use crate::events::about_user;
use crate::fault::Fault;
use crate::registry::Context;
use crate::rights::own_id;
use crate::stored::StoredUser;
use crate::{AcceptedTerms, Caller, Registry, RegistryError, Session};

impl StoredUser {
    /// Returns whether the user must accept these terms first.
    pub(crate) fn lacks_terms(&self, version: Option<&str>) -> bool {
        let accepted = self.user.terms.as_ref().map(|terms| terms.version.as_str());
        let is_member = self.user.memberships.iter().all(|one| one.organisation.is_some());
        version.is_some() && is_member && accepted != version
    }
}

impl Registry {
    /// Accepts the current terms for the caller; the caller's sessions permit the rest from then
    /// on.
    ///
    /// Fails with [`RegistryError::Conflict`] if this is not the current version,
    /// [`RegistryError::Unauthenticated`] for callers that are no users, or an error of the store.
    pub fn accept_terms(&self, caller: &Caller, version: &str) -> Result<(), RegistryError> {
        let version = version.to_owned();
        self.transact_as(caller, move |tx, &Context { inner, caller, now, .. }| {
            let id = own_id(caller)?;
            if inner.options.terms.as_deref() != Some(version.as_str()) {
                let detail = "this is not the current version of the terms; read them again";
                return Err(RegistryError::Conflict(vec![Fault::new("/version", "terms", detail)]));
            }
            let mut stored: StoredUser =
                load(tx, id.as_str())?.ok_or(RegistryError::Unauthenticated)?;
            stored.user.terms = Some(AcceptedTerms { version: version.clone(), at: now });
            save(tx, id.as_str(), &stored)?;
            if let Some(name) = &caller.session
                && let Some(mut session) = load::<Session>(tx, name)?
            {
                session.lacks_terms = false;
                save(tx, name, &session)?;
            }
            let event = inner.event("terms.accepted", caller).detail("version", version.as_str());
            tx.record(about_user(event, &stored.user))?;
            Ok(())
        })
    }
}
