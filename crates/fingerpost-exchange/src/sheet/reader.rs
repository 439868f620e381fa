//! Reads the records of a sheet, for the reader of an import.

use std::collections::HashSet;
use std::path::Path;

use fingerpost_resolver::{Accepted, MAX_RECORD_BYTES, RecordFault, Refused, Rules, read_record};

use super::cell::{CONFLICT, CellFault, CellRule, Line, RULE, in_sheet};
use super::join::{Joiner, LevelStatements};
use super::xlsx::Flow;
use super::{Columns, Encoding, SheetRows, Worksheet, conflict, record, statement};
use crate::ImportError;
use crate::limits::CHUNK_RECORDS;

/// The reasons why the record of a level is refused.
#[derive(Debug)]
pub(crate) struct RefusedRows {
    pub(crate) anchor: Option<String>,
    pub(crate) faults: Vec<RecordFault>,
}

/// The result of checking the record of a level, with its first row.
pub(crate) type CheckedRows = (u64, Result<Accepted, RefusedRows>);

/// Takes records, and the number of bytes read since the last time; returns whether to go on.
pub(crate) type Take<'t> = dyn FnMut(Vec<CheckedRows>, u64) -> bool + 't;

/// Reads a sheet called `name`, with temporary files in `scratch`; returns whether it was read to
/// its end.
pub(crate) fn read(
    name: &str,
    sheet: Worksheet<'_>,
    scratch: &Path,
    rules: &Rules<'_>,
    take: &mut Take<'_>,
) -> Result<bool, ImportError> {
    let mut joiner = Joiner::new(scratch);
    let mut reader = SheetReader {
        sheet: sheet.name.clone(),
        merge_rows: sheet.merge_rows,
        ready: Vec::new(),
        bytes: 0,
        advice: None,
        take,
    };
    let unreadable = |source| ImportError::Unreadable { name: name.to_owned(), source };
    let columns = &sheet.columns;
    let consumed = match sheet.rows {
        SheetRows::Csv(mut rows) => {
            let mut is_known = sheet.is_windows_1252;
            while let Some(line) = rows.next().map_err(unreadable)? {
                if !is_known && rows.encoding() == Some(Encoding::Windows1252) {
                    is_known = true;
                    reader.advice =
                        Some("this row is not valid UTF-8: the file is read as Windows-1252");
                }
                reader.line(line, columns, &mut joiner).map_err(ImportError::Temporary)?;
                if !reader.send_some(rows.consumed()) {
                    return Ok(false);
                }
            }
            rows.consumed()
        }
        SheetRows::Xlsx(mut rows) => {
            let mut is_connected = true;
            let mut take = |line: Line| {
                reader.line(line, columns, &mut joiner)?;
                is_connected = reader.send_some(0);
                Ok(if is_connected { Flow::GoOn } else { Flow::Stop })
            };
            rows.each(columns.roles.len(), &mut take).map_err(|error| unreadable(error.into()))?;
            if !is_connected {
                return Ok(false);
            }
            rows.size()
        }
    };
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
struct SheetReader<'t, 'f> {
    sheet: Option<String>,
    merge_rows: bool,
    ready: Vec<CheckedRows>,
    /// Bytes that were reported as read.
    bytes: u64,
    /// What to say about the next row.
    advice: Option<&'static str>,
    take: &'t mut Take<'f>,
}

impl SheetReader<'_, '_> {
    /// Takes a row.
    fn line(&mut self, line: Line, columns: &Columns, joiner: &mut Joiner) -> std::io::Result<()> {
        if line.number() <= columns.row {
            return Ok(());
        }
        match line {
            Line::Broken { number, message } => {
                let position = in_sheet(self.sheet.as_deref(), format_args!("row {number}"));
                self.refuse(number, None, vec![RecordFault::new(position, RULE, message)]);
            }
            Line::Row(row) => match statement::read(&row, columns) {
                Ok(Some(mut statement)) => {
                    let advice = self.advice.take();
                    statement.advice.extend(
                        advice.map(|advice| CellFault::new(CellRule::Row, statement.key, advice)),
                    );
                    return joiner.push(&statement);
                }
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
    fn level(&mut self, level: LevelStatements, rules: &Rules<'_>) {
        let (Some(first), is_cut) = (level.statements.first(), level.is_cut) else { return };
        let (row, anchor) = (first.key.row, first.anchor.clone());
        if is_cut {
            let position = in_sheet(self.sheet.as_deref(), format_args!("row {row}"));
            let message = format!(
                "the rows of this key make a record larger than the limit of {MAX_RECORD_BYTES} bytes"
            );
            return self.refuse(row, Some(anchor), vec![RecordFault::new(position, RULE, message)]);
        }
        let conflicts = conflict::find(&level.statements);
        if !conflicts.is_empty() && !self.merge_rows {
            let conflicts = conflicts.iter().map(|fault| {
                let fault = fault.in_sheet(self.sheet.as_deref());
                RecordFault::new(fault.pointer().to_owned(), CONFLICT, fault.message().to_owned())
            });
            let faults = level.statements.iter().flat_map(|one| self.in_sheet(&one.faults));
            let faults = conflicts.chain(faults).collect();
            return self.refuse(row, Some(anchor), faults);
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
                warnings.extend(self.in_sheet(&conflicts));
                self.ready.push((record.origins.row(), Ok(Accepted { entry, warnings })));
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

    fn refuse(&mut self, row: u64, anchor: Option<String>, mut faults: Vec<RecordFault>) {
        // Two links can come from one cell: a default link is made of the first link.
        let mut told = HashSet::new();
        faults
            .retain(|fault| told.insert((fault.pointer().to_owned(), fault.message().to_owned())));
        self.ready.push((row, Err(RefusedRows { anchor, faults })));
    }

    /// Hands over what is ready if it is much; returns whether to go on.
    fn send_some(&mut self, consumed: u64) -> bool {
        let is_much = self.ready.len() >= CHUNK_RECORDS || consumed - self.bytes >= CHUNK_BYTES;
        !is_much || self.send(consumed)
    }

    fn send(&mut self, consumed: u64) -> bool {
        let bytes = consumed - std::mem::replace(&mut self.bytes, consumed);
        let records = std::mem::take(&mut self.ready);
        (self.take)(records, bytes)
    }
}

/// The number of bytes of a file after which progress is reported.
const CHUNK_BYTES: u64 = 1024 * 1024;
