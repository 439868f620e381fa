//! Parses raw data, `^010952012345678810ABC^17271231`: the content of a symbol after its start.
//!
//! ```text
//! raw      = FNC1 elements ["|" FNC1 elements]
//! elements = 1*(AI value [FNC1])
//! FNC1     = "^" / GS
//! ```
//!
//! The first two digits determine the length of an Application Identifier. A value of predefined
//! length ends by itself, any other at FNC1 or the end. The first `|` before FNC1 separates the
//! linear from the composite part of a composite symbol; each part has elements, and may end in
//! FNC1. Any other `|` is a character of a value, which no character set has. A linear part without
//! FNC1, such as the digits of EAN/UPC, is not raw data: it is read as scan data,
//! `]E09520123456788|]e010ABC`.

use alloc::borrow::Cow;

use super::{ElementString, check_count, check_size};
use crate::Span;
use crate::ai::{Ai, AiEntry};
use crate::element::{Element, Elements};
use crate::error::{Error, ErrorKind};
use crate::findings::Report;
use crate::options::Options;
use crate::unknown_ai::entry_for;
use crate::value::{check_components, wrong_length};

/// The spellings of FNC1: a caret in examples, GS (0x1D) in transmitted data.
pub(crate) const FNC1: &[u8] = b"^\x1d";

/// Parses raw data with its leading FNC1.
pub(super) fn read<'a>(
    text: &'a str,
    options: &Options,
    report: &mut impl Report,
) -> Result<ElementString<'a>, Error> {
    check_size(text)?;
    let start = match text.as_bytes().first() {
        Some(first) if FNC1.contains(first) => 1,
        Some(_) if options.allows_missing_fnc1() => 0,
        first => {
            let found = first.map_or(&[][..], core::slice::from_ref);
            let span = Span::from_length(0, found.len());
            return Err(Error::new(ErrorKind::NoLeadingFnc1, span).with_found(found));
        }
    };
    let (linear, composite) = parts(text, start);
    let mut elements = Elements::new();
    read_elements(linear, start, &mut elements, options, report)?;
    if let Some(start) = composite {
        read_elements(text, start, &mut elements, options, report)?;
    }
    ElementString::associate(elements, options, report)
}

/// Returns the text up to the end of the linear part, which begins at `start`, and where the
/// composite part begins.
fn parts(text: &str, start: usize) -> (&str, Option<usize>) {
    let bytes = text.as_bytes();
    let is_end = |at: &usize| {
        bytes[*at] == b'|' && bytes.get(at + 1).is_some_and(|next| FNC1.contains(next))
    };
    match (start..bytes.len()).find(is_end) {
        Some(at) => (&text[..at], Some(at + 2)),
        None => (text, None),
    }
}

/// Parses elements from `start` of `text` to its end and appends them to `elements`.
pub(crate) fn read_elements<'a>(
    text: &'a str,
    start: usize,
    elements: &mut Elements<'a>,
    options: &Options,
    report: &mut impl Report,
) -> Result<(), Error> {
    let bytes = text.as_bytes();
    if start == bytes.len() {
        return Err(Error::new(ErrorKind::NoData, Span::from_length(start, 0)));
    }
    let mut at = start;
    while at < bytes.len() {
        check_count(elements, at)?;
        let (ai, entry) = read_ai(bytes, at, options)?;
        at += ai.digit_count();
        let region = value_region(bytes, at, entry);
        match check_value(ai, entry, region, options) {
            Ok(()) => {
                // The bytes passed a character set, so they are ASCII and this cannot fail.
                let value = text.get(at..at + region.len()).unwrap_or_default();
                let span = Span::from_length(at, value.len());
                elements.push(Element::new(ai, entry, Cow::Borrowed(value), span));
            }
            Err(error) => report.report(error.shifted(at))?,
        }
        at += region.len();
        // One FNC1 at the very end is accepted as well.
        at += usize::from(bytes.get(at).is_some_and(|next| FNC1.contains(next)));
    }
    Ok(())
}

/// Returns the Application Identifier at `at`.
fn read_ai(bytes: &[u8], at: usize, options: &Options) -> Result<(Ai, &'static AiEntry), Error> {
    let rest = &bytes[at..];
    let length = rest.first_chunk().and_then(|prefix| Ai::length_for_prefix(*prefix));
    // Without a known prefix the length is unknown; the error shows the possible characters.
    let digits = &rest[..length.unwrap_or(4).min(rest.len())];
    let ai = Ai::from_digits(digits);
    let known = ai.filter(|_| length.is_some());
    if let Some(row) = known.and_then(|ai| Some((ai, entry_for(ai, options)?))) {
        return Ok(row);
    }
    let span = Span::from_length(at, digits.len());
    let error = Error::new(ErrorKind::UnknownAiPrefix, span).with_found(digits);
    Err(ai.map_or(error, |ai| error.with_ai(ai)))
}

/// Returns the possible range of the value of `entry` at `at`.
fn value_region<'b>(bytes: &'b [u8], at: usize, entry: &AiEntry) -> &'b [u8] {
    let rest = &bytes[at..];
    let end = rest.iter().position(|byte| FNC1.contains(byte)).unwrap_or(rest.len());
    let limit = if entry.predefined_length { usize::from(entry.max_length) } else { end };
    &rest[..end.min(limit)]
}

/// Checks the components first, then that nothing is left, so a wrong check digit takes precedence
/// over a wrong length here.
fn check_value(ai: Ai, entry: &AiEntry, value: &[u8], options: &Options) -> Result<(), Error> {
    if value.is_empty() {
        return Err(wrong_length(ai, entry, value));
    }
    match check_components(entry, value, options.custom_lookups()) {
        Ok(taken) if taken == value.len() => Ok(()),
        Ok(_) => Err(wrong_length(ai, entry, value)),
        Err(fault) => Err(fault.into_error(ai, value)),
    }
}
