//! Decimal digits and check digits: GS1 General Specifications 7.9.

/// Writes a number without leading zeros at the end of `out` and returns where it starts. "0" is
/// one digit.
#[inline]
pub(crate) fn write(mut number: u64, out: &mut [u8; 20]) -> usize {
    let mut at = out.len();
    loop {
        at -= 1;
        // A digit fits into a byte.
        out[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return at;
        }
    }
}

/// The number that at most 19 digits write; `None` for more, none, or other characters.
#[inline]
pub(crate) fn read(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    digits.iter().try_fold(0, |number, &byte| {
        byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0'))
    })
}

/// The check digit after these digits: weights 3, 1, 3 … from the right.
#[inline]
pub(crate) fn check_digit(digits: &[u8]) -> u8 {
    let (odd, even) = digits.iter().rev().enumerate().fold((0, 0), |(odd, even), (at, byte)| {
        let digit = u32::from(byte & 15);
        if at % 2 == 0 { (odd + digit, even) } else { (odd, even + digit) }
    });
    // Below 10, so it fits into a byte.
    b'0' + ((1000 - (3 * odd + even) % 10) % 10) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 9, 10, 6789, 9_999_999_999_999_999_999] {
            let mut out = [0; 20];
            let first = write(number, &mut out);
            assert_eq!(read(&out[first..]), Some(number));
        }
        assert_eq!(read(b""), None);
        assert_eq!(read(b"1a"), None);
        assert_eq!(read(&[b'9'; 20]), None);
    }

    #[test]
    fn check_digits() {
        assert_eq!(check_digit(b"0950600013435"), b'2');
        assert_eq!(check_digit(b"95211411234567890"), check_digit(b"095211411234567890"));
        assert_eq!(check_digit(b""), b'0');
    }
}
