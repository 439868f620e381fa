//! Check digit and check character pair (linters csum, csumalpha; GS1 General Specifications 7.9).

use super::digits::weighted_sum;
use super::{Lint, LintFault, charset};
use crate::error::LintError;

/// Checks a check digit. From the right, starting with it, the digits have the weights 1, 3, 1, 3,
/// …; the sum must be a multiple of ten.
#[inline]
pub(super) fn csum(text: &[u8]) -> Lint {
    charset::digits(text)?;
    if text.is_empty() {
        return Err(LintFault::new(LintError::TooShortForCheckDigit, 0, 0));
    }
    if weighted_sum(text) % 10 == 0 {
        Ok(())
    } else {
        Err(LintFault::new(LintError::IncorrectCheckDigit, text.len() - 1, 1))
    }
}

/// Checks the check pair of a Global Model Number.
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

/// Returns the check pair after at most 97 characters of CSET 82.
pub(crate) fn check_pair(data: &[u8]) -> [u8; 2] {
    let sum: u32 = (data.iter().rev().zip(PRIMES))
        .map(|(&byte, &prime)| u32::from(CSET82_VALUES[usize::from(byte)]) * u32::from(prime))
        .sum();
    let sum = (sum % 1021) as usize;
    // Below 1024, so both halves are below 32.
    [ALPHABET[sum >> 5], ALPHABET[sum & 31]]
}

/// The index of each character in CSET 82 sorted by code point, 0 to 81; 0 for other bytes.
static CSET82_VALUES: [u8; 256] = {
    let (mut values, mut byte, mut next) = ([0; 256], 0, 0);
    while byte < 256 {
        if charset::SETS[byte] & charset::CSET82 != 0 {
            values[byte] = next;
            next += 1;
        }
        byte += 1;
    }
    values
};

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
    use crate::check_digit;

    #[test]
    fn check_digits_and_pairs_of_the_examples() {
        // GS1-LINT-03, GS1-LINT-04
        assert_eq!(check_digit::of(b"0952012345678"), b'8');
        assert_eq!(check_digit::of(b"12345678901234567"), b'5');
        assert_eq!(check_digit::of(b""), b'0');
        assert_eq!(check_pair(b"1987654Ad4X4bL5ttr2310c"), *b"2K");
        assert_eq!(check_pair(b""), *b"22");
    }
}
