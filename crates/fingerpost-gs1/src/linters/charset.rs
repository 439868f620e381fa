//! Character sets (linters csetnumeric, cset82, cset39, cset64): one table, one bit per set.

use super::digits::are_digits;
use super::{Lint, LintFault};
use crate::error::LintError;

/// Bit of the digits.
pub(crate) const DIGITS: u8 = 1;
/// Bit of CSET 82.
pub(crate) const CSET82: u8 = 2;
/// Bit of CSET 39.
pub(crate) const CSET39: u8 = 4;
/// Bit of the URL-safe base64 alphabet, which is also that of the importer index.
pub(crate) const CSET64: u8 = 8;

/// The sets of each byte.
pub(crate) static SETS: [u8; 256] = {
    let mut sets = [0; 256];
    mark(&mut sets, b"0123456789", DIGITS | CSET82 | CSET39 | CSET64);
    mark(&mut sets, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", CSET82 | CSET39 | CSET64);
    mark(&mut sets, b"abcdefghijklmnopqrstuvwxyz", CSET82 | CSET64);
    mark(&mut sets, b"!\"%&'()*+,-./:;<=>?_", CSET82);
    mark(&mut sets, b"#-/", CSET39);
    mark(&mut sets, b"-_", CSET64);
    sets
};

const fn mark(sets: &mut [u8; 256], members: &[u8], bits: u8) {
    let mut at = 0;
    while at < members.len() {
        sets[members[at] as usize] |= bits;
        at += 1;
    }
}

/// Returns whether `byte` is in a set of `bits`.
#[inline]
pub(crate) fn is_in(byte: u8, bits: u8) -> bool {
    SETS[usize::from(byte)] & bits != 0
}

/// Returns whether all bytes are in the set. Examines every byte without branching, because values
/// are short and mostly correct.
#[inline]
fn all_in(text: &[u8], bits: u8) -> bool {
    text.iter().fold(bits, |left, &byte| left & SETS[usize::from(byte)]) != 0
}

#[inline]
fn check(text: &[u8], bits: u8, error: LintError) -> Lint {
    if all_in(text, bits) { Ok(()) } else { Err(first_outside(text, bits, error)) }
}

#[cold]
fn first_outside(text: &[u8], bits: u8, error: LintError) -> LintFault {
    let at = text.iter().position(|&byte| !is_in(byte, bits)).unwrap_or(0);
    LintFault::new(error, at, 1)
}

#[inline]
pub(crate) fn digits(text: &[u8]) -> Lint {
    if are_digits(text) {
        Ok(())
    } else {
        Err(first_outside(text, DIGITS, LintError::NonDigitCharacter))
    }
}

#[inline]
pub(crate) fn cset82(text: &[u8]) -> Lint {
    check(text, CSET82, LintError::InvalidCset82Character)
}

#[inline]
pub(crate) fn cset39(text: &[u8]) -> Lint {
    check(text, CSET39, LintError::InvalidCset39Character)
}

/// Checks CSET 64. The reference requires padded text to have a length divisible by three, although
/// that is unusual for base64.
pub(crate) fn cset64(text: &[u8]) -> Lint {
    let pads = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let data = &text[..text.len() - pads];
    if pads > 2 || (pads > 0 && text.len() % 3 != 0) {
        return Err(LintFault::new(LintError::InvalidCset64Padding, data.len(), pads));
    }
    check(data, CSET64, LintError::InvalidCset64Character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_have_their_sizes() {
        // GS1-AI-07
        for (bits, size) in [(DIGITS, 10), (CSET82, 82), (CSET39, 39), (CSET64, 64)] {
            assert_eq!((0..=255).filter(|&byte| is_in(byte, bits)).count(), size);
        }
        for byte in *b" #$@[]\\^`{|}~" {
            assert!(!is_in(byte, CSET82));
        }
    }
}
