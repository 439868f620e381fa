//! What an import reports: as events, or as a document at the end.
//!
//! Events are those of the HTML Standard, section 9.2 (server-sent events). The data of an event is
//! JSON without line breaks, so no text of a file can begin another line.

use fingerpost_exchange::{
    ColumnMapping, ImportFinding, RecordPosition, SpreadsheetFormat, Totals, Worksheet,
};
use fingerpost_registry::{Fault, Id};
use fingerpost_resolver::{Entry, write_record};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::limits::MAX_REPORT;
use crate::problem::{AdminProblem, ColumnBody};

/// A message about an import. The first one is `Begun`, or else `Failed`; the last one `Done` or
/// `Failed`.
#[derive(Debug)]
pub(super) enum Message {
    Begun(Option<SheetBody>),
    Progress(ProgressBody),
    Refused(RecordBody),
    Warned(RecordBody),
    Superseded(SupersededBody),
    Replaces(ReplacesBody),
    Proposed(ProposedBody),
    Committed(CommittedBody),
    Done(DoneBody),
    Failed(AdminProblem),
}

/// How a spreadsheet was understood.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ImportedSheet)]
pub(crate) struct SheetBody {
    /// The same in words.
    description: String,
    /// The name of the sheet; null for CSV.
    name: Option<String>,
    /// The layout of rows: `link`, or `product`, with a column for each link type.
    #[schema(example = "product")]
    row: &'static str,
    /// The columns that have a title. A column that is not understood is `ignore`.
    columns: Vec<ColumnBody>,
    /// The names that columns can be mapped to, besides link types and `ignore`.
    column_names: Vec<&'static str>,
}

impl SheetBody {
    pub(super) fn new(sheet: &Worksheet<'_>) -> Self {
        SheetBody {
            description: sheet.to_string(),
            name: sheet.name().map(str::to_owned),
            row: match sheet.layout() {
                SpreadsheetFormat::Links => "link",
                SpreadsheetFormat::Products => "product",
            },
            columns: sheet.columns().iter().map(ColumnBody::from).collect(),
            column_names: ColumnMapping::names().collect(),
        }
    }
}

/// How far an import is.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "phase", rename_all = "lowercase")]
pub(super) enum ProgressBody {
    Reading {
        /// Bytes read.
        bytes: u64,
        /// Bytes of the file.
        total: u64,
        /// Records read.
        records: u64,
    },
    Writing {
        /// Records written or left out.
        written: u64,
        /// Records to write.
        records: u64,
    },
}

/// A refused record, or one with warnings.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ImportedRecord)]
pub(crate) struct RecordBody {
    /// The line on which the record begins, from 1; in a spreadsheet the first row of the record.
    line: u64,
    /// The number of the record in the file, from 1.
    record: u64,
    /// The anchor of the record, as far as it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
    /// All faults, or all warnings. The pointer of a fault in a spreadsheet is its cell in words:
    /// `cell C7`.
    faults: Vec<Fault>,
    /// The record on one line, which can be corrected and imported again. Only in events, and not
    /// for spreadsheets.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl RecordBody {
    pub(super) fn new(
        position: RecordPosition,
        anchor: Option<&str>,
        findings: &[ImportFinding<'_>],
    ) -> Self {
        let fault =
            |one: &ImportFinding<'_>| Fault::new(one.pointer, one.id.to_owned(), one.message);
        RecordBody {
            line: position.line,
            record: position.record,
            anchor: anchor.map(str::to_owned),
            faults: findings.iter().map(fault).collect(),
            text: None,
        }
    }

    pub(super) fn with_text(self, text: Option<&[u8]>) -> Self {
        let text = text.and_then(|text| std::str::from_utf8(text).ok()).map(str::to_owned);
        RecordBody { text, ..self }
    }

    fn size(&self) -> usize {
        let faults = self.faults.iter();
        let faults: usize =
            faults.map(|one| one.pointer().len() + one.id().len() + one.detail().len() + 64).sum();
        faults + self.anchor.as_ref().map_or(0, String::len) + 64
    }
}

/// A record that is left out because of a later one for the same key.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SupersededRecord)]
pub(crate) struct SupersededBody {
    /// The line on which the record begins, from 1.
    pub(super) line: u64,
    /// The number of the record in the file, from 1.
    pub(super) record: u64,
    /// Its anchor.
    pub(super) anchor: String,
    /// The later record.
    pub(super) by: PositionBody,
}

/// A record that would replace another one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ReplacingRecord)]
pub(crate) struct ReplacesBody {
    /// The line on which the record begins, from 1.
    line: u64,
    /// The number of the record in the file, from 1.
    record: u64,
    /// Its anchor.
    anchor: String,
    /// The record that is registered.
    #[schema(value_type = fingerpost_resolver::schema::Record)]
    before: Box<RawValue>,
    /// The record that would be registered instead.
    #[schema(value_type = fingerpost_resolver::schema::Record)]
    after: Box<RawValue>,
}

impl ReplacesBody {
    pub(super) fn new(position: RecordPosition, before: &Entry, after: &Entry) -> Self {
        // Records are written as JSON.
        let json = |entry| RawValue::from_string(write_record(entry)).unwrap_or_default();
        let anchor = format!("/{}", before.anchor());
        let (before, after) = (json(before), json(after));
        ReplacesBody { line: position.line, record: position.record, anchor, before, after }
    }

    fn size(&self) -> usize {
        self.anchor.len() + self.before.get().len() + self.after.get().len() + 64
    }
}

/// The position of a record in a file.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = RecordPosition)]
pub(crate) struct PositionBody {
    /// The line on which the record begins, from 1.
    pub(super) line: u64,
    /// The number of the record in the file, from 1.
    pub(super) record: u64,
}

/// Records that wait for approval.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ProposedBody {
    pub(super) proposal: Id,
    pub(super) records: u64,
}

/// Records that are stored.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CommittedBody {
    /// The accepted records are registered whose anchors are not after this one, compared byte by
    /// byte.
    pub(super) through: String,
    /// Records that wait to be written.
    pub(super) waiting: u64,
    /// The revision of the store.
    pub(super) revision: u64,
    /// Accepted records so far.
    pub(super) accepted: u64,
}

/// Counts of records.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[schema(as = ImportTotals)]
pub(crate) struct TotalsBody {
    /// Accepted records: created, replaced, unchanged and proposed.
    accepted: u64,
    /// Records at levels that were empty before.
    created: u64,
    /// Records at levels that held a different record before.
    replaced: u64,
    /// Records at levels that held exactly this record already.
    unchanged: u64,
    /// Records that wait for a second person's approval.
    proposed: u64,
    /// Records left out because of a later one for the same key.
    superseded: u64,
    /// Refused records, and parts of the file that are not records.
    refused: u64,
    /// Warnings.
    warnings: u64,
}

impl From<Totals> for TotalsBody {
    fn from(totals: Totals) -> Self {
        let Totals { accepted, created, replaced, unchanged, .. } = totals;
        let Totals { proposed, superseded, refused, warnings, .. } = totals;
        TotalsBody {
            accepted,
            created,
            replaced,
            unchanged,
            proposed,
            superseded,
            refused,
            warnings,
        }
    }
}

/// The end of an import.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DoneBody {
    /// Whether nothing was changed.
    pub(super) dry_run: bool,
    pub(super) totals: TotalsBody,
    /// The change set, if anything was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) change_set: Option<u64>,
    /// Number of refused, warned, superseded and replacing records without an event.
    pub(super) omitted: u64,
}

/// The report on an import.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportReport {
    /// Whether nothing was changed.
    dry_run: bool,
    /// Counts of records.
    totals: TotalsBody,
    /// The change set, which can be taken back; absent for a dry run, and if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_set: Option<u64>,
    /// How the spreadsheet was understood; null for other files.
    sheet: Option<SheetBody>,
    /// Proposals, which a second person has to approve; empty for a dry run.
    proposals: Vec<Id>,
    /// Refused records, in the order of the file, and then in that of their keys.
    refused: Vec<RecordBody>,
    /// Valid records with warnings.
    warned: Vec<RecordBody>,
    /// Records left out because of a later one for the same key.
    superseded: Vec<SupersededBody>,
    /// Records that would replace others; empty unless in a dry run.
    replaces: Vec<ReplacesBody>,
    /// Number of refused, warned, superseded and replacing records that the lists leave out.
    omitted: u64,
    #[serde(skip)]
    bytes: usize,
    #[serde(skip)]
    complete: bool,
}

impl ImportReport {
    pub(super) fn new(dry_run: bool) -> Self {
        ImportReport {
            dry_run,
            totals: TotalsBody::default(),
            change_set: None,
            sheet: None,
            proposals: Vec::new(),
            refused: Vec::new(),
            warned: Vec::new(),
            superseded: Vec::new(),
            replaces: Vec::new(),
            omitted: 0,
            bytes: 0,
            complete: false,
        }
    }

    /// Returns whether the import has ended.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Adds a message.
    pub(super) fn take(&mut self, message: Message) -> Result<(), AdminProblem> {
        match message {
            Message::Begun(sheet) => self.sheet = sheet,
            Message::Progress(_) | Message::Committed(_) => {}
            Message::Refused(one) if self.has_room(one.size()) => {
                self.refused.push(one.with_text(None));
            }
            Message::Warned(one) if self.has_room(one.size()) => self.warned.push(one),
            Message::Superseded(one) if self.has_room(one.anchor.len() + 64) => {
                self.superseded.push(one);
            }
            Message::Replaces(one) if self.has_room(one.size()) => self.replaces.push(one),
            Message::Refused(_)
            | Message::Warned(_)
            | Message::Superseded(_)
            | Message::Replaces(_) => self.omitted += 1,
            Message::Proposed(one) => self.proposals.push(one.proposal),
            Message::Done(end) => {
                self.totals = end.totals;
                self.change_set = end.change_set;
                self.omitted += end.omitted;
                self.complete = true;
            }
            Message::Failed(problem) => return Err(problem),
        }
        Ok(())
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        self.bytes <= MAX_REPORT
    }
}

impl Message {
    /// Returns the event; a comment for the beginning of a file that is no spreadsheet.
    pub(super) fn event(&self, request_id: &str) -> Vec<u8> {
        match self {
            Message::Begun(None) => b": begun\n\n".to_vec(),
            Message::Begun(Some(sheet)) => event("sheet", sheet),
            Message::Progress(progress) => event("progress", progress),
            Message::Refused(record) => event("refused", record),
            Message::Warned(record) => event("warned", record),
            Message::Superseded(record) => event("superseded", record),
            Message::Replaces(record) => event("replaces", record),
            Message::Proposed(proposed) => event("proposed", proposed),
            Message::Committed(committed) => event("committed", committed),
            Message::Done(done) => event("done", done),
            Message::Failed(problem) => event("failed", &problem.body(request_id)),
        }
    }
}

/// Writes an event.
fn event(name: &str, data: &impl Serialize) -> Vec<u8> {
    // Documents of texts, numbers and lists can always be serialized.
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_begins_another_line_of_an_event() {
        let hostile = "x\n\nevent: done\ndata: {}\r\rdata: y\u{2028}\u{85}";
        let finding = ImportFinding { pointer: hostile, id: "x", message: hostile };
        let position = RecordPosition { source: 0, line: 1, record: 1 };
        let record = RecordBody::new(position, Some(hostile), &[finding])
            .with_text(Some(hostile.as_bytes()));
        let text = String::from_utf8(Message::Refused(record).event("id")).expect("text");
        assert!(text.starts_with("event: refused\ndata: {") && text.ends_with("}\n\n"), "{text}");
        assert_eq!(text.matches(['\n', '\r']).count(), 3, "{text}");
        let data = text.lines().nth(1).and_then(|line| line.strip_prefix("data: "));
        let data: serde_json::Value = serde_json::from_str(data.expect("data")).expect("JSON");
        assert_eq!(data["anchor"], hostile);
    }

    #[test]
    fn a_report_is_bounded() {
        let mut report = ImportReport::new(false);
        let message = "x".repeat(1 << 20);
        for line in 1..=20 {
            let finding = ImportFinding { pointer: "", id: "x", message: &message };
            let position = RecordPosition { source: 0, line, record: line };
            let record = RecordBody::new(position, None, &[finding]);
            report.take(Message::Refused(record)).expect("no problem");
        }
        assert_eq!((report.refused.len(), report.omitted), (7, 13));
    }
}
