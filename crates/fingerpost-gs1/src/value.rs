//! The check of one value against its Application Identifier (GS1 Barcode Syntax Dictionary; order
//! of the checks as in the GS1 Barcode Syntax Engine).
//!
//! The length is checked first, then component by component: minimum length, character set, content
//! rules. The first error ends the check.

use crate::ai::{Ai, AiEntry};
use crate::component::{CharacterSet, ValueComponent};
use crate::error::{Error, ErrorKind, LintError};
use crate::linters::{LintFault, charset, check_pair};
use crate::lookups::Lookups;
use crate::options::Options;
use crate::unknown_ai::entry_for;
use crate::{Span, check_digit};

impl Ai {
    /// Checks one decoded value against the row of this Application Identifier.
    ///
    /// ```
    /// use fingerpost_gs1::Ai;
    ///
    /// assert!(Ai::SERIAL.check_value(b"A/b-9%").is_ok());
    /// let error = Ai::SERIAL.check_value(b"A b").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     r#"character 2 of (21) is " ", expected one of the 82 characters of CSET 82"#
    /// );
    /// ```
    ///
    /// # Errors
    ///
    /// The first rule that the value violates; the span counts from the start of the value. An
    /// Application Identifier that is not allocated is [`ErrorKind::UnknownAi`].
    #[inline]
    pub fn check_value(self, value: &[u8]) -> Result<(), Error> {
        let Some(entry) = self.entry() else {
            return Err(unknown_ai(self));
        };
        check_length(self, entry, value)?;
        check_content(self, entry, value, None)
    }

    /// Works like [`check_value`](Self::check_value), with the options about unknown Application
    /// Identifiers and look-ups.
    ///
    /// # Errors
    ///
    /// As [`check_value`](Self::check_value).
    pub fn check_value_with(self, value: &[u8], options: &Options) -> Result<(), Error> {
        let Some(entry) = entry_for(self, options) else {
            return Err(unknown_ai(self));
        };
        check_length(self, entry, value)?;
        check_content(self, entry, value, options.custom_lookups())
    }
}

/// Checks the length of the whole value: the first check for all inputs except raw data.
#[inline]
pub(crate) fn check_length(ai: Ai, entry: &AiEntry, value: &[u8]) -> Result<(), Error> {
    let (min, max) = entry.value_length();
    if (min..=max).contains(&value.len()) && !value.is_empty() {
        return Ok(());
    }
    Err(wrong_length(ai, entry, value))
}

/// Checks the components of a value whose length is already checked.
#[inline]
pub(crate) fn check_content(
    ai: Ai,
    entry: &AiEntry,
    value: &[u8],
    lookups: Option<&dyn Lookups>,
) -> Result<(), Error> {
    // A look-up may know more about a company prefix than its digits show.
    if lookups.is_none() && entry.shortcuts.accepts(value) {
        return Ok(());
    }
    check_by_component(ai, entry, value, lookups)
}

#[inline(never)]
fn check_by_component(
    ai: Ai,
    entry: &AiEntry,
    value: &[u8],
    lookups: Option<&dyn Lookups>,
) -> Result<(), Error> {
    match check_components(entry, value, lookups) {
        Ok(taken) if taken == value.len() => Ok(()),
        Ok(_) => Err(wrong_length(ai, entry, value)),
        Err(fault) => Err(fault.into_error(ai, value)),
    }
}

/// Checks component by component and returns how many bytes they take.
#[inline]
pub(crate) fn check_components(
    entry: &AiEntry,
    value: &[u8],
    lookups: Option<&dyn Lookups>,
) -> Result<usize, ValueFault> {
    let mut at = 0;
    for component in entry.components {
        let rest = &value[at..];
        let part = &rest[..component.max_length().min(rest.len())];
        if part.is_empty() && component.optional {
            continue;
        }
        if part.len() < component.min_length() {
            return Err(ValueFault::cut_short(component, at, part.len()));
        }
        if let Err(fault) = check_part(component, part, lookups) {
            return Err(ValueFault::content(fault, at, part));
        }
        at += part.len();
    }
    Ok(at)
}

#[inline]
fn check_part(
    component: &ValueComponent,
    part: &[u8],
    lookups: Option<&dyn Lookups>,
) -> Result<(), LintFault> {
    match component.charset {
        CharacterSet::Digits => charset::digits(part),
        CharacterSet::Cset82 => charset::cset82(part),
        CharacterSet::Cset39 => charset::cset39(part),
        CharacterSet::Cset64 => charset::cset64(part),
    }?;
    component.linters.iter().try_for_each(|linter| linter.check_with(part, lookups))
}

/// The error of a value, and its position in the value.
pub(crate) struct ValueFault {
    kind: ErrorKind,
    span: Span,
}

impl ValueFault {
    #[cold]
    fn cut_short(component: &ValueComponent, at: usize, found: usize) -> ValueFault {
        let kind = ErrorKind::ValueLength { min: u16::from(component.min), found: count(found) };
        ValueFault { kind, span: Span::from_length(at, found) }
    }

    /// Creates the error of `part`, which starts at `at` in the value.
    #[cold]
    fn content(fault: LintFault, at: usize, part: &[u8]) -> ValueFault {
        let kind = match (fault.error(), part) {
            (LintError::IncorrectCheckDigit, [data @ .., found]) => {
                ErrorKind::CheckDigit { found: *found, expected: check_digit::of(data) }
            }
            (LintError::IncorrectCheckPair, [data @ .., first, second]) => {
                ErrorKind::CheckPair { found: [*first, *second], expected: check_pair(data) }
            }
            (error, _) => ErrorKind::Lint(error),
        };
        ValueFault { kind, span: Span::from_length(at + fault.start(), fault.length()) }
    }

    /// Returns the error as if `value` were the whole input.
    #[cold]
    pub(crate) fn into_error(self, ai: Ai, value: &[u8]) -> Error {
        Error::new(self.kind, self.span)
            .with_ai(ai)
            .with_value_span(self.span)
            .with_found(whole_characters(value, self.span))
    }
}

/// Returns the bytes of a span, up to the end of a character of UTF-8 that begins in it.
fn whole_characters(value: &[u8], span: Span) -> &[u8] {
    let rest = value.get(span.end..).unwrap_or_default();
    let continued = match value.get(span.start..span.end) {
        Some([.., 0xC0..=0xFF]) => {
            rest.iter().take_while(|byte| matches!(byte, 0x80..=0xBF)).count()
        }
        _ => 0,
    };
    value.get(span.start..span.end + continued).unwrap_or_default()
}

/// Returns the error about the length of the whole value.
#[cold]
pub(crate) fn wrong_length(ai: Ai, entry: &AiEntry, value: &[u8]) -> Error {
    let (min, max) = entry.value_length();
    let found = count(value.len());
    let kind = match value.len() {
        0 => ErrorKind::ValueEmpty,
        length if length < min => ErrorKind::ValueTooShort { min: count(min), found },
        _ => ErrorKind::ValueTooLong { max: count(max), found },
    };
    let span = Span::from_length(0, value.len());
    Error::new(kind, span).with_ai(ai).with_value_span(span).with_found(value)
}

#[cold]
fn unknown_ai(ai: Ai) -> Error {
    Error::new(ErrorKind::UnknownAi, Span::from_length(0, 0))
        .with_ai(ai)
        .with_found(ai.as_str().as_bytes())
}

/// Returns a length for an error message, where lengths above 65535 need not be exact.
pub(crate) fn count(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}
