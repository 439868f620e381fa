//! Shows the problems that a server reports (RFC 9457), with advice on what to do next.

use std::io::Write;
use std::process::ExitCode;

use fingerpost_registry::Fault;
use fingerpost_server::client::{ApiProblem, CallError, code};

use crate::failure::Failure;
use crate::output::{self, ERROR, NOTE, STRONG, printable};
use crate::shared_args::ReportFormat;

/// Exit status if the server found faults.
const JUDGED: u8 = 1;

/// The reason why a command ends.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The request has faults (status 1).
    Refused(Box<Refusal>),
    /// The request could not be carried out (status 2).
    Failure(Failure),
}

/// A problem, and the file that its faults are in.
#[derive(Debug)]
pub(crate) struct Refusal {
    problem: ApiProblem,
    /// Name of the file that the line numbers in the pointers refer to.
    file: Option<String>,
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Problem(problem) => {
                Self::Refused(Box::new(Refusal { problem: *problem, file: None }))
            }
            CallError::Failure(failure) => Self::Failure(failure.into()),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<fingerpost_server::Failure> for Stop {
    fn from(failure: fingerpost_server::Failure) -> Self {
        Self::Failure(failure.into())
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failure(error.into())
    }
}

impl Stop {
    /// Creates a problem from a fault that was found before anything was sent.
    pub(super) fn local(title: impl Into<String>, fault: Fault) -> Self {
        let problem =
            ApiProblem { title: title.into(), errors: vec![fault], ..ApiProblem::default() };
        Self::Refused(Box::new(Refusal { problem, file: None }))
    }

    /// Converts pointers of a change of many levels: they begin with the number of a level, from 1.
    pub(super) fn of_keys<'k>(error: CallError, key_of: impl Fn(u64) -> Option<&'k str>) -> Self {
        let mut stop = Self::from(error);
        for fault in stop.row_faults() {
            let (row, rest) = split_row(fault.pointer());
            if let Some(key) = row.parse().ok().and_then(&key_of) {
                let detail = format!("{key}: {}", fault.detail());
                *fault = Fault::new(rest, fault.id().to_owned(), detail);
            }
        }
        stop
    }

    /// Converts pointers of a batch: they begin with a row number, which corresponds to a line of a
    /// file.
    pub(super) fn in_rows(error: CallError, file: &str, line_of: impl Fn(u64) -> u64) -> Self {
        let mut stop = Self::from(error);
        for fault in stop.row_faults() {
            let (row, rest) = split_row(fault.pointer());
            if let Ok(row) = row.parse() {
                let pointer = format!("/{}{rest}", line_of(row));
                *fault = Fault::new(pointer, fault.id().to_owned(), fault.detail());
            }
        }
        if let Self::Refused(refusal) = &mut stop
            && refusal.problem.code.as_deref() == Some(code::BATCH_REFUSED)
        {
            refusal.file = Some(file.to_owned());
        }
        stop
    }

    /// Returns the faults of a refused batch.
    fn row_faults(&mut self) -> &mut [Fault] {
        match self {
            Self::Refused(refusal)
                if refusal.problem.code.as_deref() == Some(code::BATCH_REFUSED) =>
            {
                &mut refusal.problem.errors
            }
            _ => &mut [],
        }
    }
}

impl Refusal {
    /// Shows the problem: on standard error as text, or on standard output as a line of JSON.
    fn show(&self, format: ReportFormat) -> std::io::Result<()> {
        let problem = &self.problem;
        if format == ReportFormat::Json {
            let mut out = output::stdout();
            writeln!(out, "{}", serde_json::to_string(problem)?)?;
            return out.flush();
        }
        let mut err = anstream::stderr().lock();
        let what = match (problem.errors.len(), &problem.detail) {
            (0, Some(detail)) => printable(detail),
            (0, None) => printable(&problem.title),
            (1, _) => format!("1 fault: {}", printable(&problem.title)),
            (faults, _) => format!("{faults} faults: {}", printable(&problem.title)),
        };
        writeln!(err, "{ERROR}error{ERROR:#}: {what}")?;
        let mut line = "";
        for fault in &problem.errors {
            let Some(file) = &self.file else {
                writeln!(err, "{}", fault_line(fault))?;
                continue;
            };
            let (row, rest) = split_row(fault.pointer());
            if row != line {
                let row = printable(row);
                writeln!(err, "{STRONG}{file}:{row}{STRONG:#}: {ERROR}refused{ERROR:#}")?;
                line = split_row(fault.pointer()).0;
            }
            writeln!(err, "{}", fault_line_at(fault, rest))?;
        }
        if let Some(next) = self.next() {
            writeln!(err, "  {NOTE}help{NOTE:#}: {next}")?;
        }
        Ok(())
    }

    fn next(&self) -> Option<String> {
        Some(match self.problem.status {
            404 => "`fingerpost list` shows what you may see".to_owned(),
            412 => match &self.problem.revision {
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
            400 | 422 if !self.problem.errors.is_empty() => {
                "fix the listed faults and repeat; nothing was changed".to_owned()
            }
            _ => return None,
        })
    }
}

/// Returns the pointer of a fault, what is wrong, and the rule.
pub(super) fn fault_line(fault: &Fault) -> String {
    fault_line_at(fault, fault.pointer())
}

/// Returns the line of a fault with another pointer.
fn fault_line_at(fault: &Fault, pointer: &str) -> String {
    let (pointer, id) = (printable(pointer), printable(fault.id()));
    let colon = if pointer.is_empty() { "" } else { ": " };
    let rule = if id.is_empty() { id } else { format!(" {NOTE}[{id}]{NOTE:#}") };
    format!("  {pointer}{colon}{}{rule}", printable(fault.detail()))
}

/// Returns the first member of a pointer, and the rest.
fn split_row(pointer: &str) -> (&str, &str) {
    let pointer = pointer.strip_prefix('/').unwrap_or(pointer);
    pointer.split_at(pointer.find('/').unwrap_or(pointer.len()))
}

/// Ends a command after showing the faults.
pub(crate) fn conclude(
    result: Result<ExitCode, Stop>,
    format: ReportFormat,
) -> Result<ExitCode, Failure> {
    match result {
        Ok(status) => Ok(status),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Refused(refusal)) => {
            refusal.show(format)?;
            Ok(ExitCode::from(JUDGED))
        }
    }
}
