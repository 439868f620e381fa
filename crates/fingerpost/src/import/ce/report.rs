//! The report about the documents of Resolver CE.
//!
//! As JSON, one line for each document that is not imported as it is (with --verbose, for each):
//! `document` with its `file`, `line`, `record`, `anchor`, its `outcome` and the `reasons`; at the
//! end `documents` with the number of each outcome and of each repair.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fingerpost_ce::{DocumentOutcome, Fate, OutcomeReason, ReportOutcome};
use serde_json::{Map, Value, json};

use super::super::progress::Progress;
use super::super::refused::RefusedFile;
use crate::failure::Failure;
use crate::output::{ERROR, NOTE, STRONG, WARNING, counted, printable};
use crate::shared_args::ReportFormat;

/// A printer of outcomes, for several threads.
#[derive(Clone, Debug)]
pub(crate) struct CeReport(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    format: ReportFormat,
    is_verbose: bool,
    progress: Progress,
    names: Vec<String>,
    path: PathBuf,
    quarantine: Option<RefusedFile>,
    failed: Option<Failure>,
    counts: BTreeMap<Fate, u64>,
    repairs: BTreeMap<String, u64>,
}

impl CeReport {
    pub(super) fn new(
        format: ReportFormat,
        is_verbose: bool,
        path: PathBuf,
        progress: Progress,
    ) -> CeReport {
        CeReport(Arc::new(Mutex::new(Inner {
            format,
            is_verbose,
            progress,
            names: Vec::new(),
            path,
            quarantine: None,
            failed: None,
            counts: BTreeMap::new(),
            repairs: BTreeMap::new(),
        })))
    }

    /// Adds the name of the next file.
    pub(super) fn add_name(&self, name: String) {
        self.inner().names.push(name);
    }

    /// Returns the names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.inner().names.clone()
    }

    /// Returns a function that reports outcomes.
    pub(super) fn receiver(&self) -> ReportOutcome {
        let report = self.clone();
        Box::new(move |outcome| report.inner().add(&outcome))
    }

    /// Prints the numbers, and gives the file of quarantined documents its name. Returns whether
    /// all documents were imported.
    pub(crate) fn finish(self) -> Result<bool, Failure> {
        self.inner().finish()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn add(&mut self, outcome: &DocumentOutcome) {
        *self.counts.entry(outcome.fate).or_default() += 1;
        if outcome.fate == Fate::Repaired {
            for reason in &outcome.reasons {
                *self.repairs.entry(reason.id.clone()).or_default() += 1;
            }
        }
        let is_shown = match (outcome.fate, self.format) {
            (Fate::Quarantined | Fate::Refused, _) => true,
            (Fate::Merged | Fate::Repaired, ReportFormat::Json) => true,
            _ => self.is_verbose,
        };
        if is_shown {
            self.print(&match self.format {
                ReportFormat::Json => format!("{}\n", self.event(outcome)),
                ReportFormat::Text => self.lines(outcome),
            });
        }
        if let (Some(document), None) = (&outcome.document, &self.failed) {
            self.failed = self.keep(document).err();
        }
    }

    /// Adds a document to the file of those that are to be corrected.
    fn keep(&mut self, document: &[u8]) -> Result<(), Failure> {
        let file = match &mut self.quarantine {
            Some(file) => file,
            None => self.quarantine.insert(RefusedFile::create(&self.path)?),
        };
        file.add(document)
    }

    fn finish(&mut self) -> Result<bool, Failure> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let kept = self.quarantine.take().map(RefusedFile::finish).transpose()?;
        let count = |fate: Fate| self.counts.get(&fate).copied().unwrap_or_default();
        self.print(&match self.format {
            ReportFormat::Json => {
                let counts = Fate::ALL.map(|fate| (fate.as_str().to_owned(), count(fate).into()));
                let mut event = Map::from_iter(counts);
                event.insert("event".to_owned(), "documents".into());
                event.insert("repairs".to_owned(), json!(self.repairs));
                format!("{}\n", Value::Object(event))
            }
            ReportFormat::Text => self.numbers(count, kept),
        });
        Ok(count(Fate::Quarantined) + count(Fate::Refused) == 0)
    }

    fn numbers(&self, count: impl Fn(Fate) -> u64, kept: Option<u64>) -> String {
        let total = counted(Fate::ALL.into_iter().map(&count).sum(), "document");
        let numbers = Fate::ALL.map(|fate| format!("{} {}", count(fate), fate.as_str()));
        let mut text = format!("{total}: {}\n", numbers.join(", "));
        let repairs: Vec<_> = self.repairs.iter().map(|(id, n)| format!("{id} {n}")).collect();
        if !repairs.is_empty() {
            text.push_str(&format!("  repairs: {}\n", repairs.join(", ")));
        }
        if let Some(kept) = kept {
            let path = printable(&self.path.to_string_lossy());
            text.push_str(&format!(
                "  {} in `{path}`: correct and import them with --from-ce {path}\n",
                counted(kept, "document")
            ));
        }
        text
    }

    fn event(&self, outcome: &DocumentOutcome) -> Value {
        let reason = |reason: &OutcomeReason| json!({"id": reason.id, "message": reason.message});
        json!({
            "event": "document",
            "outcome": outcome.fate.as_str(),
            "file": self.name(outcome),
            "line": outcome.position.line,
            "record": outcome.position.record,
            "anchor": outcome.anchor,
            "reasons": outcome.reasons.iter().map(reason).collect::<Vec<_>>(),
        })
    }

    fn lines(&self, outcome: &DocumentOutcome) -> String {
        let style = match outcome.fate {
            Fate::Quarantined | Fate::Refused => ERROR,
            _ => WARNING,
        };
        let anchor = outcome.anchor.as_deref().map(printable).unwrap_or_default();
        let mut lines = format!(
            "{STRONG}{}:{}{STRONG:#}: {style}{}{style:#} {anchor}\n",
            self.name(outcome),
            outcome.position.record,
            outcome.fate.as_str()
        );
        for OutcomeReason { id, message } in &outcome.reasons {
            lines.push_str(&format!("  {} {NOTE}[{id}]{NOTE:#}\n", printable(message)));
        }
        lines
    }

    fn name(&self, outcome: &DocumentOutcome) -> &str {
        self.names.get(outcome.position.source as usize).map_or("", String::as_str)
    }

    /// Ignores errors: the reader has closed the report.
    fn print(&self, text: &str) {
        self.progress.pause(|| {
            let mut out = anstream::AutoStream::auto(io::stdout().lock());
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        });
    }
}
