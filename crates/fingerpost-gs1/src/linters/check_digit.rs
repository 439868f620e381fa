//! Check digit and check character pair (linters csum, csumalpha; GS1 General Specifications 7.9).

use super::{Lint, LintFault, charset};
use crate::error::LintError;

/// From the right, the check digit left out, the digits weigh 3, 1, 3, 1, …; the check digit
/// completes the sum to a multiple of ten.
#[inline]
pub(super) fn csum(text: &[u8]) -> Lint {
    charset::digits(text)?;
    let Some((&check, data)) = text.split_last() else {
        return Err(LintFault::new(LintError::TooShortForCheckDigit, 0, 0));
    };
    if check == check_digit(data) {
        Ok(())
    } else {
        Err(LintFault::new(LintError::IncorrectCheckDigit, data.len(), 1))
    }
}

/// The check digit, as ASCII, after these ASCII digits. Other bytes give some digit.
#[inline]
pub(crate) fn check_digit(data: &[u8]) -> u8 {
    let (mut triple, mut single) = (0_u32, 0_u32);
    let mut pairs = data.rchunks_exact(2);
    for pair in &mut pairs {
        single += u32::from(pair[0] & 0xf);
        triple += u32::from(pair[1] & 0xf);
    }
    triple += pairs.remainder().first().map_or(0, |&digit| u32::from(digit & 0xf));
    let digit = (10 - (3 * triple + single) % 10) % 10;
    b'0' + digit as u8
}

/// Check pair of a Global Model Number.
pub(super) fn csumalpha(text: &[u8]) -> Lint {
    let Some((data, pair)) = text.split_last_chunk::<2>() else {
        return Err(LintFault::whole(LintError::TooShortForCheckPair, text));
    };
    if text.len() > PRIMES.len() + 2 {
        return Err(LintFault::whole(LintError::TooLongForCheckPairImplementation, text));
    }
    charset::cset82(data)?;
    if *pair == check_pair(data) {
        Ok(())
    } else {
        Err(LintFault::new(LintError::IncorrectCheckPair, data.len(), 2))
    }
}

/// The check pair after at most 97 characters of CSET 82.
pub(crate) fn check_pair(data: &[u8]) -> [u8; 2] {
    let sum: u32 = (data.iter().rev().zip(PRIMES))
        .map(|(&byte, &prime)| cset82_value(byte) * u32::from(prime))
        .sum();
    let sum = (sum % 1021) as usize;
    // Below 1024, so both halves are below 32.
    [ALPHABET[sum >> 5], ALPHABET[sum & 31]]
}

/// Place of a character in CSET 82 sorted by code point.
fn cset82_value(byte: u8) -> u32 {
    (0..byte).map(|lower| u32::from(charset::is_in(lower, charset::CSET82))).sum()
}

const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// Weights from the right: the first 97 primes.
const PRIMES: &[u16; 97] = &[
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193,
    197, 199, 211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307,
    311, 313, 317, 331, 337, 347, 349, 353, 359, 367, 373, 379, 383, 389, 397, 401, 409, 419, 421,
    431, 433, 439, 443, 449, 457, 461, 463, 467, 479, 487, 491, 499, 503, 509,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_and_pairs_of_the_examples() {
        // GS1-2.2
        assert_eq!(check_digit(b"0952012345678"), b'8');
        assert_eq!(check_digit(b"12345678901234567"), b'5');
        assert_eq!(check_digit(b""), b'0');
        assert_eq!(check_pair(b"1987654Ad4X4bL5ttr2310c"), *b"2K");
        assert_eq!(check_pair(b""), *b"22");
    }
}
