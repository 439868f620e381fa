//! Writes judged changes: one revision and one audit record for each organisation that owns any of
//! the levels, so that its administrators see their part of a batch, and no other.
//!
//! All levels of a key have the same owner, so the rule across levels (RES-2.5.9-1) can be checked
//! part by part.

use std::collections::{BTreeMap, HashMap};

use fingerpost_resolver::Anchor;
use fingerpost_store::{
    Batch, Event, MissingDefault, MissingDefaultCause, Revision, StoreError, Transaction, View,
};

use super::Applied;
use crate::events::{CHANGE_SET, concerning};
use crate::fault::Fault;
use crate::judge::{BatchMode, Judged, WriteRequest};
use crate::quotas::Ledger;
use crate::registry::Inner;
use crate::{Id, RegistryError};

/// Writes the changes that satisfy the rule across levels and the quotas. If one of an atomic set
/// does not, the outcomes tell so, and the caller must roll back.
pub(super) fn write(
    inner: &Inner,
    tx: &mut Transaction<'_>,
    request: &WriteRequest<'_>,
    set: Option<Revision>,
    judged: Vec<Judged<'_>>,
    applied: &mut Applied,
) -> Result<(), RegistryError> {
    let mut parts = BTreeMap::<Option<Id>, Vec<Judged<'_>>>::new();
    for one in judged {
        parts.entry(one.owner).or_default().push(one);
    }
    for (owner, judged) in parts {
        let part = Part { inner, request, set, owner };
        part.write(tx, judged, applied)?;
    }
    Ok(())
}

/// The changes of levels that one organisation owns, or nobody.
struct Part<'p> {
    inner: &'p Inner,
    request: &'p WriteRequest<'p>,
    /// The change set that they belong to.
    set: Option<Revision>,
    owner: Option<Id>,
}

impl Part<'_> {
    fn write(
        &self,
        tx: &mut Transaction<'_>,
        mut judged: Vec<Judged<'_>>,
        applied: &mut Applied,
    ) -> Result<(), RegistryError> {
        let mut batch = Batch::of(judged.iter().filter_map(Judged::to_write));
        let mut ledger =
            self.owner.map(|id| Ledger::open(self.inner, tx, id)).transpose()?.flatten();
        if let Some(ledger) = &mut ledger {
            for (level, error) in ledger.enter(tx, &batch)? {
                batch.withdraw(&level);
                let one = judged.extract_if(.., |one| *one.change.level() == level);
                applied.outcomes.extend(one.map(|one| one.position).zip([Err(error)]));
            }
        }
        let revision = loop {
            match tx.write(&batch, self.event(&batch)) {
                Ok(revision) => break revision,
                Err(StoreError::MissingDefault { levels }) => {
                    if self.withdraw(tx, &levels, &mut batch, &mut judged, applied)? {
                        return Ok(());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        if let Some(ledger) = ledger {
            ledger.close(tx, &batch)?;
        }
        if !batch.is_empty() {
            applied.revision = Some(revision);
        }
        applied.outcomes.extend(judged.iter().map(|one| (one.position, Ok(one.outcome(revision)))));
        Ok(())
    }

    /// Takes changes that break a rule across levels out of the batch; returns whether nothing can
    /// be written.
    fn withdraw(
        &self,
        view: &View<'_>,
        levels: &[MissingDefault],
        batch: &mut Batch,
        judged: &mut Vec<Judged<'_>>,
        applied: &mut Applied,
    ) -> Result<bool, StoreError> {
        let is_atomic = self.request.mode == BatchMode::Atomic;
        let is_overlap =
            |one: &&MissingDefault| matches!(one.cause(), MissingDefaultCause::Overlaps { .. });
        let (overlaps, missing): (Vec<_>, Vec<_>) = levels.iter().partition(is_overlap);
        let mut refused = HashMap::new();
        if is_atomic || missing.is_empty() {
            refused.extend(losers(&overlaps, judged, is_atomic));
        }
        // Qualified levels may lack only a refused key level, so they are checked again without it.
        let has_key_level = missing.iter().any(|missing| missing.level().is_key_level());
        for one in missing {
            if is_atomic || one.level().is_key_level() == has_key_level {
                refused.insert(
                    one.level().clone(),
                    RegistryError::MissingDefault(vec![missing_default(view, one)?]),
                );
            }
        }
        let withdrawn: Vec<_> =
            judged.extract_if(.., |one| refused.contains_key(one.change.level())).collect();
        for one in withdrawn {
            batch.withdraw(one.change.level());
            let error = refused.remove(one.change.level());
            applied.outcomes.extend(error.map(|error| (one.position, Err(error))));
        }
        Ok(is_atomic)
    }

    /// Returns the audit event of these changes.
    fn event(&self, batch: &Batch) -> Event {
        let mut event = self.inner.event("links.write", self.request.caller);
        if batch.len() == 1 {
            event = batch.changes().fold(event, |event, (level, _)| event.subject(level.as_str()));
        }
        if let Some(set) = self.set {
            event = event.detail(CHANGE_SET, set.number());
        }
        if let Some(proposal) = self.request.approves {
            event = event
                .detail("proposal", proposal.id.as_str())
                .detail("proposedBy", &*proposal.by.actor);
        }
        concerning(event, self.owner)
    }
}

/// Returns the changes to refuse because of ranges with a value in common: of two, the one that was
/// registered or asked for later. Unless all are refused together, those wait whose counterpart is
/// refused itself.
fn losers(
    overlaps: &[&MissingDefault],
    judged: &[Judged<'_>],
    is_atomic: bool,
) -> HashMap<Anchor, RegistryError> {
    // Whatever is registered already was there before every new one.
    let new = judged.iter().filter(|one| one.creates());
    let positions: HashMap<&str, usize> =
        new.map(|one| (one.change.level().as_str(), one.position)).collect();
    let pairs: HashMap<&str, &str> = overlaps
        .iter()
        .filter_map(|one| {
            let MissingDefaultCause::Overlaps { other } = one.cause() else { return None };
            let own = one.level().as_str();
            let is_earlier = positions.get(own) < positions.get(other.as_str());
            Some(if is_earlier { (other.as_str(), own) } else { (own, other.as_str()) })
        })
        .collect();
    let now = pairs.iter().filter(|(_, other)| is_atomic || !pairs.contains_key(*other));
    now.filter_map(|(level, other)| {
        let detail = format!(
            "expected a range without values of another one, found /{other}: change one of them, or delete it first"
        );
        let fault = Fault::new("/anchor", "RES-2.5.9-10", detail);
        Some((Anchor::from_canonical(level)?, RegistryError::invalid(vec![fault])))
    })
    .collect()
}

/// Returns the fault of a change that would leave a level without a default link.
fn missing_default(view: &View<'_>, missing: &MissingDefault) -> Result<Fault, StoreError> {
    let level = missing.level();
    let key_level = level.key_level();
    let detail = match missing.cause() {
        MissingDefaultCause::KeyLevelUnregistered => format!(
            "expected a default link at /{key_level}, above this level, found nothing registered there: \
             register /{key_level} with a gs1:defaultLink first, or in the same batch"
        ),
        MissingDefaultCause::KeyLevelWithoutDefault if level.is_key_level() => format!(
            "expected a gs1:defaultLink without a validity window, found none: add one to /{key_level}, or \
             \"default\": true to the link that a plain scan opens"
        ),
        MissingDefaultCause::KeyLevelWithoutDefault => format!(
            "expected a default link at /{key_level}, above this level, found none that always stands: \
             add a gs1:defaultLink without a validity window there first, or in the same batch"
        ),
        MissingDefaultCause::QualifiedLevelsRemain { first } => {
            let (mut listed, mut advice) = (Vec::new(), "");
            for level in first {
                let recalled = is_recalled(view, level)?;
                listed.push(format!("/{level}{}", if recalled { " (recalled)" } else { "" }));
                if recalled {
                    advice = "end the recalls with `fingerpost recall --end`, and ";
                }
            }
            let listed = listed.join(", ");
            format!(
                "expected no levels below /{key_level}, found {listed}: {advice}delete them first, or in the same batch"
            )
        }
        _ => missing.to_string(),
    };
    Ok(Fault::new("", "RES-2.5.9-1", detail))
}

/// Returns whether a stored level is recalled.
fn is_recalled(view: &View<'_>, level: &str) -> Result<bool, StoreError> {
    let Some(level) = Anchor::from_canonical(level) else { return Ok(false) };
    match view.level(&level) {
        Err(error) if error.is_damaged_row() => Ok(false),
        stored => Ok(stored?.is_some_and(|(entry, _)| entry.is_recalled())),
    }
}
