//! The encoding methods of the values of each Application Identifier: EPC Tag Data Standard 2.3,
//! Table F.

use fingerpost_gs1::Ai;

use super::method::Method;
use super::table::{AI_DIGITS, ROWS};

/// Returns the parts of the values of an Application Identifier; `None` if no EPC can contain it.
pub(super) fn parts(ai: Ai) -> Option<&'static [Method]> {
    let digits = ai.as_str().as_bytes();
    if digit_count([digits[0], digits[1]]) != Some(digits.len()) {
        return None;
    }
    let number = digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0'));
    let after = ROWS.partition_point(|row| row.first <= number);
    let row = &ROWS[after.checked_sub(1)?];
    (number <= row.last).then_some(row.parts)
}

/// Returns the length of an Application Identifier that begins with these two ASCII digits (table
/// K).
pub(super) fn digit_count([first, second]: [u8; 2]) -> Option<usize> {
    match AI_DIGITS[usize::from((first - b'0') * 10 + (second - b'0'))] {
        0 => None,
        count => Some(usize::from(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_number_and_length() {
        let found = |ai: &str| parts(Ai::new(ai).unwrap()).is_some();
        for ai in ["00", "01", "99", "235", "716", "3105", "4333", "7030", "8200"] {
            assert!(found(ai), "{ai}");
        }
        for ai in ["03", "14", "717", "8014", "3106", "3990", "0010", "010", "0000", "9910"] {
            assert!(!found(ai), "{ai}");
        }
    }

    #[test]
    fn rows_agree_with_the_lengths_of_the_dictionary() {
        for row in &ROWS {
            let widths = row.parts.iter().filter_map(|part| part.width());
            // Text longer than the buffer of a value would be lost.
            assert!(widths.sum::<usize>() <= 30, "{row:?}");
        }
    }
}
