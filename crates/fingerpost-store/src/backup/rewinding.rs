//! Takes a restored store back to an earlier revision, by its history.
//!
//! Levels, history, changes and audit log are those of the revision afterwards. Documents
//! (accounts, keys, proposals) have no history: they stay as they are. What was erased or pruned
//! after the revision stays so, and a record repeats that. Works in pieces, on a store that nobody
//! else uses yet.

use std::ops::Bound;

use fingerpost_engine::{Direction, Mutate, Prefetch, Snapshot, Table, Verdict};
use jiff::Timestamp;
use serde_json::Value;

use super::BackupError;
use crate::erasure::ERASED;
use crate::event::now;
use crate::format::{
    REVISION_KEY, Stored, change_key, history_key, history_prefix, parse_history_key,
};
use crate::limits::REWOUND_ROWS;
use crate::prune::{BEFORE, PRUNED};
use crate::{AuditRecord, Event, Revision, Store, StoreError};

/// Actor of the records that are repeated.
const ACTOR: &str = "local:restore";

/// The state of a store that is restored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestorePoint {
    /// The state at a revision.
    Revision(Revision),
    /// The state at an instant, by the times of the audit log.
    Time(Timestamp),
}

/// A row to write: a value, or `None` to delete it.
type Op = (Table, Vec<u8>, Option<Vec<u8>>);

/// Returns what to write for a row: its key and value.
type Look<'l> = dyn FnMut(&dyn Snapshot, &[u8], &[u8]) -> Result<Vec<Op>, StoreError> + 'l;

/// A key and its value.
type OwnedRow = (Vec<u8>, Vec<u8>);

impl Store {
    /// Takes the store back to a point; returns its revision.
    pub(super) fn rewind_to(&self, point: RestorePoint) -> Result<Revision, BackupError> {
        let to = match point {
            RestorePoint::Revision(to) => to,
            RestorePoint::Time(at) => self.revision_at(at)?,
        };
        self.rewind(to)?;
        Ok(to)
    }

    /// Returns the last revision that was written at an instant or before. The times of the chain
    /// never go back.
    fn revision_at(&self, at: Timestamp) -> Result<Revision, StoreError> {
        self.view(|view| {
            let is_in_time = |revision: u64| -> Result<bool, StoreError> {
                let seq = view.get(Table::Revisions, &Revision::new(revision).to_bytes())?;
                let seq = seq.and_then(|value| Some(u64::from_be_bytes((*value).try_into().ok()?)));
                let record = view.audit(seq.unwrap_or_default())?;
                Ok(record.is_none_or(|record| record.at() <= at))
            };
            let (mut low, mut high) = (0, view.revision()?.number());
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                if is_in_time(middle)? {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            Ok(Revision::new(low))
        })
    }

    /// Takes the store back to the revision `to`.
    fn rewind(&self, to: Revision) -> Result<(), BackupError> {
        let present = self.view(|view| view.revision())?;
        if to == present {
            return Ok(());
        }
        let unreachable = |detail| BackupError::Unreachable { revision: to.number(), detail };
        if to > present {
            return Err(unreachable("the backup is of an earlier one"));
        }
        self.finish_erasures()?;
        let last = self.last_record(to)?.ok_or_else(|| {
            unreachable("an upgrade has recorded it together with the one after it")
        })?;
        let repeated = self.repeated(to, last)?;
        let repeated = repeated.ok_or_else(|| {
            unreachable(
                "its history was pruned when the backup was made; an earlier backup may have it",
            )
        })?;
        // States that came into force later; then the levels whose present state did; then those
        // that were deleted later.
        self.in_pieces(Table::History, &mut |_, key, _| {
            let is_later = parse_history_key(key).is_some_and(|(_, revision)| revision > to);
            Ok(match is_later {
                true => vec![(Table::History, key.to_owned(), None)],
                false => Vec::new(),
            })
        })?;
        self.in_pieces(Table::Entries, &mut |rows, key, value| {
            restored_entry(rows, key, value, to)
        })?;
        self.in_pieces(Table::History, &mut |rows, key, value| revived_entry(rows, key, value))?;
        let (next, after) = (to.next().to_bytes(), (last + 1).to_be_bytes());
        self.cut(Table::Changes, &change_key(to.next(), ""))?;
        self.cut(Table::Revisions, &next)?;
        self.cut(Table::Audit, &after)?;
        self.cut(Table::Personal, &after)?;
        self.transact(move |tx| {
            tx.guarded(|tx| {
                tx.put(Table::Meta, REVISION_KEY, &to.to_bytes())?;
                for event in &repeated {
                    tx.append_record(event.clone(), None)?;
                }
                Ok::<_, StoreError>(())
            })
        })?;
        Ok(())
    }

    /// Returns the number of the last audit record before the revision after `to`; `None` if one
    /// record covers both.
    fn last_record(&self, to: Revision) -> Result<Option<u64>, StoreError> {
        self.view(|view| {
            let seq = |revision: Revision| -> Result<Option<u64>, StoreError> {
                let value = view.get(Table::Revisions, &revision.to_bytes())?;
                Ok(value.and_then(|value| Some(u64::from_be_bytes((*value).try_into().ok()?))))
            };
            let Some(next) = seq(to.next())? else { return Ok(None) };
            let covers_both = to > Revision::default() && seq(to)? == Some(next);
            Ok((!covers_both).then_some(next - 1))
        })
    }

    /// Returns the erasures and prunings after a record, as events; `None` if states that were in
    /// force after `to` were pruned.
    fn repeated(&self, to: Revision, last: u64) -> Result<Option<Vec<Event>>, StoreError> {
        let (mut found, mut from) = (Vec::new(), last + 1);
        loop {
            let page = self.view(|view| view.audit_from(from, 1000))?;
            let Some(end) = page.last() else { return Ok(Some(found)) };
            from = end.seq() + 1;
            for record in page.iter().filter(|record| [PRUNED, ERASED].contains(&record.action())) {
                let before = record.details().get(BEFORE).and_then(Value::as_u64);
                if record.action() == PRUNED && before.is_none_or(|before| before > to.number()) {
                    return Ok(None);
                }
                found.push(repeat(record));
            }
        }
    }

    /// Walks through a table in pieces, and writes what `look` returns for a row before the next
    /// piece is read.
    fn in_pieces(&self, table: Table, look: &mut Look<'_>) -> Result<(), StoreError> {
        let mut from: Option<Vec<u8>> = None;
        loop {
            let (mut ops, mut count, mut last) = (Vec::new(), 0, None);
            {
                let rows = &*self.engine().snapshot()?;
                let start = from.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
                for row in rows
                    .range(table, (start, Bound::Unbounded), Direction::Forward)?
                    .take(REWOUND_ROWS)
                {
                    let (key, value) = row?;
                    ops.extend(look(rows, &key, &value)?);
                    (count, last) = (count + 1, Some(key.into_owned()));
                }
            }
            self.write_ops(&ops)?;
            if count < REWOUND_ROWS {
                return Ok(());
            }
            from = last;
        }
    }

    /// Deletes all rows of a table from a key on.
    fn cut(&self, table: Table, from: &[u8]) -> Result<(), StoreError> {
        loop {
            let keys: Vec<Op> = {
                let rows = &*self.engine().snapshot()?;
                let range = (Bound::Included(from), Bound::Unbounded);
                let keys = rows.keys(table, range)?.take(REWOUND_ROWS);
                keys.map(|key| Ok((table, key?.0.into_owned(), None)))
                    .collect::<Result<_, StoreError>>()?
            };
            if keys.is_empty() {
                return Ok(());
            }
            self.write_ops(&keys)?;
        }
    }

    fn write_ops(&self, ops: &[Op]) -> Result<(), StoreError> {
        if ops.is_empty() {
            return Ok(());
        }
        Ok(self.engine().write(&Prefetch::NONE, &mut |rows: &mut dyn Mutate| {
            for (table, key, value) in ops {
                match value {
                    Some(value) => rows.put(*table, key, value)?,
                    None => rows.delete(*table, key)?,
                }
            }
            Ok(Verdict::Keep)
        })?)
    }
}

/// Returns the event of a record again.
fn repeat(record: &AuditRecord) -> Event {
    let mut event = Event::new("", ACTOR, now());
    event.action = record.action().to_owned().into();
    event.subject = record.subject().map(ToOwned::to_owned);
    event.details = record.details().clone();
    event
}

/// Returns the last state of a level in the history.
fn last_state(rows: &dyn Snapshot, level: &str) -> Result<Option<OwnedRow>, StoreError> {
    let (first, last) = (history_prefix(level), history_key(level, Revision::new(u64::MAX)));
    let range = (Bound::Included(&first[..]), Bound::Included(&last[..]));
    let found = rows.range(Table::History, range, Direction::Back)?.next().transpose()?;
    Ok(found.map(|(key, value)| (key.into_owned(), value.into_owned())))
}

/// Replaces an entry that came into force after `to` with the state before, if there was one.
fn restored_entry(
    rows: &dyn Snapshot,
    key: &[u8],
    value: &[u8],
    to: Revision,
) -> Result<Vec<Op>, StoreError> {
    let Ok(level) = std::str::from_utf8(key) else { return Ok(Vec::new()) }; // `fsck` reports it
    if Stored::parse(level, value)?.revision <= to {
        return Ok(Vec::new());
    }
    Ok(match last_state(rows, level)? {
        Some((state, value)) if !value.is_empty() => {
            vec![(Table::Entries, key.to_owned(), Some(value)), (Table::History, state, None)]
        }
        _ => vec![(Table::Entries, key.to_owned(), None)],
    })
}

/// Puts the last state of a level back that has no entry: its deletion was later.
fn revived_entry(rows: &dyn Snapshot, key: &[u8], value: &[u8]) -> Result<Vec<Op>, StoreError> {
    let Some((level, _)) = parse_history_key(key) else { return Ok(Vec::new()) };
    if value.is_empty()
        || rows.get(Table::Entries, level.as_bytes())?.is_some()
        || last_state(rows, level)?.is_none_or(|(last, _)| last != key)
    {
        return Ok(Vec::new());
    }
    Ok(vec![
        (Table::Entries, level.as_bytes().to_owned(), Some(value.to_owned())),
        (Table::History, key.to_owned(), None),
    ])
}
