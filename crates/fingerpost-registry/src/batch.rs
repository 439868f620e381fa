//! Batches of changes as JSON Lines: all or nothing, or each row by itself.
//!
//! ```text
//! row = record
//!     / { "put": record, "ifMatch"?: revision or "*", "ifNoneMatch"?: "*" }
//!     / { "delete": anchor, "ifMatch"?: revision or "*" }
//! ```
//!
//! Rows are checked together, so a lot can come before its product. With [`BatchMode::Each`], rows
//! are written in chunks; rows that lack a default link are retried at the end.

use std::collections::BTreeMap;
use std::io::BufRead;

use fingerpost_resolver::Anchor;
use fingerpost_store::Revision;
use serde::{Deserialize, Serialize};

use crate::apply::Ended;
use crate::change::RecordChange;
use crate::fault::Fault;
use crate::rights::Access;
use crate::{
    BatchMode, Caller, ChangeOutcome, ChangeSetKind, ChangeSetRequest, ChangeStatus, Conditions,
    Id, Registry, RegistryError,
};

mod chunk;
mod rows;

pub(crate) use chunk::{AsPart, Chunk};

use crate::limits::{
    MAX_BATCH_ROWS, MAX_REPORTED_ROWS, MAX_RETRIED_ROWS, MAX_ROWS_OF_ORGANISATION,
};
use chunk::Written;
use rows::Rows;

/// The report about a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchReport {
    /// The revision of the last write; absent for a dry run.
    #[serde(
        default,
        with = "crate::outcome::optional_revision",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub revision: Option<Revision>,
    /// The change set, which can be taken back; absent for a dry run, and if nothing was written.
    #[serde(
        default,
        rename = "changeSet",
        with = "crate::outcome::optional_revision",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub change_set: Option<Revision>,
    /// Proposals, which a second person has to approve; empty for a dry run.
    pub proposals: Vec<Id>,
    /// Number of levels that were registered.
    pub created: u64,
    /// Number of levels that were replaced.
    pub replaced: u64,
    /// Number of levels that were the same already.
    pub unchanged: u64,
    /// Number of levels that were deleted.
    pub deleted: u64,
    /// Number of rows that need approval.
    pub proposed: u64,
    /// Number of rows of a dry run without faults.
    pub checked: u64,
    /// Number of rows that were refused. If there is one, an atomic batch has written nothing.
    pub refused: u64,
    /// Number of rows that `items` leaves out.
    pub omitted: u64,
    /// Single rows in their order, up to a limit; for a refused atomic batch, only the rows at
    /// fault.
    pub items: Vec<BatchItem>,
}

/// One row of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchItem {
    /// The line, from 1.
    pub line: u64,
    /// The level, if the row could be read.
    #[serde(
        default,
        with = "crate::key_levels::optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(value_type = Option<crate::text::schema::LevelKey>))]
    pub key: Option<Anchor>,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: ChangeOutcome,
    /// The kind of refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RefusalCode>,
    /// All faults; their positions are relative to the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub errors: Vec<Fault>,
}

/// Why a row was refused.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: RefusalCode,
    /// All faults; their positions are relative to the row.
    pub(crate) faults: Vec<Fault>,
}

/// The kinds of refusal of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
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
    /// The organisation would use more than its quota.
    QuotaExceeded,
    /// The row is too large.
    TooLarge,
}

impl RefusalCode {
    /// Returns the code as text, such as `missing-default`.
    pub fn as_str(self) -> &'static str {
        match self {
            RefusalCode::Invalid => "invalid",
            RefusalCode::Forbidden => "forbidden",
            RefusalCode::NotFound => "not-found",
            RefusalCode::PreconditionFailed => "precondition-failed",
            RefusalCode::MissingDefault => "missing-default",
            RefusalCode::QuotaExceeded => "quota-exceeded",
            RefusalCode::TooLarge => "too-large",
        }
    }
}

/// A parsed row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) line: u64,
    pub(crate) key: Option<Anchor>,
    pub(crate) change: Result<RecordChange, Refusal>,
}

impl Row {
    /// Returns the number of bytes of its record.
    fn size(&self) -> usize {
        self.change.as_ref().ok().and_then(RecordChange::entry).map_or(0, |entry| entry.size())
    }
}

impl BatchReport {
    /// The maximum number of rows that a report lists.
    pub const MAX_ITEMS: usize = MAX_REPORTED_ROWS;

    fn add(&mut self, item: BatchItem) {
        *match item.outcome.status {
            ChangeStatus::Created => &mut self.created,
            ChangeStatus::Replaced => &mut self.replaced,
            ChangeStatus::Unchanged => &mut self.unchanged,
            ChangeStatus::Deleted => &mut self.deleted,
            ChangeStatus::Proposed => &mut self.proposed,
            ChangeStatus::Checked => &mut self.checked,
            ChangeStatus::Refused => &mut self.refused,
        } += 1;
        if self.items.len() < Self::MAX_ITEMS {
            self.items.push(item);
        } else {
            self.omitted += 1;
        }
    }

    /// Returns the report about changes that were written together.
    pub(crate) fn of(written: &Written) -> BatchReport {
        let mut report = BatchReport::default();
        report.take(written, written.all());
        report.finish()
    }

    /// Returns the report about changes that were rolled back: it must not name what does not
    /// exist.
    pub(crate) fn of_dry_run(self) -> BatchReport {
        BatchReport { revision: None, change_set: None, proposals: Vec::new(), ..self }
    }

    fn take(&mut self, written: &Written, items: impl IntoIterator<Item = BatchItem>) {
        self.revision = written.revision().or(self.revision);
        self.change_set = written.change_set().or(self.change_set);
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
    /// Rows that are written together are checked together, so a lot can come before its product.
    /// With [`BatchMode::Each`], rows are written in chunks; rows that lack a default link are
    /// retried at the end, unless a later row is for the same level. A dry run does the same in
    /// one transaction, which is rolled back.
    ///
    /// With an idempotency key, an interrupted batch resumes where it stopped: rows already written
    /// are not written again.
    ///
    /// Fails with [`RegistryError::Unauthenticated`], [`RegistryError::TooLarge`] for more rows
    /// than one transaction accepts, [`RegistryError::Invalid`] if the input cannot be read, or
    /// an error of the store. Faults of single rows are in the report; an atomic batch with
    /// such rows has written nothing.
    pub fn batch(
        &self,
        caller: &Caller,
        input: impl BufRead,
        mode: BatchMode,
        conditions: Conditions,
    ) -> Result<BatchReport, RegistryError> {
        if conditions.precondition.is_some() {
            let detail = "expected preconditions in the rows of a batch, found one for all";
            return Err(RegistryError::invalid(vec![Fault::new("", "batch", detail)]));
        }
        self.require_write(caller, None)?;
        let set = Some(conditions.set_of(ChangeSetKind::Batch));
        let conditions = Conditions { set, ..conditions };
        self.batch_of(caller, Rows::new(&self.inner, input), mode, &conditions)
    }

    /// Applies rows of a batch.
    pub(crate) fn batch_of(
        &self,
        caller: &Caller,
        rows: impl Iterator<Item = Result<Row, RegistryError>>,
        mode: BatchMode,
        conditions: &Conditions,
    ) -> Result<BatchReport, RegistryError> {
        let mut set = conditions.set_of(ChangeSetKind::Batch);
        let at_once = match self.organisations_of(caller)? {
            None => MAX_BATCH_ROWS,
            Some(_) => MAX_ROWS_OF_ORGANISATION,
        };
        let dry_run = conditions.dry_run;
        let report = match mode {
            BatchMode::Atomic => {
                self.batch_at_once(caller, at_most(at_once, rows), set, conditions)
            }
            BatchMode::Each if dry_run => self.rehearse(caller, at_most(at_once, rows)),
            BatchMode::Each => by_chunks(rows, |number, chunk| {
                let written =
                    self.write_chunk(caller, chunk, mode, set, conditions, Some(number))?;
                set = set.joining(written.change_set());
                Ok(written)
            }),
        }?;
        Ok(if dry_run { report.of_dry_run() } else { report })
    }

    /// Applies all rows in one transaction.
    fn batch_at_once(
        &self,
        caller: &Caller,
        rows: impl Iterator<Item = Result<Row, RegistryError>>,
        set: ChangeSetRequest,
        conditions: &Conditions,
    ) -> Result<BatchReport, RegistryError> {
        let mut all = Chunk::new();
        for row in rows {
            all.push(row?);
        }
        let written = self.write_chunk(caller, all, BatchMode::Atomic, set, conditions, None)?;
        Ok(BatchReport::of(&written))
    }

    /// Runs a dry run in chunks like a real run, but in one transaction, which is rolled back.
    fn rehearse(
        &self,
        caller: &Caller,
        rows: impl Iterator<Item = Result<Row, RegistryError>>,
    ) -> Result<BatchReport, RegistryError> {
        // Read all rows first; otherwise other writers would wait for the input.
        let rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
        let result = self.inner.store.transact_alone(|tx| {
            let access = Access::of(tx, caller, self.inner.now())?;
            let report = by_chunks(rows.iter().cloned().map(Ok), |_, chunk| {
                let as_part = AsPart { mode: BatchMode::Each, set: None, dry_run: true };
                self.inner.apply_chunk(tx, caller, &access, &chunk, as_part)
            })?;
            Err(Ended::Checked(Box::new(report)))
        });
        Ended::result(result).map(|report| *report)
    }
}

/// Yields at most this many rows, and as many bytes of records as 1,600 for each of them; an error
/// in place of the next one.
fn at_most(
    limit: usize,
    rows: impl Iterator<Item = Result<Row, RegistryError>>,
) -> impl Iterator<Item = Result<Row, RegistryError>> {
    let max_bytes = limit * BYTES_OF_ROW;
    let (mut count, mut bytes) = (0, 0);
    rows.map(move |row| {
        let row = row?;
        count += 1;
        bytes += row.size();
        let too_large = |what, limit: usize| RegistryError::TooLarge { what, limit: limit as u64 };
        if count > limit {
            return Err(too_large("rows in one transaction (more with mode=each)", limit));
        }
        if bytes > max_bytes {
            let what = "bytes of records in one transaction (more with mode=each)";
            return Err(too_large(what, max_bytes));
        }
        Ok(row)
    })
}

/// Writes rows chunk by chunk, each chunk with its number; retries rows that lack a default link
/// after all others are written.
fn by_chunks(
    rows: impl Iterator<Item = Result<Row, RegistryError>>,
    write: impl FnMut(u64, Chunk) -> Result<Written, RegistryError>,
) -> Result<BatchReport, RegistryError> {
    let mut run = Run { write, number: 0, report: BatchReport::default() };
    let mut missing = Missing::default();
    let mut chunk = Chunk::new();
    for row in rows {
        let row = row?;
        if chunk.is_full() || chunk.has(&row) {
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
            while !chunk.is_full()
                && let Some(row) = rows.next()
            {
                chunk.push(row);
            }
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
type Missing = BTreeMap<Anchor, (Row, BatchItem)>;

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
                Some(key) if missing.len() < MAX_RETRIED_ROWS => {
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
            RegistryError::QuotaExceeded(faults) => {
                Refusal { code: RefusalCode::QuotaExceeded, faults }
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

/// Maximum number of bytes of records for each of these rows, on average: 8 MiB for 5,000.
const BYTES_OF_ROW: usize = 1_600;
