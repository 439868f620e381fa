//! Suspension of organisations by the operator. Members can read and write nothing new meanwhile;
//! the records answer, stop, or show a notice.
//!
//! How keys answer is stored as entries ([`fingerpost_resolver::Suspension`]), so the public side,
//! copies and backups have it. [`synchronise`] makes these entries, and those about the country of
//! clients, agree with the organisations after each change of one; while there are none, it reads
//! two rows.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Anchor, ContextSource, Entry, Suspension};
use fingerpost_store::{Batch, Event, Transaction, View};
use serde::Deserialize;

use crate::documents::{each, save};
use crate::events::about_organisation;
use crate::fault::Fault;
use crate::registry::Context;
use crate::roles::Verb;
use crate::text::NOTICE;
use crate::{
    Caller, CompanyPrefix, Id, Organisation, OrganisationSuspension, Registry, RegistryError,
    SuspensionMode,
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
            synchronise(tx, Some(&organisation), event)?;
            Ok(organisation)
        })
    }
}

/// Records the change of an organisation, or of all levels, with the entries by which the public
/// side knows how keys answer.
pub(crate) fn synchronise(
    tx: &mut Transaction<'_>,
    changed: Option<&Organisation>,
    event: Event,
) -> Result<(), RegistryError> {
    let kinds = [Anchor::suspensions(), Anchor::country_switches()];
    let mut is_any = false;
    for kind in kinds {
        is_any |= !tx.levels_from(Bound::Unbounded, kind, 1)?.is_empty();
    }
    let has_none = |of: &Organisation| of.suspended.is_none() && !of.context_from_country;
    if changed.is_some_and(has_none) && !is_any {
        tx.record(event)?;
        return Ok(());
    }
    let mut wanted = wanted(tx)?;
    let mut batch = Batch::unchecked();
    let mut present = Vec::new();
    for kind in kinds {
        present.extend(tx.levels_from(Bound::Unbounded, kind, usize::MAX)?);
    }
    for (present, _) in present {
        match wanted.remove(present.anchor().as_str()) {
            Some(entry) if entry == present => {}
            Some(entry) => drop(batch.put(entry)),
            None => drop(batch.delete(present.anchor().clone())),
        }
    }
    for entry in wanted.into_values() {
        batch.put(Arc::new(entry));
    }
    match batch.is_empty() {
        true => drop(tx.record(event)?),
        false => drop(tx.write(&batch, event)?),
    }
    Ok(())
}

/// Returns the entries that say how keys answer, by anchor: of what organisations with a rule own,
/// and of single keys of others within their company prefixes.
fn wanted(view: &View<'_>) -> Result<BTreeMap<String, Entry>, RegistryError> {
    let mut wanted = suspensions(view)?;
    wanted.extend(country_switches(view)?);
    Ok(wanted)
}

/// Returns the entries of organisations for whose keys the country of clients is the context.
fn country_switches(view: &View<'_>) -> Result<BTreeMap<String, Entry>, RegistryError> {
    let (mut wanted, mut organisations) = (BTreeMap::new(), Vec::new());
    each::<Organisation>(view, |organisation| {
        organisations.push(organisation);
        Ok(())
    })?;
    let (by_country, others): (Vec<_>, Vec<_>) =
        organisations.into_iter().partition(|organisation| organisation.context_from_country);
    let mut put = |of: &Anchor, source| {
        let entry = Entry::country_switch(of, source);
        wanted.insert(entry.anchor().as_str().to_owned(), entry);
    };
    let prefixes: Vec<&CompanyPrefix> = by_country.iter().flat_map(|it| &it.prefixes).collect();
    for prefix in &prefixes {
        put(&Anchor::company_prefix(prefix), ContextSource::Country);
    }
    for key in by_country.iter().flat_map(|it| &it.keys) {
        put(&Anchor::from(key), ContextSource::Country);
    }
    for key in others.iter().flat_map(|it| &it.keys) {
        let part = key.company_prefix_part().unwrap_or_default();
        if prefixes.iter().any(|prefix| part.starts_with(prefix.as_str())) {
            put(&Anchor::from(key), ContextSource::Request);
        }
    }
    Ok(wanted)
}

fn suspensions(view: &View<'_>) -> Result<BTreeMap<String, Entry>, RegistryError> {
    let mut wanted = BTreeMap::new();
    let put = |wanted: &mut BTreeMap<String, Entry>, of: &Anchor, suspension: Suspension<'_>| {
        let entry = Entry::suspension(of, suspension);
        wanted.insert(entry.anchor().as_str().to_owned(), entry);
    };
    let (mut prefixes, mut others) = (Vec::<CompanyPrefix>::new(), Vec::<EntityKey>::new());
    each::<Organisation>(view, |organisation| {
        let suspension = match &organisation.suspended {
            Some(OrganisationSuspension { mode: SuspensionMode::Stop, .. }) => Suspension::Stop,
            Some(OrganisationSuspension { notice: Some(text), .. }) => Suspension::Notice(text),
            Some(_) | None => {
                others.extend(organisation.keys);
                return Ok(());
            }
        };
        for prefix in &organisation.prefixes {
            put(&mut wanted, &Anchor::company_prefix(prefix), suspension);
        }
        for key in &organisation.keys {
            put(&mut wanted, &Anchor::from(key), suspension);
        }
        prefixes.extend(organisation.prefixes);
        Ok(())
    })?;
    for key in others {
        let part = key.company_prefix_part().unwrap_or_default();
        if prefixes.iter().any(|prefix| part.starts_with(prefix.as_str())) {
            put(&mut wanted, &Anchor::from(&key), Suspension::None);
        }
    }
    Ok(wanted)
}
