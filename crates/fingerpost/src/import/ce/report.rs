//! The report about the documents of Resolver CE.
//!
//! As JSON, one line for each document that is not imported as it is (with --verbose, for each):
//! `document` with its `file`, `line`, `record`, `anchor`, its `outcome` and the `reasons`; at the
//! end `documents` with the number of each outcome and of each repair.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fingerpost_ce::{DocumentOutcome, Fate, OutcomeReason, ReportOutcome};
use fingerpost_exchange::ImportFinding;
use serde_json::{Value, json};

use super::super::finding::finding_lines;
use super::super::progress::Progress;
use super::super::refused::RefusedFile;
use super::FromCe;
use crate::failure::Failure;
use crate::output::{ERROR, WARNING, counted, printable};
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
    /// Creates a report about documents in files with these names.
    pub(crate) fn new(
        args: &FromCe,
        (format, is_verbose): (ReportFormat, bool),
        names: Vec<String>,
        progress: Progress,
    ) -> CeReport {
        CeReport(Arc::new(Mutex::new(Inner {
            format,
            is_verbose,
            progress,
            names,
            path: args.quarantine.clone(),
            quarantine: None,
            failed: None,
            counts: Fate::ALL.map(|fate| (fate, 0)).into(),
            repairs: BTreeMap::new(),
        })))
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
            self.progress.print(&match self.format {
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
        self.progress.print(&match self.format {
            ReportFormat::Json => {
                let mut event = json!(self.counts);
                event["event"] = "documents".into();
                event["repairs"] = json!(self.repairs);
                format!("{event}\n")
            }
            ReportFormat::Text => self.numbers(kept),
        });
        Ok(self.counts[&Fate::Quarantined] + self.counts[&Fate::Refused] == 0)
    }

    fn numbers(&self, kept: Option<u64>) -> String {
        let total = counted(self.counts.values().sum(), "document");
        let number = |(fate, count): (&Fate, &u64)| format!("{count} {}", fate.as_str());
        let numbers: Vec<_> = self.counts.iter().map(number).collect();
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
        json!({
            "event": "document",
            "outcome": outcome.fate,
            "file": self.name(outcome),
            "line": outcome.position.line,
            "record": outcome.position.record,
            "anchor": outcome.anchor,
            "reasons": outcome.reasons,
        })
    }

    fn lines(&self, outcome: &DocumentOutcome) -> String {
        let style = match outcome.fate {
            Fate::Quarantined | Fate::Refused => ERROR,
            _ => WARNING,
        };
        let reasons = outcome.reasons.iter();
        let findings: Vec<_> = reasons
            .map(|OutcomeReason { id, message }| ImportFinding { pointer: "", id, message })
            .collect();
        let at = (self.name(outcome), outcome.position.record);
        finding_lines(at, (style, outcome.fate.as_str()), outcome.anchor.as_deref(), &findings)
    }

    fn name(&self, outcome: &DocumentOutcome) -> &str {
        self.names.get(outcome.position.source as usize).map_or("", String::as_str)
    }
}
