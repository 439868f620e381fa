//! Faults, warnings and notes as JSON, and the findings about URIs and URNs (RFC 3986, RFC 8141).

use std::borrow::Cow;

use fingerpost_identify::Finding;
use fingerpost_uri::urn::{Mode, Urn, UrnError, UrnErrorKind};
use fingerpost_uri::{Component, Delimiter, ErrorKind, ParseError, Typed, encode, hide_password};
use serde_json::{Value, json};

use crate::international::ascii_form;

/// Returns a URI or other text as it is shown: its password as `***`, unless passwords are shown
/// (RFC 3986, sections 3.2.1 and 7.5).
#[must_use]
pub fn shown(text: &str, passwords: bool) -> Cow<'_, str> {
    if passwords { Cow::Borrowed(text) } else { hide_password(text) }
}

/// Returns a finding as a JSON object.
pub fn finding_json(finding: &Finding) -> Value {
    let Finding { code, message, help, span, .. } = finding;
    json!({
        "code": code,
        "message": message,
        "help": help,
        "span": {"start": span.start, "end": span.end},
    })
}

/// Returns the notes on what is left out of an input (URI-EXT-05), and on its conversion to ASCII.
pub fn notes(input: &Typed<'_>) -> Vec<String> {
    let left_out: Vec<&str> = input.left_out().map(Delimiter::as_str).collect();
    let note = || format!("read without {}", left_out.join(", "));
    let left_out = (!left_out.is_empty()).then(note);
    let converted = || format!("an international address, read as {}", hide_password(input.text()));
    left_out.into_iter().chain(input.is_converted().then(converted)).collect()
}

/// Returns why `text` is not a URI reference.
pub fn uri_finding(text: &str, error: &ParseError) -> Finding {
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
pub fn urn_finding(text: &str, mode: Mode, error: &UrnError) -> Finding {
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

/// Advice on a percent sign that does not begin a triplet.
const PERCENT: &str = "a percent sign itself is written %25";

/// Returns the first character of `rest`, for a message.
#[must_use]
pub fn first(rest: &str) -> String {
    rest.chars().next().map_or_else(|| "the end".to_owned(), |char| format!("\"{char}\""))
}

/// Returns how the first character of `rest` is written in a URI.
#[must_use]
pub fn how_to_encode(rest: &str) -> String {
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
