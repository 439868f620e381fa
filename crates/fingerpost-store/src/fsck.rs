//! Checks a whole store: the rows of all tables can be read, are consistent, and were not changed.

use fingerpost_engine::{ALL_KEYS, Row, Table};
use fingerpost_resolver::Anchor;

use crate::copy::CopyState;
use crate::faults::Faults;
use crate::format::{Stored, parse_document_key, parse_history_key};
use crate::verify::{AuditReport, audit};
use crate::view::View;
use crate::{Expected, Store, StoreError};

/// The result of checking a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FsckReport {
    levels: u64,
    states: u64,
    documents: u64,
    audit: AuditReport,
    faults: Faults,
}

impl FsckReport {
    /// Returns the number of levels that hold an entry.
    pub fn levels(&self) -> u64 {
        self.levels
    }

    /// Returns the number of states in the history.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the result of verifying the audit chain, including its faults.
    pub fn audit(&self) -> &AuditReport {
        &self.audit
    }

    /// Returns whether no faults were found, including in the audit chain.
    pub fn is_sound(&self) -> bool {
        self.faults.count == 0 && self.audit.is_sound()
    }

    /// Returns the faults, each with the row concerned: up to a thousand of entries, history and
    /// documents, and a thousand of the audit chain.
    pub fn faults(&self) -> impl Iterator<Item = &str> {
        self.faults.texts.iter().chain(self.audit.faults()).map(String::as_str)
    }

    /// Returns the total number of faults.
    pub fn fault_count(&self) -> u64 {
        self.faults.count + self.audit.fault_count()
    }
}

impl Store {
    /// Checks the whole store: first [`Store::check_pages`], then, in one snapshot, that every key
    /// is canonical, every entry can be read and has the right flags, and the rule across levels
    /// (RES-2.5.9-1) holds. Includes all checks of [`Store::verify`]. A [copy](crate::copy) has
    /// only entries to check.
    ///
    /// Fails if the store cannot be read at all, or its pages are damaged; all other faults are in
    /// the report.
    pub fn fsck(&self) -> Result<FsckReport, StoreError> {
        self.fsck_against(Expected::default())
    }

    /// Does the same as [`Store::fsck`], and compares noted heads and documents, as
    /// [`Store::verify_against`] does.
    pub fn fsck_against(&self, expected: Expected<'_>) -> Result<FsckReport, StoreError> {
        self.check_pages()?;
        self.view(|view| check(view, expected))
    }
}

/// Checks one snapshot.
pub(crate) fn check(view: &View<'_>, expected: Expected<'_>) -> Result<FsckReport, StoreError> {
    let mut faults = Faults::default();
    let copy = view.copy_state()?;
    // A copy that is being filled can have levels whose key level comes later.
    let has_rule = copy.as_ref().is_none_or(CopyState::is_complete);
    let levels = entries(view, has_rule, &mut faults)?;
    if copy.is_some() {
        let audit = AuditReport::of_copy();
        return Ok(FsckReport { levels, states: 0, documents: 0, audit, faults });
    }
    let states = history(view, &mut faults)?;
    let documents = documents(view, expected.document.is_some(), &mut faults)?;
    Ok(FsckReport { levels, states, documents, audit: audit(view, expected)?, faults })
}

fn entries(view: &View<'_>, has_rule: bool, faults: &mut Faults) -> Result<u64, StoreError> {
    let mut count = 0;
    // The last key level with an always valid default link, or the last one reported as missing.
    let mut standing = None;
    let mut missed = String::new();
    for row in view.range(Table::Entries, ALL_KEYS)? {
        count += 1;
        let Some((key, value)) = undamaged(row)? else { continue };
        let Some((level, stored)) = entry(&key, &value, faults) else { continue };
        let key_level = level.key_level();
        if !has_rule || level.is_of_registry() {
            continue;
        }
        if level.is_key_level() && stored.has_standing_default() {
            standing = Some(key_level.to_owned());
        } else if standing.as_deref() != Some(key_level) && missed != key_level {
            // Longer values of a key can come between it and the levels below it.
            let base = view.undamaged(Table::Entries, key_level.as_bytes())?;
            let has_default = |value: &[u8]| {
                Stored::parse(key_level, value).is_ok_and(|base| base.has_standing_default())
            };
            if base.as_deref().is_some_and(has_default) {
                standing = Some(key_level.to_owned());
            } else {
                faults.add(format!(
                    "`{level}`: no default link without a validity window at `{key_level}` (RES-2.5.9-1)",
                    level = level.as_str()
                ));
                key_level.clone_into(&mut missed);
            }
        }
    }
    Ok(count)
}

/// Decodes an entry completely.
fn entry<'v>(key: &[u8], value: &'v [u8], faults: &mut Faults) -> Option<(Anchor, Stored<'v>)> {
    let text = String::from_utf8_lossy(key);
    let Some(level) = Anchor::from_canonical(&text) else {
        faults.add(format!("`{}`: not the canonical text of a level", text.escape_debug()));
        return None;
    };
    let stored = Stored::parse(level.as_str(), value);
    match stored.and_then(|stored| Ok((stored, stored.decode(level.as_str())?))) {
        Ok((stored, entry)) => {
            if !stored.flags_fit(&entry) {
                faults.add(format!("`{}`: the flags do not fit the entry", level.as_str()));
            }
            Some((level, stored))
        }
        Err(error) => {
            faults.add(error.to_string());
            None
        }
    }
}

fn history(view: &View<'_>, faults: &mut Faults) -> Result<u64, StoreError> {
    let mut count = 0;
    for row in view.range(Table::History, ALL_KEYS)? {
        count += 1;
        let Some((key, value)) = undamaged(row)? else { continue };
        match parse_history_key(&key) {
            Some((level, _)) if !value.is_empty() => {
                entry(level.as_bytes(), &value, faults);
            }
            Some(_) => {}
            None => faults.add("a key in the history is malformed".to_owned()),
        }
    }
    Ok(count)
}

/// Returns the row unless it is damaged, which the check of all states reports.
fn undamaged(row: Result<Row<'_>, StoreError>) -> Result<Option<Row<'_>>, StoreError> {
    match row {
        Err(error) if error.is_damaged_row() => Ok(None),
        row => row.map(Some),
    }
}

/// Checks the documents; with `are_compared`, a damaged one is reported elsewhere.
fn documents(view: &View<'_>, are_compared: bool, faults: &mut Faults) -> Result<u64, StoreError> {
    let mut count = 0;
    for row in view.range(Table::Documents, ALL_KEYS)? {
        count += 1;
        let row = if are_compared { undamaged(row)? } else { faults.unless_damaged(row)? };
        let Some((key, _)) = row else { continue };
        if parse_document_key(&key).is_none() {
            faults.add("the key of a document is malformed".to_owned());
        }
    }
    Ok(count)
}
