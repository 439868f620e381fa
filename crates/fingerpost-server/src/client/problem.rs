//! Problems reported by a server (RFC 9457), with advice on what to do next.

use std::io::Write;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::address::Address;
use super::answer::ApiAnswer;
use crate::args::ReportFormat;
use crate::failure::Failure;
use crate::output::{self, ERROR, NOTE, STRONG, printable};

/// Exit status if the server found faults.
const JUDGED: u8 = 1;

/// The code of the problem that a sign-in needs a second factor.
const CODE_REQUIRED: &str = "code-required";

/// The code of the problem that a name, a password or a code is wrong.
const SIGN_IN_REFUSED: &str = "sign-in-refused";

/// The reason why a request failed.
#[derive(Debug)]
pub(super) enum Stop {
    /// The request has faults (status 1).
    Judged(Box<ApiProblem>),
    /// The request could not be carried out (status 2).
    Failure(Failure),
}

/// The members of a received problem document that are shown.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ApiProblem {
    pub(super) status: u16,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ApiFault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    #[serde(skip)]
    revision: Option<String>,
    #[serde(skip)]
    ours: bool,
    /// Name of the file that the line numbers in the pointers refer to.
    #[serde(skip)]
    file: Option<String>,
}

/// One fault, with its place.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ApiFault {
    pub(super) pointer: String,
    pub(super) id: String,
    pub(super) detail: String,
}

impl Default for ApiFault {
    fn default() -> Self {
        Self { pointer: String::new(), id: String::new(), detail: "no reason was told".to_owned() }
    }
}

impl Stop {
    /// Returns whether a sign-in needs a code of the second factor, too.
    pub(super) fn is_code_required(&self) -> bool {
        matches!(self, Self::Judged(problem) if problem.code.as_deref() == Some(CODE_REQUIRED))
    }
}

impl Stop {
    /// Returns the code of the problem that the server reported.
    pub(super) fn code(&self) -> Option<&str> {
        match self {
            Self::Judged(problem) => problem.code.as_deref(),
            Self::Failure(_) => None,
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failure(error.into())
    }
}

impl ApiProblem {
    /// Reads the problem from an unsuccessful answer.
    pub(super) fn of(answer: &ApiAnswer, address: &Address) -> Self {
        let is_problem = answer
            .header("content-type")
            .is_some_and(|media_type| media_type.starts_with("application/problem+json"));
        let read = serde_json::from_slice::<Self>(answer.body()).ok().filter(|_| is_problem);
        let revision = answer.header("etag").map(|etag| etag.trim_matches('"').to_owned());
        match read {
            // The public side sends problems too; only those of the admin side have an id.
            Some(problem) => Self {
                ours: problem.request_id.is_some(),
                status: answer.status(),
                revision,
                ..problem
            },
            None => Self {
                status: answer.status(),
                title: format!("{address} answered with status {}", answer.status()),
                ..Self::default()
            },
        }
    }

    /// Creates a problem from a fault that was found before anything was sent.
    pub(super) fn local(title: impl Into<String>, fault: ApiFault) -> Self {
        Self { title: title.into(), errors: vec![fault], ours: true, ..Self::default() }
    }

    /// Converts pointers of a change of many levels: they begin with the place of a level, from 1.
    pub(super) fn of_keys<'k>(mut self, key_of: impl Fn(u64) -> Option<&'k str>) -> Self {
        if self.code.as_deref() == Some("batch-refused") {
            for fault in &mut self.errors {
                let (row, rest) = split_row(&fault.pointer);
                if let Some(key) = row.parse().ok().and_then(&key_of) {
                    fault.detail = format!("{key}: {}", fault.detail);
                    fault.pointer = rest.to_owned();
                }
            }
        }
        self
    }

    /// Converts pointers of a batch: they begin with a row number, which corresponds to a line of a file.
    pub(super) fn in_rows(mut self, file: &str, line_of: impl Fn(u64) -> u64) -> Self {
        if self.code.as_deref() != Some("batch-refused") {
            return self;
        }
        for fault in &mut self.errors {
            let (row, rest) = split_row(&fault.pointer);
            if let Ok(row) = row.parse() {
                fault.pointer = format!("/{}{rest}", line_of(row));
            }
        }
        self.file = Some(file.to_owned());
        self
    }

    /// Converts the problem into an error. Its cause determines the exit status.
    pub(super) fn into_stop(self, address: &Address) -> Stop {
        let advice = match self.status {
            401 if self.code.as_deref() == Some(CODE_REQUIRED) => {
                return Stop::Judged(Box::new(self));
            }
            400 | 404 | 409 | 412 | 413 | 415 | 422 if self.ours => {
                return Stop::Judged(Box::new(self));
            }
            401 if self.code.as_deref() == Some(SIGN_IN_REFUSED) => {
                "check name and password; after some tries wait a minute".to_owned()
            }
            401 => format!("sign in with `fingerpost login {address}`; the key may have expired"),
            403 => "ask an admin of the organisation for the right, or use another key".to_owned(),
            429 => "wait a minute, then repeat".to_owned(),
            500.. if self.ours => match &self.request_id {
                Some(id) => format!("look for {} in the server's log", printable(id)),
                None => "look at the server's log".to_owned(),
            },
            _ => "check the address: is it that of an admin listener?".to_owned(),
        };
        let what = printable(self.detail.as_deref().unwrap_or(&self.title));
        Stop::Failure(Failure::advise(what, advice))
    }

    /// Returns what is wrong, in one line.
    pub(super) fn text(&self) -> String {
        printable(self.detail.as_deref().unwrap_or(&self.title))
    }

    /// Shows the problem: on standard error as text, or on standard output as a line of JSON.
    fn show(&self, format: ReportFormat) -> std::io::Result<()> {
        if format == ReportFormat::Json {
            let mut out = output::stdout();
            writeln!(out, "{}", serde_json::to_string(self)?)?;
            return out.flush();
        }
        let mut err = anstream::stderr().lock();
        let what = match (self.errors.len(), &self.detail) {
            (0, Some(detail)) => printable(detail),
            (0, None) => printable(&self.title),
            (1, _) => format!("1 fault: {}", printable(&self.title)),
            (faults, _) => format!("{faults} faults: {}", printable(&self.title)),
        };
        writeln!(err, "{ERROR}error{ERROR:#}: {what}")?;
        let mut line = "";
        for fault in &self.errors {
            let Some(file) = &self.file else {
                writeln!(err, "{}", fault.line())?;
                continue;
            };
            let (row, rest) = split_row(&fault.pointer);
            if row != line {
                let row = printable(row);
                writeln!(err, "{STRONG}{file}:{row}{STRONG:#}: {ERROR}refused{ERROR:#}")?;
                line = split_row(&fault.pointer).0;
            }
            writeln!(err, "{}", fault.line_at(rest))?;
        }
        if let Some(next) = self.next() {
            writeln!(err, "  {NOTE}help{NOTE:#}: {next}")?;
        }
        Ok(())
    }

    fn next(&self) -> Option<String> {
        Some(match self.status {
            404 => "`fingerpost list` shows what you may see".to_owned(),
            412 => match &self.revision {
                Some(now) => format!(
                    "it has revision {} now: `fingerpost get` shows it; merge, then --if-match that",
                    printable(now)
                ),
                None => {
                    "`fingerpost get` shows what is there now: merge, then --if-match its revision"
                        .to_owned()
                }
            },
            413 => {
                "send fewer records at a time, or `fingerpost import` where the data is".to_owned()
            }
            400 | 422 if !self.errors.is_empty() => {
                "fix the listed faults and repeat; nothing was changed".to_owned()
            }
            _ => return None,
        })
    }
}

impl ApiFault {
    /// Returns the place, what was expected and found, and the rule.
    pub(super) fn line(&self) -> String {
        self.line_at(&self.pointer)
    }

    /// Returns the same fault with another place.
    fn line_at(&self, pointer: &str) -> String {
        let (pointer, id) = (printable(pointer), printable(&self.id));
        let colon = if pointer.is_empty() { "" } else { ": " };
        let rule = if id.is_empty() { id } else { format!(" {NOTE}[{id}]{NOTE:#}") };
        format!("  {pointer}{colon}{}{rule}", printable(&self.detail))
    }
}

/// Returns the first member of a pointer, and the rest.
fn split_row(pointer: &str) -> (&str, &str) {
    let pointer = pointer.strip_prefix('/').unwrap_or(pointer);
    pointer.split_at(pointer.find('/').unwrap_or(pointer.len()))
}

/// Ends a command after showing the faults.
pub(super) fn conclude(
    result: Result<ExitCode, Stop>,
    format: ReportFormat,
) -> Result<ExitCode, Failure> {
    match result {
        Ok(status) => Ok(status),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Judged(problem)) => {
            problem.show(format)?;
            Ok(ExitCode::from(JUDGED))
        }
    }
}
