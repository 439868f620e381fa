//! Rows that are written in one transaction.

use std::collections::{HashMap, HashSet};
use std::thread;

use fingerpost_gs1::EntityKey;
use fingerpost_store::{Batch, Revision, StoreError, Transaction};
use serde::{Deserialize, Serialize};

use super::{BatchItem, Mode, Refusal, RefusalCode, Row};
use crate::change::{Judged, missing_default};
use crate::events::concerning;
use crate::fault::Fault;
use crate::levels::Ended;
use crate::rights::{Access, Verb};
use crate::{Caller, Conditions, Id, Outcome, Registry, RegistryError, idempotency, proposals};

/// Rows for one transaction; no level twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    rows: Vec<Row>,
    levels: HashSet<EntityKey>,
}

impl Chunk {
    pub(super) fn new() -> Chunk {
        Chunk::default()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is there a row for the same level?
    pub(super) fn has(&self, row: &Row) -> bool {
        row.key.as_ref().is_some_and(|key| self.levels.contains(key))
    }

    /// Adds a row; a second one for the same level is refused.
    pub(super) fn push_distinct(&mut self, mut row: Row) {
        if let Some(key) = &row.key
            && !self.levels.insert(key.clone())
        {
            let detail = format!(
                "expected every level once in a batch that is written as a whole, found /{key} again"
            );
            let faults = vec![Fault::new("", "batch", detail)];
            row.wanted = Err(Refusal { code: RefusalCode::Invalid, faults });
        }
        self.rows.push(row);
    }

    /// These items, each with its row.
    pub(super) fn rows_of(self, items: Vec<BatchItem>) -> Vec<(Row, BatchItem)> {
        let mut rows: HashMap<u64, Row> =
            self.rows.into_iter().map(|row| (row.line, row)).collect();
        items.into_iter().filter_map(|item| Some((rows.remove(&item.line)?, item))).collect()
    }
}

/// What became of a chunk.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Written {
    revision: Option<u64>,
    pub(super) proposal: Option<Id>,
    items: Vec<BatchItem>,
    /// Rows that miss a default link.
    pub(super) missing: Vec<BatchItem>,
}

impl Written {
    pub(super) fn revision(&self) -> Option<Revision> {
        self.revision.map(Revision::new)
    }

    /// All rows.
    pub(super) fn all(&self) -> Vec<BatchItem> {
        self.items.iter().chain(&self.missing).cloned().collect()
    }

    /// The rows that do not miss a default link.
    pub(super) fn found(&self) -> Vec<BatchItem> {
        self.items.clone()
    }

    fn refuse(&mut self, line: u64, key: Option<EntityKey>, refusal: Refusal) {
        self.items.push(BatchItem { line, key, result: Err(refusal) });
    }
}

impl Registry {
    /// Writes a chunk in one transaction: all of it or nothing, or what can be written.
    pub(super) fn write_chunk(
        &self,
        caller: &Caller,
        chunk: Chunk,
        mode: Mode,
        conditions: &Conditions,
        number: Option<u64>,
    ) -> Result<Written, RegistryError> {
        let registry = self.clone();
        let caller = caller.clone();
        let dry_run = conditions.dry_run;
        let idempotency = conditions.idempotency.clone().filter(|_| !dry_run).map(|mut request| {
            if let Some(number) = number {
                request.key.push_str(&format!(" rows {number}"));
            }
            request
        });
        let result = self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, registry.inner.now())?;
            if let Some(written) = idempotency::recall(tx, &caller, idempotency.as_ref())? {
                return Ok(written);
            }
            let written =
                registry.apply_chunk(tx, &caller, &access, chunk.clone(), mode, dry_run)?;
            let is_refused = written.items.iter().any(|item| item.result.is_err());
            if dry_run || (mode == Mode::Atomic && is_refused) {
                return Err(Ended::Checked(written));
            }
            let now = registry.inner.now();
            idempotency::remember(tx, &caller, idempotency.as_ref(), now, &written)?;
            Ok(written)
        });
        Ended::result(result)
    }

    /// The same within a transaction.
    pub(super) fn apply_chunk(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        access: &Access,
        chunk: Chunk,
        mode: Mode,
        dry_run: bool,
    ) -> Result<Written, RegistryError> {
        let mut written = Written::default();
        let mut judged: HashMap<EntityKey, (u64, Judged)> = HashMap::new();
        for Row { line, key, wanted } in chunk.rows {
            thread::yield_now(); // to the public side
            let result = match wanted {
                Ok(wanted) => wanted.judge(tx, access, Verb::Write),
                Err(refusal) => {
                    written.refuse(line, key, refusal);
                    continue;
                }
            };
            match result {
                Ok(one) => {
                    judged.insert(one.wanted.key.clone(), (line, one));
                }
                Err(error) => written.refuse(line, key, Refusal::of(error)?),
            }
        }
        if mode == Mode::Atomic && !written.items.is_empty() {
            return Ok(written); // only the rows at fault
        }
        let waiting = split_waiting(&mut judged, mode);
        self.write_rows(tx, caller, judged, mode, dry_run, &mut written)?;
        if mode == Mode::Each || written.items.iter().all(|item| item.result.is_ok()) {
            self.propose_rows(tx, caller, access, waiting, dry_run, &mut written)?;
        }
        Ok(written)
    }

    /// Writes what can be written; what misses a default link goes to `missing`, or refuses the whole.
    fn write_rows(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        mut judged: HashMap<EntityKey, (u64, Judged)>,
        mode: Mode,
        dry_run: bool,
        written: &mut Written,
    ) -> Result<(), RegistryError> {
        let mut batch = Batch::new();
        judged.values().for_each(|(_, one)| one.add_to(&mut batch));
        let owners: Vec<Id> = judged.values().filter_map(|(_, one)| one.owner).collect();
        let event = concerning(self.inner.event("links.write", caller), owners);
        let event = if batch.len() == 1 {
            batch.changes().fold(event, |event, (level, _)| event.subject(level.as_str()))
        } else {
            event
        };
        let revision = loop {
            match tx.write(&batch, event.clone()) {
                Ok(revision) => break revision,
                Err(StoreError::MissingDefault { levels }) => {
                    for missing in &levels {
                        batch.withdraw(missing.level());
                        let Some((line, one)) = judged.remove(missing.level()) else { continue };
                        let refusal = Refusal {
                            code: RefusalCode::MissingDefault,
                            faults: vec![missing_default(missing, "")],
                        };
                        written.missing.push(BatchItem {
                            line,
                            key: Some(one.wanted.key),
                            result: Err(refusal),
                        });
                    }
                    if mode == Mode::Atomic {
                        written.items.append(&mut written.missing);
                        return Ok(());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        if !batch.is_empty() {
            written.revision = Some(revision.number());
        }
        for (key, (line, one)) in judged {
            let outcome = if dry_run { one.would() } else { one.outcome(revision) };
            written.items.push(BatchItem { line, key: Some(key), result: Ok(outcome) });
        }
        written.items.sort_by_key(|item| item.line);
        Ok(())
    }

    fn propose_rows(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        access: &Access,
        waiting: Vec<(u64, Judged)>,
        dry_run: bool,
        written: &mut Written,
    ) -> Result<(), RegistryError> {
        if waiting.is_empty() {
            return Ok(());
        }
        let rows = waiting.clone();
        let changes = waiting.into_iter().map(|(_, one)| one).collect();
        let id = proposals::propose(tx, &self.inner, caller, access, changes)?;
        written.proposal = Some(id);
        for (line, mut one) in rows {
            let key = Some(one.wanted.key.clone());
            one.needs_approval = true; // the whole batch waits, though this row alone need not
            let outcome = if dry_run {
                one.would()
            } else {
                Outcome::Proposed { id, warnings: one.wanted.warnings }
            };
            written.items.push(BatchItem { line, key, result: Ok(outcome) });
        }
        written.items.sort_by_key(|item| item.line);
        Ok(())
    }
}

/// Takes out what a second person has to release: of a batch that is one whole, everything.
fn split_waiting(judged: &mut HashMap<EntityKey, (u64, Judged)>, mode: Mode) -> Vec<(u64, Judged)> {
    let waits = |one: &Judged| one.needs_approval && one.changes_something();
    let any = judged.values().any(|(_, one)| waits(one));
    let is_waiting = |one: &Judged| match mode {
        Mode::Atomic => any && one.changes_something(),
        Mode::Each => waits(one),
    };
    let mut waiting: Vec<_> =
        judged.extract_if(|_, (_, one)| is_waiting(one)).map(|(_, row)| row).collect();
    waiting.sort_by_key(|(line, _)| *line);
    waiting
}
