//! The report of an import: lines for people, or one JSON object per line for programs.
//!
//! With `--format json` standard output carries these events, each on its line and flushed:
//!
//! - `refused`: a record was left out; `file`, `line`, `anchor` if it could be read, and `faults`, each
//!   with `pointer` (RFC 6901), `id` and `message`.
//! - `warning`: with `--verbose`; the same members.
//! - `committed`: all accepted records up to `file` and `line` are on the disk, but for those that wait for
//!   their key level; `accepted` in this run so far, `waiting`, and the store's `revision`.
//! - `summary`: the totals, at the end. Without it the run was interrupted.
//!
//! A report nobody reads any longer (closed pipe) does not stop an import.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, Fault};
use fingerpost_store::Revision;
use serde_json::{Value, json};

use super::Place;
use super::progress::Progress;
use super::split::Problem;
use crate::args::{self, ReportFormat};
use crate::output::{ERROR, GOOD, NOTE, STRONG, WARNING, counted, printable};

/// Exit status when something was refused.
const REFUSED: u8 = 1;

/// Counts, and tells what happens.
#[derive(Debug)]
pub(super) struct Reporter {
    format: ReportFormat,
    verbose: bool,
    dry_run: bool,
    names: Vec<String>,
    progress: Progress,
    started: Instant,
    accepted: u64,
    refused: u64,
    warnings: u64,
}

/// A finding as it is reported: from the record reader, the splitter or the rule across levels.
struct Finding<'a> {
    pointer: &'a str,
    id: &'a str,
    message: &'a str,
}

impl<'a> From<&'a Fault> for Finding<'a> {
    fn from(fault: &'a Fault) -> Self {
        Self { pointer: fault.pointer(), id: fault.id(), message: fault.message() }
    }
}

impl Reporter {
    /// A reporter that has nothing to say yet. `names` are the files' names, in order.
    pub(super) fn new(args: &args::Import, names: Vec<String>, progress: Progress) -> Self {
        Self {
            format: args.format,
            verbose: args.verbose,
            dry_run: args.dry_run,
            names,
            progress,
            started: Instant::now(),
            accepted: 0,
            refused: 0,
            warnings: 0,
        }
    }

    /// A record has faults of its own.
    pub(super) fn refused(&mut self, place: Place, anchor: Option<&str>, faults: &[Fault]) {
        let findings: Vec<_> = faults.iter().map(Finding::from).collect();
        self.refuse(place, anchor, &findings);
    }

    /// A stretch of the file holds no record.
    pub(super) fn unreadable(&mut self, place: Place, problem: Problem) {
        let message = problem.to_string();
        self.refuse(place, None, &[Finding { pointer: "", id: "RFC 8259", message: &message }]);
    }

    /// A record is right in itself but breaks a rule across levels.
    pub(super) fn refused_by_rule(
        &mut self,
        place: Place,
        key: &EntityKey,
        pointer: &str,
        message: &str,
        id: &str,
    ) {
        self.refuse(place, Some(&format!("/{key}")), &[Finding { pointer, id, message }]);
    }

    fn refuse(&mut self, place: Place, anchor: Option<&str>, findings: &[Finding<'_>]) {
        self.refused += 1;
        self.tell("refused", place, anchor, findings);
    }

    /// Warnings of an accepted record: counted, and shown with `--verbose`.
    pub(super) fn warnings(&mut self, place: Place, entry: &Entry, warnings: &[Fault]) {
        self.warnings += warnings.len() as u64;
        if self.verbose && !warnings.is_empty() {
            let findings: Vec<_> = warnings.iter().map(Finding::from).collect();
            self.tell("warning", place, Some(&format!("/{}", entry.key())), &findings);
        }
    }

    /// `records` more are durable.
    pub(super) fn committed(
        &mut self,
        records: usize,
        waiting: u64,
        place: Place,
        revision: Revision,
    ) {
        self.accepted += records as u64;
        if self.format == ReportFormat::Json && !self.dry_run {
            self.event(&json!({
                "event": "committed",
                "accepted": self.accepted,
                "waiting": waiting,
                "file": self.name(place),
                "line": place.line,
                "revision": revision.number(),
            }));
        }
    }

    /// So many bytes more were read.
    pub(super) fn advance(&self, bytes: u64) {
        self.progress.advance(bytes, self.accepted);
    }

    /// Says what became of everything; the exit status.
    pub(super) fn summary(&self) -> ExitCode {
        self.progress.clear();
        match self.format {
            ReportFormat::Json => self.event(&json!({
                "event": "summary",
                "accepted": self.accepted,
                "refused": self.refused,
                "warnings": self.warnings,
                "dry_run": self.dry_run,
                "seconds": self.started.elapsed().as_secs_f64(),
            })),
            ReportFormat::Text => self.print(&self.summary_line()),
        }
        if self.refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) }
    }

    /// Says how far an import came that could not be carried out.
    pub(super) fn interrupted(&self) {
        self.progress.clear();
        if self.format == ReportFormat::Text && self.accepted > 0 && !self.dry_run {
            let count = counted(self.accepted, "record");
            self.print(&format!("{NOTE}interrupted{NOTE:#}: {count} stored\n"));
        }
    }

    fn summary_line(&self) -> String {
        let verb = if self.dry_run { "would be accepted" } else { "accepted" };
        let mut line = format!("{GOOD}{}{GOOD:#} {verb}", counted(self.accepted, "record"));
        match self.refused {
            0 => line.push_str(", none refused"),
            refused => line.push_str(&format!(", {ERROR}{refused} refused{ERROR:#}")),
        }
        if self.warnings > 0 {
            let hint = if self.verbose { "" } else { " (--verbose shows them)" };
            line.push_str(&format!(", {}{hint}", counted(self.warnings, "warning")));
        }
        if self.dry_run {
            line.push_str("; dry run, nothing was changed");
        }
        line.push('\n');
        line
    }

    fn tell(&self, event: &str, place: Place, anchor: Option<&str>, findings: &[Finding<'_>]) {
        match self.format {
            ReportFormat::Json => self.event(&self.finding_event(event, place, anchor, findings)),
            ReportFormat::Text => self.print(&self.finding_lines(event, place, anchor, findings)),
        }
    }

    fn finding_event(
        &self,
        event: &str,
        place: Place,
        anchor: Option<&str>,
        findings: &[Finding<'_>],
    ) -> Value {
        let faults: Vec<_> = findings
            .iter()
            .map(|f| json!({"pointer": f.pointer, "id": f.id, "message": f.message}))
            .collect();
        let mut value =
            json!({"event": event, "file": self.name(place), "line": place.line, "faults": faults});
        if let Some(anchor) = anchor {
            value["anchor"] = anchor.into();
        }
        value
    }

    fn finding_lines(
        &self,
        event: &str,
        place: Place,
        anchor: Option<&str>,
        findings: &[Finding<'_>],
    ) -> String {
        let style = if event == "refused" { ERROR } else { WARNING };
        let anchor =
            anchor.map(|anchor| format!(" {}", cut(&printable(anchor)))).unwrap_or_default();
        let mut lines = format!(
            "{STRONG}{}:{}{STRONG:#}: {style}{event}{style:#}{anchor}\n",
            self.name(place),
            place.line
        );
        for Finding { pointer, id, message } in findings {
            let pointer = printable(pointer);
            let space = if pointer.is_empty() { "" } else { ": " };
            let message = printable(message);
            lines.push_str(&format!("  {pointer}{space}{message} {NOTE}[{id}]{NOTE:#}\n"));
        }
        lines
    }

    fn name(&self, place: Place) -> &str {
        &self.names[place.file as usize]
    }

    fn event(&self, event: &Value) {
        self.print(&format!("{event}\n"));
    }

    /// Errors are passed over: whoever closed the report does not want it.
    fn print(&self, text: &str) {
        self.progress.pause(|| {
            let mut out = anstream::AutoStream::auto(io::stdout().lock());
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        });
    }
}

/// Bytes of an anchor shown: longer than any valid one.
const MAX_ANCHOR: usize = 200;

fn cut(text: &str) -> String {
    if text.len() <= MAX_ANCHOR {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MAX_ANCHOR)])
}
