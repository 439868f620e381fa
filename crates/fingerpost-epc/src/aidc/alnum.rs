//! Text of variable length: EPC Tag Data Standard 2.3, sections 14.5.5 and 14.5.6.
//!
//! Three bits select one of six forms of the characters. A writer may choose any that covers them;
//! this one uses the form with the fewest bits, and of several such forms the one with the smallest
//! number.

use fingerpost_gs1::CharacterSet;

use super::text::Text;
use super::{code40, decimal};
use crate::bits::{BitReader, Bits};
use crate::error::{Error, ErrorKind, ErrorSpan};

/// Forms, by their encoding indicators.
const DECIMAL: u64 = 0;
const UPPER_HEX: u64 = 1;
const LOWER_HEX: u64 = 2;
const BASE64: u64 = 3;
const ASCII: u64 = 4;
const CODE_40: u64 = 5;
const FORMS: [u64; 6] = [DECIMAL, UPPER_HEX, LOWER_HEX, BASE64, ASCII, CODE_40];

const UPPER_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
const LOWER_DIGITS: &[u8; 16] = b"0123456789abcdef";
const BASE64_DIGITS: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Reads indicator, length and characters.
pub(super) fn read(
    from: &mut BitReader<'_>,
    len_bits: usize,
    max: usize,
    empty: Option<ErrorKind>,
    out: &mut Text,
) -> Result<(), Error> {
    let start = from.position();
    let indicator = from.read(3)?;
    if !FORMS.contains(&indicator) {
        // Three bits.
        let kind = ErrorKind::ReservedEncodingIndicator { indicator: indicator as u8 };
        return Err(Error::new(kind, ErrorSpan::bits(start, start + 3)));
    }
    let Some(len) = read_length(from, len_bits, max, empty)? else { return Ok(()) };
    match indicator {
        DECIMAL => decimal::read(from, decimal::bits_for(len), len, out),
        UPPER_HEX => read_alphabet(from, 4, len, UPPER_DIGITS, out),
        LOWER_HEX => read_alphabet(from, 4, len, LOWER_DIGITS, out),
        BASE64 => read_alphabet(from, 6, len, BASE64_DIGITS, out),
        CODE_40 => code40::read(from, len, |character| out.push(character)),
        _ => read_ascii(from, len, out),
    }
}

/// Reads the length of a value; `None` if it is 0 and may be.
pub(super) fn read_length(
    from: &mut BitReader<'_>,
    len_bits: usize,
    max: usize,
    empty: Option<ErrorKind>,
) -> Result<Option<usize>, Error> {
    let start = from.position();
    // At most seven bits. A value of exactly one character has no length field.
    let len = if max == 1 { 1 } else { from.read(len_bits)? as usize };
    let span = ErrorSpan::bits(start, from.position());
    match (len, empty) {
        (0, Some(kind)) => Err(Error::new(kind, span)),
        (0, None) => Ok(None),
        _ if len > max => Err(Error::new(ErrorKind::TooLong { max }, span)),
        _ => Ok(Some(len)),
    }
}

/// Writes indicator, length and characters. `offset` is the start of `text` in the value.
pub(super) fn write(
    text: &[u8],
    offset: usize,
    len_bits: usize,
    max: usize,
    out: &mut Bits,
) -> Result<(), Error> {
    if text.len() > max {
        let span = ErrorSpan::text(offset, offset + text.len());
        return Err(Error::new(ErrorKind::TooLong { max }, span));
    }
    if let Some(at) = text.iter().position(|character| !is_character(*character)) {
        let span = ErrorSpan::text(offset + at, offset + at + 1);
        return Err(Error::new(ErrorKind::BadCharacter, span));
    }
    let form = shortest_form(text);
    out.push(form, 3);
    if max != 1 {
        out.push(text.len() as u64, len_bits);
    }
    match form {
        DECIMAL => decimal::write(text, decimal::bits_for(text.len()), out),
        UPPER_HEX => write_alphabet(text, 4, UPPER_DIGITS, out),
        LOWER_HEX => write_alphabet(text, 4, LOWER_DIGITS, out),
        BASE64 => write_alphabet(text, 6, BASE64_DIGITS, out),
        CODE_40 => code40::write(text, out),
        _ => text.iter().for_each(|character| out.push(u64::from(*character), 7)),
    }
    Ok(())
}

/// Returns the form with the fewest bits; 7-bit ASCII covers all texts that reach this function.
fn shortest_form(text: &[u8]) -> u64 {
    let all = |member: fn(&u8) -> bool| text.iter().all(member);
    let covers = |form: u64| match form {
        DECIMAL => all(u8::is_ascii_digit),
        UPPER_HEX => all(|byte| UPPER_DIGITS.contains(byte)),
        LOWER_HEX => all(|byte| LOWER_DIGITS.contains(byte)),
        BASE64 => all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')),
        CODE_40 => all(|byte| code40::index(*byte).is_some()),
        _ => true,
    };
    let bits = |form: &u64| match *form {
        DECIMAL => decimal::bits_for(text.len()),
        UPPER_HEX | LOWER_HEX => 4 * text.len(),
        BASE64 => 6 * text.len(),
        CODE_40 => code40::bits_for(text.len()),
        _ => 7 * text.len(),
    };
    // The first of several with equal length is used.
    FORMS.into_iter().filter(|form| covers(*form)).min_by_key(bits).unwrap_or(ASCII)
}

/// Reads characters of `width` bits each.
fn read_alphabet(
    from: &mut BitReader<'_>,
    width: usize,
    len: usize,
    alphabet: &[u8],
    out: &mut Text,
) -> Result<(), Error> {
    from.require(width * len)?;
    for _ in 0..len {
        // The alphabet has one character for each value of `width` bits.
        out.push(alphabet[from.read(width)? as usize]);
    }
    Ok(())
}

fn write_alphabet(text: &[u8], width: usize, alphabet: &[u8], out: &mut Bits) {
    for character in text {
        // The caller has checked that each character is in the alphabet.
        let index = alphabet.iter().position(|member| member == character).unwrap_or_default();
        out.push(index as u64, width);
    }
}

fn read_ascii(from: &mut BitReader<'_>, len: usize, out: &mut Text) -> Result<(), Error> {
    from.require(7 * len)?;
    for _ in 0..len {
        let start = from.position();
        // Seven bits.
        let character = from.read(7)? as u8;
        if !is_character(character) {
            return Err(Error::new(ErrorKind::BadCharacter, ErrorSpan::bits(start, start + 7)));
        }
        out.push(character);
    }
    Ok(())
}

/// Returns the 82 characters of the General Specifications and `#`.
pub(crate) const fn is_character(byte: u8) -> bool {
    CharacterSet::Cset82.contains(byte) || byte == b'#'
}

/// Reads leading digits and the optional text after them.
pub(super) fn read_delimited(
    from: &mut BitReader<'_>,
    len_bits: usize,
    max: usize,
    out: &mut Text,
) -> Result<(), Error> {
    loop {
        let start = from.position();
        // Four bits.
        let nibble = from.read(4)? as u8;
        let fail = |kind| Err(Error::new(kind, ErrorSpan::bits(start, start + 4)));
        match nibble {
            0..=9 if out.len() == max => return fail(ErrorKind::TooLong { max }),
            0..=9 => out.push(b'0' + nibble),
            0b1111 if out.len() == 0 => return fail(ErrorKind::EmptyValue),
            0b1111 => return Ok(()),
            // A company prefix comes first, so the first character must be a digit.
            0b1110 if out.len() == 0 => return fail(ErrorKind::BadCharacter),
            0b1110 => break,
            _ => return fail(ErrorKind::BadDigitNibble { nibble }),
        }
    }
    let room = max - out.len();
    let mut rest = Text::new();
    let start = from.position();
    read(from, len_bits, max, Some(ErrorKind::EmptyValue), &mut rest)?;
    if rest.len() > room {
        return Err(Error::new(
            ErrorKind::TooLong { max },
            ErrorSpan::bits(start, from.position()),
        ));
    }
    rest.as_str().bytes().for_each(|character| out.push(character));
    Ok(())
}

/// Writes the leading digits in four bits each, and the rest as text.
pub(super) fn write_delimited(
    value: &[u8],
    len_bits: usize,
    max: usize,
    out: &mut Bits,
) -> Result<(), Error> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let fail = |kind, start, end| Err(Error::new(kind, ErrorSpan::text(start, end)));
    if value.len() > max {
        return fail(ErrorKind::TooLong { max }, 0, value.len());
    }
    match (digits, value.len()) {
        (_, 0) => return fail(ErrorKind::EmptyValue, 0, 0),
        (0, _) => return fail(ErrorKind::BadCharacter, 0, 1),
        _ => {}
    }
    value[..digits].iter().for_each(|digit| out.push(u64::from(digit - b'0'), 4));
    if digits == value.len() {
        out.push(0b1111, 4);
        return Ok(());
    }
    out.push(0b1110, 4);
    write(&value[digits..], digits, len_bits, max, out)
}
