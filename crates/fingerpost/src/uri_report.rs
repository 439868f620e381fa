//! Output shared by `fingerpost uri`, `urn` and `convert`: faults with their positions, rows of
//! components, lines of input.

use std::io::{self, Write};
use std::ops::Range;
use std::process::ExitCode;

use fingerpost_identify::Finding;
use fingerpost_resolver::ascii_form;
use fingerpost_uri::urn::{Mode, Urn, UrnError, UrnErrorKind};
use fingerpost_uri::{
    Component, Delimiter, ErrorKind, ParseError, Typed, encode, hide_password, password_span,
};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::input_lines::{Lines, unreadable};
use crate::output::{self, ERROR, NOTE, WARNING, printable};
use crate::shared_args::{Passwords, ReportFormat};
use crate::underline::underline;

/// Exit status if an input is invalid, or two are not equal.
const INVALID: u8 = 1;

/// Returns why `text` is not a URI reference.
pub(crate) fn uri_finding(text: &str, error: &ParseError) -> Finding {
    let (kind, component, offset) = (error.kind(), error.component(), error.span().start);
    let rest = text.get(offset..).unwrap_or_default();
    let (message, help, length) = match kind {
        ErrorKind::UnexpectedCharacter => (
            format!("expected a character of the {component}, found {}", first(rest)),
            match component {
                _ if ascii_form(text).is_some() => {
                    let uri = ascii_form(text).unwrap_or_default();
                    format!("this is an international address; its URI is {}", hide_password(&uri))
                }
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
    let (kind, offset) = (error.kind(), error.span().start);
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

/// Returns the notes on what is left out of an input (URI-EXT-05), and on its conversion to ASCII.
pub(crate) fn note(input: &Typed<'_>) -> Vec<String> {
    let left_out: Vec<&str> = input.left_out().map(Delimiter::as_str).collect();
    let note = || format!("read without {}", left_out.join(", "));
    let left_out = (!left_out.is_empty()).then(note);
    let converted = || format!("an international address, read as {}", hide_password(input.text()));
    left_out.into_iter().chain(input.is_converted().then(converted)).collect()
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

/// Advice on a percent sign that does not begin a triplet.
const PERCENT: &str = "a percent sign itself is written %25";

/// Returns the first character of `rest`, for a message.
pub(crate) fn first(rest: &str) -> String {
    rest.chars().next().map_or_else(|| "the end".to_owned(), |char| format!("\"{char}\""))
}

/// Returns how the first character of `rest` is written in a URI.
pub(crate) fn how_to_encode(rest: &str) -> String {
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
