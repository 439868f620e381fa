//! The rule across levels, RES-2.5.9-1: for any level a default link exists at it or above it.
//!
//! It is judged on the state after the batch, inside its transaction, so the order of changes does not matter.
//! A default that stands is one at the key level without a validity window. Only what the batch changes is
//! judged: what was stored unchecked before neither blocks other keys nor the way back to good order.

use std::collections::BTreeMap;
use std::ops::Bound;

use fingerpost_gs1::EntityKey;
use heed::RoTxn;

use crate::batch::{Batch, Change};
use crate::databases::Table;
use crate::environment::Environment;
use crate::error::{MissingDefault, MissingDefaultCause, StoreError};
use crate::format::Stored;

/// Number of remaining qualified levels that a refusal names.
const NAMED: usize = 3;

/// What a batch does to one key.
#[derive(Default)]
struct Touched<'b> {
    /// Levels put, qualified or not.
    put: Vec<&'b EntityKey>,
    /// The key level, if it is deleted.
    deleted: Option<&'b EntityKey>,
}

/// Judges `batch`, which has been applied to `txn`.
pub(crate) fn judge(
    environment: &Environment,
    entries: Table,
    txn: &RoTxn<'_>,
    batch: &Batch,
) -> Result<(), StoreError> {
    let mut levels = Vec::new();
    for (key_level, touched) in touched_keys(batch) {
        let found = entries.get(txn, key_level).map_err(|error| environment.fault(error))?;
        let cause = match found {
            Some(bytes) if Stored::parse(key_level, bytes)?.has_standing_default() => continue,
            Some(_) => MissingDefaultCause::KeyLevelWithoutDefault,
            None => MissingDefaultCause::KeyLevelUnregistered,
        };
        levels.extend(
            touched.put.into_iter().map(|level| MissingDefault::new(level.clone(), cause.clone())),
        );
        if let Some(level) = touched.deleted {
            let first = remaining(environment, entries, txn, batch, key_level)?;
            if !first.is_empty() {
                let cause = MissingDefaultCause::QualifiedLevelsRemain { first };
                levels.push(MissingDefault::new(level.clone(), cause));
            }
        }
    }
    if levels.is_empty() {
        return Ok(());
    }
    levels.sort_by(|one, other| one.level().cmp(other.level()));
    Err(StoreError::MissingDefault { levels })
}

/// The keys whose default the batch may have taken away or come to need.
fn touched_keys(batch: &Batch) -> BTreeMap<&str, Touched<'_>> {
    let mut keys = BTreeMap::<&str, Touched<'_>>::new();
    for (level, change) in batch.changes() {
        match change {
            Change::Put(_) => keys.entry(level.key_level()).or_default().put.push(level),
            Change::Delete if level.is_key_level() => {
                keys.entry(level.key_level()).or_default().deleted = Some(level);
            }
            Change::Delete => {}
        }
    }
    keys
}

/// The first qualified levels below a key level, without those that this batch puts, which are refused
/// themselves.
fn remaining(
    environment: &Environment,
    entries: Table,
    txn: &RoTxn<'_>,
    batch: &Batch,
    key_level: &str,
) -> Result<Vec<String>, StoreError> {
    let below = format!("{key_level}/");
    let mut first = Vec::new();
    let range = (Bound::Included(below.as_str()), Bound::Unbounded);
    for item in entries.range(txn, &range).map_err(|error| environment.fault(error))? {
        let (level, _) = item.map_err(|error| environment.fault(error))?;
        if first.len() == NAMED || !level.starts_with(&below) {
            break;
        }
        let is_put = EntityKey::from_canonical(level)
            .is_some_and(|level| matches!(batch.change(&level), Some(Change::Put(_))));
        if !is_put {
            first.push(level.to_owned());
        }
    }
    Ok(first)
}
