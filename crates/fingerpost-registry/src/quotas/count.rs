//! Counts the levels of organisations: once after an upgrade, and again when an organisation comes
//! to own other levels.
//!
//! An organisation can have millions of levels, so they are counted in steps, in the order of their
//! texts, each step in a transaction. Changes of levels that a step has passed change the counters;
//! those of later levels do not, because a later step counts them. The operation that changes an
//! organisation counts to the end; if its process ends, later writes and the next start go on.

use std::collections::BTreeSet;
use std::ops::{Bound, ControlFlow};

use fingerpost_resolver::Anchor;
use fingerpost_store::{Transaction, View};

use crate::documents::{Document, Held, Quantity, each, load, save};
use crate::list::ranges;
use crate::ownership::{Neighbours, organisation, owner_by_prefix};
use crate::stored::StoredKey;
use crate::{Id, Organisation, Proposal, Registry, RegistryError};

/// Number of levels that a write counts beside its own work.
pub(super) const BESIDE_A_WRITE: usize = 500;

/// Number of levels in one step.
const STEP: usize = 5_000;

impl Registry {
    /// Counts what organisations use, as far as that is not known: in a store of an earlier
    /// release, or after a process ended while it counted. Call this at the start of a server.
    pub fn count_use(&self) -> Result<(), RegistryError> {
        let uncounted = self.inner.store.view(|view| {
            let mut uncounted = Vec::new();
            each::<Organisation>(view, |organisation| {
                let held: Option<Held> = load(view, organisation.id.as_str())?;
                if held.is_none_or(|held| held.counted_to.is_some()) {
                    uncounted.push(organisation.id);
                }
                Ok(())
            })?;
            Ok::<_, RegistryError>(uncounted)
        })?;
        let first = uncounted.clone();
        if !first.is_empty() {
            self.inner.store.transact(move |tx| {
                adopt_proposals(tx)?;
                for id in &first {
                    if load::<Held>(tx, id.as_str())?.is_none() {
                        let mut held = Held { counted_to: Some(String::new()), ..Held::default() };
                        held.keys = documents_of::<StoredKey>(tx, id)?;
                        held.proposals = documents_of::<Proposal>(tx, id)?;
                        save(tx, id.as_str(), &held)?;
                    }
                }
                // Earlier releases did not list proposals by organisation.
                let mut earlier = Vec::new();
                each::<Proposal>(tx, |proposal| {
                    earlier.push(proposal.without_changes());
                    Ok(())
                })?;
                earlier.iter().try_for_each(|proposal| proposal.list(tx))
            })?;
        }
        self.count_levels(&uncounted)
    }

    /// Counts the levels of these organisations to the end.
    pub(crate) fn count_levels(&self, ids: &[Id]) -> Result<(), RegistryError> {
        for id in ids {
            let id = *id;
            let step = move |tx: &mut Transaction<'_>| -> Result<bool, RegistryError> {
                let Some(mut held) = load::<Held>(tx, id.as_str())? else { return Ok(true) };
                if held.counted_to.is_some() {
                    some_levels(tx, id, &mut held, STEP)?;
                    save(tx, id.as_str(), &held)?;
                }
                Ok(held.counted_to.is_none())
            };
            while !self.inner.store.transact(step)? {}
        }
        Ok(())
    }

    /// Compares the counters of all organisations with what is stored; returns the differences as
    /// texts.
    pub fn check_use(&self) -> Result<Vec<String>, RegistryError> {
        self.inner.store.view(|view| {
            let mut faults = Vec::new();
            each::<Organisation>(view, |organisation| {
                let id = organisation.id;
                let Some(held) = load::<Held>(view, id.as_str())? else { return Ok(()) };
                let mut found = Held { counted_to: Some(String::new()), ..Held::default() };
                found.keys = documents_of::<StoredKey>(view, &id)?;
                found.proposals = documents_of::<Proposal>(view, &id)?;
                some_levels(view, id, &mut found, usize::MAX)?;
                for quantity in
                    [Quantity::Levels, Quantity::Bytes, Quantity::Keys, Quantity::Proposals]
                {
                    // Levels of an unfinished count are not all counted.
                    let is_level = matches!(quantity, Quantity::Levels | Quantity::Bytes);
                    let (noted, found) = (held.of(quantity), found.of(quantity));
                    if noted != found && !(is_level && held.counted_to.is_some()) {
                        faults.push(format!(
                            "organisation {id}: the counter of {quantity:?} is {noted}, expected {found}"
                        ));
                    }
                }
                Ok(())
            })?;
            Ok(faults)
        })
    }
}

/// Stores proposals of early builds as they are stored now: by organisation, and apart from their
/// changes.
fn adopt_proposals(tx: &mut Transaction<'_>) -> Result<(), RegistryError> {
    let mut early = Vec::new();
    each::<Proposal>(tx, |proposal| {
        early.extend((!proposal.changes.is_empty()).then_some(proposal.id));
        Ok(())
    })?;
    for id in early {
        let Some(mut proposal) = load::<Proposal>(tx, id.as_str())? else { continue };
        let mut owners = Neighbours::default();
        let mut organisations = BTreeSet::new();
        for change in &proposal.changes {
            organisations.insert(owners.owner(tx, &change.key)?);
        }
        proposal.unowned = organisations.contains(&None);
        proposal.organisations = organisations.into_iter().flatten().collect();
        proposal.store(tx)?;
    }
    Ok(())
}

/// Counts the levels of an organisation from `counted_to` on, at most `limit` rows.
pub(super) fn some_levels(
    view: &View<'_>,
    id: Id,
    held: &mut Held,
    limit: usize,
) -> Result<(), RegistryError> {
    let Some(from) = held.counted_to.clone() else { return Ok(()) };
    let ranges = match organisation(view, Some(id))? {
        Some(organisation) => ranges::of_organisation(&organisation),
        None => Vec::new(),
    };
    let mut owners = Neighbours::default();
    let mut left = limit;
    for range in &ranges {
        view.visit_sizes(
            Bound::Excluded(from.as_str()),
            range,
            |level, bytes| -> Result<_, RegistryError> {
                if left == 0 {
                    return Ok(ControlFlow::Break(()));
                }
                left -= 1;
                held.counted_to = Some(level.to_owned());
                if let Some(key) = Anchor::from_canonical(level)
                    && owners.owner(view, &key)? == Some(id)
                {
                    held.levels += 1;
                    held.bytes += bytes;
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        if left == 0 {
            return Ok(());
        }
    }
    held.counted_to = None;
    Ok(())
}

/// Prepares counting again after the levels of an organisation have changed from one description to
/// another; returns the organisations to count. `before` is `None` for a new organisation, `after`
/// for a deleted one.
pub(crate) fn begin_again(
    tx: &mut Transaction<'_>,
    before: Option<&Organisation>,
    after: Option<&Organisation>,
) -> Result<Vec<Id>, RegistryError> {
    let owned = |one: Option<&Organisation>| {
        one.map(|one| (one.prefixes.clone(), one.keys.clone())).unwrap_or_default()
    };
    let ((old_prefixes, old_keys), (new_prefixes, new_keys)) = (owned(before), owned(after));
    if old_prefixes == new_prefixes && old_keys == new_keys && before.is_some() {
        return Ok(Vec::new());
    }
    let mut ids: Vec<Id> = after.map(|after| after.id).into_iter().collect();
    if let (Some(before), None) = (before, after) {
        crate::documents::remove::<Held>(tx, before.id.as_str())?;
    }
    // Single keys are taken from the organisation with the company prefix, or go back to it.
    for key in old_keys.iter().chain(&new_keys) {
        if old_keys.contains(key) != new_keys.contains(key) {
            ids.extend(owner_by_prefix(tx, &key.into())?);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    for id in &ids {
        let is_new = before.is_none() && after.is_some_and(|after| after.id == *id);
        let held = if is_new { Some(Held::default()) } else { load::<Held>(tx, id.as_str())? };
        let Some(mut held) = held else { continue };
        (held.levels, held.bytes, held.counted_to) = (0, 0, Some(String::new()));
        save(tx, id.as_str(), &held)?;
    }
    Ok(ids)
}

/// Returns the number of documents of a collection that count in the use of an organisation.
fn documents_of<D: Document>(view: &View<'_>, id: &Id) -> Result<u64, RegistryError> {
    let mut number = 0;
    each::<D>(view, |document| {
        number += u64::from(document.counts_in().contains(id));
        Ok(())
    })?;
    Ok(number)
}
