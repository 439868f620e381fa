//! The report of a run.

mod html;
mod json;
mod junit;
mod text;

pub(crate) use html::page_head;

use crate::check::{Check, Judgement, Obligation, Release};
use crate::escape::excerpt;
use crate::limits::MAX_EXCERPT;
use crate::message::Trial;
use crate::topics::Topic;

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The check.
    pub check: &'static Check,
    /// The result of all its observations.
    pub judgement: Judgement,
    /// The observation that determined the result.
    pub trial: Option<Trial>,
    /// The URI under test of this observation.
    pub subject: Option<String>,
}

/// The report of a run.
#[derive(Clone, Debug)]
pub struct ConformReport {
    /// The URIs under test.
    pub uris: Vec<String>,
    /// The release of the standard.
    pub standard: Release,
    /// The number of requests.
    pub requests: usize,
    /// The results, in the order of [`crate::checks`].
    pub results: Vec<CheckResult>,
}

impl ConformReport {
    /// Returns the number of results like this one: pass, fail, depends or not tried.
    pub fn count(&self, judgement: &Judgement) -> usize {
        self.number(judgement.as_str())
    }

    fn number(&self, word: &str) -> usize {
        self.results.iter().filter(|it| it.judgement.as_str() == word).count()
    }

    /// Returns the results of a topic.
    fn of_topic(&self, topic: &Topic) -> Vec<&CheckResult> {
        let is_of = |it: &&CheckResult| topic.checks.iter().any(|check| check.id == it.check.id);
        self.results.iter().filter(is_of).collect()
    }

    /// Whether a requirement of at least this obligation failed.
    pub fn has_failures(&self, obligation: Obligation) -> bool {
        let failed = |it: &CheckResult| matches!(it.judgement, Judgement::Fail(_));
        self.results.iter().any(|it| failed(it) && it.check.obligation >= obligation)
    }

    /// Returns one line with the number of each result.
    fn summary(&self) -> String {
        format!(
            "{} passed, {} failed, {} depend on the reading, {} not tried; {} requests, release {}",
            self.number("pass"),
            self.number("fail"),
            self.number("depends"),
            self.number("not-tried"),
            self.requests,
            self.standard.as_str()
        )
    }
}

impl CheckResult {
    /// Returns the relevant part of the answer: status, header and the beginning of the body.
    fn answer(&self) -> String {
        let Some(trial) = &self.trial else { return String::new() };
        let response = match &trial.response {
            Ok(response) => response,
            Err(error) => return format!("no answer: {}", excerpt(error, MAX_EXCERPT)),
        };
        let mut lines = vec![format!("status {}", response.status)];
        for (name, value) in response.headers.iter().take(50) {
            lines.push(format!("{name}: {}", excerpt(value, MAX_EXCERPT)));
        }
        if !response.body.is_empty() {
            // A character has at most four bytes.
            let beginning = &response.body[..response.body.len().min(MAX_EXCERPT * 4)];
            lines.push(String::new());
            lines.push(excerpt(&String::from_utf8_lossy(beginning), MAX_EXCERPT));
        }
        lines.join("\n")
    }

    /// Returns the request as a command.
    fn curl(&self) -> String {
        self.trial.as_ref().map(|trial| trial.request.curl()).unwrap_or_default()
    }
}
