//! Components of EPC URNs: the permitted content of each, parsed from URNs and from plain text.
//!
//! ```text
//! prefix    = 6*12DIGIT                    ; GS1 company prefix
//! reference = *11DIGIT                     ; with the prefix a fixed number of digits
//! text      = 1*( CSET 82, of which " % & / < > ? only as "%" HEXDIG HEXDIG )
//! part      = 1*( CSET 39, of which # / only as "%" HEXDIG HEXDIG )
//! number    = "0" / ( %x31-39 *DIGIT )
//! ```

use fingerpost_gs1::percent;

use crate::charset::{self, CAGE, CSET39, CSET82, ESCAPED39, ESCAPED82};
use crate::digits::{self, are_digits};
use crate::error::ErrorKind;
use crate::limits::MAX_KEY_CHARACTERS;

/// One component: EPC Tag Data Standard 2.3, section 6.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Company prefix.
    Prefix,
    /// Digits, of which there are this many together with the company prefix.
    Reference(usize),
    /// Text of CSET 82 with at most this many characters.
    Text(usize),
    /// Text of CSET 82 with at most 30 characters together with the company prefix.
    AssetReference,
    /// Text of CSET 39 with at most 30 characters together with the company prefix.
    ComponentReference,
    /// Two digits.
    Pair,
    /// At most this many digits; leading zeros are significant.
    Digits(usize),
    /// A number of at most this many digits.
    Number(usize),
    /// A number of this many bits.
    Integer(u32),
    /// CAGE code or DoDAAC.
    Cage,
    /// Original part number of ADI.
    OriginalNumber,
    /// Serial number of ADI.
    AdiSerial,
    /// BIC container code.
    ContainerCode,
    /// IMO vessel number.
    VesselNumber,
}

impl Part {
    /// Returns whether a component can contain dots; such a component comes last.
    pub(crate) fn may_hold_dots(self) -> bool {
        matches!(self, Part::Text(_) | Part::AssetReference)
    }

    /// Returns its character set, and the characters of it that URNs escape; 0 if the whole
    /// component has its own rule.
    pub(crate) fn sets(self) -> (u8, u8) {
        match self {
            Part::Text(_) | Part::AssetReference => (CSET82, ESCAPED82),
            Part::ComponentReference | Part::OriginalNumber | Part::AdiSerial => {
                (CSET39, ESCAPED39)
            }
            _ => (0, 0),
        }
    }

    /// Returns the maximum number of characters, after a company prefix of `prefix` digits.
    pub(crate) fn max_length(self, prefix: usize) -> usize {
        match self {
            Part::Text(max) | Part::Digits(max) | Part::Number(max) => max,
            Part::AssetReference | Part::ComponentReference => {
                MAX_KEY_CHARACTERS - prefix.min(MAX_KEY_CHARACTERS)
            }
            Part::OriginalNumber => 32,
            Part::AdiSerial => 30,
            Part::Prefix => 12,
            Part::Reference(total) => total - prefix.min(total),
            Part::Pair => 2,
            Part::Integer(_) | Part::VesselNumber | Part::ContainerCode => 11,
            Part::Cage => 6,
        }
    }

    /// Checks a component that has no character set, or only its structure.
    #[inline]
    pub(crate) fn check(self, text: &[u8], prefix: usize) -> Result<(), ErrorKind> {
        match self {
            Part::Prefix if (6..=12).contains(&text.len()) && are_digits(text) => Ok(()),
            Part::Prefix => Err(ErrorKind::BadGcpLength),
            Part::Reference(total) if prefix + text.len() == total && are_digits(text) => Ok(()),
            // No total is greater than 17.
            Part::Reference(total) => Err(ErrorKind::BadRefLength { expected: total as u8 }),
            Part::Pair if text.len() == 2 && are_digits(text) => Ok(()),
            Part::Pair => Err(ErrorKind::BadDigits),
            Part::OriginalNumber if text.contains(&b'#') => Err(ErrorKind::BadCharacter),
            Part::OriginalNumber => Ok(()),
            Part::Text(_) | Part::AssetReference | Part::ComponentReference => not_empty(text),
            Part::Digits(max) => check_digits(text, max),
            Part::Number(max) => check_number(text).and_then(|()| within(text, max)),
            Part::Integer(bits) => check_integer(text, bits),
            Part::Cage => check_cage(text),
            Part::AdiSerial => check_adi_serial(text),
            Part::ContainerCode if is_container_code(text) => Ok(()),
            Part::VesselNumber if text.len() == 7 && are_digits(text) => Ok(()),
            Part::ContainerCode | Part::VesselNumber => Err(ErrorKind::BadUrnSyntax),
        }
    }
}

/// Parses the possibly escaped character at `at`. Returns its value and its length in bytes.
#[inline]
pub(crate) fn unescape(
    text: &[u8],
    at: usize,
    set: u8,
    escaped: u8,
) -> Result<(u8, usize), ErrorKind> {
    let byte = text[at];
    if byte != b'%' {
        if !charset::is(byte, set) {
            return Err(ErrorKind::BadCharacter);
        }
        if charset::is(byte, escaped) {
            return Err(ErrorKind::MustEscape);
        }
        return Ok((byte, 1));
    }
    match percent::triplet(&text[at..]) {
        Some(byte) if charset::is(byte, set) => Ok((byte, 3)),
        Some(_) => Err(ErrorKind::BadCharacter),
        None => Err(ErrorKind::BadEscape),
    }
}

fn not_empty(text: &[u8]) -> Result<(), ErrorKind> {
    if text.is_empty() { Err(ErrorKind::EmptyValue) } else { Ok(()) }
}

fn within(text: &[u8], max: usize) -> Result<(), ErrorKind> {
    if text.len() > max { Err(ErrorKind::TooLong { max }) } else { Ok(()) }
}

/// Checks the serial number of a coupon. Letters in it are reported as a syntax error, not as an
/// error of a number.
fn check_digits(text: &[u8], max: usize) -> Result<(), ErrorKind> {
    not_empty(text)?;
    if !are_digits(text) {
        return Err(ErrorKind::BadUrnSyntax);
    }
    within(text, max)
}

pub(crate) fn check_number(text: &[u8]) -> Result<(), ErrorKind> {
    not_empty(text)?;
    if !are_digits(text) {
        return Err(ErrorKind::BadDigits);
    }
    if text.len() > 1 && text[0] == b'0' { Err(ErrorKind::LeadingZero) } else { Ok(()) }
}

fn check_integer(text: &[u8], bits: u32) -> Result<(), ErrorKind> {
    check_number(text)?;
    match digits::read(text) {
        Some(number) if number >> bits == 0 => Ok(()),
        // Fields have at most 62 bits.
        _ => Err(ErrorKind::Overflow { bits: bits as u8 }),
    }
}

fn check_cage(text: &[u8]) -> Result<(), ErrorKind> {
    let is_code = matches!(text.len(), 5 | 6) && text.iter().all(|&byte| charset::is(byte, CAGE));
    if is_code { Ok(()) } else { Err(ErrorKind::BadCage) }
}

/// Checks an ADI serial; `#` is allowed as the first character, before at least one other.
fn check_adi_serial(text: &[u8]) -> Result<(), ErrorKind> {
    not_empty(text)?;
    if text[1..].contains(&b'#') || text == b"#" { Err(ErrorKind::BadCharacter) } else { Ok(()) }
}

/// Returns whether it is a container code (ISO 6346): three letters of the owner, a letter of the
/// equipment category, seven digits. The letters of the owner exclude I and O here (EPC Tag Data
/// Standard 2.3, section 6.3.19).
fn is_container_code(text: &[u8]) -> bool {
    text.len() == 11
        && text[..3].iter().all(|&byte| byte.is_ascii_uppercase() && charset::is(byte, CAGE))
        && matches!(text[3], b'J' | b'U' | b'Z')
        && are_digits(&text[4..])
}
