//! Digits, processed eight at a time: almost every value in a request is a long number.

/// Returns whether all characters are digits.
#[inline]
pub(super) fn are_digits(text: &[u8]) -> bool {
    if text.len() < WORD {
        return text.iter().all(u8::is_ascii_digit);
    }
    words(text).fold(true, |all, word| all & is_digit_word(word))
}

/// Returns the sum of the digits weighted 1, 3, 1, 3, … from the right. Their check digit is
/// correct if the sum is a multiple of ten. Any bytes are safe, but only digits give a meaningful
/// sum.
#[inline]
pub(super) fn weighted_sum(text: &[u8]) -> u64 {
    if text.len() < WORD {
        let weigh = |(index, &digit): (usize, &u8)| u64::from(digit & 0xf) * [1, 3][index % 2];
        return text.iter().rev().enumerate().map(weigh).sum();
    }
    words(text).map(weighted_word).sum()
}

/// Returns whether these are eight digits or more, the last one their check digit.
#[inline]
pub(crate) fn are_checked_digits(text: &[u8]) -> bool {
    if text.len() < WORD {
        return false;
    }
    let (all, sum) = words(text)
        .fold((true, 0), |(all, sum), word| (all & is_digit_word(word), sum + weighted_word(word)));
    all && sum % 10 == 0
}

/// Bytes in a word.
const WORD: usize = 8;

/// Returns the text, at least eight bytes, as big-endian words from the right; the last one is
/// padded on the left with `0` characters, which do not affect either result.
#[inline]
fn words(text: &[u8]) -> impl Iterator<Item = u64> {
    let rest = text.len() % WORD;
    let left = (text.first_chunk().filter(|_| rest > 0)).map(|first| {
        let shift = 8 * (WORD - rest);
        (u64::from_be_bytes(*first) >> shift) | (ZEROS << (8 * rest))
    });
    let chunks = text[rest..].chunks_exact(WORD);
    // A chunk always has eight bytes.
    chunks.map(|chunk| u64::from_be_bytes(chunk.try_into().unwrap_or_default())).chain(left)
}

/// Eight characters `0`.
const ZEROS: u64 = u64::from_be_bytes(*b"00000000");

/// Returns whether all bytes are digits. A digit is 0x30 to 0x39: its high half is 3, and remains 3
/// after adding 6. A carry out of a byte requires a high half of F, which the first test rejects.
#[inline]
fn is_digit_word(word: u64) -> bool {
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    const SIX: u64 = 0x0606_0606_0606_0606;
    (word & HIGH == ZEROS) & (word.wrapping_add(SIX) & HIGH == ZEROS)
}

/// Returns the weighted sum of a word. The lowest byte has weight 1, the next 3, and so on: added
/// in four lanes of 16 bits, then across.
#[inline]
fn weighted_word(word: u64) -> u64 {
    const EVERY_OTHER: u64 = 0x000f_000f_000f_000f;
    let lanes = (word & EVERY_OTHER) + 3 * (word >> 8 & EVERY_OTHER);
    lanes.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_single_characters() {
        let text = b"98765432109876543210987654321";
        for start in 0..text.len() {
            let digits = &text[start..];
            assert!(are_digits(digits));
            let weigh = |(index, digit): (usize, &u8)| u64::from(digit - b'0') * [1, 3][index % 2];
            let slow: u64 = digits.iter().rev().enumerate().map(weigh).sum();
            assert_eq!(weighted_sum(digits), slow);
        }
    }

    #[test]
    fn one_other_byte_anywhere_is_seen() {
        for length in 1..30 {
            for at in 0..length {
                for byte in (0..=255_u8).filter(|byte| !byte.is_ascii_digit()) {
                    let mut text = [b'7'; 30];
                    text[at] = byte;
                    assert!(!are_digits(&text[..length]), "{byte} at {at} of {length}");
                }
            }
        }
    }
}
