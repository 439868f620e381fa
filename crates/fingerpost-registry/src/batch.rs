//! Batches of changes as JSON Lines: all or nothing, or each row by itself.
//!
//! ```text
//! row = record
//!     / { "put": record, "ifMatch"?: revision or "*", "ifNoneMatch"?: "*" }
//!     / { "delete": anchor, "ifMatch"?: revision or "*" }
//! ```
//!
//! Rows are checked together, so a lot can come before its product. With [`Mode::Each`], rows are written in chunks; rows that
//! lack a default link are retried at the end.

use std::collections::BTreeMap;
use std::io::BufRead;

use fingerpost_gs1::EntityKey;
use fingerpost_store::Revision;
use serde::{Deserialize, Serialize};

use crate::apply::Ended;
use crate::change::Change;
use crate::fault::Fault;
use crate::rights::Access;
use crate::{Caller, Conditions, Id, Mode, Outcome, Registry, RegistryError};

mod chunk;
mod rows;

use chunk::{Chunk, Written};
use rows::Rows;

/// The outcome of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// The last revision that was made; `None` for a dry run.
    pub revision: Option<Revision>,
    /// Proposals that were made; empty for a dry run.
    pub proposals: Vec<Id>,
    /// Number of levels that were registered.
    pub created: u64,
    /// Number of levels that were replaced.
    pub replaced: u64,
    /// Number of levels that already held the same record.
    pub unchanged: u64,
    /// Number of levels that were deleted.
    pub deleted: u64,
    /// Number of levels whose change waits for approval.
    pub proposed: u64,
    /// Number of rows that passed the checks of a dry run.
    pub checked: u64,
    /// Number of refused rows. If there is one, an atomic batch has written nothing.
    pub refused: u64,
    /// Rows in order, at most [`BatchReport::MAX_ITEMS`]; for a refused atomic batch, only the rows at fault.
    pub items: Vec<BatchItem>,
    /// Number of rows that did not fit into `items`.
    pub omitted: u64,
}

/// The outcome of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchItem {
    /// The line number, from 1.
    pub line: u64,
    /// The level, if known.
    #[serde(with = "crate::key_levels::optional")]
    pub key: Option<EntityKey>,
    /// The outcome.
    pub result: Result<Outcome, Refusal>,
}

/// Why a row was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The kind of refusal.
    pub code: RefusalCode,
    /// All faults; their places are relative to the row.
    pub faults: Vec<Fault>,
}

/// The kinds of refusal of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalCode {
    /// The row breaks rules.
    Invalid,
    /// The caller does not have permission for the level.
    Forbidden,
    /// The level to delete does not exist.
    NotFound,
    /// The level does not match the row's precondition.
    PreconditionFailed,
    /// The level would be left without a default link (RES-2.5.9-1).
    MissingDefault,
    /// The row is too large.
    TooLarge,
}

impl RefusalCode {
    /// Returns the code as text, such as `missing-default`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RefusalCode::Invalid => "invalid",
            RefusalCode::Forbidden => "forbidden",
            RefusalCode::NotFound => "not-found",
            RefusalCode::PreconditionFailed => "precondition-failed",
            RefusalCode::MissingDefault => "missing-default",
            RefusalCode::TooLarge => "too-large",
        }
    }
}

/// A parsed row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) line: u64,
    pub(crate) key: Option<EntityKey>,
    pub(crate) change: Result<Change, Refusal>,
}

impl BatchReport {
    /// The maximum number of rows that a report lists.
    pub const MAX_ITEMS: usize = 100_000;

    fn add(&mut self, item: BatchItem) {
        match &item.result {
            Ok(Outcome::Written { created: true, .. }) => self.created += 1,
            Ok(Outcome::Written { .. }) => self.replaced += 1,
            Ok(Outcome::Unchanged { .. }) => self.unchanged += 1,
            Ok(Outcome::Deleted { .. }) => self.deleted += 1,
            Ok(Outcome::Proposed { .. }) => self.proposed += 1,
            Ok(Outcome::Checked { .. }) => self.checked += 1,
            Err(_) => self.refused += 1,
        }
        if self.items.len() < Self::MAX_ITEMS {
            self.items.push(item);
        } else {
            self.omitted += 1;
        }
    }

    fn take(&mut self, written: &Written, items: impl IntoIterator<Item = BatchItem>) {
        self.revision = written.revision().or(self.revision);
        self.proposals.extend(written.proposal);
        for item in items {
            self.add(item);
        }
    }

    fn finish(mut self) -> BatchReport {
        self.items.sort_by_key(|item| item.line);
        self
    }
}

impl Registry {
    /// Applies many changes, given as JSON Lines.
    ///
    /// ```text
    /// row = record
    ///     / { "put": record, "ifMatch"?: revision or "*", "ifNoneMatch"?: "*" }
    ///     / { "delete": anchor, "ifMatch"?: revision or "*" }
    /// ```
    ///
    /// Rows that are written together are checked together, so a lot can come before its product. With [`Mode::Each`], rows are
    /// written in chunks; rows that lack a default link are retried at the end, unless a later row is for the same level. A dry
    /// run does the same in one transaction, which is rolled back.
    ///
    /// With an idempotency key, an interrupted batch resumes where it stopped: rows already written are not written again.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], [`RegistryError::TooLarge`] for more rows than one transaction accepts,
    /// [`RegistryError::Invalid`] if the input cannot be read, or an error of the store. Faults of single rows are in the
    /// report; an atomic batch with such rows has written nothing.
    pub fn batch(
        &self,
        caller: &Caller,
        input: impl BufRead,
        mode: Mode,
        conditions: Conditions,
    ) -> Result<BatchReport, RegistryError> {
        if conditions.precondition.is_some() {
            let detail = "expected preconditions in the rows of a batch, found one for all";
            return Err(RegistryError::invalid(vec![Fault::new("", "batch", detail)]));
        }
        self.may_write_somewhere(caller)?;
        let rows = Rows::new(&self.inner, input);
        let dry_run = conditions.dry_run;
        let report = match mode {
            Mode::Atomic => self.batch_at_once(caller, rows, &conditions),
            Mode::Each if dry_run => self.rehearse(caller, rows),
            Mode::Each => by_chunks(rows, move |number, chunk| {
                self.write_chunk(caller, chunk, mode, &conditions, Some(number))
            }),
        }?;
        // Revisions that were rolled back do not exist, so the report must not name them.
        Ok(match dry_run {
            true => BatchReport { revision: None, proposals: Vec::new(), ..report },
            false => report,
        })
    }

    fn may_write_somewhere(&self, caller: &Caller) -> Result<(), RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| Access::of(view, caller, now)?.anywhere(crate::Verb::Write))
    }

    /// Applies all rows in one transaction.
    fn batch_at_once(
        &self,
        caller: &Caller,
        rows: Rows<'_, impl BufRead>,
        conditions: &Conditions,
    ) -> Result<BatchReport, RegistryError> {
        let mut all = Chunk::new();
        for row in at_most(MAX_AT_ONCE, rows) {
            all.push(row?);
        }
        let written = self.write_chunk(caller, all, Mode::Atomic, conditions, None)?;
        let mut report = BatchReport::default();
        report.take(&written, written.all());
        Ok(report.finish())
    }

    /// Runs a dry run in chunks like a real run, but in one transaction, which is rolled back.
    fn rehearse(
        &self,
        caller: &Caller,
        rows: Rows<'_, impl BufRead>,
    ) -> Result<BatchReport, RegistryError> {
        // Read all rows first; otherwise other writers would wait for the input.
        let rows: Vec<Row> = at_most(MAX_AT_ONCE, rows).collect::<Result<_, _>>()?;
        let result = self.inner.store.transact_alone(|tx| {
            let access = Access::of(tx, caller, self.inner.now())?;
            let report = by_chunks(rows.iter().cloned().map(Ok), |_, chunk| {
                self.inner.apply_chunk(tx, caller, &access, &chunk, Mode::Each, true)
            })?;
            Err(Ended::Checked(Box::new(report)))
        });
        Ended::result(result).map(|report| *report)
    }
}

/// Yields at most this many rows, and an error in place of the next one.
fn at_most(
    limit: usize,
    rows: impl Iterator<Item = Result<Row, RegistryError>>,
) -> impl Iterator<Item = Result<Row, RegistryError>> {
    rows.enumerate().map(move |(at, row)| match at < limit {
        true => row,
        false => {
            let limit = limit as u64;
            Err(RegistryError::TooLarge { what: "rows in one transaction", limit })
        }
    })
}

/// Writes rows chunk by chunk, each chunk with its number; retries rows that lack a default link after all others are written.
fn by_chunks(
    rows: impl Iterator<Item = Result<Row, RegistryError>>,
    write: impl FnMut(u64, Chunk) -> Result<Written, RegistryError>,
) -> Result<BatchReport, RegistryError> {
    let mut run = Run { write, number: 0, report: BatchReport::default() };
    let mut missing = Missing::default();
    let mut chunk = Chunk::new();
    for row in rows {
        let row = row?;
        if chunk.len() == ROWS_OF_CHUNK || chunk.has(&row) {
            run.write(std::mem::take(&mut chunk), &mut missing)?;
        }
        // A later row for a level takes precedence, so an earlier one must not be retried after it.
        run.give_up(row.key.as_ref().and_then(|key| missing.remove(key)));
        chunk.push(row);
    }
    run.write(chunk, &mut missing)?;
    while !missing.is_empty() {
        // In key order, a product comes before its lots.
        let mut again = Missing::default();
        let before = missing.len();
        let mut rows = missing.into_values().map(|(row, _)| row);
        loop {
            let mut chunk = Chunk::new();
            rows.by_ref().take(ROWS_OF_CHUNK).for_each(|row| chunk.push(row));
            if chunk.len() == 0 {
                break;
            }
            run.write(chunk, &mut again)?;
        }
        if again.len() == before {
            again.into_values().for_each(|found| run.give_up(Some(found)));
            break;
        }
        missing = again;
    }
    Ok(run.report.finish())
}

/// Rows that lack a default link, by level, each with the report item to use if no retry succeeds.
type Missing = BTreeMap<EntityKey, (Row, BatchItem)>;

/// A batch that is written chunk by chunk.
struct Run<W> {
    write: W,
    number: u64,
    report: BatchReport,
}

impl<W: FnMut(u64, Chunk) -> Result<Written, RegistryError>> Run<W> {
    fn write(&mut self, chunk: Chunk, missing: &mut Missing) -> Result<(), RegistryError> {
        let kept = chunk.clone();
        let written = (self.write)(self.number, chunk)?;
        self.number += 1;
        self.report.take(&written, written.found());
        for (row, item) in kept.rows_of(written.missing) {
            match row.key.clone() {
                Some(key) if missing.len() < MAX_MISSING => {
                    self.give_up(missing.insert(key, (row, item)));
                }
                _ => self.report.add(item),
            }
        }
        Ok(())
    }

    fn give_up(&mut self, missing: Option<(Row, BatchItem)>) {
        if let Some((_, item)) = missing {
            self.report.add(item);
        }
    }
}

impl From<RegistryError> for Refusal {
    /// Converts the error of a refused row.
    fn from(error: RegistryError) -> Refusal {
        let own =
            |code, id, detail: String| Refusal { code, faults: vec![Fault::new("", id, detail)] };
        match error {
            RegistryError::Invalid { faults, .. } => Refusal { code: RefusalCode::Invalid, faults },
            RegistryError::MissingDefault(faults) => {
                Refusal { code: RefusalCode::MissingDefault, faults }
            }
            RegistryError::NotFound => {
                let detail = "expected a level to delete, found nothing registered";
                own(RefusalCode::NotFound, "level", detail.to_owned())
            }
            error @ RegistryError::PreconditionFailed { .. } => {
                own(RefusalCode::PreconditionFailed, "ifMatch", error.to_string())
            }
            denial => own(RefusalCode::Forbidden, "rights", denial.to_string()),
        }
    }
}

/// Number of rows that [`Mode::Each`] writes together, with one synchronisation with the disk. With ten times as many, a batch
/// would be a third faster, but single changes would wait for a whole chunk, and redirects for the core that commits it
/// (`bench/registration`).
const ROWS_OF_CHUNK: usize = 100;

/// Maximum number of rows of an atomic batch or a dry run, which are held in memory.
const MAX_AT_ONCE: usize = 100_000;

/// Maximum number of rows kept for a retry; further ones are refused at once.
const MAX_MISSING: usize = 10_000;
