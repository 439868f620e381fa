//! Integers of up to 90 decimal digits, 299 bits: EPC Tag Data Standard 2.3, sections 14.5.2,
//! 14.5.6.1 and 14.5.13.
//!
//! Up to 19 digits fit into one machine word; longer numbers use ten words of 32 bits, nine digits
//! at a time.

use super::table::DECIMAL_BITS;
use super::text::Text;
use crate::bits::{BitReader, Bits};
use crate::error::{Error, ErrorKind, ErrorSpan};

/// The number of digits that always fit into 64 bits.
const WORD_DIGITS: usize = 19;

/// The number of words of 32 bits for 299 bits.
const LIMBS: usize = 10;

/// The number of digits processed at a time, and the number above the largest of them.
const CHUNK: usize = 9;
const CHUNK_BASE: u64 = 1_000_000_000;

/// Returns the number of bits of an integer with this many digits, at most 90.
pub(super) fn bits_for(digits: usize) -> usize {
    usize::from(DECIMAL_BITS[digits])
}

/// Reads this many bits and appends this many digits, at most 90.
pub(super) fn read(
    from: &mut BitReader<'_>,
    bits: usize,
    digits: usize,
    out: &mut Text,
) -> Result<(), Error> {
    let start = from.position();
    if from.remaining() < bits {
        let kind = ErrorKind::Truncated { needed: bits, found: from.remaining() };
        return Err(Error::new(kind, ErrorSpan::bits(start, start + from.remaining())));
    }
    // At most 90 digits, so they fit.
    let overflow = ErrorKind::DecimalOverflow { digits: digits as u8 };
    let overflow = Error::new(overflow, ErrorSpan::bits(start, start + bits));
    if digits <= WORD_DIGITS {
        let number = from.read(bits)?;
        if number >= 10_u64.pow(digits as u32) {
            return Err(overflow);
        }
        out.push_number(number, digits);
        return Ok(());
    }
    let mut limbs = [0_u32; LIMBS];
    let mut left = bits;
    for limb in limbs[..bits.div_ceil(32)].iter_mut().rev() {
        // All except the first are complete.
        let width = (left - 1) % 32 + 1;
        // At most 32 bits.
        *limb = from.read(width)? as u32;
        left -= width;
    }
    let mut chunks = [0_u64; LIMBS];
    let count = digits.div_ceil(CHUNK);
    for chunk in &mut chunks[..count] {
        *chunk = divide(&mut limbs);
    }
    let top = digits - (count - 1) * CHUNK;
    if limbs.iter().any(|limb| *limb != 0) || chunks[count - 1] >= 10_u64.pow(top as u32) {
        return Err(overflow);
    }
    out.push_number(chunks[count - 1], top);
    chunks[..count - 1].iter().rev().for_each(|chunk| out.push_number(*chunk, CHUNK));
    Ok(())
}

/// Writes ASCII digits, at most 90, as an integer of this many bits, which must be enough for them.
pub(super) fn write(digits: &[u8], bits: usize, out: &mut Bits) {
    let number = |digits: &[u8]| {
        digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
    };
    if digits.len() <= WORD_DIGITS {
        out.push(number(digits), bits);
        return;
    }
    let mut limbs = [0_u32; LIMBS];
    let (first, rest) = digits.split_at(digits.len() % CHUNK);
    multiply_add(&mut limbs, number(first));
    rest.chunks(CHUNK).for_each(|chunk| multiply_add(&mut limbs, number(chunk)));
    let mut left = bits;
    for limb in limbs[..bits.div_ceil(32)].iter().rev() {
        // All except the first are complete.
        let width = (left - 1) % 32 + 1;
        out.push(u64::from(*limb), width);
        left -= width;
    }
}

/// Divides by the base of a chunk and returns the remainder. Least significant limb first.
fn divide(limbs: &mut [u32; LIMBS]) -> u64 {
    limbs.iter_mut().rev().fold(0, |rest, limb| {
        let part = rest << 32 | u64::from(*limb);
        // The rest is below the base, so the quotient is below 2^32.
        *limb = (part / CHUNK_BASE) as u32;
        part % CHUNK_BASE
    })
}

/// Multiplies by the base of a chunk and adds.
fn multiply_add(limbs: &mut [u32; LIMBS], add: u64) {
    let mut carry = add;
    for limb in limbs {
        let product = u64::from(*limb) * CHUNK_BASE + carry;
        // The low half; the high half is carried.
        *limb = product as u32;
        carry = product >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lengths_come_back_and_one_more_is_refused() {
        for digits in 1..=90_usize {
            for pattern in [&b"9"[..], b"0", b"1234567890", b"1000000000"] {
                let mut text = [0; 90];
                (0..digits).for_each(|at| text[at] = pattern[at % pattern.len()]);
                let mut bits = Bits::new();
                write(&text[..digits], bits_for(digits), &mut bits);
                assert_eq!(bits.len(), bits_for(digits));
                let mut out = Text::new();
                read(&mut bits.reader(), bits.len(), digits, &mut out).unwrap();
                assert_eq!(out.as_str().as_bytes(), &text[..digits]);
            }
            let mut ones = Bits::new();
            (0..bits_for(digits)).for_each(|_| ones.push(1, 1));
            let error = read(&mut ones.reader(), ones.len(), digits, &mut Text::new());
            assert_eq!(error.unwrap_err().code(), "DECIMAL_OVERFLOW", "{digits}");
            let error = read(&mut ones.reader(), ones.len() + 1, digits, &mut Text::new());
            assert_eq!(error.unwrap_err().code(), "TRUNCATED");
        }
    }
}
