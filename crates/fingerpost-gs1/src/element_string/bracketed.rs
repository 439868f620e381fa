//! Reads `(01)09520123456788(10)ABC`.
//!
//! ```text
//! string   = elements ["|" elements]
//! elements = 1*("(" AI ")" value)
//! value    = 1*(character except "(" / "\(")
//! ```
//!
//! The first `|` before a bracket separates the linear from the composite part of a composite
//! symbol; any other `|` is a character of a value, which no character set has. Lengths are checked
//! while the string is split into pieces, contents after that, associations last.

use alloc::borrow::Cow;

use super::{ElementString, FNC1, check_count, check_size};
use crate::Span;
use crate::ai::{Ai, AiEntry};
use crate::element::{Element, Elements};
use crate::error::{Error, ErrorKind};
use crate::findings::Report;
use crate::options::Options;
use crate::unknown_ai::entry_for;
use crate::value::{check_content, check_length};

/// Reads the whole string.
pub(super) fn read<'a>(
    text: &'a str,
    options: &Options,
    report: &mut impl Report,
) -> Result<ElementString<'a>, Error> {
    check_size(text)?;
    // The pieces are already elements but not checked yet: they leave this function only after
    // their contents are valid.
    let mut elements = Elements::new();
    let mut rest = Span { start: 0, end: text.len() };
    let mut is_linear = true;
    loop {
        check_count(&elements, rest.start)?;
        let (mut piece, next) = cut_piece(text, rest)?;
        if is_linear && !next.is_empty() && piece.ends_linear_part() {
            is_linear = false;
            piece.drop_last();
        }
        match check_piece(&piece, options) {
            Ok((ai, entry)) => elements.push(Element::new(ai, entry, piece.value, piece.span)),
            Err(error) => report.report(locate(error, text, piece.span))?,
        }
        if next.is_empty() {
            break;
        }
        rest = next;
    }
    for element in &elements {
        let value = element.value().as_bytes();
        if let Err(error) =
            check_content(element.ai(), element.entry(), value, options.custom_lookups())
        {
            report.report(locate(error, text, element.span()))?;
        }
    }
    ElementString::associate(elements, options, report)
}

/// `(AI)value` before any check.
struct Piece<'a> {
    digits: &'a str,
    digits_start: usize,
    value: Cow<'a, str>,
    /// The position of the value, including escapes.
    span: Span,
}

impl Piece<'_> {
    /// Returns whether the value ends in `|`, which is not part of it at the end of the linear
    /// part.
    fn ends_linear_part(&self) -> bool {
        self.value.ends_with('|')
    }

    fn drop_last(&mut self) {
        self.span.end -= 1;
        match &mut self.value {
            Cow::Borrowed(value) => *value = &value[..value.len() - 1],
            Cow::Owned(value) => drop(value.pop()),
        }
    }
}

/// Splits the next piece off `rest` of `text`; the second result is the remainder.
fn cut_piece(text: &str, rest: Span) -> Result<(Piece<'_>, Span), Error> {
    let here = &text[rest.start..];
    let syntax = |at: usize, end: usize| {
        let found = Span { start: rest.start + at, end: rest.start + end };
        Error::new(ErrorKind::BracketSyntax, found).with_found(&here.as_bytes()[at..end])
    };
    let Some(inside) = here.strip_prefix('(') else {
        return Err(syntax(0, here.find('(').unwrap_or(here.len())));
    };
    let Some(close) = inside.find(')') else {
        return Err(syntax(0, here.len()));
    };
    let (digits, value_start) = (&inside[..close], close + 2);
    if value_start == here.len() {
        return Err(syntax(here.len(), here.len()));
    }
    let (length, escapes) = value_length(&here.as_bytes()[value_start..]);
    let next = Span { start: rest.start + value_start + length, end: rest.end };
    let raw = &here[value_start..value_start + length];
    let piece = Piece {
        digits,
        digits_start: rest.start + 1,
        value: if escapes { Cow::Owned(raw.replace("\\(", "(")) } else { Cow::Borrowed(raw) },
        span: Span::from_length(rest.start + value_start, raw.len()),
    };
    Ok((piece, next))
}

/// Returns the number of bytes up to the next bracket that is not escaped, and whether there are
/// escapes before it.
fn value_length(rest: &[u8]) -> (usize, bool) {
    let mut escapes = false;
    for (at, &byte) in rest.iter().enumerate() {
        if byte == b'(' {
            if at == 0 || rest[at - 1] != b'\\' {
                return (at, escapes);
            }
            escapes = true;
        }
    }
    (rest.len(), escapes)
}

/// Checks that the Application Identifier is known, the length of the value, and that it contains
/// no FNC1.
fn check_piece(piece: &Piece<'_>, options: &Options) -> Result<(Ai, &'static AiEntry), Error> {
    let (ai, entry) = known_ai(piece, options)?;
    let value = piece.value.as_bytes();
    if value.is_empty() {
        let kind = ErrorKind::ValueTooShort { min: u16::from(entry.min_length), found: 0 };
        return Err(Error::new(kind, piece.span).with_ai(ai));
    }
    check_length(ai, entry, value).map_err(|error| error.with_span(piece.span))?;
    if let Some(at) = value.iter().position(|byte| FNC1.contains(byte)) {
        return Err(Error::new(ErrorKind::Fnc1InValue, piece.span)
            .with_ai(ai)
            .with_value_span(Span::from_length(at, 1))
            .with_found(&value[at..=at]));
    }
    Ok((ai, entry))
}

fn known_ai(piece: &Piece<'_>, options: &Options) -> Result<(Ai, &'static AiEntry), Error> {
    let span = Span::from_length(piece.digits_start, piece.digits.len());
    let unknown = || Error::new(ErrorKind::UnknownAi, span).with_found(piece.digits.as_bytes());
    let ai = Ai::new(piece.digits).ok_or_else(unknown)?;
    let entry = entry_for(ai, options).ok_or_else(|| unknown().with_ai(ai))?;
    Ok((ai, entry))
}

/// Maps an error from the decoded value to the input, where escapes take two bytes. An error that
/// is not about a part of the value is unchanged.
fn locate(error: Error, text: &str, value: Span) -> Error {
    let Some(span) = error.value_span() else {
        return error;
    };
    let raw = &text.as_bytes()[value.start..value.end];
    let position = |wanted: usize| {
        let (mut at, mut decoded) = (0, 0);
        while at < raw.len() && decoded < wanted {
            at += if raw[at..].starts_with(b"\\(") { 2 } else { 1 };
            decoded += 1;
        }
        value.start + at
    };
    error.with_span(Span { start: position(span.start), end: position(span.end) })
}
