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

/// Fills `place` with the last digits of a number, with leading zeros.
#[inline]
pub(crate) fn fill(place: &mut [u8], number: u64) {
    let mut left = number;
    let (first, pairs) = place.as_rchunks_mut::<2>();
    for pair in pairs.iter_mut().rev() {
        // Below 100.
        *pair = PAIRS[(left % 100) as usize];
        left /= 100;
    }
    if let [digit] = first {
        // Below 10, so it fits into a byte.
        *digit = b'0' + (left % 10) as u8;
    }
}

/// Returns the number written with at most 19 digits; `None` for more digits, none, or other characters.
#[inline]
pub(crate) fn read(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    digits.iter().try_fold(0, |number, &byte| {
        byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0'))
    })
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
