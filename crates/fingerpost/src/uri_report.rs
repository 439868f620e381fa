//! Output shared by `fingerpost uri`, `urn` and `convert`: faults with their positions, rows of
//! components, lines of input.

use std::io::{self, Write};
use std::ops::Range;
use std::process::ExitCode;

use fingerpost_identify::Finding;
pub(crate) use fingerpost_report::{
    finding_json, first, how_to_encode, notes as note, uri_finding, urn_finding,
};
use fingerpost_uri::{Typed, password_span};
use serde_json::Value;

use crate::failure::Failure;
use crate::input_lines::{Lines, unreadable};
use crate::output::{self, ERROR, NOTE, WARNING, printable};
use crate::shared_args::{Passwords, ReportFormat};
use crate::underline::underline;

/// Exit status if an input is invalid, or two are not equal.
const INVALID: u8 = 1;

/// Writes a finding as text; `of` names the argument, if there are several.
pub(crate) fn write_finding(
    finding: &Finding,
    input: &str,
    of: &str,
    passwords: Passwords,
    out: &mut impl Write,
) -> io::Result<()> {
    let of = if of.is_empty() { String::new() } else { format!("{of}: ") };
    let Finding { code, message, help, span, .. } = finding;
    let message = printable(message);
    writeln!(out, "{ERROR}error[{code}]{ERROR:#}: {of}{message}")?;
    let shown = passwords.of(input);
    writeln!(out, "{}", underline(&shown, shown_span(input, &shown, span)))?;
    if !help.is_empty() {
        writeln!(out, "  {NOTE}help{NOTE:#}: {help}")?;
    }
    Ok(())
}

/// Returns the position in `shown` of a position in `input`, from which a password may be missing.
fn shown_span(input: &str, shown: &str, span: &Range<usize>) -> Range<usize> {
    let Some(hidden) = password_span(input).filter(|_| shown != input) else { return span.clone() };
    let position = |at: usize| match at {
        at if at >= hidden.end => shown.len() - (input.len().max(at) - at),
        at => at.min(hidden.start),
    };
    position(span.start)..position(span.end)
}

/// Writes the note on what is left out of an input.
pub(crate) fn write_note(input: &Typed<'_>, out: &mut impl Write) -> io::Result<()> {
    note(input).iter().try_for_each(|note| writeln!(out, "{NOTE}note{NOTE:#}: {note}"))
}

/// Writes the notes on the arguments of a command whose result stands alone: on standard error, or
/// into the answer.
pub(crate) fn write_notes(inputs: &[&Typed<'_>], format: ReportFormat, answer: &mut Value) {
    match format {
        ReportFormat::Text => {
            let mut err = anstream::stderr().lock();
            // A closed standard error is not a reason to fail.
            let _ = inputs.iter().try_for_each(|input| write_note(input, &mut err));
        }
        ReportFormat::Json => {
            answer["notes"] = inputs.iter().flat_map(|input| note(input)).collect();
        }
    }
}

/// An argument that is not valid for its command.
#[derive(Debug)]
pub(crate) struct Refused<'a> {
    /// The argument's name in JSON; empty if the command has only one.
    pub(crate) argument: &'static str,
    pub(crate) input: &'a str,
    pub(crate) finding: Finding,
}

impl Refused<'_> {
    fn write(&self, passwords: Passwords, out: &mut impl Write) -> io::Result<()> {
        write_finding(&self.finding, self.input, self.argument, passwords, out)
    }
}

/// Returns what was read from two arguments, or why those that are not valid are refused.
pub(crate) fn both<'a, A, B, E>(
    arguments: [(&'static str, &'a str); 2],
    read: (Result<A, E>, Result<B, E>),
    finding: impl Fn(&str, &E) -> Finding,
) -> Result<(A, B), Vec<Refused<'a>>> {
    let errors = match read {
        (Ok(a), Ok(b)) => return Ok((a, b)),
        (a, b) => [a.err(), b.err()],
    };
    let refused = arguments.into_iter().zip(errors).filter_map(|((argument, input), error)| {
        Some(Refused { argument, input, finding: finding(input, &error?) })
    });
    Err(refused.collect())
}

/// Reports why a command has no result: as text on standard error, so that standard output stays
/// empty; as JSON by `answer`, an object that repeats the arguments.
pub(crate) fn refuse(
    refused: &[Refused<'_>],
    passwords: Passwords,
    format: ReportFormat,
    mut answer: Value,
    out: &mut impl Write,
) -> Result<ExitCode, Failure> {
    match format {
        ReportFormat::Text => {
            let mut err = anstream::stderr().lock();
            // A closed standard error is not a reason to fail with another error.
            let _ = refused.iter().try_for_each(|one| one.write(passwords, &mut err));
        }
        ReportFormat::Json => {
            let fault = |refused: &Refused<'_>| {
                let mut value = finding_json(&refused.finding);
                if !refused.argument.is_empty() {
                    value["of"] = refused.argument.into();
                }
                value
            };
            answer["valid"] = false.into();
            answer["faults"] = refused.iter().map(fault).collect();
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
    }
    Ok(ExitCode::from(INVALID))
}

/// Returns the exit status for a result.
pub(crate) fn status(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::from(INVALID) }
}

/// Writes a report on each input with `report`, which returns whether the input is valid; in text,
/// after a note on what is left out of it, and an empty line between inputs.
pub(crate) fn report_each(
    inputs: &[String],
    format: ReportFormat,
    mut report: impl FnMut(&Typed<'_>, &mut output::Stdout) -> io::Result<bool>,
) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let mut is_first = true;
    let status = judge_each(inputs, |input| {
        if format == ReportFormat::Text {
            if !is_first {
                writeln!(out)?;
            }
            write_note(input, &mut out)?;
        }
        is_first = false;
        report(input, &mut out)
    })?;
    out.flush()?;
    Ok(status)
}

/// Passes every input, without delimiters, to `judge`, which returns whether it is valid; `-`
/// represents the lines of standard input.
pub(crate) fn judge_each<E: Into<Failure>>(
    inputs: &[String],
    mut judge: impl FnMut(&Typed<'_>) -> Result<bool, E>,
) -> Result<ExitCode, Failure> {
    let mut all_valid = true;
    for input in inputs {
        if input == "-" {
            let mut lines = Lines::new(io::stdin().lock()).map_err(|error| unreadable(&error))?;
            let mut is_nothing = true;
            while let Some(line) = lines.next().map_err(|error| unreadable(&error))? {
                if !line.is_empty() {
                    is_nothing = false;
                    all_valid &= judge(&Typed::new(line)).map_err(Into::into)?;
                }
            }
            if is_nothing {
                let note = "standard input had nothing to read: expected one input per line";
                output::print_aside(format_args!("{NOTE}note{NOTE:#}: {note}"));
            }
        } else {
            all_valid &= judge(&Typed::new(input)).map_err(Into::into)?;
        }
    }
    Ok(status(all_valid))
}

/// Writes one component: nothing if it is undefined, `<empty>` (which no URI contains) if it is
/// defined but empty.
pub(crate) fn row(
    out: &mut impl Write,
    name: &str,
    value: Option<&str>,
    note: &str,
) -> io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let note = if note.is_empty() { String::new() } else { format!("  ({note})") };
    match value {
        "" => writeln!(out, "  {name:15} {NOTE}<empty>{NOTE:#}{note}"),
        value => writeln!(out, "  {name:15} {}{note}", printable(value)),
    }
}

/// Writes a warning, which is not a fault.
pub(crate) fn warn(code: &str, message: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{WARNING}warning[{code}]{WARNING:#}: {message}")
}
