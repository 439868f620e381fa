//! Encoding of values as bits, field by field.
//!
//! ```text
//! digits    = number                       ; as many bits as the count of digits takes
//! up-to-n   = length number                ; nothing after a length of zero
//! text      = encoding *symbol             ; encoding: 3 bits
//! up-to-x   = encoding length *symbol
//! ```

use alloc::string::String;

use super::bits::{ALPHABET, BitReader, BitWriter, index_of};
use super::format::{Part, length_bits};
use super::number;
use crate::ErrorKind;

/// The encoding of the characters of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Digits = 0,
    LowerHex = 1,
    UpperHex = 2,
    Alphabet = 3,
    Ascii = 4,
}

/// Appends a value. Returns `None` if its characters or lengths do not fit the fields; in that case
/// the output is unusable.
pub(super) fn write(value: &[u8], parts: &[Part], writer: &mut BitWriter) -> Option<()> {
    let mut rest = value;
    for part in parts {
        let count = match *part {
            Part::Digits(count) | Part::Text(count) => usize::from(count),
            Part::UpToDigits(_) | Part::UpToText(_) => rest.len(),
        };
        let (field, after) = rest.split_at_checked(count)?;
        rest = after;
        match *part {
            Part::Digits(_) | Part::UpToDigits(_) if !field.iter().all(u8::is_ascii_digit) => {
                return None;
            }
            Part::Digits(_) => number::write(field, writer),
            Part::UpToDigits(max) => {
                push_length(field.len(), length_bits(max), writer)?;
                number::write(field, writer);
            }
            Part::Text(_) => write_text(field, None, writer)?,
            Part::UpToText(max) => write_text(field, Some(length_bits(max)), writer)?,
        }
    }
    rest.is_empty().then_some(())
}

/// Reads a value and appends it to `out`.
///
/// # Errors
///
/// `TRUNCATED_COMPRESSED`, `ENCODING_CODE` or `COMPRESSED_VALUE`.
pub(super) fn read(
    reader: &mut BitReader<'_>,
    parts: &[Part],
    out: &mut String,
) -> Result<(), ErrorKind> {
    for part in parts {
        match *part {
            Part::Digits(count) => number::read(reader, usize::from(count), out)?,
            Part::UpToDigits(max) => {
                let count = take(reader, length_bits(max))?;
                number::read(reader, count as usize, out)?;
            }
            Part::Text(count) => read_text(reader, Length::Known(usize::from(count)), out)?,
            Part::UpToText(max) => read_text(reader, Length::Bits(length_bits(max)), out)?,
        }
    }
    Ok(())
}

/// Appends a text; with `length_bits` its length is written between encoding and characters.
/// Returns `None` if it is too long or not ASCII.
pub(super) fn write_text(
    text: &[u8],
    length_bits: Option<u32>,
    writer: &mut BitWriter,
) -> Option<()> {
    let encoding = encoding_of(text)?;
    writer.push(encoding as u32, 3);
    if let Some(bits) = length_bits {
        push_length(text.len(), bits, writer)?;
    }
    if encoding == Encoding::Digits {
        number::write(text, writer);
        return Some(());
    }
    for &byte in text {
        let (symbol, bits) = match encoding {
            Encoding::LowerHex | Encoding::UpperHex => (char::from(byte).to_digit(16)?, 4),
            Encoding::Alphabet => (u32::from(index_of(byte)?), 6),
            _ => (u32::from(byte), 7),
        };
        writer.push(symbol, bits);
    }
    Some(())
}

/// The number of characters of a text.
#[derive(Clone, Copy)]
pub(super) enum Length {
    Known(usize),
    /// The count is written in this many bits.
    Bits(u32),
}

/// Reads a text and appends it to `out`.
pub(super) fn read_text(
    reader: &mut BitReader<'_>,
    length: Length,
    out: &mut String,
) -> Result<(), ErrorKind> {
    let code = take(reader, 3)?;
    let length = match length {
        Length::Known(length) => length,
        Length::Bits(bits) => take(reader, bits)? as usize,
    };
    let (bits, symbols): (u32, &[u8]) = match code {
        0 => return number::read(reader, length, out),
        1 => (4, b"0123456789abcdef"),
        2 => (4, b"0123456789ABCDEF"),
        3 => (6, ALPHABET),
        4 => (7, &[]),
        _ => return Err(ErrorKind::EncodingCode),
    };
    for _ in 0..length {
        let symbol = take(reader, bits)?;
        let byte = symbols.get(symbol as usize).copied().unwrap_or((symbol & 0x7F) as u8);
        out.push(char::from(byte));
    }
    Ok(())
}

/// Returns the next bits, or `TRUNCATED_COMPRESSED`.
pub(super) fn take(reader: &mut BitReader<'_>, bits: u32) -> Result<u32, ErrorKind> {
    reader.take(bits).ok_or(ErrorKind::TruncatedCompressed)
}

/// Returns the first encoding, in this order, that can represent all of `text`.
fn encoding_of(text: &[u8]) -> Option<Encoding> {
    let all = |test: fn(&u8) -> bool| text.iter().all(test);
    if text.is_empty() {
        Some(Encoding::Ascii)
    } else if all(u8::is_ascii_digit) {
        Some(Encoding::Digits)
    } else if all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F')) {
        Some(Encoding::UpperHex)
    } else if all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        Some(Encoding::LowerHex)
    } else if all(|&byte| index_of(byte).is_some()) {
        Some(Encoding::Alphabet)
    } else {
        all(u8::is_ascii).then_some(Encoding::Ascii)
    }
}

/// Appends a length if it fits into `bits`. The AI's own row determines valid lengths, so any
/// length that fits is written.
fn push_length(length: usize, bits: u32, writer: &mut BitWriter) -> Option<()> {
    let length = u32::try_from(length).ok().filter(|length| length >> bits == 0)?;
    writer.push(length, bits);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits_of(text: &str) -> (u32, usize) {
        let mut writer = BitWriter::default();
        write_text(text.as_bytes(), Some(7), &mut writer).unwrap();
        let written = writer.finish();
        let mut reader = BitReader::new(&written).unwrap();
        let mut back = String::new();
        read_text(&mut reader, Length::Bits(7), &mut back).unwrap();
        assert_eq!(back, text);
        let used = reader.at() - 10;
        (BitReader::new(&written).unwrap().take(3).unwrap(), used)
    }

    // GS1-LC-09: encoding of a text, and its cost.
    #[test]
    fn the_first_encoding_that_fits_is_taken() {
        assert_eq!(bits_of("0123"), (0, 14));
        assert_eq!(bits_of("12AB"), (2, 16));
        assert_eq!(bits_of("12ab"), (1, 16));
        assert_eq!(bits_of("aB"), (3, 12));
        assert_eq!(bits_of("A_-z"), (3, 24));
        assert_eq!(bits_of("A/z"), (4, 21));
        assert_eq!(bits_of(""), (4, 0));
    }

    // GS1-LC-09: codes 5 to 7 are unassigned.
    #[test]
    fn unassigned_encodings_are_refused() {
        for code in 5..=7 {
            let mut writer = BitWriter::default();
            writer.push(code, 3);
            writer.push(0, 16);
            let text = writer.finish();
            let mut reader = BitReader::new(&text).unwrap();
            let found = read_text(&mut reader, Length::Known(1), &mut String::new());
            assert_eq!(found, Err(ErrorKind::EncodingCode));
        }
    }

    #[test]
    fn values_that_do_not_fit_are_not_written() {
        let write = |value: &str, parts| {
            write(value.as_bytes(), parts, &mut BitWriter::default()).is_some()
        };
        assert!(write("123", &[Part::Digits(3)]));
        assert!(!write("12", &[Part::Digits(3)]));
        assert!(!write("1234", &[Part::Digits(3)]));
        assert!(!write("12A", &[Part::Digits(3)]));
        assert!(!write("é", &[Part::UpToText(3)]));
        assert!(write("ABC", &[Part::UpToText(2)])); // two bits hold a length of three
        assert!(!write("ABCD", &[Part::UpToText(2)]));
        assert!(write("840", &[Part::Digits(3), Part::UpToDigits(12)]));
    }
}
