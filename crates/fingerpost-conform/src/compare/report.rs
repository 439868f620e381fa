//! The report of a comparison: each kind of difference once, with its number and examples. As JSON,
//! it is also what an interrupted comparison continues from.

use std::collections::BTreeMap;
use std::io::{self, Write};

use askama::Template;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::judge::Judged;
use super::kind::{DifferenceKind, Effect, KINDS, find};
use crate::escape::{markup, printable};
use crate::limits::{MAX_CASES, MAX_DETAILS, MAX_EXAMPLES};
use crate::report::page_head;

/// Returns the digest of more bytes after others, or after none (0), with the steps of FNV-1a.
pub(super) fn digest(before: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(before, step)
}

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareReport {
    /// The address of the old resolver.
    pub old: String,
    /// The address of the new one.
    pub new: String,
    /// Whether all identifiers or requests of the input are compared.
    pub is_complete: bool,
    /// The number of identifiers or requests of the input so far.
    pub done: u64,
    /// A digest of them, by which another input is noticed.
    pub digest: u64,
    /// The number of requests whose answers were compared.
    pub compared: u64,
    /// The number of requests that were sent to both resolvers together.
    pub requests: u64,
    /// The number of identifiers with more requests than the limit.
    pub cut: u64,
    /// Parts of the input that are not compared: why, and how many.
    pub skipped: BTreeMap<String, u64>,
    /// The differences.
    pub differences: Vec<AnswerDifference>,
}

/// A kind of difference that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDifference {
    /// Its kind.
    #[serde(flatten, deserialize_with = "by_id")]
    pub kind: &'static DifferenceKind,
    /// Statuses, media types, or the link type.
    pub detail: String,
    /// How often it was found.
    pub count: u64,
    /// The first ones.
    pub examples: Vec<Example>,
}

/// A difference of one identifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The request to the old resolver, as a command for a POSIX shell.
    pub old: String,
    /// The answer.
    pub old_found: String,
    /// The request to the new resolver.
    pub new: String,
    /// The answer.
    pub new_found: String,
}

/// The result of a job.
#[derive(Default)]
pub(super) struct Finding {
    pub(super) differences: Vec<(Judged, Example)>,
    /// Requests that were compared.
    pub(super) compared: u64,
    /// Requests that were sent to both resolvers together.
    pub(super) requests: u64,
    /// Identifiers with more requests than the limit.
    pub(super) cut: u64,
    /// Why nothing was compared.
    pub(super) skipped: Option<String>,
}

impl CompareReport {
    /// Creates an empty report.
    pub fn new(old: &str, new: &str) -> Self {
        Self { old: old.to_owned(), new: new.to_owned(), ..Self::default() }
    }

    /// Reads a report as [`CompareReport::write_json`] writes it.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(|error| error.to_string())
    }

    /// Whether there is a difference of another kind than these.
    pub fn has_differences(&self, ignored: &[String]) -> bool {
        self.differences.iter().any(|it| !ignored.iter().any(|id| id == it.kind.id))
    }

    /// Returns the ids of all kinds.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|kind| kind.id)
    }

    /// Writes the report as one JSON object.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }

    /// Writes the report for people, with colours for a terminal.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        TextReport { report: self }.write_into(out)
    }

    /// Writes the report as an HTML page without scripts and references to other files.
    pub fn write_html(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(page_head("Comparison of two resolvers").as_bytes())?;
        HtmlReport { report: self }.write_into(out)
    }

    pub(super) fn add(&mut self, finding: Finding) {
        self.compared += finding.compared;
        self.requests += finding.requests;
        self.cut += finding.cut;
        if let Some(why) = finding.skipped {
            *self.skipped.entry(why).or_default() += 1;
        }
        for ((kind, detail), example) in finding.differences {
            self.add_difference(kind, detail, example);
        }
    }

    fn add_difference(&mut self, kind: &'static DifferenceKind, detail: String, example: Example) {
        let details = self.differences.iter().filter(|it| it.kind == kind);
        let is_known = details.clone().any(|it| it.detail == detail);
        let detail =
            if is_known || details.count() < MAX_DETAILS { detail } else { "others".to_owned() };
        let same = |it: &&mut AnswerDifference| it.kind == kind && it.detail == detail;
        if let Some(difference) = self.differences.iter_mut().find(same) {
            difference.count += 1;
            if difference.examples.len() < MAX_EXAMPLES {
                difference.examples.push(example);
            }
            return;
        }
        self.differences.push(AnswerDifference { kind, detail, count: 1, examples: vec![example] });
        let rank = |it: &AnswerDifference| KINDS.iter().position(|kind| kind == it.kind);
        self.differences.sort_by_key(rank);
    }

    /// Returns lines with the numbers of the run.
    fn summary(&self) -> Vec<String> {
        let total: u64 = self.differences.iter().map(|it| it.count).sum();
        let mut lines = vec![format!(
            "identifiers or requests: {}, answers compared: {}, differences: {}, kinds: {}, requests sent: {}",
            self.done - self.skipped.values().sum::<u64>(),
            self.compared,
            total,
            self.differences.len(),
            self.requests
        )];
        lines
            .extend(self.skipped.iter().map(|(why, count)| format!("not compared: {count} {why}")));
        if self.cut > 0 {
            lines.push(format!(
                "{} identifiers have more than {} variants: the first ones were compared",
                self.cut, MAX_CASES
            ));
        }
        if !self.is_complete {
            lines.push("incomplete: the comparison ended early".to_owned());
        }
        lines
    }
}

impl AnswerDifference {
    /// Returns title and detail.
    fn heading(&self) -> String {
        match &*self.detail {
            "" => self.kind.title.to_owned(),
            detail => format!("{} ({detail})", self.kind.title),
        }
    }
}

/// Reads the kind of a difference by its id.
fn by_id<'de, D: Deserializer<'de>>(difference: D) -> Result<&'static DifferenceKind, D::Error> {
    #[derive(Deserialize)]
    struct Id {
        kind: String,
    }
    let id = Id::deserialize(difference)?.kind;
    find(&id).ok_or_else(|| D::Error::custom(format!("unknown kind of difference `{id}`")))
}

#[derive(Template)]
#[template(path = "compare.txt", escape = "none")]
struct TextReport<'r> {
    report: &'r CompareReport,
}

/// Examples of each difference in the text; the other formats have all of them.
const EXAMPLES: usize = 2;
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

#[derive(Template)]
#[template(path = "compare.html", escape = "none")]
struct HtmlReport<'r> {
    report: &'r CompareReport,
}
