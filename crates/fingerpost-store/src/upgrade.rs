//! From format 1 to 2: the index of changes and the audit chain begin with what is there.
//!
//! All of it is one transaction; a process killed before its commit leaves a store of format 1, with empty
//! databases that the earlier release does not look at.

use std::ops::Bound;

use crate::format::{
    ChangesDigest, FORMAT, FORMAT_KEY, Hash, Stored, change_key, format_text, parse_change_key,
    parse_format, state_hash,
};
use crate::transaction::{Covered, Transaction};
use crate::write::now;
use crate::{Event, Revision, StoreError};

/// Entries read before their changes are written.
const CHUNK: usize = 10_000;

/// Action of the record of an upgrade.
const UPGRADED: &str = "store.upgraded";

/// Makes a store of format 1 one of format 2.
pub(crate) fn upgrade(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    let meta = transaction.databases().meta;
    let found =
        meta.get(transaction.txn(), FORMAT_KEY).map_err(|error| transaction.fault(error))?;
    let found = found.and_then(parse_format).unwrap_or_default();
    if found >= FORMAT {
        return Ok(()); // another process was first
    }
    transaction.guarded(|transaction| {
        index_entries(transaction)?;
        let last = transaction.revision()?;
        let event =
            Event::new(UPGRADED, "system", now()).detail("from", found).detail("to", FORMAT);
        let covered =
            (last > Revision::default()).then(|| digest(transaction, last)).transpose()?;
        let seq = transaction.append_record(event, covered)?;
        index_revisions(transaction, seq)?;
        let put = meta.put(transaction.write_txn(), FORMAT_KEY, format_text(FORMAT).as_bytes());
        put.map_err(|error| transaction.fault(error))
    })
}

/// Writes the change that brought each entry about. A damaged entry has none; checking tells.
fn index_entries(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    let changes = transaction.databases().changes;
    let mut last = None;
    let mut key = Vec::new();
    loop {
        let chunk = read_chunk(transaction, last.as_deref())?;
        let Some((level, ..)) = chunk.last() else { return Ok(()) };
        last = Some(level.clone());
        for (level, found) in chunk {
            if let Some((revision, hash)) = found {
                change_key(revision, &level, &mut key);
                transaction.put_row(changes, &key, &hash)?;
            }
        }
    }
}

/// The next entries after a level: their revisions and hashes.
#[expect(clippy::type_complexity, reason = "rows of one loop")]
fn read_chunk(
    transaction: &Transaction<'_>,
    after: Option<&str>,
) -> Result<Vec<(String, Option<(Revision, Hash)>)>, StoreError> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    transaction
        .range(from, "")?
        .take(CHUNK)
        .map(|item| {
            let (level, value) = item?;
            let stored = Stored::parse(level, value).ok();
            Ok((level.to_owned(), stored.map(|stored| (stored.revision, state_hash(value)))))
        })
        .collect()
}

fn digest(transaction: &Transaction<'_>, last: Revision) -> Result<Covered, StoreError> {
    let mut digest = ChangesDigest::default();
    let changes = transaction.databases().changes.iter(transaction.txn());
    for row in changes.map_err(|error| transaction.fault(error))? {
        let (key, value) = row.map_err(|error| transaction.fault(error))?;
        digest.add(key, value);
    }
    Ok(Covered { from: Revision::default().next(), to: last, digest })
}

/// Leads every revision of which something is left to the record of the upgrade.
fn index_revisions(transaction: &mut Transaction<'_>, seq: u64) -> Result<(), StoreError> {
    let mut revisions = Vec::new();
    let changes = transaction.databases().changes.iter(transaction.txn());
    for row in changes.map_err(|error| transaction.fault(error))? {
        let (key, _) = row.map_err(|error| transaction.fault(error))?;
        let revision = parse_change_key(key).map(|(revision, _)| revision).unwrap_or_default();
        if revisions.last() != Some(&revision) {
            revisions.push(revision);
        }
    }
    for revision in revisions {
        let rows = transaction.databases().revisions;
        transaction.append(rows, &revision.to_bytes(), &seq.to_be_bytes())?;
    }
    Ok(())
}
