//! Reads the records of a sheet, for the reader of an import.

use std::path::Path;
use std::sync::mpsc::SyncSender;

use fingerpost_registry::Change;
use fingerpost_resolver::{Accepted, MAX_RECORD_BYTES, RecordFault, Refused, Rules, read_record};

use super::cell::{CellFault, Line, RULE, in_sheet};
use super::join::{Joiner, Level};
use super::{Encoding, Sheet, SheetRows, record, statement};
use crate::reading::{Chunk, Judged, Verdict};
use crate::{ImportError, RecordPlace};

/// Reads a sheet as source `source`, called `name`, with temporary files in `scratch`; returns whether the receiver is still connected.
///
/// # Errors
///
/// The file or a temporary file cannot be read or written.
pub(crate) fn read(
    source: u32,
    name: &str,
    sheet: Sheet<'_>,
    scratch: &Path,
    rules: &Rules<'_>,
    chunks: &SyncSender<Result<Chunk, ImportError>>,
) -> Result<bool, ImportError> {
    let mut reader = SheetReader {
        source,
        sheet: sheet.name.clone(),
        joiner: Joiner::new(scratch),
        ready: Vec::new(),
        records: 0,
        bytes: 0,
        encoding: None,
        chunks,
    };
    let unreadable = |source| ImportError::Unreadable { name: name.to_owned(), source };
    let SheetRows::Csv(mut rows) = sheet.rows;
    while let Some(line) = rows.next().map_err(unreadable)? {
        if line.number() <= sheet.columns.row {
            continue;
        }
        reader.encoding = rows.encoding();
        if let Err(error) = reader.line(line, &sheet.columns) {
            return Err(ImportError::Temporary(error));
        }
        if !reader.send_some(rows.consumed()) {
            return Ok(false);
        }
    }
    let consumed = rows.consumed();
    let joiner = std::mem::replace(&mut reader.joiner, Joiner::new(scratch));
    let mut levels = joiner.into_levels().map_err(ImportError::Temporary)?;
    while let Some(level) = levels.next().map_err(ImportError::Temporary)? {
        reader.level(level, rules);
        if !reader.send_some(consumed) {
            return Ok(false);
        }
    }
    Ok(reader.send(consumed))
}

/// A reader of one sheet.
struct SheetReader<'c> {
    source: u32,
    sheet: Option<String>,
    joiner: Joiner,
    ready: Vec<Judged>,
    /// Records so far, also refused ones.
    records: u64,
    /// Bytes that were reported as read.
    bytes: u64,
    encoding: Option<Encoding>,
    chunks: &'c SyncSender<Result<Chunk, ImportError>>,
}

impl SheetReader<'_> {
    /// Takes a row.
    fn line(&mut self, line: Line, columns: &super::Columns) -> std::io::Result<()> {
        match line {
            Line::Broken { number, message } => {
                let place = in_sheet(self.sheet.as_deref(), format_args!("row {number}"));
                self.refuse(number, None, vec![RecordFault::new(place, RULE, message)]);
            }
            Line::Row(row) => match statement::read(&row, columns) {
                Ok(Some(statement)) => return self.joiner.push(&statement),
                Ok(None) => {}
                Err(faults) => {
                    let faults = self.in_sheet(&faults);
                    self.refuse(row.number, None, faults);
                }
            },
        }
        Ok(())
    }

    /// Builds and checks the record of a level.
    fn level(&mut self, level: Level, rules: &Rules<'_>) {
        let (Some(first), is_cut) = (level.statements.first(), level.is_cut) else { return };
        let (row, anchor) = (first.key.row, first.anchor.clone());
        if is_cut {
            let place = in_sheet(self.sheet.as_deref(), format_args!("row {row}"));
            let message = format!(
                "the rows of this key make a record larger than the limit of {MAX_RECORD_BYTES} bytes"
            );
            return self.refuse(row, Some(anchor), vec![RecordFault::new(place, RULE, message)]);
        }
        let record = match record::build(level.statements) {
            Ok(record) => record,
            Err(faults) => {
                let faults = self.in_sheet(&faults);
                return self.refuse(row, Some(anchor), faults);
            }
        };
        let sheet = self.sheet.clone();
        let in_sheet = |fault: &RecordFault| record.origins.in_sheet(fault, sheet.as_deref());
        match read_record(&record.json, rules) {
            Ok(Accepted { entry, warnings }) => {
                let mut warnings: Vec<_> = warnings.iter().map(in_sheet).collect();
                warnings.extend(self.in_sheet(&record.advice));
                let change = Change::put(Accepted { entry, warnings: Vec::new() });
                self.judged(record.origins.row(), Verdict::Accepted { change, warnings });
            }
            Err(Refused { faults, .. }) => {
                let faults = faults.iter().map(in_sheet).collect();
                self.refuse(row, Some(record.anchor), faults);
            }
        }
    }

    fn in_sheet(&self, faults: &[CellFault]) -> Vec<RecordFault> {
        faults.iter().map(|fault| fault.in_sheet(self.sheet.as_deref())).collect()
    }

    fn refuse(&mut self, row: u64, anchor: Option<String>, faults: Vec<RecordFault>) {
        self.judged(row, Verdict::Refused { anchor, faults });
    }

    fn judged(&mut self, row: u64, verdict: Verdict) {
        self.records += 1;
        let place = RecordPlace { source: self.source, line: row, record: self.records };
        self.ready.push(Judged { place, verdict });
    }

    /// Sends what is ready if it is much; returns whether the receiver is still connected.
    fn send_some(&mut self, consumed: u64) -> bool {
        let is_much = self.ready.len() >= CHUNK_RECORDS || consumed - self.bytes >= CHUNK_BYTES;
        !is_much || self.send(consumed)
    }

    fn send(&mut self, consumed: u64) -> bool {
        let bytes = consumed - std::mem::replace(&mut self.bytes, consumed);
        let records = std::mem::take(&mut self.ready);
        self.chunks.send(Ok(Chunk { records, bytes })).is_ok()
    }
}

/// The number of records handed over together.
const CHUNK_RECORDS: usize = 1024;

/// The number of bytes of a file after which progress is reported.
const CHUNK_BYTES: u64 = 1024 * 1024;
