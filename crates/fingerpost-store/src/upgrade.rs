//! Upgrades format 1 to 2: indexes the existing data in the table of changes, and starts the audit chain.
//!
//! The upgrade is one transaction; a process killed before its commit leaves a store of format 1, with empty databases that the
//! earlier release ignores.

use std::ops::Bound;

use crate::engine::{ALL_KEYS, Table};
use crate::event::now;
use crate::format::{
    ChangesDigest, FORMAT, FORMAT_KEY, Hash, Stored, change_key, format_text, parse_change_key,
    state_hash,
};
use crate::transaction::{Covered, Transaction};
use crate::{Event, Revision, StoreError};

/// Number of entries read before their changes are written.
const CHUNK: usize = 10_000;

/// Action of the audit record of an upgrade.
const UPGRADED: &str = "store.upgraded";

/// Writes the current format to an empty engine, and upgrades a store of format 1 to format 2.
pub(crate) fn bring_up(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    match transaction.format()? {
        Some(found) if found >= FORMAT => Ok(()), // another process has upgraded it
        Some(found) => transaction.guarded(|transaction| upgrade(transaction, found)),
        None => transaction.guarded(put_format),
    }
}

fn put_format(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    transaction.put(Table::Meta, FORMAT_KEY, format_text(FORMAT).as_bytes())
}

fn upgrade(transaction: &mut Transaction<'_>, found: u32) -> Result<(), StoreError> {
    index_entries(transaction)?;
    let last = transaction.revision()?;
    let event = Event::new(UPGRADED, "system", now()).detail("from", found).detail("to", FORMAT);
    let covered = (last > Revision::default()).then(|| digest(transaction, last)).transpose()?;
    let seq = transaction.append_record(event, covered)?;
    index_revisions(transaction, seq)?;
    put_format(transaction)
}

/// Writes the change that created each entry. A damaged entry gets none; a check reports it.
fn index_entries(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    let mut last = None;
    loop {
        let chunk = read_chunk(transaction, last.as_deref())?;
        let Some((level, ..)) = chunk.last() else { return Ok(()) };
        last = Some(level.clone());
        for (level, found) in chunk {
            if let Some((revision, hash)) = found {
                transaction.put(Table::Changes, &change_key(revision, &level), &hash)?;
            }
        }
    }
}

/// Returns the revisions and hashes of the next entries after a level.
#[expect(clippy::type_complexity, reason = "rows of one loop")]
fn read_chunk(
    transaction: &Transaction<'_>,
    after: Option<&str>,
) -> Result<Vec<(String, Option<(Revision, Hash)>)>, StoreError> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    transaction
        .entries(from, "")?
        .take(CHUNK)
        .map(|row| {
            let (key, value) = row?;
            let level = transaction.text(&key)?;
            let stored = Stored::parse(level, &value).ok();
            Ok((level.to_owned(), stored.map(|stored| (stored.revision, state_hash(&value)))))
        })
        .collect()
}

fn digest(transaction: &Transaction<'_>, last: Revision) -> Result<Covered, StoreError> {
    let mut digest = ChangesDigest::default();
    for row in transaction.range(Table::Changes, ALL_KEYS)? {
        let (key, value) = row?;
        digest.add(&key, &value);
    }
    Ok(Covered { from: Revision::default().next(), to: last, digest })
}

/// Points every revision that still has states to the record of the upgrade.
fn index_revisions(transaction: &mut Transaction<'_>, seq: u64) -> Result<(), StoreError> {
    let mut revisions = Vec::new();
    for row in transaction.range(Table::Changes, ALL_KEYS)? {
        let (key, _) = row?;
        let revision = parse_change_key(&key).map(|(revision, _)| revision).unwrap_or_default();
        if revisions.last() != Some(&revision) {
            revisions.push(revision);
        }
    }
    for revision in revisions {
        transaction.append(Table::Revisions, &revision.to_bytes(), &seq.to_be_bytes())?;
    }
    Ok(())
}
