//! Identifiers with words around them: `GTIN: 09520123456788`, `ISBN 978-0-14-103614-4`,
//! `01 09520123456788 10 ABC`, and numbers as spreadsheets write them: `9520123456788.0`.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use fingerpost_gs1::{Ai, Options};

use super::super::{Inspection, inspect_as_written};
use super::{Assumption, AssumptionKind, Meant, rewritten};
use crate::form::InputForm;
use crate::limits::MAX_LABEL_INPUT;

/// The labels, in capitals, and the Application Identifier of numbers that need one; longer ones
/// first.
const LABELS: [(&str, &str); 37] = [
    ("URN:GTIN:", ""),
    ("URN:EAN:", ""),
    ("URN:UPC:", ""),
    ("URN:SSCC:", "00"),
    ("URN:GLN:", "414"),
    ("GTIN-14", ""),
    ("GTIN-13", ""),
    ("GTIN-12", ""),
    ("GTIN-8", ""),
    ("GTIN14", ""),
    ("GTIN13", ""),
    ("GTIN12", ""),
    ("GTIN8", ""),
    ("GTIN", ""),
    ("EAN-13", ""),
    ("EAN-8", ""),
    ("EAN13", ""),
    ("EAN8", ""),
    ("EAN/UPC", ""),
    ("EAN", ""),
    ("UPC-A", ""),
    ("UPC", ""),
    ("JAN", ""),
    ("ITF-14", ""),
    ("ISBN-13", "ISBN"),
    ("ISBN-10", "ISBN"),
    ("ISBN", "ISBN"),
    ("SSCC", "00"),
    ("NVE", "00"),
    ("GLN", "414"),
    ("GRAI", "8003"),
    ("GIAI", "8004"),
    ("GDTI", "253"),
    ("GSRN", "8018"),
    ("GSIN", "402"),
    ("EPC", ""),
    ("'", ""),
];

/// Returns the meaning of a text with a label, spaces or a decimal part.
pub(super) fn left_out(found: &Inspection<'_>, options: &Options) -> Option<Meant> {
    let input = found.input;
    if input.len() > MAX_LABEL_INPUT {
        return None;
    }
    if let Some((number, at)) = of_spreadsheet(input) {
        return assumed(
            number,
            "a spreadsheet wrote the number with a decimal part",
            at..input.len(),
            options,
        );
    }
    if found.is_valid() || matches!(found.form, InputForm::DigitalLink | InputForm::EpcLink) {
        return None;
    }
    labelled(input, options).or_else(|| spaced(input, options))
}

fn assumed(text: String, message: &str, span: Range<usize>, options: &Options) -> Option<Meant> {
    let kind = AssumptionKind::Label;
    let assumption = Assumption { kind, message: message.to_owned(), span, evidence: Vec::new() };
    rewritten(text, assumption, options)
}

/// Returns the GTIN that a spreadsheet wrote as a number, `9520123456788.0` or
/// `9.520123456788E+12`, and where its decimal part begins.
fn of_spreadsheet(input: &str) -> Option<(String, usize)> {
    let (whole, rest) = input.split_once(['.', ','])?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(whole) {
        return None;
    }
    let number = match rest.split_once(['E', 'e']) {
        None => (rest.bytes().all(|byte| byte == b'0')).then(|| whole.to_owned())?,
        Some((digits, exponent)) => {
            let exponent: usize = exponent.trim_start_matches('+').parse().ok()?;
            // Fewer digits than the exponent: the end of the number is lost.
            (digits.len() == exponent && is_digits(digits)).then(|| [whole, digits].concat())?
        }
    };
    let is_gtin = matches!(number.len(), 8 | 12..=14)
        && fingerpost_gs1::ElementString::parse_gtin(&number).is_ok();
    is_gtin.then_some((number, whole.len()))
}

fn labelled(input: &str, options: &Options) -> Option<Meant> {
    let capitals = input.to_ascii_uppercase();
    let (label, ai) = LABELS.iter().find(|(label, _)| capitals.starts_with(label))?;
    let rest = &input[label.len()..];
    let identifier = rest.trim_start_matches([' ', ':', '#', '=', '.', '\u{a0}', '\t']);
    let is_end = label.ends_with([':', '\''])
        || identifier.len() < rest.len()
        || rest.starts_with(|c: char| c.is_ascii_digit());
    if !is_end || identifier.is_empty() {
        return None;
    }
    let digits: String =
        identifier.chars().filter(|char| !matches!(char, ' ' | '-' | '\u{a0}')).collect();
    let span = 0..input.len() - identifier.len();
    let message = format!("read without {:?}", input[span.clone()].trim_end());
    let texts = match *ai {
        "" => [identifier.to_owned(), digits],
        "ISBN" => [of_isbn(&digits)?, String::new()],
        ai => [format!("({ai}){digits}"), format!("({ai}){identifier}")],
    };
    texts.into_iter().find_map(|text| assumed(text, &message, span.clone(), options))
}

/// Returns the GTIN of an ISBN with ten or thirteen digits (ISO 2108).
fn of_isbn(digits: &str) -> Option<String> {
    let bytes = digits.as_bytes();
    if bytes.len() != 10 {
        return Some(digits.to_owned());
    }
    let mut sum = 0;
    for (byte, weight) in bytes.iter().zip((1..=10_u32).rev()) {
        sum += weight
            * match byte {
                b'0'..=b'9' => u32::from(byte - b'0'),
                b'X' | b'x' if weight == 1 => 10,
                _ => return None,
            };
    }
    if sum % 11 != 0 {
        return None;
    }
    let start = format!("978{}", &digits[..9]);
    let gtin = |check: char| format!("{start}{check}");
    ('0'..='9').map(gtin).find(|gtin| fingerpost_gs1::ElementString::parse_gtin(gtin).is_ok())
}

/// Returns the meaning of a text with spaces between its parts, which are Application Identifiers
/// and values, or pieces of a number.
fn spaced(input: &str, options: &Options) -> Option<Meant> {
    let words: Vec<&str> =
        input.split([' ', '\t', '\u{a0}']).filter(|word| !word.is_empty()).collect();
    if words.len() < 2 || input.contains("://") {
        return None;
    }
    let is_ai = |word: &&str| Ai::new(word).is_some_and(|ai| ai.entry().is_some());
    if words.len() % 2 == 0 && words.iter().step_by(2).all(is_ai) {
        let bracketed: String = words
            .chunks(2)
            .map(|pair| format!("({}){}", pair[0], pair[1].replace('(', "\\(")))
            .collect();
        if inspect_as_written(&bracketed, options).is_valid() {
            let message = "read as Application Identifiers and values in turn";
            return assumed(bracketed, message, 0..input.len(), options);
        }
    }
    // A bracketed value with a space in it is not two values.
    if input.starts_with('(') {
        return None;
    }
    assumed(words.concat(), "read without the spaces", 0..input.len(), options)
}
