//! Output shared by `fingerpost uri`, `urn` and `convert`: faults with their places, rows of components, lines of input.

use std::io::{self, Write};
use std::process::ExitCode;

use fingerpost_identify::Finding;
use fingerpost_uri::urn::{Mode, Urn, UrnError, UrnErrorKind};
use fingerpost_uri::{Component, ErrorKind, ParseError, encode};
use serde_json::{Value, json};

use crate::args::ReportFormat;
use crate::check::{Lines, underline, unreadable};
use crate::failure::Failure;
use crate::output::{ERROR, NOTE, WARNING, printable};

/// Exit status if an input is invalid, or two are not equal.
const INVALID: u8 = 1;

/// Returns why `text` is not a URI reference.
pub(crate) fn uri_finding(text: &str, error: &ParseError) -> Finding {
    let (kind, component, offset) = (error.kind(), error.component(), error.offset());
    let rest = text.get(offset..).unwrap_or_default();
    let (message, help, length) = match kind {
        ErrorKind::UnexpectedCharacter => (
            format!("expected a character of the {component}, found {}", first(rest)),
            match component {
                Component::Port => "a port is a number".to_owned(),
                Component::Scheme => String::new(),
                _ => how_to_encode(rest),
            },
            1,
        ),
        ErrorKind::InvalidTriplet => (error.to_string(), PERCENT.to_owned(), triplet(rest)),
        ErrorKind::InvalidIpLiteral => {
            let length = rest.find(']').map_or(1, |bracket| bracket + 1);
            (error.to_string(), String::new(), length)
        }
        ErrorKind::MissingScheme => (
            error.to_string(),
            "begin with a scheme and a colon, such as https:".to_owned(),
            text.len(),
        ),
        _ => (error.to_string(), String::new(), 1),
    };
    Finding::of_form(kind.code(), message, help, offset..offset + length)
}

/// Returns why `text` is not a URN in `mode`.
pub(crate) fn urn_finding(text: &str, mode: Mode, error: &UrnError) -> Finding {
    let (kind, offset) = (error.kind(), error.offset());
    let rest = text.get(offset..).unwrap_or_default();
    let (message, help, length) = match kind {
        UrnErrorKind::UnexpectedCharacter => {
            (format!("expected a character of URNs, found {}", first(rest)), how_to_encode(rest), 1)
        }
        UrnErrorKind::InvalidTriplet => (error.to_string(), PERCENT.to_owned(), triplet(rest)),
        UrnErrorKind::Nul => (error.to_string(), String::new(), 3),
        UrnErrorKind::Scheme => {
            (format!("expected urn: and a namespace, found {}", first(rest)), String::new(), 1)
        }
        UrnErrorKind::ReservedNid => (error.to_string(), String::new(), "urn".len()),
        UrnErrorKind::Directive => {
            let end = rest.find(['&', '#']).unwrap_or(rest.len());
            (error.to_string(), String::new(), end)
        }
        _ => (error.to_string(), String::new(), 1),
    };
    let help = other_mode(text, mode).map_or(help, str::to_owned);
    Finding::of_form(kind.code(), message, help, offset..offset + length)
}

/// Writes a finding as text; `of` names the argument, if there are several.
pub(crate) fn write_finding(
    finding: &Finding,
    input: &str,
    of: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let of = if of.is_empty() { String::new() } else { format!("{of}: ") };
    let Finding { code, message, help, span, .. } = finding;
    let message = printable(message);
    writeln!(out, "{ERROR}error[{code}]{ERROR:#}: {of}{message}")?;
    writeln!(out, "{}", underline(input, span.clone()))?;
    if !help.is_empty() {
        writeln!(out, "  {NOTE}help{NOTE:#}: {help}")?;
    }
    Ok(())
}

/// Returns a finding as a JSON object.
pub(crate) fn finding_json(finding: &Finding) -> Value {
    let Finding { code, message, help, span, .. } = finding;
    json!({
        "code": code,
        "message": message,
        "help": help,
        "span": {"start": span.start, "end": span.end},
    })
}

/// An argument that is not valid for its command.
#[derive(Debug)]
pub(crate) struct Refused<'a> {
    /// The argument's name in JSON; empty if the command has only one.
    pub(crate) argument: &'static str,
    pub(crate) input: &'a str,
    pub(crate) finding: Finding,
}

/// Reports why a command has no result: as text on standard error, so that standard output stays empty; as JSON by `answer`, an object
/// that repeats the arguments.
pub(crate) fn refuse(
    refused: &[Refused<'_>],
    format: ReportFormat,
    mut answer: Value,
    out: &mut impl Write,
) -> Result<ExitCode, Failure> {
    match format {
        ReportFormat::Text => {
            let mut err = anstream::stderr().lock();
            for Refused { argument, input, finding } in refused {
                // A closed standard error is not a reason to fail with another error.
                let _ = write_finding(finding, input, argument, &mut err);
            }
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

/// Passes every input to `judge`, which returns whether it is valid; `-` represents the lines of standard input.
pub(crate) fn judge_each(
    inputs: &[String],
    mut judge: impl FnMut(&str) -> io::Result<bool>,
) -> Result<ExitCode, Failure> {
    let mut all_valid = true;
    for input in inputs {
        if input == "-" {
            let mut lines = Lines::new(io::stdin().lock());
            while let Some(line) = lines.next().map_err(|error| unreadable(&error))? {
                if !line.is_empty() {
                    all_valid &= judge(line)?;
                }
            }
        } else {
            all_valid &= judge(input)?;
        }
    }
    Ok(status(all_valid))
}

/// Writes one component: nothing if it is undefined, `<empty>` (which no URI contains) if it is defined but empty.
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

/// Advice on a percent sign that does not begin a triplet.
const PERCENT: &str = "a percent sign itself is written %25";

/// Returns the first character of `rest`, for a message.
fn first(rest: &str) -> String {
    rest.chars().next().map_or_else(|| "the end".to_owned(), |char| format!("\"{char}\""))
}

fn how_to_encode(rest: &str) -> String {
    let Some(char) = rest.chars().next() else { return String::new() };
    if char == char::REPLACEMENT_CHARACTER {
        return "the input may have held bytes that are no text".to_owned();
    }
    format!("percent-encoded it is {}", encode(char.encode_utf8(&mut [0; 4])))
}

/// Returns the number of bytes of an incomplete triplet.
fn triplet(rest: &str) -> usize {
    rest.len().min(3)
}

/// Returns advice to use the other document that defines URNs, if `text` is valid by that.
fn other_mode(text: &str, mode: Mode) -> Option<&'static str> {
    let (other, advice) = match mode {
        Mode::Draft => (Mode::Rfc8141, "by RFC 8141 it is valid: --mode rfc8141"),
        Mode::Rfc8141 => (Mode::Draft, "by the draft of 2012 it is valid: --mode draft"),
        Mode::Auto => return None,
    };
    Urn::parse(text, other).is_ok().then_some(advice)
}
