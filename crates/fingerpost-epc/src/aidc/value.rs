//! Encoding of the values of single Application Identifiers as bits: EPC Tag Data Standard 2.3,
//! section 14.5 and Table F.

use fingerpost_gs1::Ai;

use super::by_ai::parts;
use super::method::Method;
use super::text::Text;
use super::{alnum, date, decimal};
use crate::bits::{BitReader, Bits};
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, ErrorSpan};

/// The position of a value: serial components are required in the EPC and optional in the data
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// In the EPC.
    Epc,
    /// In the data after it.
    Aidc,
}

/// Reads the value of an Application Identifier.
pub(crate) fn read(
    ai: Ai,
    position: Position,
    from: &mut BitReader<'_>,
    out: &mut Text,
) -> Result<(), Error> {
    let Some(parts) = parts(ai) else {
        return Err(Error::new(
            ErrorKind::UnknownAi,
            ErrorSpan::bits(from.position(), from.position()),
        ));
    };
    parts.iter().try_for_each(|part| read_part(*part, position, from, out))
}

/// Reads the value of an Application Identifier and appends both.
pub(crate) fn read_into(
    ai: Ai,
    position: Position,
    from: &mut BitReader<'_>,
    out: &mut AiValues,
) -> Result<(), Error> {
    let mut text = Text::new();
    read(ai, position, from, &mut text)?;
    out.push(ai, text.as_str());
    Ok(())
}

/// Writes the value of an Application Identifier.
pub(crate) fn write(ai: Ai, value: &str, position: Position, out: &mut Bits) -> Result<(), Error> {
    let error = Error::new(ErrorKind::UnknownAi, ErrorSpan::Nowhere);
    let (mut rest, mut offset) = (value.as_bytes(), 0);
    for part in parts(ai).ok_or(error)? {
        let (own, after) = match part.width() {
            Some(width) => rest.split_at_checked(width).unwrap_or((rest, b"")),
            None => (rest, &b""[..]),
        };
        write_part(*part, own, offset, position, out)?;
        (rest, offset) = (after, offset + own.len());
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::TooLong { max: offset }, ErrorSpan::text(offset, value.len())))
    }
}

/// Returns the error of a value of length 0; `None` if it is valid.
fn empty(position: Position, may_be_empty: bool) -> Option<ErrorKind> {
    match (may_be_empty, position) {
        (false, _) => Some(ErrorKind::EmptyValue),
        (true, Position::Epc) => Some(ErrorKind::MissingSerial),
        (true, Position::Aidc) => None,
    }
}

fn read_part(
    part: Method,
    position: Position,
    from: &mut BitReader<'_>,
    out: &mut Text,
) -> Result<(), Error> {
    match part {
        Method::FixedDigits(digits) => read_digits(from, digits, out),
        Method::FixedBits { digits, bits } => decimal::read(from, bits, digits, out),
        Method::VarNum { len_bits, max, may_be_empty } => {
            match alnum::read_length(from, len_bits, max, empty(position, may_be_empty))? {
                Some(len) => decimal::read(from, decimal::bits_for(len), len, out),
                None => Ok(()),
            }
        }
        Method::DelimNum { len_bits, max } => alnum::read_delimited(from, len_bits, max, out),
        Method::VarAlnum { len_bits, max, may_be_empty } => {
            alnum::read(from, len_bits, max, empty(position, may_be_empty), out)
        }
        Method::Bit1 => {
            out.push_number(from.read(1)?, 1);
            Ok(())
        }
        Method::Date6 => date::read_date(from, out),
        Method::Datetime10 => {
            date::read_date(from, out)?;
            date::read_time(from, 2, out)
        }
        Method::DateOrRange => date::read_date_or_range(from, out),
        Method::DatetimeVar => date::read_datetime(from, out),
        Method::Country2 => (0..2).try_for_each(|_| read_letter(from, out)),
        Method::OptMinus => {
            if from.read(1)? == 1 {
                out.push(b'-');
            }
            Ok(())
        }
        Method::Seq => {
            read_seq_digit(from, out)?;
            out.push(b'/');
            read_seq_digit(from, out)
        }
    }
}

fn write_part(
    part: Method,
    text: &[u8],
    offset: usize,
    position: Position,
    out: &mut Bits,
) -> Result<(), Error> {
    let fail = |kind| Err(Error::new(kind, ErrorSpan::text(offset, offset + text.len())));
    match part {
        Method::FixedDigits(digits) => {
            check_digits(text, offset, digits)?;
            text.iter().for_each(|digit| out.push(u64::from(digit - b'0'), 4));
        }
        Method::FixedBits { digits, bits } => {
            check_digits(text, offset, digits)?;
            decimal::write(text, bits, out);
        }
        Method::VarNum { max, .. } | Method::VarAlnum { max, .. } if text.len() > max => {
            return fail(ErrorKind::TooLong { max });
        }
        Method::VarNum { len_bits, may_be_empty, .. } => {
            if let (0, Some(kind)) = (text.len(), empty(position, may_be_empty)) {
                return fail(kind);
            }
            check_digits(text, offset, text.len())?;
            out.push(text.len() as u64, len_bits);
            decimal::write(text, decimal::bits_for(text.len()), out);
        }
        Method::VarAlnum { len_bits, max, may_be_empty } => {
            if let (0, Some(kind)) = (text.len(), empty(position, may_be_empty)) {
                return fail(kind);
            }
            alnum::write(text, offset, len_bits, max, out)?;
        }
        Method::DelimNum { len_bits, max } => alnum::write_delimited(text, len_bits, max, out)?,
        Method::Date6 => date::write_date(text, offset, out)?,
        Method::Datetime10 => {
            let (day, time) = text.split_at_checked(6).unwrap_or((text, b""));
            date::write_date(day, offset, out)?;
            if time.len() != 4 {
                return fail(ErrorKind::BadTime);
            }
            date::write_time(time, offset + 6, out)?;
        }
        Method::DateOrRange => date::write_date_or_range(text, out)?,
        Method::DatetimeVar => date::write_datetime(text, out)?,
        Method::Bit1 | Method::Country2 | Method::OptMinus | Method::Seq => {
            if let Err(kind) = write_short(part, text, out) {
                return fail(kind);
            }
        }
    }
    Ok(())
}

/// Writes a value by one of the methods with at most two or three characters.
fn write_short(part: Method, text: &[u8], out: &mut Bits) -> Result<(), ErrorKind> {
    match (part, text) {
        (Method::Bit1, [digit @ (b'0' | b'1')]) => out.push(u64::from(digit - b'0'), 1),
        (Method::Bit1, _) => return Err(ErrorKind::OutOfRange { max: 1 }),
        (Method::OptMinus, b"") => out.push(0, 1),
        (Method::OptMinus, b"-") => out.push(1, 1),
        (Method::Country2, [first @ b'A'..=b'Z', second @ b'A'..=b'Z']) => {
            [first, second].iter().for_each(|letter| out.push(u64::from(*letter - b'A'), 6));
        }
        (Method::Seq, [first @ b'1'..=b'9', b'/', second @ b'1'..=b'9']) => {
            [first, second].iter().for_each(|digit| out.push(u64::from(*digit - b'0'), 4));
        }
        (Method::Seq, _) => return Err(ErrorKind::BadSeq),
        _ => return Err(ErrorKind::BadCharacter),
    }
    Ok(())
}

/// Reads digits of four bits each.
fn read_digits(from: &mut BitReader<'_>, digits: usize, out: &mut Text) -> Result<(), Error> {
    from.require(4 * digits)?;
    for _ in 0..digits {
        let start = from.position();
        // Four bits.
        let nibble = from.read(4)? as u8;
        if nibble > 9 {
            let kind = ErrorKind::BadDigitNibble { nibble };
            return Err(Error::new(kind, ErrorSpan::bits(start, start + 4)));
        }
        out.push(b'0' + nibble);
    }
    Ok(())
}

/// Checks that the text consists of exactly `digits` digits.
fn check_digits(text: &[u8], offset: usize, digits: usize) -> Result<(), Error> {
    if text.len() == digits && text.iter().all(u8::is_ascii_digit) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::BadDigits, ErrorSpan::text(offset, offset + text.len())))
}

/// Reads a letter of six bits.
fn read_letter(from: &mut BitReader<'_>, out: &mut Text) -> Result<(), Error> {
    let start = from.position();
    // Six bits.
    let letter = from.read(6)? as u8;
    if letter > 25 {
        return Err(Error::new(ErrorKind::BadCharacter, ErrorSpan::bits(start, start + 6)));
    }
    out.push(b'A' + letter);
    Ok(())
}

/// Reads a digit from 1 to 9.
fn read_seq_digit(from: &mut BitReader<'_>, out: &mut Text) -> Result<(), Error> {
    let start = from.position();
    // Four bits.
    let digit = from.read(4)? as u8;
    if !(1..=9).contains(&digit) {
        return Err(Error::new(ErrorKind::BadSeq, ErrorSpan::bits(start, start + 4)));
    }
    out.push(b'0' + digit);
    Ok(())
}
