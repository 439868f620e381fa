//! Verifies states by their changes: each state exists, is unmodified, and belongs to its level and
//! revision.

use std::ops::Bound;

use fingerpost_engine::{ALL_KEYS, Table};

use crate::faults::Faults;
use crate::format::{
    Stored, change_key, history_key, history_prefix, parse_change_key, parse_history_key,
    state_hash,
};
use crate::view::View;
use crate::{Revision, StoreError};

/// Compares changes, entries and history with each other; states replaced in `pruned` or earlier
/// may be missing.
pub(crate) fn check(
    view: &View<'_>,
    pruned: Revision,
    faults: &mut Faults,
) -> Result<(), StoreError> {
    changes(view, pruned, faults)?;
    entries(view, faults)?;
    history(view, faults)
}

/// Checks that every change has a state.
fn changes(view: &View<'_>, pruned: Revision, faults: &mut Faults) -> Result<(), StoreError> {
    for row in view.range(Table::Changes, ALL_KEYS)? {
        let Some((key, hash)) = faults.unless_damaged(row)? else { continue };
        let Some((revision, level)) = parse_change_key(&key) else {
            faults.add("a key in the index of changes is malformed".to_owned());
            continue;
        };
        if !matches!(hash.len(), 0 | 32) {
            faults.add(format!(
                "`{level}`, revision {revision}: the hash of the change is malformed"
            ));
        }
        let present = present(view, level)?;
        if present == Some(revision) || has_state(view, level, revision)? {
            continue;
        }
        let replaced = next_state(view, level, revision)?.or(present.filter(|r| *r > revision));
        if replaced.is_none_or(|replaced| replaced > pruned) {
            faults.add(format!("`{level}`, revision {revision}: the state is missing"));
        }
    }
    Ok(())
}

/// Checks that every entry matches its change, and is newer than its history.
fn entries(view: &View<'_>, faults: &mut Faults) -> Result<(), StoreError> {
    for row in view.range(Table::Entries, ALL_KEYS)? {
        let Some((key, value)) = faults.unless_damaged(row)? else { continue };
        let Ok(level) = std::str::from_utf8(&key) else {
            faults.add("the key of an entry is no text".to_owned());
            continue;
        };
        let Ok(stored) = Stored::parse(level, &value) else {
            faults.add(format!("`{level}`: the entry is too short"));
            continue;
        };
        state(view, level, stored.revision, &value, faults)?;
        let last = last_state(view, level)?;
        if last.is_some_and(|last| last >= stored.revision) {
            faults.add(format!("`{level}`: the entry is older than its history"));
        }
    }
    Ok(())
}

/// Checks that every state in the history matches its change, and that the last one of a level
/// without an entry is its deletion.
fn history(view: &View<'_>, faults: &mut Faults) -> Result<(), StoreError> {
    for row in view.range(Table::History, ALL_KEYS)? {
        let Some((key, value)) = faults.unless_damaged(row)? else { continue };
        let Some((level, revision)) = parse_history_key(&key) else {
            faults.add("a key in the history is malformed".to_owned());
            continue;
        };
        state(view, level, revision, &value, faults)?;
        let is_last = last_state(view, level)? == Some(revision);
        if is_last
            && !value.is_empty()
            && view.undamaged(Table::Entries, level.as_bytes())?.is_none()
        {
            faults.add(format!("`{level}`: the entry is missing, and it was not deleted"));
        }
    }
    Ok(())
}

/// Compares a state with its change.
fn state(
    view: &View<'_>,
    level: &str,
    revision: Revision,
    value: &[u8],
    faults: &mut Faults,
) -> Result<(), StoreError> {
    let hash = view.undamaged(Table::Changes, &change_key(revision, level))?;
    let is_right = match (hash, value) {
        (Some(hash), []) => hash.is_empty(),
        (Some(hash), value) => {
            *hash == state_hash(value)
                && Stored::parse(level, value).is_ok_and(|stored| stored.revision == revision)
        }
        (None, _) => false,
    };
    if !is_right {
        faults.add(format!("`{level}`, revision {revision}: the state is not what was written"));
    }
    Ok(())
}

/// Returns the revision of the entry of a level.
fn present(view: &View<'_>, level: &str) -> Result<Option<Revision>, StoreError> {
    let value = view.undamaged(Table::Entries, level.as_bytes())?;
    Ok(value.and_then(|value| Some(Stored::parse(level, &value).ok()?.revision)))
}

fn has_state(view: &View<'_>, level: &str, revision: Revision) -> Result<bool, StoreError> {
    Ok(view.undamaged(Table::History, &history_key(level, revision))?.is_some())
}

/// Returns the first state of a level in the history after a revision.
fn next_state(
    view: &View<'_>,
    level: &str,
    revision: Revision,
) -> Result<Option<Revision>, StoreError> {
    let key = history_key(level, revision);
    let range = (Bound::Excluded(&*key), Bound::Unbounded);
    let found = view.keys(Table::History, range)?.next().transpose()?;
    Ok(found.and_then(|(key, _)| of_level(&key, level)))
}

/// Returns the last state of a level in the history.
fn last_state(view: &View<'_>, level: &str) -> Result<Option<Revision>, StoreError> {
    match view.rows_back(Table::History, &history_prefix(level))?.next() {
        Some(Err(error)) if error.is_damaged_row() => Ok(None),
        last => Ok(last.transpose()?.and_then(|(key, _)| of_level(&key, level))),
    }
}

fn of_level(key: &[u8], level: &str) -> Option<Revision> {
    parse_history_key(key).filter(|(of, _)| *of == level).map(|(_, revision)| revision)
}
