//! Organisations: owners of company prefixes and single keys.

use fingerpost_gs1::EntityKey;
use fingerpost_store::{Transaction, View};

use crate::documents::{load_sized, remove, save};
use crate::events::about_organisation;
use crate::fault::Fault;
use crate::limits::MAX_OWNED;
use crate::quotas::count::begin_again;
use crate::registry::Context;
use crate::roles::Verb;
use crate::stored::Index;
use crate::synchronise::synchronise;
use crate::text::NAME;
use crate::{
    Caller, CompanyPrefix, Id, NewOrganisation, Organisation, OrganisationChange, Page, Registry,
    RegistryError, Usage, quotas, target_hosts, webhooks,
};

impl Registry {
    /// Returns the organisations that the caller belongs to, or all.
    pub fn organisations(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Organisation>, RegistryError> {
        self.view_as(caller, |view, access| {
            crate::pages::page(
                after,
                limit,
                |after, limit| load_sized(view, after, limit),
                |organisation: Organisation| {
                    Ok(access.sees_organisation(&organisation.id).then_some(organisation))
                },
            )
        })
    }

    /// Returns an organisation that the caller belongs to.
    pub fn organisation(&self, caller: &Caller, id: &Id) -> Result<Organisation, RegistryError> {
        self.view_as(caller, |view, access| access.organisation(view, id))
    }

    /// Returns the organisations in which the caller has rights; `None` for a right in the whole
    /// installation.
    pub fn organisations_of(&self, caller: &Caller) -> Result<Option<Vec<Id>>, RegistryError> {
        self.view_as(caller, |_, access| Ok(access.organisations()))
    }

    /// Returns how much an organisation uses, and its quotas.
    pub fn organisation_usage(&self, caller: &Caller, id: &Id) -> Result<Usage, RegistryError> {
        self.view_as(caller, |view, access| {
            quotas::usage(&self.inner, view, &access.organisation(view, id)?)
        })
    }

    /// Creates an organisation; only administrators of the installation can do this.
    ///
    /// Fails with [`RegistryError::Forbidden`], [`RegistryError::Invalid`],
    /// [`RegistryError::Conflict`] if a prefix or key belongs to another one, or an error of
    /// the store.
    pub fn create_organisation(
        &self,
        caller: &Caller,
        new: NewOrganisation,
    ) -> Result<Organisation, RegistryError> {
        let (made, to_count) = self.make_organisation(caller, new)?;
        self.count_levels(&to_count)?;
        Ok(made)
    }

    fn make_organisation(
        &self,
        caller: &Caller,
        new: NewOrganisation,
    ) -> Result<(Organisation, Vec<Id>), RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            access.check_installation(Verb::Admin)?;
            let mut faults = Vec::new();
            let organisation = Organisation {
                id: Id::random(),
                name: name(&new.name, &mut faults),
                prefixes: prefixes(&new.prefixes, &mut faults),
                keys: keys(&new.keys, &mut faults),
                approval_required: new.approval_required,
                regulated: new.regulated,
                target_hosts: target_hosts::checked(&new.target_hosts, &mut faults),
                context_from_country: new.context_from_country,
                suspended: None,
                brand: None,
                quotas: new.quotas,
                created: now,
            };
            if !faults.is_empty() {
                return Err(RegistryError::invalid(faults));
            }
            claim(tx, &organisation)?;
            save(tx, organisation.id.as_str(), &organisation)?;
            let event =
                about_organisation(inner.event("organisation.created", caller), &organisation);
            synchronise(tx, Some(&organisation), None, event)?;
            let to_count = begin_again(tx, None, Some(&organisation))?;
            Ok((organisation, to_count))
        })
    }

    /// Changes an organisation. Its own administrators can change its name, let the country of
    /// clients count as context, and require a second person's approval of changes; only those of
    /// the installation can lift that, and change what it owns, its quotas, and whether
    /// regulated link types are allowed.
    pub fn update_organisation(
        &self,
        caller: &Caller,
        id: &Id,
        change: OrganisationChange,
    ) -> Result<Organisation, RegistryError> {
        let (changed, to_count) = self.change_organisation(caller, *id, change)?;
        self.count_levels(&to_count)?;
        Ok(changed)
    }

    fn change_organisation(
        &self,
        caller: &Caller,
        id: Id,
        change: OrganisationChange,
    ) -> Result<(Organisation, Vec<Id>), RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let before = access.administered_organisation(tx, &id)?;
            access.check_organisation_change(&before, &change)?;
            let after = changed(&before, &change)?;
            if after == before {
                return Ok((after, Vec::new()));
            }
            release(tx, &before)?;
            claim(tx, &after)?;
            save(tx, id.as_str(), &after)?;
            let event = about_organisation(inner.event("organisation.changed", caller), &after);
            synchronise(tx, Some(&after), None, event)?;
            let to_count = begin_again(tx, Some(&before), Some(&after))?;
            Ok((after, to_count))
        })
    }

    /// Deletes an organisation. Its API keys and the roles in it are no longer valid; its levels
    /// stay unchanged.
    ///
    /// Fails with [`RegistryError::Forbidden`] unless the caller administers the installation,
    /// [`RegistryError::NotFound`], or an error of the store.
    pub fn delete_organisation(&self, caller: &Caller, id: &Id) -> Result<(), RegistryError> {
        let id = *id;
        let to_count =
            self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
                let organisation = access.organisation(tx, &id)?;
                access.check_installation(Verb::Admin)?;
                release(tx, &organisation)?;
                webhooks::delete_of(tx, &organisation)?;
                remove::<Organisation>(tx, id.as_str())?;
                let event =
                    about_organisation(inner.event("organisation.deleted", caller), &organisation);
                synchronise(tx, Some(&organisation), None, event)?;
                begin_again(tx, Some(&organisation), None)
            })?;
        self.count_levels(&to_count)
    }
}

/// Returns an organisation after a change, which may be against the rules.
fn changed(
    before: &Organisation,
    change: &OrganisationChange,
) -> Result<Organisation, RegistryError> {
    let mut faults = Vec::new();
    let mut after = before.clone();
    if let Some(given) = &change.name {
        after.name = name(given, &mut faults);
    }
    if let Some(given) = &change.prefixes {
        after.prefixes = prefixes(given, &mut faults);
    }
    if let Some(given) = &change.keys {
        after.keys = keys(given, &mut faults);
    }
    if let Some(given) = &change.target_hosts {
        after.target_hosts = target_hosts::checked(given, &mut faults);
    }
    after.approval_required = change.approval_required.unwrap_or(before.approval_required);
    after.context_from_country = change.context_from_country.unwrap_or(before.context_from_country);
    after.regulated = change.regulated.unwrap_or(before.regulated);
    after.quotas = change.quotas.unwrap_or(before.quotas);
    if faults.is_empty() { Ok(after) } else { Err(RegistryError::invalid(faults)) }
}

/// Indexes the prefixes and keys of an organisation; fails if another one owns any of them.
fn claim(tx: &mut Transaction<'_>, organisation: &Organisation) -> Result<(), RegistryError> {
    let mut conflicts = Vec::new();
    for (index, prefix) in organisation.prefixes.iter().enumerate() {
        if is_taken(tx, prefix)? {
            let detail = format!("prefix {prefix} overlaps with a prefix of another organisation");
            conflicts.push(Fault::new(format!("/prefixes/{index}"), "prefixes", detail));
        }
    }
    for (index, key) in organisation.keys.iter().enumerate() {
        if Index::Owned.find(tx, key.as_str())?.is_some() {
            let detail = format!("another organisation owns /{key}");
            conflicts.push(Fault::new(format!("/keys/{index}"), "keys", detail));
        }
    }
    if !conflicts.is_empty() {
        return Err(RegistryError::Conflict(conflicts));
    }
    for prefix in &organisation.prefixes {
        Index::Prefix.insert(tx, prefix.as_str(), organisation.id)?;
    }
    for key in &organisation.keys {
        Index::Owned.insert(tx, key.as_str(), organisation.id)?;
    }
    Ok(())
}

fn release(tx: &mut Transaction<'_>, organisation: &Organisation) -> Result<(), RegistryError> {
    for prefix in &organisation.prefixes {
        Index::Prefix.remove(tx, prefix.as_str())?;
    }
    for key in &organisation.keys {
        Index::Owned.remove(tx, key.as_str())?;
    }
    Ok(())
}

/// Returns whether an organisation has this prefix, a shorter one that it begins with, or a longer
/// one that begins with it.
fn is_taken(view: &View<'_>, prefix: &CompanyPrefix) -> Result<bool, RegistryError> {
    let digits = prefix.as_str();
    for length in *CompanyPrefix::LENGTHS.start()..=digits.len() {
        if Index::Prefix.find(view, &digits[..length])?.is_some() {
            return Ok(true);
        }
    }
    let longer = Index::Prefix.names(view, digits, 1)?;
    Ok(longer.iter().any(|other| other.starts_with(digits)))
}

/// Checks a display name.
pub(crate) fn name(given: &str, faults: &mut Vec<Fault>) -> String {
    if !NAME.allows(given) {
        faults.push(Fault::new("/name", "name", format!("name must have {NAME}")));
    }
    given.trim().to_owned()
}

fn prefixes(given: &[String], faults: &mut Vec<Fault>) -> Vec<CompanyPrefix> {
    bounded(given, "/prefixes", faults);
    let mut prefixes: Vec<CompanyPrefix> = Vec::new();
    for (index, text) in given.iter().take(MAX_OWNED).enumerate() {
        let mut fault =
            |detail| faults.push(Fault::new(format!("/prefixes/{index}"), "prefixes", detail));
        match CompanyPrefix::parse(text) {
            Ok(prefix) => match prefixes.iter().find(|other| other.overlaps(&prefix)) {
                Some(other) => {
                    fault(format!("prefix overlaps with {other}, which is in the list too"));
                }
                None => prefixes.push(prefix),
            },
            Err(error) => fault(error.to_string()),
        }
    }
    prefixes
}

fn keys(given: &[String], faults: &mut Vec<Fault>) -> Vec<EntityKey> {
    bounded(given, "/keys", faults);
    let mut keys: Vec<EntityKey> = Vec::new();
    for (index, text) in given.iter().take(MAX_OWNED).enumerate() {
        let detail = match EntityKey::parse(text) {
            Ok(key) if !key.is_key_level() => "key must not have qualifiers".to_owned(),
            Ok(key) if keys.contains(&key) => "key is in the list already".to_owned(),
            Ok(key) => {
                keys.push(key);
                continue;
            }
            Err(error) => error.to_string(),
        };
        faults.push(Fault::new(format!("/keys/{index}"), "keys", detail));
    }
    keys
}

fn bounded(given: &[String], pointer: &str, faults: &mut Vec<Fault>) {
    if given.len() > MAX_OWNED {
        let detail = format!("at most {MAX_OWNED} are allowed, not {}", given.len());
        faults.push(Fault::new(pointer, "size", detail));
    }
}
