//! The entries by which the public side knows how the keys of organisations answer and are
//! presented: suspensions, country switches and brands.
//!
//! They agree with the organisations after each change of one. While no organisation has any, that
//! reads three rows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Anchor, ContextSource, Entry, OrganisationBrand, Suspension};
use fingerpost_store::{Batch, Event, Transaction, View};

use crate::documents::each;
use crate::{CompanyPrefix, Organisation, OrganisationSuspension, RegistryError, SuspensionMode};

/// Records the change of an organisation, or of all levels, with the entries by which the public
/// side knows of it, and its new logo, if it has one.
pub(crate) fn synchronise(
    tx: &mut Transaction<'_>,
    changed: Option<&Organisation>,
    logo: Option<Entry>,
    event: Event,
) -> Result<(), RegistryError> {
    let kinds = [Anchor::suspensions(), Anchor::country_switches(), Anchor::brands()];
    let is_plain = |one: &Organisation| {
        one.suspended.is_none() && one.brand.is_none() && !one.context_from_country
    };
    if changed.is_some_and(is_plain) {
        let mut is_any = false;
        for kind in kinds {
            is_any |= !tx.levels_from(Bound::Unbounded, kind, 1)?.is_empty();
        }
        if !is_any {
            tx.record(event)?;
            return Ok(());
        }
    }
    let Wanted { mut entries, logos } = wanted(tx)?;
    let mut batch = Batch::unchecked();
    for kind in kinds {
        for (present, _) in tx.levels_from(Bound::Unbounded, kind, usize::MAX)? {
            match entries.remove(present.anchor().as_str()) {
                Some(entry) if entry == present => {}
                Some(entry) => drop(batch.put(entry)),
                None => drop(batch.delete(present.anchor().clone())),
            }
        }
    }
    for entry in entries.into_values() {
        batch.put(Arc::new(entry));
    }
    let of_changed = changed.and_then(|one| Anchor::logo(one.id.as_str()));
    let first = of_changed.as_ref().map_or(Anchor::logos(), Anchor::as_str);
    for (present, _) in tx.levels_from(Bound::Unbounded, first, usize::MAX)? {
        if !logos.contains(present.anchor()) {
            batch.delete(present.anchor().clone());
        }
    }
    if let Some(logo) = logo {
        batch.put(Arc::new(logo));
    }
    match batch.is_empty() {
        true => drop(tx.record(event)?),
        false => drop(tx.write(&batch, event)?),
    }
    Ok(())
}

/// What the organisations amount to.
#[derive(Default)]
struct Wanted {
    /// The entries of suspensions, country switches and brands, by anchor.
    entries: BTreeMap<String, Entry>,
    /// The anchors of logos.
    logos: BTreeSet<Anchor>,
}

/// Returns the entries about what organisations own, and about single keys of others within their
/// company prefixes.
fn wanted(view: &View<'_>) -> Result<Wanted, RegistryError> {
    let mut wanted = Wanted::default();
    let [mut suspended, mut by_country, mut branded] = [const { Others::new() }; 3];
    each::<Organisation>(view, |organisation| {
        for entry in brand_entries(&organisation) {
            wanted.put(entry);
        }
        let logo = organisation.brand.as_ref().and_then(|brand| brand.logo.as_ref());
        wanted.logos.extend(logo.and_then(|_| Anchor::logo(organisation.id.as_str())));
        let suspension = match &organisation.suspended {
            Some(OrganisationSuspension { mode: SuspensionMode::Stop, .. }) => {
                Some(Suspension::Stop)
            }
            Some(OrganisationSuspension { notice: Some(text), .. }) => {
                Some(Suspension::Notice(text))
            }
            Some(_) | None => None,
        };
        if let Some(suspension) = suspension {
            for of in owned(&organisation) {
                wanted.put(Entry::suspension(&of, suspension));
            }
        }
        if organisation.context_from_country {
            for of in owned(&organisation) {
                wanted.put(Entry::country_switch(&of, ContextSource::Country));
            }
        }
        by_country.add(organisation.context_from_country, &organisation);
        suspended.add(suspension.is_some(), &organisation);
        branded.add(organisation.brand.is_some(), &organisation);
        Ok(())
    })?;
    for key in suspended.within() {
        wanted.put(Entry::suspension(&Anchor::from(key), Suspension::None));
    }
    for key in by_country.within() {
        wanted.put(Entry::country_switch(&Anchor::from(key), ContextSource::Request));
    }
    for key in branded.within() {
        wanted.put(Entry::brand(&Anchor::from(key), None));
    }
    Ok(wanted)
}

/// Returns the entries that tell the public side of a brand: of what the organisation owns.
fn brand_entries(organisation: &Organisation) -> Vec<Entry> {
    let Some(brand) = &organisation.brand else { return Vec::new() };
    let shown = OrganisationBrand {
        organisation: organisation.id.to_string(),
        name: brand.name.clone().unwrap_or_else(|| organisation.name.clone()),
        accent: brand.accent.clone(),
        logo: brand.logo.clone(),
        image_sources: brand.image_sources.clone(),
    };
    owned(organisation).map(|of| Entry::brand(&of, Some(&shown))).collect()
}

/// Returns the anchors of what an organisation owns.
fn owned(organisation: &Organisation) -> impl Iterator<Item = Anchor> {
    let prefixes = organisation.prefixes.iter().map(Anchor::company_prefix);
    prefixes.chain(organisation.keys.iter().map(Anchor::from))
}

impl Wanted {
    fn put(&mut self, entry: Entry) {
        self.entries.insert(entry.anchor().as_str().to_owned(), entry);
    }
}

/// The company prefixes of the organisations that an entry is about, and the single keys of all
/// others.
struct Others {
    prefixes: Vec<CompanyPrefix>,
    keys: Vec<EntityKey>,
}

impl Others {
    const fn new() -> Self {
        Self { prefixes: Vec::new(), keys: Vec::new() }
    }

    fn add(&mut self, is_meant: bool, organisation: &Organisation) {
        match is_meant {
            true => self.prefixes.extend_from_slice(&organisation.prefixes),
            false => self.keys.extend_from_slice(&organisation.keys),
        }
    }

    /// Returns the keys of others within the prefixes.
    fn within(&self) -> impl Iterator<Item = &EntityKey> {
        self.keys.iter().filter(|key| {
            let part = key.company_prefix_part().unwrap_or_default();
            self.prefixes.iter().any(|prefix| part.starts_with(prefix.as_str()))
        })
    }
}
