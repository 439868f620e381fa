//! Decimal digits.

/// The two digits of every number below 100.
static PAIRS: [[u8; 2]; 100] = {
    let (mut pairs, mut number) = ([[0; 2]; 100], 0);
    while number < pairs.len() {
        // Below 100, so both fit into a byte.
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Returns the number of digits of a number; "0" has one.
#[inline]
pub(crate) fn count(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Fills `into` with the last digits of a number, with leading zeros.
#[inline]
pub(crate) fn fill(into: &mut [u8], number: u64) {
    let mut left = number;
    let mut pairs = into.rchunks_exact_mut(2);
    for pair in &mut pairs {
        // Below 100.
        [pair[0], pair[1]] = PAIRS[(left % 100) as usize];
        left /= 100;
    }
    if let [digit] = pairs.into_remainder() {
        // Below 10, so it fits into a byte.
        *digit = b'0' + (left % 10) as u8;
    }
}

/// Returns whether all characters are digits.
#[inline]
pub(crate) fn are_digits(text: &[u8]) -> bool {
    // The first word contains what the words from the right leave over.
    match text.first_chunk() {
        Some(first) => {
            is_word(first) && words(&text[text.len() % WORD..]).all(|word| is_word(&word))
        }
        None => text.iter().all(u8::is_ascii_digit),
    }
}

/// Returns the number written with at most 19 digits; `None` for more digits, none, or other
/// characters.
#[inline]
pub(crate) fn read(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let few = &digits[..digits.len() % WORD];
    let first = match digits.first_chunk() {
        // The few digits before the words, as a word with leading zeros.
        Some(first) if !few.is_empty() => {
            let shift = 8 * (WORD - few.len());
            let word = u64::from_le_bytes(*first) << shift | ZEROS >> (64 - shift);
            read_word(&word.to_le_bytes())?
        }
        Some(_) => 0,
        None => few.iter().try_fold(0, |number, &byte| {
            byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0'))
        })?,
    };
    words(&digits[few.len()..])
        .try_fold(first, |number, word| Some(number * 100_000_000 + read_word(&word)?))
}

/// Returns words of a text from the left, without what is left over on the right.
#[inline]
fn words(text: &[u8]) -> impl Iterator<Item = [u8; WORD]> + '_ {
    // A chunk always has eight bytes.
    text.chunks_exact(WORD).map(|chunk| chunk.try_into().unwrap_or_default())
}

/// Digits that are processed at once, one in each byte of a number.
const WORD: usize = 8;

/// Eight zeros.
const ZEROS: u64 = u64::from_ne_bytes([b'0'; WORD]);

/// Returns the number that eight digits write.
#[inline]
fn read_word(digits: &[u8; WORD]) -> Option<u64> {
    is_word(digits).then(|| word_value(digits))
}

/// Returns whether these are digits: 0x30 to 0x39. The high half of such a byte is 3, and remains 3
/// after adding 6.
#[inline]
fn is_word(digits: &[u8; WORD]) -> bool {
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    let word = u64::from_ne_bytes(*digits);
    // Only a byte that the first test rejects can carry into the next one.
    word & HIGH == ZEROS && word.wrapping_add(0x0606_0606_0606_0606) & HIGH == ZEROS
}

/// Returns the number that eight digits write: adds neighbours to numbers of two digits, these to
/// four, and these to eight.
#[inline]
fn word_value(digits: &[u8; WORD]) -> u64 {
    let ones = u64::from_le_bytes(*digits) & 0x0f0f_0f0f_0f0f_0f0f;
    let twos = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    (fours * 10_000 + (fours >> 32)) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 9, 10, 6789, 9_999_999_999_999_999_999] {
            let mut out = [0; 19];
            fill(&mut out, number);
            assert_eq!(read(&out), Some(number));
            let own = &mut out[..count(number)];
            fill(own, number);
            assert_eq!(own, number.to_string().as_bytes());
        }
        assert_eq!(read(b""), None);
        assert_eq!(read(b"1a"), None);
        assert_eq!(read(&[b'9'; 20]), None);
    }
}
