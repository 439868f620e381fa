//! Chunks: rows that are written in one transaction.

use std::collections::{HashMap, HashSet};

use fingerpost_resolver::Anchor;
use fingerpost_store::{Revision, Transaction};
use serde::{Deserialize, Serialize};

use super::{BatchItem, Refusal, Row};
use crate::apply::Ended;
use crate::judge::{BatchMode, WriteRequest};
use crate::registry::Inner;
use crate::rights::Access;
use crate::{
    Caller, ChangeOutcome, ChangeSetRequest, ChangeStatus, Conditions, Id, Registry, RegistryError,
    idempotency,
};

/// Number of rows that [`BatchMode::Each`] writes together, with one synchronisation with the disk.
/// With ten times as many, a batch would be a third faster, but single changes would wait for a
/// whole chunk, and redirects for the core that commits it (`bench/registration`).
const ROWS_OF_CHUNK: usize = 100;

/// Number of bytes of records after which a chunk is written, even if it has few rows: single
/// changes of others wait for it.
const BYTES_OF_CHUNK: usize = 256 << 10;

/// Rows for one transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    rows: Vec<Row>,
    levels: HashSet<Anchor>,
    bytes: usize,
}

impl Chunk {
    pub(crate) fn new() -> Chunk {
        Chunk::default()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is a row for the same level.
    pub(super) fn has(&self, row: &Row) -> bool {
        row.key.as_ref().is_some_and(|key| self.levels.contains(key))
    }

    /// Returns whether the rows are enough for one transaction.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= ROWS_OF_CHUNK || self.bytes >= BYTES_OF_CHUNK
    }

    pub(crate) fn push(&mut self, row: Row) {
        self.bytes += row.size();
        self.levels.extend(row.key.clone());
        self.rows.push(row);
    }

    /// Returns these items, each with its row.
    pub(super) fn rows_of(self, items: Vec<BatchItem>) -> Vec<(Row, BatchItem)> {
        let mut rows: HashMap<u64, Row> =
            self.rows.into_iter().map(|row| (row.line, row)).collect();
        items.into_iter().filter_map(|item| Some((rows.remove(&item.line)?, item))).collect()
    }
}

/// How a chunk is applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsPart {
    pub(crate) mode: BatchMode,
    /// The change set that it belongs to.
    pub(crate) set: Option<ChangeSetRequest>,
    pub(crate) dry_run: bool,
}

/// The outcome of a chunk.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Written {
    revision: Option<u64>,
    #[serde(default)]
    change_set: Option<u64>,
    pub(super) proposal: Option<Id>,
    items: Vec<BatchItem>,
    /// Rows that lack a default link.
    pub(super) missing: Vec<BatchItem>,
}

impl Written {
    pub(super) fn revision(&self) -> Option<Revision> {
        self.revision.map(Revision::new)
    }

    pub(super) fn change_set(&self) -> Option<Revision> {
        self.change_set.map(Revision::new)
    }

    /// Returns whether a row was refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.items.iter().any(|item| item.code.is_some())
    }

    /// Returns all rows.
    pub(super) fn all(&self) -> Vec<BatchItem> {
        self.items.iter().chain(&self.missing).cloned().collect()
    }

    /// Returns the rows that do not lack a default link.
    pub(super) fn found(&self) -> Vec<BatchItem> {
        self.items.clone()
    }
}

impl Registry {
    /// Writes a chunk in one transaction: all rows or none, or all acceptable rows.
    pub(super) fn write_chunk(
        &self,
        caller: &Caller,
        chunk: Chunk,
        mode: BatchMode,
        set: ChangeSetRequest,
        conditions: &Conditions,
        number: Option<u64>,
    ) -> Result<Written, RegistryError> {
        let inner = self.inner.clone();
        let caller = caller.clone();
        let dry_run = conditions.dry_run;
        let idempotency = conditions.idempotency.clone().filter(|_| !dry_run).map(|mut request| {
            if let Some(number) = number {
                request.key.push_str(&format!(" rows {number}"));
            }
            request
        });
        let result = self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, inner.now())?;
            if let Some(written) = idempotency::recall(tx, &caller, idempotency.as_ref())? {
                return Ok(written);
            }
            let as_part = AsPart { mode, set: Some(set), dry_run };
            let written = inner.apply_chunk(tx, &caller, &access, &chunk, as_part)?;
            if dry_run || (mode == BatchMode::Atomic && written.is_refused()) {
                return Err(Ended::Checked(written));
            }
            idempotency::remember(tx, &caller, idempotency.as_ref(), inner.now(), &written)?;
            Ok(written)
        });
        Ended::result(result)
    }
}

impl Inner {
    /// Does the same as `write_chunk`, within a transaction.
    pub(crate) fn apply_chunk(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        access: &Access,
        chunk: &Chunk,
        AsPart { mode, set, dry_run }: AsPart,
    ) -> Result<Written, RegistryError> {
        let root = self.options.root.as_ref();
        let request = WriteRequest { caller, access, mode, approves: None, set, root };
        let (mut rows, mut changes, mut written) = (Vec::new(), Vec::new(), Written::default());
        for row in &chunk.rows {
            match &row.change {
                Ok(change) => {
                    rows.push(row);
                    changes.push(change);
                }
                Err(refusal) => written.items.push(row.item(Err(refusal.clone()))),
            }
        }
        if mode == BatchMode::Atomic && !written.items.is_empty() {
            // Nothing can be written: only look for the other rows at fault.
            let (_, refused) = request.judge_all(tx, changes)?;
            let refused = refused.into_iter();
            written.items.extend(refused.map(|(at, error)| rows[at].item(Err(error.into()))));
        } else {
            let applied = self.apply(tx, &request, changes)?;
            written.revision = applied.revision.map(Revision::number);
            written.proposal = applied.proposal;
            written.change_set = applied.change_set.map(Revision::number);
            for (at, outcome) in applied.outcomes {
                let is_missing = mode == BatchMode::Each
                    && matches!(outcome, Err(RegistryError::MissingDefault(_)));
                let outcome = outcome.map(|one| if dry_run { one.of_dry_run() } else { one });
                let item = rows[at].item(outcome.map_err(Refusal::from));
                if is_missing { &mut written.missing } else { &mut written.items }.push(item);
            }
        }
        written.items.sort_by_key(|item| item.line);
        Ok(written)
    }
}

impl Row {
    fn item(&self, result: Result<ChangeOutcome, Refusal>) -> BatchItem {
        let (line, key) = (self.line, self.key.clone());
        match result {
            Ok(outcome) => BatchItem { line, key, outcome, code: None, errors: Vec::new() },
            Err(Refusal { code, faults: errors }) => {
                let outcome = ChangeOutcome::new(ChangeStatus::Refused, &[]);
                BatchItem { line, key, outcome, code: Some(code), errors }
            }
        }
    }
}
