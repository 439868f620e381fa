//! Upgrades a store of an older format, in steps of bounded size.
//!
//! Each step is one transaction, which also notes the next one in the row `upgrade` of the table
//! `meta`. A process that is killed leaves a store that no release uses as it is: earlier ones
//! refuse its format, and this one finishes the upgrade when it opens the store. Several processes
//! can take turns.
//!
//! | from | steps |
//! |------|-------|
//! | 2    | adds checksums to the rows of each table; an audit record |
//! | 1    | the same; then the change of each entry, an audit record over all of them, and the record of each revision |

#[cfg(test)]
mod kills;

use std::ops::Bound;

use fingerpost_engine::checksum::{with_checksum, with_wrong_checksum};
use fingerpost_engine::format::{FORMAT, FORMAT_KEY, UPGRADE_KEY, format_text, parse_format};
use fingerpost_engine::{
    ALL_KEYS, CheckedRows, Direction, Engine, EngineError, Mutate, Prefetch, Rows, Table, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::event::now;
use crate::format::{
    MIGRATION_KEY, RowsDigest, Stored, change_key, parse_change_key, parse_history_key, state_hash,
};
use crate::limits::{MAX_UPGRADED_BYTES, MAX_UPGRADED_ROWS};
use crate::transaction::{Covered, Transaction};
use crate::{Event, Revision, StoreError};

/// Action of the audit record of an upgrade.
const UPGRADED: &str = "store.upgraded";

/// The next step of an upgrade.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Upgrade {
    from: u32,
    stage: Stage,
    /// The last key that the stage has handled; empty at its beginning.
    after: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
enum Stage {
    /// Adds checksums to the rows of the table with this index.
    Checksums(usize),
    /// Writes the change that created each entry.
    Changes,
    /// Writes the audit record.
    Record,
    /// Points every revision to the audit record with this number.
    Revisions(u64),
}

/// The state of the format of a store.
enum FormatState {
    Current,
    Nothing,
    Unfinished(Upgrade),
}

/// Writes the current format to an empty engine, and upgrades a store of an older format. The
/// engine is the one below the checksums.
pub(crate) fn bring_up(engine: &dyn Engine) -> Result<(), StoreError> {
    let location = engine.location();
    let found = find(&*engine.snapshot()?, location)?;
    match found {
        FormatState::Current => return Ok(()),
        FormatState::Nothing => {}
        FormatState::Unfinished(_) => engine.check()?,
    }
    let mut is_finished = false;
    while !is_finished {
        let mut result = Ok(false);
        engine.write(&Prefetch::NONE, &mut |rows| {
            result = advance(rows, location);
            match &result {
                Ok(_) => Ok(Verdict::Keep),
                Err(StoreError::Engine(error)) => Err(error.clone()),
                Err(_) => Ok(Verdict::TakeBack),
            }
        })?;
        is_finished = result?;
    }
    Ok(())
}

/// Takes the next step, unless another process has finished the upgrade meanwhile; returns whether
/// it was the last one.
fn advance(rows: &mut dyn Mutate, location: &str) -> Result<bool, StoreError> {
    let next = match find(rows, location)? {
        FormatState::Current => None,
        FormatState::Nothing => {
            rows.put(Table::Meta, FORMAT_KEY, format_text(FORMAT).as_bytes())?;
            None
        }
        FormatState::Unfinished(upgrade) => step(rows, location, upgrade)?,
    };
    note(rows, next.as_ref())?;
    Ok(next.is_none())
}

fn find(rows: &(impl Rows + ?Sized), location: &str) -> Result<FormatState, StoreError> {
    let damaged = |detail| StoreError::damaged(location, detail);
    if rows.get(Table::Meta, MIGRATION_KEY)?.is_some() {
        return Err(StoreError::Migrating { location: location.to_owned() });
    }
    let Some(text) = rows.get(Table::Meta, FORMAT_KEY)? else { return Ok(FormatState::Nothing) };
    match parse_format(&text).ok_or_else(|| damaged("its format is unknown"))? {
        found if found > FORMAT => {
            Err(EngineError::NewerFormat { found, supported: FORMAT }.into())
        }
        FORMAT => match rows.get(Table::Meta, UPGRADE_KEY)? {
            None => Ok(FormatState::Current),
            Some(noted) => match serde_json::from_slice::<Upgrade>(&noted) {
                Ok(upgrade) if upgrade.is_valid() => Ok(FormatState::Unfinished(upgrade)),
                _ => Err(damaged("the next step of its upgrade is unknown")),
            },
        },
        from => {
            Ok(FormatState::Unfinished(Upgrade { from, stage: Stage::Checksums(0), after: vec![] }))
        }
    }
}

/// Notes the next step, with the new format.
fn note(rows: &mut dyn Mutate, next: Option<&Upgrade>) -> Result<(), EngineError> {
    match next {
        Some(upgrade) => {
            let json = serde_json::to_vec(upgrade).expect("numbers are JSON");
            rows.put(Table::Meta, UPGRADE_KEY, &json)?;
            rows.put(Table::Meta, FORMAT_KEY, format_text(FORMAT).as_bytes())
        }
        None => rows.delete(Table::Meta, UPGRADE_KEY),
    }
}

impl Upgrade {
    fn is_valid(&self) -> bool {
        let is_table = !matches!(self.stage, Stage::Checksums(index) if index >= Table::ALL.len());
        is_table && (1..FORMAT).contains(&self.from)
    }

    /// Returns the range of the keys that the stage has not handled.
    fn rest(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (Bound::Excluded(&self.after), Bound::Unbounded)
    }

    fn at(self, stage: Stage) -> Self {
        Self { stage, after: vec![], ..self }
    }
}

/// Takes a step; returns the next one.
fn step(
    rows: &mut dyn Mutate,
    location: &str,
    upgrade: Upgrade,
) -> Result<Option<Upgrade>, StoreError> {
    let is_first_format = upgrade.from == 1;
    let (last, then) = match upgrade.stage {
        Stage::Checksums(index) => {
            let then = match index + 1 {
                next if next < Table::ALL.len() => Stage::Checksums(next),
                _ if is_first_format => Stage::Changes,
                _ => Stage::Record,
            };
            (add_checksums(rows, Table::ALL[index], &upgrade)?, Some(then))
        }
        Stage::Changes => (add_changes(rows, &upgrade)?, Some(Stage::Record)),
        Stage::Record => {
            let seq = add_record(rows, location, upgrade.from)?;
            (None, is_first_format.then_some(Stage::Revisions(seq)))
        }
        Stage::Revisions(seq) => (add_revisions(rows, seq, &upgrade)?, None),
    };
    Ok(match last {
        Some(after) => Some(Upgrade { after, ..upgrade }),
        None => then.map(|stage| upgrade.at(stage)),
    })
}

/// The rows of a step, and the last of their keys unless they are the last of their table.
type StepRows = (Vec<(Vec<u8>, Vec<u8>)>, Option<Vec<u8>>);

fn some_rows(rows: &dyn Rows, table: Table, upgrade: &Upgrade) -> Result<StepRows, StoreError> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    for row in rows.range(table, upgrade.rest(), Direction::Forward)? {
        let (key, value) = row?;
        bytes += key.len() + value.len();
        found.push((key.into_owned(), value.into_owned()));
        // Tests take more steps.
        let most = if cfg!(test) { 64 } else { MAX_UPGRADED_ROWS };
        if found.len() == most || bytes >= MAX_UPGRADED_BYTES {
            let last = found.last().map(|(key, _)| key.clone());
            return Ok((found, last));
        }
    }
    Ok((found, None))
}

/// Adds checksums to rows. A state that is not what was written gets a wrong one: it was damaged
/// before.
fn add_checksums(
    rows: &mut dyn Mutate,
    table: Table,
    upgrade: &Upgrade,
) -> Result<Option<Vec<u8>>, StoreError> {
    let (found, last) = some_rows(rows, table, upgrade)?;
    for (key, value) in found {
        if upgrade.from > 1 && !is_what_was_written(rows, table, &key, &value)? {
            rows.put(table, &key, &with_wrong_checksum(table, &key, &value))?;
        } else {
            rows.put(table, &key, &with_checksum(table, &key, &value))?;
        }
    }
    Ok(last)
}

/// Compares a state with the hash in its change, which has no checksum yet: its table comes later.
fn is_what_was_written(
    rows: &dyn Rows,
    table: Table,
    key: &[u8],
    value: &[u8],
) -> Result<bool, StoreError> {
    let level = match table {
        Table::Entries => std::str::from_utf8(key).ok(),
        Table::History if value.is_empty() => return Ok(true),
        Table::History => parse_history_key(key).map(|(level, _)| level),
        _ => return Ok(true),
    };
    let stored = level.and_then(|level| Some((level, Stored::parse(level, value).ok()?)));
    let Some((level, stored)) = stored else { return Ok(false) };
    let hash = rows.get(Table::Changes, &change_key(stored.revision, level))?;
    Ok(hash.is_some_and(|hash| *hash == state_hash(value)))
}

/// Writes the changes that created entries. A damaged entry gets none; a check reports it.
fn add_changes(rows: &mut dyn Mutate, upgrade: &Upgrade) -> Result<Option<Vec<u8>>, StoreError> {
    let rows = &mut CheckedRows(rows);
    let (found, last) = some_rows(rows, Table::Entries, upgrade)?;
    for (key, value) in found {
        let Ok(level) = std::str::from_utf8(&key) else { continue };
        if let Ok(stored) = Stored::parse(level, &value) {
            let key = change_key(stored.revision, level);
            rows.put(Table::Changes, &key, &state_hash(&value))?;
        }
    }
    Ok(last)
}

/// Writes the audit record; returns its number. From format 1 on, it covers all revisions.
fn add_record(rows: &mut dyn Mutate, location: &str, from: u32) -> Result<u64, StoreError> {
    let rows = &mut CheckedRows(rows);
    let mut transaction = Transaction::new(location, rows);
    let event = Event::new(UPGRADED, "system", now()).detail("from", from).detail("to", FORMAT);
    let last = transaction.revision()?;
    let is_covering = from == 1 && last > Revision::default();
    let covered = is_covering.then(|| digest(&transaction, last)).transpose()?;
    let [_, head] = transaction.append_record(event, covered)?;
    transaction.end().map_or(Ok(head.seq), Err)
}

fn digest(transaction: &Transaction<'_>, last: Revision) -> Result<Covered, StoreError> {
    let mut digest = RowsDigest::default();
    for row in transaction.range(Table::Changes, ALL_KEYS)? {
        let (key, value) = row?;
        digest.add(&key, &value);
    }
    Ok(Covered { from: Revision::default().next(), to: last, digest })
}

/// Points every revision that still has states to the record of the upgrade.
fn add_revisions(
    rows: &mut dyn Mutate,
    seq: u64,
    upgrade: &Upgrade,
) -> Result<Option<Vec<u8>>, StoreError> {
    let rows = &mut CheckedRows(rows);
    let (found, last) = some_rows(rows, Table::Changes, upgrade)?;
    let mut revisions: Vec<_> =
        found.iter().filter_map(|(key, _)| Some(parse_change_key(key)?.0)).collect();
    revisions.dedup();
    for revision in revisions {
        rows.append(Table::Revisions, &revision.to_bytes(), &seq.to_be_bytes())?;
    }
    Ok(last)
}
