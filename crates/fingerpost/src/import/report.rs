//! The report of an import: text, or one JSON object per line.
//!
//! With `--format json`, standard output has these events, one per line and flushed:
//!
//! - `sheet`: a file is a spreadsheet; `description` says how it was understood, `columns` what
//!   each column means.
//! - `refused`: a record was left out; `file`, `line`, `record` (its number in the file), `anchor`
//!   if it could be read, and `faults`, each with `pointer` (RFC 6901; in spreadsheets the cell),
//!   `id` and `message`. In spreadsheets, `line` is the row.
//! - `warning`: with `--verbose`; the same members.
//! - `superseded`: a record was left out because of a later one for the same anchor; `file`,
//!   `line`, `record` and `anchor`, and in `by` the position of the later one.
//! - `replaces`: in a dry run, a record would replace another one; `file`, `line`, `record`,
//!   `anchor`, and the records `before` and `after`.
//! - `committed`: all accepted records are on the disk whose anchors are not after `through`,
//!   compared byte by byte; `accepted` in this run so far, the number `waiting`, and the store's
//!   `revision`. Nothing is stored before all files have been read.
//! - `summary`: the totals, at the end; `accepted` counts the created, replaced and unchanged
//!   records; `change_set` is the number with which everything can be taken back. Without it the
//!   run was interrupted.
//!
//! An import continues if the reader of the report closes the pipe.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use fingerpost_exchange::{
    ImportEvent, ImportFinding, RecordPosition, SheetColumn, Totals, Worksheet,
};
use fingerpost_resolver::{Anchor, Entry, excerpt, write_record};
use fingerpost_store::Revision;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Import;
use super::finding::finding_lines;
use super::interrupt::{self, Stage};
use super::progress::Progress;
use super::refused::RefusedFile;
use crate::failure::Failure;
use crate::limits::{MAX_SHOWN_ANCHOR, MAX_SHOWN_TITLE};
use crate::output::{ERROR, GOOD, NOTE, STRONG, WARNING, counted, printable};
use crate::shared_args::ReportFormat;

/// Exit status if a record was refused.
pub(super) const REFUSED: u8 = 1;

/// A printer of the events of an import.
#[derive(Debug)]
pub(super) struct Reporter {
    format: ReportFormat,
    verbose: bool,
    dry_run: bool,
    names: Vec<String>,
    progress: Progress,
    started: Instant,
    /// Number of records stored so far.
    stored: u64,
    /// Number of records to store.
    records: u64,
    refused: Option<RefusedFile>,
    /// Why the file of refused records cannot be written.
    failed: Option<Failure>,
    change_set: Option<u64>,
    stage: Stage,
}

impl Reporter {
    /// Creates a reporter. `names` are the files' names, in order.
    pub(super) fn new(
        args: &Import,
        names: Vec<String>,
        progress: Progress,
        refused: Option<RefusedFile>,
        stage: Stage,
    ) -> Self {
        Self {
            format: args.format,
            verbose: args.verbose,
            dry_run: args.dry_run,
            names,
            progress,
            started: Instant::now(),
            stored: 0,
            records: 0,
            refused,
            failed: None,
            change_set: None,
            stage,
        }
    }

    /// Reports an event; returns whether the import goes on.
    pub(super) fn event(&mut self, event: &ImportEvent<'_>) -> ControlFlow<()> {
        match *event {
            ImportEvent::Refused { position, anchor, findings, record } => {
                self.print_findings("refused", position, anchor, findings);
                let file = self.refused.as_mut().zip(record);
                self.failed = file.and_then(|(file, record)| file.add(record).err());
            }
            ImportEvent::Warned { position, level, findings } if self.verbose => {
                self.print_findings("warning", position, Some(&format!("/{level}")), findings);
            }
            ImportEvent::Superseded { position, level, by } => {
                self.superseded(position, &format!("/{level}"), by);
            }
            ImportEvent::Read { bytes, .. } => self.progress.read(bytes),
            ImportEvent::Writing { records } => {
                self.records = records;
                self.progress.begin_writing(records);
                if !self.stage.begin_writing() {
                    return ControlFlow::Break(());
                }
            }
            ImportEvent::Replaces { position, before, after } => {
                self.replaces(position, before, after);
            }
            ImportEvent::Committed { through, waiting, revision, change_set, totals } => {
                self.change_set = change_set.map(Revision::number);
                self.stored = totals.accepted;
                self.progress.written(self.records - waiting);
                self.committed(through, waiting, revision);
                if self.stage.is_stopping() {
                    return ControlFlow::Break(());
                }
            }
            ImportEvent::Warned { .. } | ImportEvent::Proposed { .. } => {}
        }
        if self.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Reports which program a file is of.
    pub(super) fn format(&self, file: &str, description: &str) {
        match self.format {
            ReportFormat::Json => {
                let event = "format";
                self.json(&json!({"event": event, "file": file, "description": description}));
            }
            ReportFormat::Text => self.print(&format!("{STRONG}{file}{STRONG:#}: {description}\n")),
        }
    }

    /// Reports how a spreadsheet was understood.
    pub(super) fn sheet(&self, file: &str, sheet: &Worksheet<'_>) {
        match self.format {
            ReportFormat::Json => {
                self.json(&json!({
                    "event": "sheet",
                    "file": file,
                    "description": sheet.to_string(),
                    "columns": sheet.columns(),
                }));
            }
            ReportFormat::Text => {
                let description = printable(&sheet.to_string());
                self.print(&format!("{STRONG}{file}{STRONG:#}: {description}\n"));
                sheet.columns().iter().for_each(|column| self.print(&column_line(column)));
            }
        }
    }

    fn committed(&self, through: &Anchor, waiting: u64, revision: Revision) {
        if self.format == ReportFormat::Json && !self.dry_run {
            self.json(&json!({
                "event": "committed",
                "accepted": self.stored,
                "waiting": waiting,
                "through": format!("/{through}"),
                "revision": revision.number(),
            }));
        }
    }

    /// Reports what a record would replace: links and the description, lost and gained.
    fn replaces(&self, position: RecordPosition, before: &Entry, after: &Entry) {
        if self.format == ReportFormat::Json {
            let json = |entry| serde_json::from_str::<Value>(&write_record(entry)).ok();
            return self.json(&json!({
                "event": "replaces",
                "file": self.name(position),
                "line": position.line,
                "record": position.record,
                "anchor": format!("/{}", before.anchor()),
                "before": json(before),
                "after": json(after),
            }));
        }
        let (old, new) = (parts(before), parts(after));
        let only = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|part| !other.contains(part)).map(|part| printable(part)).collect()
        };
        let mut lines = format!(
            "{STRONG}{}:{}{STRONG:#}: would replace {}\n",
            self.name(position),
            position.line,
            excerpt(&printable(&format!("/{}", before.anchor())), MAX_SHOWN_ANCHOR),
        );
        for part in only(&old, &new) {
            lines.push_str(&format!("  {ERROR}-{ERROR:#} {part}\n"));
        }
        for part in only(&new, &old) {
            lines.push_str(&format!("  {GOOD}+{GOOD:#} {part}\n"));
        }
        self.print(&lines);
    }

    fn superseded(&self, position: RecordPosition, anchor: &str, by: RecordPosition) {
        let (file, later) = (self.name(position), self.name(by));
        match self.format {
            ReportFormat::Json => self.json(&json!({
                "event": "superseded",
                "file": file,
                "line": position.line,
                "record": position.record,
                "anchor": anchor,
                "by": { "file": later, "line": by.line, "record": by.record },
            })),
            ReportFormat::Text => self.print(&format!(
                "{STRONG}{file}:{}{STRONG:#}: {NOTE}superseded{NOTE:#} {} by {later}:{}\n",
                position.line,
                excerpt(&printable(anchor), MAX_SHOWN_ANCHOR),
                by.line
            )),
        }
    }

    /// Prints the totals and returns the exit status.
    pub(super) fn summary(mut self, totals: &Totals) -> Result<ExitCode, Failure> {
        self.progress.clear();
        let kept = self.refused.take().map(RefusedFile::finish).transpose()?;
        match self.format {
            ReportFormat::Json => self.json(&json!({
                "event": "summary",
                "accepted": totals.accepted,
                "created": totals.created,
                "replaced": totals.replaced,
                "unchanged": totals.unchanged,
                "superseded": totals.superseded,
                "refused": totals.refused,
                "warnings": totals.warnings,
                "change_set": self.change_set,
                "dry_run": self.dry_run,
                "seconds": self.started.elapsed().as_secs_f64(),
            })),
            ReportFormat::Text => self.print(&self.summary_line(totals, kept)),
        }
        Ok(if totals.refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
    }

    /// Reports how far an import got that Ctrl-C has ended.
    pub(super) fn stopped(self) -> Result<(), Failure> {
        self.progress.clear();
        if let Some(failure) = self.failed {
            return Err(failure);
        }
        anstream::eprint!("{}", interrupt::message(if self.dry_run { 0 } else { self.stored }));
        Ok(())
    }

    /// Reports how far a failed import got.
    pub(super) fn interrupted(&self) {
        self.progress.clear();
        if self.format == ReportFormat::Text && self.stored > 0 && !self.dry_run {
            let count = counted(self.stored, "record");
            self.print(&format!("{NOTE}interrupted{NOTE:#}: {count} stored\n"));
        }
    }

    /// `kept` is the number of records in the file of refused ones.
    fn summary_line(&self, totals: &Totals, kept: Option<u64>) -> String {
        let verb = if self.dry_run { "would be accepted" } else { "accepted" };
        let mut line = format!("{GOOD}{}{GOOD:#} {verb}", counted(totals.accepted, "record"));
        let kinds = [
            ("created", if self.dry_run { totals.created } else { 0 }),
            ("replaced", totals.replaced),
            ("unchanged", totals.unchanged),
        ];
        let kinds = kinds.iter().filter(|(_, count)| *count > 0);
        let kinds: Vec<_> = kinds.map(|(kind, count)| format!("{kind}: {count}")).collect();
        if !kinds.is_empty() {
            line.push_str(&format!(" ({})", kinds.join(", ")));
        }
        if totals.superseded > 0 {
            line.push_str(&format!(", {} superseded by later ones", totals.superseded));
        }
        match totals.refused {
            0 => line.push_str(", none refused"),
            refused => line.push_str(&format!(", {ERROR}{refused} refused{ERROR:#}")),
        }
        if let Some(kept) = kept.filter(|kept| *kept < totals.refused) {
            line.push_str(&format!(" ({kept} of them can be corrected in the file)"));
        }
        if totals.warnings > 0 {
            let hint = if self.verbose { "" } else { " (--verbose shows them)" };
            line.push_str(&format!(", {}{hint}", counted(totals.warnings, "warning")));
        }
        if self.dry_run {
            line.push_str("; dry run, nothing was changed");
        }
        // What was new needs no way back.
        if let Some(set) = self.change_set.filter(|_| totals.replaced > 0) {
            let way = format!("`fingerpost revert --set {set}`");
            line.push_str(&format!("\n  {NOTE}help{NOTE:#}: to undo this, {way}"));
        }
        line.push('\n');
        line
    }

    fn print_findings(
        &self,
        event: &str,
        position: RecordPosition,
        anchor: Option<&str>,
        findings: &[ImportFinding<'_>],
    ) {
        match self.format {
            ReportFormat::Json => self.json(&self.finding_event(event, position, anchor, findings)),
            ReportFormat::Text => {
                let style = if event == "refused" { ERROR } else { WARNING };
                let at = (self.name(position), position.line);
                self.print(&finding_lines(at, (style, event), anchor, findings));
            }
        }
    }

    fn finding_event(
        &self,
        event: &str,
        position: RecordPosition,
        anchor: Option<&str>,
        findings: &[ImportFinding<'_>],
    ) -> Value {
        let mut value = json!({
            "event": event,
            "file": self.name(position),
            "line": position.line,
            "record": position.record,
            "faults": findings,
        });
        if let Some(anchor) = anchor {
            value["anchor"] = anchor.into();
        }
        value
    }

    fn name(&self, position: RecordPosition) -> &str {
        &self.names[position.source as usize]
    }

    fn json(&self, event: &Value) {
        self.print(&format!("{event}\n"));
    }

    fn print(&self, text: &str) {
        self.progress.print(text);
    }
}

/// Returns what to check about a column before its rows are imported, as a line; empty if it has a
/// known title.
fn column_line(column: &SheetColumn) -> String {
    let title =
        printable(&format!("{} {:?}", column.letters, excerpt(&column.title, MAX_SHOWN_TITLE)));
    if column.has_unused_addresses {
        return format!(
            "  {WARNING}warning{WARNING:#}: column {title} has web addresses and is ignored: map it to a link type, or to ignore\n"
        );
    }
    match (column.is_guessed, &column.sample) {
        (false, _) => String::new(),
        (true, None) => format!("  column {title} is read as {}\n", column.column),
        (true, Some(sample)) => {
            format!(
                "  column {title} is read as {}, such as {}\n",
                column.column,
                printable(sample)
            )
        }
    }
}
/// Returns what a record has, a line for each part.
fn parts(entry: &Entry) -> Vec<String> {
    let links = entry.links().map(|link| {
        let kind = link.term().map_or(link.link_type(), |term| term.name());
        let languages: Vec<_> = link.languages().collect();
        let mut line = format!("{kind} {} \u{201c}{}\u{201d}", link.href(), link.title());
        for detail in [languages.join(", "), window(link.valid_from(), link.valid_until())] {
            if !detail.is_empty() {
                line.push_str(&format!(" ({detail})"));
            }
        }
        line
    });
    let description =
        entry.item_description().map(|text| format!("description \u{201c}{text}\u{201d}"));
    description.into_iter().chain(links).collect()
}

fn window(from: Option<Timestamp>, until: Option<Timestamp>) -> String {
    let part = |word: &str, at: Option<Timestamp>| at.map(|at| format!("{word} {at}"));
    let both = [part("from", from), part("until", until)];
    both.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
