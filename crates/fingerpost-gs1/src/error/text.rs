//! Error messages: what is wrong, what was expected, what was found; lower case, no full stop,
//! Application Identifiers in parentheses.

use core::fmt::{Formatter, Result};

use super::lint_error::Shape;
use super::{ErrorKind, Requirement, Snippet, Span};
use crate::ai::Ai;

/// The text at the position of an error.
#[derive(Clone, Copy)]
pub(super) struct FoundText<'a> {
    /// Its beginning, if available.
    pub(super) text: &'a Snippet,
    /// Whether the span is empty.
    pub(super) is_nothing: bool,
}

/// Writes the text of an error.
pub(super) fn write(
    f: &mut Formatter<'_>,
    kind: ErrorKind,
    ai: Option<Ai>,
    value_span: Option<Span>,
    found: FoundText<'_>,
) -> Result {
    match kind {
        ErrorKind::Lint(lint) => {
            let (shape, expected) = (lint.shape(), lint.expected());
            match shape {
                Shape::Is(part) => subject(f, part, ai)?,
                Shape::Character => {
                    let position = value_span.map_or(1, |span| span.start + 1);
                    write!(f, "character {position}")?;
                    subject(f, "", ai)?;
                }
                Shape::EndsBefore => {
                    subject(f, "value", ai)?;
                    return write!(f, " ends too early, expected {expected}");
                }
            }
            write!(f, " is {}, expected {expected}", found.text)
        }
        ErrorKind::CheckDigit { found, expected } => {
            subject(f, "check digit", ai)?;
            write!(f, " is {}, expected {}", char::from(found), char::from(expected))
        }
        ErrorKind::EanCheckDigit { found, expected } => {
            write!(f, "check digit is {}, expected {}", char::from(found), char::from(expected))
        }
        ErrorKind::CheckPair { found, expected } => {
            subject(f, "check pair", ai)?;
            write!(f, " is \"{}\", expected \"{}\"", found.escape_ascii(), expected.escape_ascii())
        }
        ErrorKind::ValueEmpty
        | ErrorKind::ValueTooShort { .. }
        | ErrorKind::ValueTooLong { .. }
        | ErrorKind::ValueLength { .. } => write_length(f, kind, ai),
        ErrorKind::AiPairForbidden { .. }
        | ErrorKind::AiRequirementMissing { .. }
        | ErrorKind::AiRepeatedDifferent
        | ErrorKind::SerialRequired
        | ErrorKind::QualifierSequence
        | ErrorKind::DuplicateAi
        | ErrorKind::DotSegment
        | ErrorKind::NotAnAttribute
        | ErrorKind::BelongsInPath => write_association(f, kind, ai),
        other => write_syntax(f, other, ai, found),
    }
}

/// Writes `value of (01)`, or `value` if no Application Identifier is known.
fn subject(f: &mut Formatter<'_>, part: &str, ai: Option<Ai>) -> Result {
    f.write_str(part)?;
    ai.map_or(Ok(()), |ai| write!(f, " of ({ai})"))
}

fn write_length(f: &mut Formatter<'_>, kind: ErrorKind, ai: Option<Ai>) -> Result {
    let is_fixed = ai.and_then(Ai::entry).is_some_and(|entry| entry.min_length == entry.max_length);
    subject(f, "value", ai)?;
    let (count, bound, expected) = match kind {
        ErrorKind::ValueTooShort { min, found } => (found, "at least ", min),
        ErrorKind::ValueTooLong { max, found } => (found, "at most ", max),
        ErrorKind::ValueLength { min, found } => {
            let part = if found == 0 { "lacks its last part" } else { "has a part cut short" };
            return write!(f, " {part}, expected {min} characters in it, found {found}");
        }
        _ => return f.write_str(" is empty, expected at least one character"),
    };
    let plural = if count == 1 { "" } else { "s" };
    let bound = if is_fixed { "" } else { bound };
    write!(f, " has {count} character{plural}, expected {bound}{expected}")
}

fn write_association(f: &mut Formatter<'_>, kind: ErrorKind, ai: Option<Ai>) -> Result {
    let Some(ai) = ai else {
        return f.write_str(code_and_hint(kind).1);
    };
    match kind {
        ErrorKind::AiPairForbidden { other } => {
            write!(f, "found ({ai}) together with ({other}), expected only one of them")
        }
        ErrorKind::AiRequirementMissing { requirement } => {
            write!(f, "({ai}) lacks a companion, expected ")?;
            write_requirement(f, requirement)
        }
        ErrorKind::AiRepeatedDifferent => {
            write!(f, "found ({ai}) with different values, expected the same value everywhere")
        }
        ErrorKind::SerialRequired => {
            write!(f, "({ai}) is without its serial part, expected one beside (8030)")
        }
        ErrorKind::DuplicateAi => write!(f, "found ({ai}) more than once, expected it once"),
        ErrorKind::DotSegment => {
            write!(f, "value of ({ai}) is . or .., expected one that browsers keep in a path")
        }
        ErrorKind::NotAnAttribute => {
            write!(f, "found ({ai}) in the query, expected only attributes there")
        }
        ErrorKind::BelongsInPath => {
            write!(f, "found ({ai}) in the query, expected it in the path after its key")
        }
        _ => write!(
            f,
            "found ({ai}) out of place, expected the qualifiers of the key in their order"
        ),
    }
}

/// Writes a requirement such as `(01) with (21), or (8006) with (21)`
fn write_requirement(f: &mut Formatter<'_>, requirement: Requirement) -> Result {
    let groups = requirement.groups();
    let is_simple = groups.iter().all(|group| group.len() == 1);
    for (nth, group) in groups.iter().enumerate() {
        let separator = match (nth, nth + 1 == groups.len(), is_simple) {
            (0, ..) => "",
            (_, true, true) => " or ",
            (_, true, false) => ", or ",
            _ => ", ",
        };
        f.write_str(separator)?;
        for (member, pattern) in group.iter().enumerate() {
            write!(f, "{}({pattern})", if member == 0 { "" } else { " with " })?;
        }
    }
    Ok(())
}

fn write_syntax(
    f: &mut Formatter<'_>,
    kind: ErrorKind,
    ai: Option<Ai>,
    found: FoundText<'_>,
) -> Result {
    let expected = match kind {
        ErrorKind::InputTooLong { limit } => {
            return write!(f, "input is too long, expected at most {limit} bytes");
        }
        ErrorKind::UriTooLong { limit } => {
            return write!(f, "URI is too long, expected at most {limit} bytes");
        }
        ErrorKind::TooManyAis { limit } => {
            return write!(f, "too many elements, expected at most {limit}");
        }
        ErrorKind::EanTooShort { digits } | ErrorKind::EanTooLong { digits } => {
            return write!(f, "expected {digits} digits, found {}", found.text);
        }
        ErrorKind::NoData => "data after the start of the symbol",
        ErrorKind::NoLeadingFnc1 => "FNC1 at the start",
        ErrorKind::BracketSyntax => "an Application Identifier in round brackets, then its value",
        ErrorKind::UnknownAi => "an Application Identifier of the dictionary",
        ErrorKind::UnknownAiPrefix => "an Application Identifier",
        ErrorKind::Fnc1InValue => "no caret or group separator in the value",
        ErrorKind::UriIllegalCharacter => "a character allowed in a URI",
        ErrorKind::UriScheme => "http:// or https:// at the start",
        ErrorKind::UriHost => "a host name",
        ErrorKind::UriNoPath => "a path after the host",
        ErrorKind::NoPrimaryKey => "a primary key and its value",
        ErrorKind::TrailingSlash => "no slash after the last value",
        ErrorKind::PercentEncoding => "two hexadecimal digits after the percent sign",
        ErrorKind::NulInValue => "no NUL character",
        ErrorKind::UnknownNumericKey => "an Application Identifier as numeric query key",
        ErrorKind::NoSymbologyId => "a symbology identifier at the start",
        ErrorKind::UnsupportedSymbologyId => "the symbology identifier of a GS1 carrier",
        ErrorKind::EanNotDigits => "digits only",
        ErrorKind::NotCompressed => "letters, digits, hyphens and underscores only",
        ErrorKind::TruncatedCompressed => "a complete field",
        ErrorKind::UnknownOptCode => "an Application Identifier or an assigned code",
        ErrorKind::NotADigit => "a digit of an Application Identifier",
        ErrorKind::EncodingCode => "an assigned encoding of the text",
        ErrorKind::CompressedValue => "as many digits as announced, and no empty name",
        ErrorKind::NonzeroPadding => "zero bits at the end",
        ErrorKind::NotCompressible => "an element that can be compressed",
        other => code_and_hint(other).1,
    };
    // Here the Application Identifier itself is the text found.
    let is_found = matches!(
        kind,
        ErrorKind::UnknownAi
            | ErrorKind::UnknownAiPrefix
            | ErrorKind::NoPrimaryKey
            | ErrorKind::NotCompressible
    );
    match ai {
        Some(ai) if is_found && found.text.is_empty() => {
            return write!(f, "expected {expected}, found ({ai})");
        }
        Some(ai) if !is_found => write!(f, "in ({ai}): ")?,
        _ => {}
    }
    match kind {
        ErrorKind::TrailingSlash => write!(f, "expected {expected}, found one"),
        _ if !found.text.is_empty() => write!(f, "expected {expected}, found {}", found.text),
        _ if found.is_nothing => write!(f, "expected {expected}, found nothing"),
        _ => write!(f, "expected {expected}"),
    }
}

/// Returns code and hint of every kind except content rules.
pub(super) fn code_and_hint(kind: ErrorKind) -> (&'static str, &'static str) {
    match kind {
        ErrorKind::InputTooLong { .. } => ("INPUT_TOO_LONG", "shorten the input"),
        ErrorKind::NoData => ("NO_DATA", "check whether the symbol was read completely"),
        ErrorKind::NoLeadingFnc1 => ("NO_LEADING_FNC1", "write FNC1, as ^ or GS, first"),
        ErrorKind::BracketSyntax => {
            ("BRACKET_SYNTAX", "write (AI)value; a round bracket in a value is written \\(")
        }
        ErrorKind::UnknownAi => {
            ("UNKNOWN_AI", "look the Application Identifier up, or permit unknown ones")
        }
        ErrorKind::UnknownAiPrefix => {
            ("UNKNOWN_AI_PREFIX", "check the length of the value before, or a separator")
        }
        ErrorKind::ValueEmpty => ("VALUE_EMPTY", "add the value or leave the element out"),
        ErrorKind::ValueTooShort { .. } => {
            ("VALUE_TOO_SHORT", "check for lost characters or leading zeros")
        }
        ErrorKind::ValueTooLong { .. } => (
            "VALUE_TOO_LONG",
            "check for extra characters, or for a missing separator after the value",
        ),
        ErrorKind::ValueLength { .. } => {
            ("VALUE_LENGTH", "give every part of the value its full length")
        }
        ErrorKind::Fnc1InValue => ("FNC1_IN_VALUE", "remove the caret or group separator"),
        ErrorKind::TooManyAis { .. } => ("TOO_MANY_AIS", "split the data"),
        ErrorKind::AiPairForbidden { .. } => ("AI_PAIR_FORBIDDEN", "remove one of the two"),
        ErrorKind::AiRequirementMissing { .. } => (
            "AI_REQUIREMENT_MISSING",
            "add the companion, or read all carriers of the item together",
        ),
        ErrorKind::AiRepeatedDifferent => ("AI_REPEATED_DIFFERENT", "decide which value is right"),
        ErrorKind::SerialRequired => {
            ("SERIAL_REQUIRED", "a signature is made for one instance: add its serial part")
        }
        ErrorKind::UriIllegalCharacter => ("URI_ILLEGAL_CHARACTER", "percent-encode the character"),
        ErrorKind::UriScheme => ("URI_SCHEME", "start with https://"),
        ErrorKind::UriHost => ("URI_HOST", "write a host name, without user information"),
        ErrorKind::UriNoPath => ("URI_NO_PATH", "add the path with the primary key"),
        ErrorKind::NoPrimaryKey => {
            ("NO_PRIMARY_KEY", "end the path with a primary key such as /01/ and its value")
        }
        ErrorKind::TrailingSlash => ("TRAILING_SLASH", "remove the slash at the end of the path"),
        ErrorKind::PercentEncoding => ("PERCENT_ENCODING", "write a percent sign as %25"),
        ErrorKind::NulInValue => ("NUL_IN_VALUE", "remove %00"),
        ErrorKind::QualifierSequence => {
            ("QUALIFIER_SEQUENCE", "order the qualifiers as the key wants them")
        }
        ErrorKind::UnknownNumericKey => {
            ("UNKNOWN_NUMERIC_KEY", "keys of digits only are reserved for Application Identifiers")
        }
        ErrorKind::DuplicateAi => ("DUPLICATE_AI", "keep one of them"),
        ErrorKind::DotSegment => {
            ("DOT_SEGMENT", "write an element string: no Digital Link URI can hold this value")
        }
        ErrorKind::NotAnAttribute => {
            ("NOT_AN_ATTRIBUTE", "this Application Identifier cannot stand in a query")
        }
        ErrorKind::BelongsInPath => {
            ("BELONGS_IN_PATH", "move it into the path, after the primary key")
        }
        ErrorKind::UriTooLong { .. } => ("URI_TOO_LONG", "leave attributes out"),
        ErrorKind::NoSymbologyId => {
            ("NO_SYMBOLOGY_ID", "let the scanner send symbology identifiers")
        }
        ErrorKind::UnsupportedSymbologyId => (
            "UNSUPPORTED_SYMBOLOGY_ID",
            "GS1 data needs a GS1 carrier, such as ]C1 or ]d2; ]E1, ]E2, ]e1 and ]e2 hold only \
                 a part of a symbol",
        ),
        ErrorKind::EanTooShort { .. } => ("EAN_TOO_SHORT", "check for lost digits"),
        ErrorKind::EanTooLong { .. } => ("EAN_TOO_LONG", "check for extra digits"),
        ErrorKind::EanNotDigits => ("EAN_NOT_DIGITS", "remove everything but digits"),
        ErrorKind::EanCheckDigit { .. } => {
            ("EAN_CHECK_DIGIT", "check the number for mistyped digits")
        }
        ErrorKind::CheckDigit { .. } | ErrorKind::CheckPair { .. } | ErrorKind::Lint(_) => ("", ""),
        other => compression_code_and_hint(other),
    }
}

/// Returns code and hint of the kinds of Digital Link 1.1 compression.
fn compression_code_and_hint(kind: ErrorKind) -> (&'static str, &'static str) {
    match kind {
        ErrorKind::NotCompressed => {
            ("NOT_COMPRESSED", "end the path with a primary key and its value, or compress it")
        }
        ErrorKind::TruncatedCompressed => {
            ("TRUNCATED_COMPRESSED", "check whether the end of the URI was lost")
        }
        ErrorKind::UnknownOptCode => {
            ("UNKNOWN_OPT_CODE", "check whether this is a compressed Digital Link at all")
        }
        ErrorKind::NotADigit => {
            ("NOT_A_DIGIT", "check whether this is a compressed Digital Link at all")
        }
        ErrorKind::EncodingCode => {
            ("ENCODING_CODE", "check the text for mistyped or lost characters")
        }
        ErrorKind::CompressedValue => {
            ("COMPRESSED_VALUE", "check the text for mistyped or lost characters")
        }
        ErrorKind::NonzeroPadding => {
            ("NONZERO_PADDING", "check the last character, or permit non-zero padding")
        }
        _ => ("NOT_COMPRESSIBLE", "leave it uncompressed"),
    }
}
