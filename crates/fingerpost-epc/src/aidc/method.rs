//! Which method writes the value of which Application Identifier: EPC Tag Data Standard 2.3, Table F.

use fingerpost_gs1::Ai;

use super::table::{AI_DIGITS, ROWS};

/// How a value, or a part of one, is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Method {
    /// Four bits a digit (14.5.4).
    FixedDigits(usize),
    /// So many digits as one integer (14.5.2).
    FixedBits { digits: usize, bits: usize },
    /// Digits with their number before them (14.5.13).
    VarNum { len_bits: usize, max: usize, may_be_empty: bool },
    /// Four bits a digit, then perhaps text (14.5.5).
    DelimNum { len_bits: usize, max: usize },
    /// Text in the shortest of six forms (14.5.6).
    VarAlnum { len_bits: usize, max: usize, may_be_empty: bool },
    /// `0` or `1` (14.5.7).
    Bit1,
    /// `YYMMDD` (14.5.8).
    Date6,
    /// `YYMMDDhhmm` (14.5.9).
    Datetime10,
    /// One `YYMMDD` or two (14.5.10).
    DateOrRange,
    /// `YYMMDD`, then perhaps `hh`, `mm`, `ss` (14.5.11).
    DatetimeVar,
    /// Two letters (14.5.12).
    Country2,
    /// Nothing or `-` (14.5.14).
    OptMinus,
    /// Two digits with `/` between them (14.5.15).
    Seq,
}

impl Method {
    /// Returns how many characters, where that is fixed; the methods of first parts are among these.
    pub(super) const fn width(self) -> Option<usize> {
        match self {
            Method::FixedDigits(digits) | Method::FixedBits { digits, .. } => Some(digits),
            _ => None,
        }
    }
}

/// A row: Application Identifiers as numbers, and the parts of their values.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) first: u16,
    pub(super) last: u16,
    pub(super) parts: &'static [Method],
}

/// Returns the parts of the values of an Application Identifier; `None` when no EPC can carry it.
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

/// Returns how many digits an Application Identifier has that begins with these two ASCII digits (table K).
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
            // Longer than the buffer of a value would be lost.
            assert!(widths.sum::<usize>() <= 30, "{row:?}");
        }
    }
}
