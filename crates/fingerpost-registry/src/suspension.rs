//! Suspension of organisations by the operator. Members can read and write nothing new meanwhile;
//! the records answer, stop, or show a notice.
//!
//! How keys answer is stored as entries ([`fingerpost_resolver::Suspension`]), so the public side,
//! copies and backups have it; `synchronise` makes these entries agree with the organisations.

use serde::Deserialize;

use crate::documents::save;
use crate::events::about_organisation;
use crate::fault::Fault;
use crate::registry::Context;
use crate::roles::Verb;
use crate::synchronise::synchronise;
use crate::text::NOTICE;
use crate::{
    Caller, Id, Organisation, OrganisationSuspension, Registry, RegistryError, SuspensionMode,
};

/// A new suspension.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSuspension {
    /// How the records answer.
    pub mode: SuspensionMode,
    /// What the operator says, on one line of at most 300 characters; for the mode `notice` only.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(max_length = 300))]
    pub notice: Option<String>,
}

impl Registry {
    /// Suspends an organisation, or changes how its records answer meanwhile.
    ///
    /// Fails with [`RegistryError::Forbidden`] unless the caller administers the installation,
    /// [`RegistryError::NotFound`], [`RegistryError::Invalid`], or an error of the store.
    pub fn suspend(
        &self,
        caller: &Caller,
        id: &Id,
        new: NewSuspension,
    ) -> Result<Organisation, RegistryError> {
        let is_allowed = match (new.mode, &new.notice) {
            (SuspensionMode::Notice, Some(text)) => NOTICE.allows(text),
            (mode, notice) => mode != SuspensionMode::Notice && notice.is_none(),
        };
        if !is_allowed {
            let detail =
                format!("notice must have {NOTICE} if the mode is notice, and be absent otherwise");
            return Err(RegistryError::invalid(vec![Fault::new("/notice", "notice", detail)]));
        }
        self.set_suspension(caller, *id, Some(new))
    }

    /// Ends the suspension of an organisation. Does nothing if it is not suspended.
    ///
    /// Fails as [`Registry::suspend`].
    pub fn reinstate(&self, caller: &Caller, id: &Id) -> Result<Organisation, RegistryError> {
        self.set_suspension(caller, *id, None)
    }

    fn set_suspension(
        &self,
        caller: &Caller,
        id: Id,
        new: Option<NewSuspension>,
    ) -> Result<Organisation, RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            let mut organisation = access.organisation(tx, &id)?;
            access.check_installation(Verb::Admin)?;
            let since = organisation.suspended.as_ref().map_or(now, |present| present.since);
            let suspended = new.clone().map(|NewSuspension { mode, notice }| {
                let notice = notice.map(|text| text.trim().to_owned());
                OrganisationSuspension { mode, notice, since }
            });
            if organisation.suspended == suspended {
                return Ok(organisation);
            }
            organisation.suspended = suspended;
            save(tx, id.as_str(), &organisation)?;
            let action = match &organisation.suspended {
                Some(_) => "organisation.suspended",
                None => "organisation.reinstated",
            };
            let event = about_organisation(inner.event(action, caller), &organisation);
            synchronise(tx, Some(&organisation), None, event)?;
            Ok(organisation)
        })
    }
}
