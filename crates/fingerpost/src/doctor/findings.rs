//! What was found, and the report of it.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, WARNING, counted, printable};
use crate::shared_args::ReportFormat;

/// Exit statuses, as plugins of monitoring systems have them.
const WARNINGS: u8 = 1;
const FAULTS: u8 = 2;

/// Everything that was found, in the order of the checks.
#[derive(Default)]
pub(super) struct Findings(Vec<Finding>);

/// The result of one check.
#[derive(Serialize)]
struct Finding {
    check: &'static str,
    state: State,
    finding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Good,
    Warning,
    Fault,
}

impl Findings {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds that something is as it should be.
    pub(super) fn good(&mut self, check: &'static str, finding: impl Display) {
        self.0.push(Finding { check, state: State::Good, finding: finding.to_string(), fix: None });
    }

    /// Adds what works now, and may not later.
    pub(super) fn warning(
        &mut self,
        check: &'static str,
        finding: impl Display,
        fix: impl Into<String>,
    ) {
        self.add(check, State::Warning, finding, fix);
    }

    /// Adds what does not work.
    pub(super) fn fault(
        &mut self,
        check: &'static str,
        finding: impl Display,
        fix: impl Into<String>,
    ) {
        self.add(check, State::Fault, finding, fix);
    }

    fn add(
        &mut self,
        check: &'static str,
        state: State,
        finding: impl Display,
        fix: impl Into<String>,
    ) {
        let fix = Some(fix.into()).filter(|fix| !fix.is_empty());
        self.0.push(Finding { check, state, finding: finding.to_string(), fix });
    }

    #[cfg(test)]
    pub(super) fn faults(&self) -> usize {
        self.0.iter().filter(|finding| finding.state == State::Fault).count()
    }

    /// Writes the report; returns the status of the worst finding.
    pub(super) fn report(&self, format: ReportFormat) -> Result<ExitCode, Failure> {
        let worst = self.0.iter().map(|finding| finding.state).max().unwrap_or(State::Good);
        let count = |state| self.0.iter().filter(|finding| finding.state == state).count() as u64;
        let (faults, warnings) = (count(State::Fault), count(State::Warning));
        let mut out = output::stdout();
        match format {
            ReportFormat::Json => {
                let document = json!({ "state": worst, "faults": faults, "warnings": warnings, "findings": self.0 });
                writeln!(out, "{document}")?;
            }
            ReportFormat::Text => {
                for Finding { check, state, finding, fix } in &self.0 {
                    // The cause of a fault in a file has the line of the file below it.
                    let lines: Vec<_> = finding.lines().map(printable).collect();
                    let finding = lines.join("\n        ");
                    match state {
                        State::Good => {
                            writeln!(out, "{GOOD}good{GOOD:#}    {check}: {finding}")?;
                        }
                        State::Warning => {
                            writeln!(out, "{WARNING}warning{WARNING:#} {check}: {finding}")?;
                        }
                        State::Fault => {
                            writeln!(out, "{ERROR}fault{ERROR:#}   {check}: {finding}")?;
                        }
                    }
                    if let Some(fix) = fix {
                        writeln!(out, "        {NOTE}help{NOTE:#}: {}", printable(fix))?;
                    }
                }
                if worst == State::Good {
                    writeln!(out, "nothing is wrong")?;
                } else {
                    writeln!(
                        out,
                        "{}, {}",
                        counted(faults, "fault"),
                        counted(warnings, "warning")
                    )?;
                }
            }
        }
        out.flush()?;
        Ok(match worst {
            State::Good => ExitCode::SUCCESS,
            State::Warning => ExitCode::from(WARNINGS),
            State::Fault => ExitCode::from(FAULTS),
        })
    }
}
