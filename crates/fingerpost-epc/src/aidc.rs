//! Data after a `+` or `++` EPC (`+AIDC`): EPC Tag Data Standard 2.3, section 15.3.
//!
//! A sequence of pairs of Application Identifier and value:
//!
//! ```text
//! pair = 2*4 digit                 ; 4 bits each, how many says Table K
//!        value                     ; by Table F
//! ```
//!
//! There is no count of pairs: they end where only zero bits are left.

use fingerpost_gs1::Ai;

use crate::bits::{BitReader, Bits};
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, ErrorSpan};

pub(crate) mod alnum;
mod by_ai;
pub(crate) mod code40;
pub(crate) mod date;
mod decimal;
mod method;
mod table;
pub(crate) mod text;
pub(crate) mod value;

use text::Text;
use value::Position;

/// Bits of an SSCC, without its Application Identifier.
const SSCC_BITS: usize = 72;

/// Parses pairs to the end of the bits and appends those that are new. Returns the end of the
/// pairs.
///
/// A repeated pair is skipped; another value for the same Application Identifier is an error.
pub(crate) fn read(from: &mut BitReader<'_>, out: &mut AiValues) -> Result<usize, Error> {
    // Computed once: searching for zeros before each pair would take quadratic time.
    let end = from.position() + from.significant();
    loop {
        if from.position() >= end {
            return Ok(from.position());
        }
        let start = from.position();
        let padding = Error::new(ErrorKind::NonZeroPadding, ErrorSpan::bits(start, end));
        if from.remaining() < 8 {
            return Err(padding);
        }
        let mut digits = [0; 4];
        digits[0] = read_digit(from)?;
        digits[1] = read_digit(from)?;
        if digits[..2] == *b"00" && from.remaining() < SSCC_BITS {
            return Err(padding);
        }
        let unknown = |from: &BitReader<'_>| {
            Error::new(ErrorKind::UnknownAi, ErrorSpan::bits(start, from.position()))
        };
        let count = by_ai::digit_count([digits[0], digits[1]]).ok_or_else(|| unknown(from))?;
        for digit in &mut digits[2..count] {
            *digit = read_digit(from)?;
        }
        // There are two to four digits, so this is an Application Identifier.
        let ai = Ai::from_digits(&digits[..count]).ok_or_else(|| unknown(from))?;
        if by_ai::parts(ai).is_none() {
            return Err(unknown(from));
        }
        let mut text = Text::new();
        value::read(ai, Position::Aidc, from, &mut text)?;
        match out.get(ai) {
            None => out.push(ai, text.as_str()),
            Some(value) if value == text.as_str() => {}
            Some(_) => {
                let span = ErrorSpan::bits(start, from.position());
                return Err(Error::new(ErrorKind::DuplicateAi, span));
            }
        }
    }
}

/// Appends a pair.
pub(crate) fn write(ai: Ai, value: &str, out: &mut Bits) -> Result<(), Error> {
    ai.as_str().bytes().for_each(|digit| out.push(u64::from(digit - b'0'), 4));
    value::write(ai, value, Position::Aidc, out)
}

/// Reads a digit of an Application Identifier, as ASCII.
fn read_digit(from: &mut BitReader<'_>) -> Result<u8, Error> {
    let start = from.position();
    // Four bits.
    let digit = from.read(4)? as u8;
    if digit > 9 {
        return Err(Error::new(ErrorKind::ReservedAidcHeader, ErrorSpan::bits(start, start + 4)));
    }
    Ok(b'0' + digit)
}
