//! Values of keys and qualifiers in cells, and what spreadsheet programs do to them.
//!
//! Programs take a GTIN for a number: they drop its leading zeros, show it as `9.52E+12`, and keep
//! 15 digits of it. A value is repaired only where its check digit proves the repair and nothing
//! else is likely:
//!
//! | cell | result |
//! |---|---|
//! | 12, 13 or 14 digits, 8 that do not begin with 0 | a GTIN, written with 14 digits |
//! | 9 to 11 digits | zeros were dropped: restored if the check digit is right, and the number is not an ISBN-10 |
//! | 7 digits, or 8 that begin with 0 | refused: a shortened bar code (UPC-E) looks the same |
//! | `9.506000134352E+12`, `9506000134352.0` | all digits are there: read as digits |
//! | `9.52E+12` | refused: digits are lost |
//! | a number cell with more than 15 digits, or text with 16 or more that ends in `000` | refused: digits may be lost |

use fingerpost_gs1::{Ai, check_digit};

use super::cell::{Cell, shown};
use crate::limits::{MAX_DROPPED_ZEROS, MAX_PRECISE_DIGITS, MAX_PRECISE_NUMBER};

/// The value of a key or qualifier.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) text: String,
    /// What was repaired, in words.
    pub(crate) advice: Option<String>,
}

/// Reads the value of an Application Identifier from a cell.
pub(crate) fn read(ai: Ai, cell: &Cell) -> Result<Value, String> {
    let length = match ai {
        Ai::GTIN => return gtin(cell),
        Ai::GLN | Ai::PARTY => 13,
        Ai::GSIN => 17,
        Ai::SSCC | Ai::GSRN | Ai::GSRNP => 18,
        _ => return text(cell).map(|text| Value { text, advice: None }),
    };
    let digits = digits(cell)?;
    let found = digits.len();
    if !(length - MAX_DROPPED_ZEROS..=length).contains(&found) {
        return Err(format!("expected {length} digits, found {found}"));
    }
    check(&digits)?;
    Ok(padded(&digits, length))
}

fn gtin(cell: &Cell) -> Result<Value, String> {
    let digits = digits(cell)?;
    match (digits.len(), digits.starts_with('0')) {
        (12..=14, _) | (8, false) => {
            check(&digits)?;
            Ok(Value { text: format!("{digits:0>14}"), advice: None })
        }
        (9..=11, _) => {
            check(&digits).map_err(|error| {
                format!("{error}, and {} digits are too few for a GTIN", digits.len())
            })?;
            if is_isbn_10(&digits) {
                return Err(format!(
                    "{digits} can be a GTIN without its leading zeros or an ISBN-10: enter all 13 digits of the GTIN as text"
                ));
            }
            Ok(padded(&digits, 14))
        }
        (7 | 8, _) => Err(format!(
            "{digits} can be a shortened bar code (UPC-E) or a GTIN-8 without its zeros: enter all 12 or 14 digits of the GTIN as text"
        )),
        (found, _) => {
            Err(format!("expected a GTIN with 8, 12, 13 or 14 digits, found {found} digits"))
        }
    }
}

/// Restores leading zeros that a program dropped.
fn padded(digits: &str, length: usize) -> Value {
    let text = format!("{digits:0>length$}");
    let advice = (digits.len() < length)
        .then(|| format!("read as {text}: leading zeros were missing, and the check digit fits"));
    Value { text, advice }
}

fn check(digits: &str) -> Result<(), String> {
    let (data, last) = digits.as_bytes().split_at(digits.len().saturating_sub(1));
    let expected = check_digit::of(data);
    match last {
        [found] if *found == expected => Ok(()),
        [found] => Err(format!(
            "check digit of {digits} is {}, expected {}",
            char::from(*found),
            char::from(expected)
        )),
        _ => Err("expected digits, found none".to_owned()),
    }
}

/// Returns whether digits are an ISBN-10 (ISO 2108, before 2007), perhaps without a leading zero.
fn is_isbn_10(digits: &str) -> bool {
    let digits = format!("{digits:0>10}");
    let weighted = digits
        .bytes()
        .zip((1..=10_u32).rev())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight);
    digits.len() == 10 && weighted.sum::<u32>() % 11 == 0
}

/// Returns the digits of a cell that holds a number of fixed length.
fn digits(cell: &Cell) -> Result<String, String> {
    let text = match cell {
        Cell::Number(number) => return number_digits(*number),
        Cell::Text(text) => text.trim().to_owned(),
        cell => text(cell)?,
    };
    let bare: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
    let digits = match all_digits(&bare) {
        Some(digits) => digits?,
        None => return Err(format!("expected digits, found {}", shown(&text))),
    };
    if digits.len() > MAX_PRECISE_DIGITS && digits.ends_with("000") {
        return Err(format!(
            "{digits} ends in 000, as numbers do whose last digits a spreadsheet has lost: format the column as text and enter it again; if it is right, enter it as a path in a column with the title Anchor"
        ));
    }
    Ok(digits)
}

/// Returns the digits of a text that a program may have written for a number; `None` if it is
/// something else.
fn all_digits(text: &str) -> Option<Result<String, String>> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits(text) {
        return Some(Ok(text.to_owned()));
    }
    let (mantissa, exponent) = text.split_once(['E', 'e']).unwrap_or((text, "+0"));
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, ""));
    let fraction =
        if text.contains(['E', 'e']) { fraction } else { fraction.trim_end_matches('0') };
    let is_number =
        is_digits(whole) && (fraction.is_empty() || is_digits(fraction)) && is_digits(exponent);
    let exponent: usize = exponent.parse().ok().filter(|exponent| is_number && *exponent < 40)?;
    Some(match fraction.len().cmp(&exponent) {
        std::cmp::Ordering::Equal => Ok([whole, fraction].concat()),
        std::cmp::Ordering::Less => Err(format!(
            "{} has lost its last digits: a spreadsheet shortened the number; format the column as text and enter it again",
            shown(text)
        )),
        std::cmp::Ordering::Greater => {
            Err(format!("expected a whole number, found {}", shown(text)))
        }
    })
}

/// Returns the digits of a number cell, which holds 15 of them.
fn number_digits(number: f64) -> Result<String, String> {
    if number < 0.0 || number.fract() != 0.0 {
        return Err(format!("expected digits, found the number {number}"));
    }
    if number >= MAX_PRECISE_NUMBER {
        return Err(format!(
            "the number has more than {MAX_PRECISE_DIGITS} digits, which number cells do not keep: format the column as text and enter it again"
        ));
    }
    Ok(format!("{number:.0}"))
}

/// Returns the text of a value that can have other characters than digits.
fn text(cell: &Cell) -> Result<String, String> {
    match cell {
        Cell::Text(text) => {
            let text = text.trim();
            let looks_shortened = text.contains("E+") && all_digits(text).is_some();
            if looks_shortened {
                return Err(format!(
                    "{} looks like a number that a spreadsheet shortened: format the column as text and enter it again",
                    shown(text)
                ));
            }
            Ok(text.to_owned())
        }
        Cell::Number(number) => number_digits(*number),
        Cell::Moment(_) => Err("the spreadsheet took this value for a date: format the column as text and enter it again".to_owned()),
        Cell::Bool(_) => Err("the spreadsheet took this value for true or false: format the column as text and enter it again".to_owned()),
        Cell::Error(error) => Err(format!("the formula of this cell has no result: {error}")),
        Cell::Empty => Err("expected a value, found none".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_cell(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    fn gtin_of(text: &str) -> Result<String, String> {
        read(Ai::GTIN, &text_cell(text)).map(|value| value.text)
    }

    #[test]
    fn complete_numbers_are_padded() {
        for (text, gtin) in [
            ("9506000134352", "09506000134352"),
            ("09506000134352", "09506000134352"),
            (" 9 506000 134352 ", "09506000134352"),
            ("950-6000-134352", "09506000134352"),
            ("614141000036", "00614141000036"),
            ("95201238", "00000095201238"),
            ("9.506000134352E+12", "09506000134352"),
            ("9,506000134352e12", "09506000134352"),
            ("9506000134352.0", "09506000134352"),
            ("9506000134352,00", "09506000134352"),
        ] {
            assert_eq!(gtin_of(text).as_deref(), Ok(gtin), "{text}");
        }
        let number = read(Ai::GTIN, &Cell::Number(9_506_000_134_352.0)).unwrap();
        assert_eq!((number.text.as_str(), number.advice), ("09506000134352", None));
    }

    #[test]
    fn dropped_zeros_are_restored_only_if_the_check_digit_proves_it() {
        // 00614141000036 → 614141000036 is a GTIN-12; 012345000058 has lost a zero.
        let restored = read(Ai::GTIN, &text_cell("12345000058")).unwrap();
        assert_eq!(restored.text, "00012345000058");
        assert!(restored.advice.unwrap().contains("leading zeros were missing"));
        assert!(
            gtin_of("12345000059")
                .unwrap_err()
                .starts_with("check digit of 12345000059 is 9, expected 8")
        );
        let gln = read(Ai::GLN, &Cell::Number(950_600_000_008.0)).map(|value| value.text);
        assert!(gln.is_err(), "{gln:?}");
        assert_eq!(read(Ai::GLN, &text_cell("614141000036")).unwrap().text, "0614141000036");
    }

    #[test]
    fn what_can_mean_two_numbers_is_refused() {
        // Both a number with a right GTIN check digit and an ISBN-10.
        let both = (1_000_000_000_u64..)
            .map(|n| n.to_string())
            .find(|n| check(n).is_ok() && is_isbn_10(n))
            .unwrap();
        assert!(gtin_of(&both).unwrap_err().contains("ISBN-10"));
        let without_zero = (100_000_000_u64..)
            .map(|n| n.to_string())
            .find(|n| check(n).is_ok() && is_isbn_10(n))
            .unwrap();
        assert!(gtin_of(&without_zero).unwrap_err().contains("ISBN-10"));
        for text in ["01234565", "1234565"] {
            assert!(gtin_of(text).unwrap_err().contains("UPC-E"), "{text}");
        }
        for text in ["123456", "095060001343523", "1"] {
            assert!(gtin_of(text).unwrap_err().starts_with("expected a GTIN"), "{text}");
        }
    }

    #[test]
    fn lost_digits_are_refused_even_if_the_check_digit_fits() {
        for text in ["9.52E+12", "9.50600013435E+12", "9,5E+12", "1E+13", "9.5060001343520001E+30"]
        {
            let error = gtin_of(text).unwrap_err();
            assert!(error.contains("lost its last digits"), "{text}: {error}");
        }
        // The check digit of 17 digits and 0 can fit by chance.
        let (sscc, rounded) = ("340123450000000000", 340_123_450_000_000_000.0);
        assert!(read(Ai::SSCC, &text_cell(sscc)).unwrap_err().contains("ends in 000"));
        assert!(
            read(Ai::SSCC, &Cell::Number(rounded)).unwrap_err().contains("more than 15 digits")
        );
        assert!(gtin_of("9.5060001343525E+12").unwrap_err().starts_with("expected a whole number"));
        for cell in [Cell::Number(1.5), Cell::Number(-1.0), Cell::Number(f64::NAN)] {
            assert!(read(Ai::GTIN, &cell).is_err(), "{cell:?}");
        }
    }

    #[test]
    fn lots_are_text() {
        let lot = |cell: &Cell| read(Ai::LOT, cell).map(|value| value.text);
        assert_eq!(lot(&text_cell(" 007 ")).as_deref(), Ok("007"));
        assert_eq!(lot(&text_cell("1E5")).as_deref(), Ok("1E5"));
        assert_eq!(lot(&Cell::Number(42.0)).as_deref(), Ok("42"));
        for cell in [
            text_cell("1.23E+12"),
            Cell::Number(1e18),
            Cell::Bool(true),
            Cell::Error("#REF!".to_owned()),
        ] {
            assert!(lot(&cell).is_err(), "{cell:?}");
        }
    }
}
