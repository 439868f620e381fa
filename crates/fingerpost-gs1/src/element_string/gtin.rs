//! GTIN-8, GTIN-12, GTIN-13 and GTIN-14 as digits only (GS1 General Specifications 3.3.2): padded
//! with zeros to the fourteen digits of (01).

use alloc::borrow::Cow;

use crate::Span;
use crate::ai::Ai;
use crate::element::Element;
use crate::error::{Error, ErrorKind};
use crate::gtin::{self, LENGTHS};
use crate::{check_digit, unknown_ai};

/// Parses `digits`, which start at `start` of the input, as the element (01). `length` is the
/// length of the carrier's data; without it every length of a GTIN is accepted.
pub(crate) fn read(
    digits: &str,
    start: usize,
    length: Option<usize>,
) -> Result<Element<'_>, Error> {
    let wrong = |kind: ErrorKind, at: usize, length: usize| {
        let found = digits.as_bytes().get(at..at + length).unwrap_or_default();
        Error::new(kind, Span::from_length(start + at, length)).with_found(found)
    };
    if let Some(kind) = wrong_length(digits.len(), length) {
        return Err(wrong(kind, 0, digits.len()));
    }
    if let Some(at) = digits.bytes().position(|byte| !byte.is_ascii_digit()) {
        return Err(wrong(ErrorKind::EanNotDigits, at, 1));
    }
    let (data, check) = digits.as_bytes().split_at(digits.len() - 1);
    let expected = check_digit::of(data);
    if check != [expected] {
        let kind = ErrorKind::EanCheckDigit { found: check[0], expected };
        return Err(wrong(kind, data.len(), 1));
    }
    let entry = Ai::GTIN.entry().unwrap_or(&unknown_ai::ANY);
    Ok(Element::new(Ai::GTIN, entry, pad(digits), Span::from_length(start, digits.len())))
}

fn wrong_length(found: usize, wanted: Option<usize>) -> Option<ErrorKind> {
    if wanted.map_or_else(|| LENGTHS.contains(&found), |wanted| wanted == found) {
        return None;
    }
    // Without a carrier, the nearest length above or below.
    let digits = wanted.unwrap_or_else(|| {
        LENGTHS.into_iter().find(|length| *length > found).unwrap_or(LENGTHS[LENGTHS.len() - 1])
    });
    let count = crate::value::count(digits);
    Some(if found < digits {
        ErrorKind::EanTooShort { digits: count }
    } else {
        ErrorKind::EanTooLong { digits: count }
    })
}

/// Pads a GTIN with leading zeros to fourteen digits.
fn pad(digits: &str) -> Cow<'_, str> {
    match gtin::padded(digits.as_bytes()) {
        Some(padded) => Cow::Owned(padded.into_iter().map(char::from).collect()),
        None => Cow::Borrowed(digits),
    }
}
