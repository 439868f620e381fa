//! Organisations: owners of company prefixes and single keys.

use fingerpost_gs1::EntityKey;
use fingerpost_store::{Transaction, View};

use crate::documents::{load, load_page, remove, save};
use crate::events::concerning;
use crate::fault::Fault;
use crate::rights::Access;
use crate::roles::Verb;
use crate::stored::Index;
use crate::text::{MAX_OWNED, NAME};
use crate::{
    Caller, CompanyPrefix, Denial, Id, NewOrganisation, Organisation, OrganisationChange, Page,
    Registry, RegistryError,
};

impl Registry {
    /// Returns the organisations that the caller belongs to, or all.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn organisations(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Organisation>, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            crate::pages::page(
                after,
                limit,
                |after, limit| load_page(view, after, limit),
                |organisation: Organisation| {
                    Ok(access.sees_organisation(&organisation.id).then_some(organisation))
                },
            )
        })
    }

    /// Returns an organisation that the caller belongs to.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NotFound`] for any other, or an error of the store.
    pub fn organisation(&self, caller: &Caller, id: &Id) -> Result<Organisation, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            find(view, &access, id)
        })
    }

    /// Creates an organisation; only administrators of the installation can do this.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`], [`RegistryError::Invalid`], [`RegistryError::Conflict`] if a prefix or key belongs to
    /// another one, or an error of the store.
    pub fn create_organisation(
        &self,
        caller: &Caller,
        new: NewOrganisation,
    ) -> Result<Organisation, RegistryError> {
        let registry = self.clone();
        let caller = caller.clone();
        self.inner.store.transact(move |tx| {
            let now = registry.inner.now();
            let access = Access::of(tx, &caller, now)?;
            if !access.in_installation(Verb::Admin) {
                return Err(Denial::Operation.into());
            }
            let mut faults = Vec::new();
            let organisation = Organisation {
                id: Id::random(),
                name: name(&new.name, &mut faults),
                prefixes: prefixes(&new.prefixes, &mut faults),
                keys: keys(&new.keys, &mut faults),
                approval_required: new.approval_required,
                regulated: new.regulated,
                created: now,
            };
            if !faults.is_empty() {
                return Err(RegistryError::invalid(faults));
            }
            claim(tx, &organisation)?;
            save(tx, organisation.id.as_str(), &organisation)?;
            let event = registry.inner.event("organisation.created", &caller);
            tx.record(told(event, &organisation))?;
            Ok(organisation)
        })
    }

    /// Changes an organisation. Its own administrators can change its name and whether changes need a second person's approval;
    /// only those of the installation can change what it owns and whether regulated link types are allowed.
    ///
    /// # Errors
    ///
    /// The errors of [`Registry::create_organisation`], and [`RegistryError::NotFound`].
    pub fn update_organisation(
        &self,
        caller: &Caller,
        id: &Id,
        change: OrganisationChange,
    ) -> Result<Organisation, RegistryError> {
        let registry = self.clone();
        let caller = caller.clone();
        let id = *id;
        self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, registry.inner.now())?;
            let before = find(tx, &access, &id)?;
            let is_of_installation =
                change.prefixes.is_some() || change.keys.is_some() || change.regulated.is_some();
            let may = if is_of_installation {
                access.in_installation(Verb::Admin)
            } else {
                access.in_organisation(Verb::Admin, &id)
            };
            if !may {
                return Err(Denial::Operation.into());
            }
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
            after.approval_required = change.approval_required.unwrap_or(before.approval_required);
            after.regulated = change.regulated.unwrap_or(before.regulated);
            if !faults.is_empty() {
                return Err(RegistryError::invalid(faults));
            }
            if after == before {
                return Ok(after);
            }
            release(tx, &before)?;
            claim(tx, &after)?;
            save(tx, id.as_str(), &after)?;
            let event = registry.inner.event("organisation.changed", &caller);
            tx.record(told(event, &after))?;
            Ok(after)
        })
    }

    /// Deletes an organisation. Its API keys and the roles in it are no longer valid; its levels stay unchanged.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] unless the caller administers the installation, [`RegistryError::NotFound`], or an error of the store.
    pub fn delete_organisation(&self, caller: &Caller, id: &Id) -> Result<(), RegistryError> {
        let registry = self.clone();
        let caller = caller.clone();
        let id = *id;
        self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, registry.inner.now())?;
            let organisation = find(tx, &access, &id)?;
            if !access.in_installation(Verb::Admin) {
                return Err(Denial::Operation.into());
            }
            release(tx, &organisation)?;
            remove::<Organisation>(tx, id.as_str())?;
            let event = registry.inner.event("organisation.deleted", &caller);
            tx.record(told(event, &organisation))?;
            Ok(())
        })
    }
}

/// Returns an organisation that the caller can see.
pub(crate) fn find(
    view: &View<'_>,
    access: &Access,
    id: &Id,
) -> Result<Organisation, RegistryError> {
    let found = if access.sees_organisation(id) { load(view, id.as_str())? } else { None };
    found.ok_or(RegistryError::NotFound)
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

/// Returns whether an organisation has this prefix, a shorter one that it begins with, or a longer one that begins with it.
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

fn told(event: fingerpost_store::Event, organisation: &Organisation) -> fingerpost_store::Event {
    let prefixes: Vec<String> = organisation.prefixes.iter().map(ToString::to_string).collect();
    let keys: Vec<String> = organisation.keys.iter().map(|key| format!("/{key}")).collect();
    let event = event
        .subject(organisation.id.as_str())
        .detail("prefixes", prefixes)
        .detail("keys", keys)
        .detail("approvalRequired", organisation.approval_required)
        .detail("regulated", organisation.regulated);
    concerning(event, [organisation.id])
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
