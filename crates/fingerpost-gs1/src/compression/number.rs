//! Encoding of numbers of up to 127 digits as bits: exact, whereas 64-bit floats lose digits above
//! 2^53.

use alloc::string::String;

use super::bits::{BitReader, BitWriter};
use super::format::value_bits;
use crate::ErrorKind;
use crate::limits::MAX_DIGITS;

/// Limbs of sixteen bits, the lowest first; 422 bits represent 127 digits.
const LIMBS: usize = 27;

/// Appends digits as one number. There must be at most [`MAX_DIGITS`].
pub(super) fn write(digits: &[u8], writer: &mut BitWriter) {
    debug_assert!(digits.len() <= MAX_DIGITS);
    let bits = value_bits(digits.len());
    let mut limbs = [0_u16; LIMBS];
    let used = &mut limbs[..bits.div_ceil(16)];
    for chunk in digits.chunks(CHUNK) {
        let mut carry = chunk.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
        for limb in used.iter_mut() {
            carry += u32::from(*limb) * power_of_ten(chunk.len());
            *limb = (carry & 0xFFFF) as u16;
            carry >>= 16;
        }
    }
    for (at, limb) in used.iter().enumerate().rev() {
        writer.push(u32::from(*limb), (bits - at * 16).min(16) as u32);
    }
}

/// Reads a number and appends it as exactly `count` digits, with leading zeros.
///
/// # Errors
///
/// `TRUNCATED_COMPRESSED`, or `COMPRESSED_VALUE` if it has more digits.
pub(super) fn read(
    reader: &mut BitReader<'_>,
    count: usize,
    out: &mut String,
) -> Result<(), ErrorKind> {
    let count = count.min(MAX_DIGITS);
    let bits = value_bits(count);
    let mut limbs = [0_u16; LIMBS];
    let used = &mut limbs[..bits.div_ceil(16)];
    for (at, limb) in used.iter_mut().enumerate().rev() {
        let part = reader.take((bits - at * 16).min(16) as u32);
        *limb = (part.ok_or(ErrorKind::TruncatedCompressed)? & 0xFFFF) as u16;
    }
    let mut digits = [b'0'; MAX_DIGITS];
    for chunk in digits[..count].rchunks_mut(CHUNK) {
        let divisor = power_of_ten(chunk.len());
        let mut rest = 0;
        for limb in used.iter_mut().rev() {
            rest = rest << 16 | u32::from(*limb);
            *limb = ((rest / divisor) & 0xFFFF) as u16;
            rest %= divisor;
        }
        for digit in chunk.iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
    }
    if used.iter().any(|&limb| limb > 0) {
        return Err(ErrorKind::CompressedValue);
    }
    out.extend(digits[..count].iter().copied().map(char::from));
    Ok(())
}

/// The number of digits converted at a time.
const CHUNK: usize = 4;

fn power_of_ten(digits: usize) -> u32 {
    [1, 10, 100, 1_000, 10_000][digits.min(CHUNK)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(digits: &str) -> String {
        let mut writer = BitWriter::default();
        write(digits.as_bytes(), &mut writer);
        let text = writer.finish();
        assert_eq!(text.len(), value_bits(digits.len()).div_ceil(6), "{digits}");
        let mut back = String::new();
        read(&mut BitReader::new(&text).unwrap(), digits.len(), &mut back).unwrap();
        back
    }

    // GS1-LC-10: digits beyond 2^53 and leading zeros survive.
    #[test]
    fn numbers_of_every_length_survive() {
        for length in 0..=MAX_DIGITS {
            for digits in ["9".repeat(length), "0".repeat(length), "1234567890".repeat(13)] {
                let digits = &digits[..length];
                assert_eq!(round_trip(digits), digits);
            }
        }
    }

    // GS1-LC-13: more digits than announced.
    #[test]
    fn a_number_too_large_is_refused() {
        for count in 1..=MAX_DIGITS {
            let ones = "_".repeat(value_bits(count).div_ceil(6));
            let found = read(&mut BitReader::new(&ones).unwrap(), count, &mut String::new());
            assert_eq!(found, Err(ErrorKind::CompressedValue), "{count}");
            let short = &ones[..(value_bits(count) - 1) / 6];
            let found = read(&mut BitReader::new(short).unwrap(), count, &mut String::new());
            assert_eq!(found, Err(ErrorKind::TruncatedCompressed), "{count}");
        }
    }
}
