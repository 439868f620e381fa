//! Quotas: how much an organisation may register and hold. They are checked in the transaction of
//! each change, against counters that the same transaction changes.
//!
//! Deleting is always possible, and so is replacing a record by a smaller one, even beyond a quota
//! that was lowered.

use std::collections::HashMap;

use fingerpost_resolver::Anchor;
use fingerpost_store::{Batch, Change, Transaction, View, stored_bytes};

use crate::documents::{Held, Quantity, each, load, save};
use crate::fault::Fault;
use crate::ownership::organisation;
use crate::registry::Inner;
use crate::{Id, Organisation, QuotaUse, Quotas, Registry, RegistryError, Usage, Used};

pub(crate) mod count;

impl Quotas {
    /// Returns these quotas, with those of the installation where there is none.
    fn or(self, defaults: Quotas) -> Quotas {
        Quotas {
            levels: self.levels.or(defaults.levels),
            bytes: self.bytes.or(defaults.bytes),
            keys: self.keys.or(defaults.keys),
            proposals: self.proposals.or(defaults.proposals),
        }
    }

    fn of(self, quantity: Quantity) -> Option<u64> {
        match quantity {
            Quantity::Levels => self.levels,
            Quantity::Bytes => self.bytes,
            Quantity::Keys => self.keys,
            Quantity::Proposals => self.proposals,
        }
    }
}

/// Returns what an organisation uses.
pub(crate) fn usage(
    inner: &Inner,
    view: &View<'_>,
    organisation: &Organisation,
) -> Result<Usage, RegistryError> {
    let quotas = organisation.quotas.or(inner.options.quotas);
    let held = load::<Held>(view, organisation.id.as_str())?;
    let counting = held.as_ref().is_none_or(|held| held.counted_to.is_some());
    let held = held.unwrap_or_default();
    let used = |quantity| Used { used: held.of(quantity), quota: quotas.of(quantity) };
    Ok(Usage {
        levels: used(Quantity::Levels),
        bytes: used(Quantity::Bytes),
        keys: used(Quantity::Keys),
        proposals: used(Quantity::Proposals),
        counting,
    })
}

impl Registry {
    /// Returns how much of their quotas organisations use: the highest use of any, without names.
    /// It looks at all organisations.
    pub fn quota_use(&self) -> Result<QuotaUse, RegistryError> {
        self.inner.store.view(|view| {
            let mut found = QuotaUse::default();
            each::<Organisation>(view, |organisation| {
                let Usage { levels, bytes, keys, proposals, .. } =
                    usage(&self.inner, view, &organisation)?;
                found.organisations += 1;
                for (at, used) in [levels, bytes, keys, proposals].into_iter().enumerate() {
                    let Some(quota) = used.quota else { continue };
                    found.exhausted[at] += u64::from(used.used >= quota);
                    let part = used.used as f64 / quota.max(1) as f64;
                    found.highest[at] = found.highest[at].max(part);
                }
                Ok(())
            })?;
            Ok(found)
        })
    }
}

/// Checks that an organisation may have one more.
pub(crate) fn allow_one_more(
    inner: &Inner,
    view: &View<'_>,
    id: &Id,
    quantity: Quantity,
) -> Result<(), RegistryError> {
    let Some(held) = load::<Held>(view, id.as_str())? else { return Ok(()) };
    let own = organisation(view, Some(*id))?.map(|organisation| organisation.quotas);
    let quotas = own.unwrap_or_default().or(inner.options.quotas);
    let used = held.of(quantity);
    match quotas.of(quantity) {
        Some(quota) if used >= quota => Err(exceeded(quantity, quota, used, 1)),
        _ => Ok(()),
    }
}

/// The levels and bytes of an organisation during one write.
pub(crate) struct Ledger {
    organisation: Id,
    held: Held,
    quotas: Quotas,
    /// What each change adds or removes.
    differences: HashMap<Anchor, Difference>,
}

/// What a change adds or removes.
#[derive(Clone, Copy, Default)]
struct Difference {
    levels: i64,
    bytes: i64,
}

impl Ledger {
    /// Opens the ledger of an organisation; `None` if it is not counted yet.
    pub(crate) fn open(
        inner: &Inner,
        view: &View<'_>,
        id: Id,
    ) -> Result<Option<Ledger>, RegistryError> {
        let Some(held) = load::<Held>(view, id.as_str())? else { return Ok(None) };
        let own = organisation(view, Some(id))?.map(|organisation| organisation.quotas);
        let quotas = own.unwrap_or_default().or(inner.options.quotas);
        Ok(Some(Ledger { organisation: id, held, quotas, differences: HashMap::new() }))
    }

    /// Enters changes before they are written; returns those that a quota does not allow.
    pub(crate) fn enter(
        &mut self,
        view: &View<'_>,
        batch: &Batch,
    ) -> Result<Vec<(Anchor, RegistryError)>, RegistryError> {
        let mut after = self.held.clone();
        let mut growing = Vec::new();
        for (level, change) in batch.changes() {
            let before = view.stored_bytes(level)?;
            let now = match change {
                Change::Put(entry) => Some(stored_bytes(entry)),
                Change::Delete => None,
            };
            let difference = Difference::between(before, now);
            self.differences.insert(level.clone(), difference);
            match difference.levels > 0 || difference.bytes > 0 {
                true => growing.push((level, difference)),
                false => difference.add_to(&mut after),
            }
        }
        let mut refused = Vec::new();
        for (level, difference) in growing {
            match self.exceeded(&after, difference) {
                Some(error) => refused.push((level.clone(), error)),
                None => difference.add_to(&mut after),
            }
        }
        Ok(refused)
    }

    fn exceeded(&self, held: &Held, difference: Difference) -> Option<RegistryError> {
        let of = [(Quantity::Levels, difference.levels), (Quantity::Bytes, difference.bytes)];
        of.into_iter().filter(|(_, more)| *more > 0).find_map(|(quantity, more)| {
            let (quota, used) = (self.quotas.of(quantity)?, held.of(quantity));
            let more = more.unsigned_abs();
            (used.saturating_add(more) > quota).then(|| exceeded(quantity, quota, used, more))
        })
    }

    /// Saves the counters after the changes were written, and counts some more levels if not all
    /// are counted yet.
    pub(crate) fn close(
        mut self,
        tx: &mut Transaction<'_>,
        batch: &Batch,
    ) -> Result<(), RegistryError> {
        for (level, _) in batch.changes() {
            if self.held.counts(level.as_str()) {
                self.differences.get(level).copied().unwrap_or_default().add_to(&mut self.held);
            }
        }
        if self.held.counted_to.is_some() {
            count::some_levels(tx, self.organisation, &mut self.held, count::BESIDE_A_WRITE)?;
        }
        save(tx, self.organisation.as_str(), &self.held)
    }
}

impl Difference {
    fn between(before: Option<u64>, now: Option<u64>) -> Difference {
        let signed = |bytes: Option<u64>| i64::try_from(bytes.unwrap_or(0)).unwrap_or(i64::MAX);
        Difference {
            levels: i64::from(now.is_some()) - i64::from(before.is_some()),
            bytes: signed(now) - signed(before),
        }
    }

    fn add_to(self, held: &mut Held) {
        held.levels = held.levels.saturating_add_signed(self.levels);
        held.bytes = held.bytes.saturating_add_signed(self.bytes);
    }
}

fn exceeded(quantity: Quantity, quota: u64, used: u64, more: u64) -> RegistryError {
    let (name, what_to_do) = match quantity {
        Quantity::Levels => ("levels", "delete levels that are no longer needed"),
        Quantity::Bytes => ("bytes of records", "delete or shorten records"),
        Quantity::Keys => ("API keys", "revoke keys that are no longer used"),
        Quantity::Proposals => ("waiting proposals", "decide on some of them, or withdraw them"),
    };
    let detail = format!(
        "the quota of the organisation is {quota} {name}: {used} are in use and {more} more would be needed; \
         {what_to_do}, or ask an administrator of the installation for a higher quota"
    );
    RegistryError::QuotaExceeded(vec![Fault::new("", "quota", detail)])
}
