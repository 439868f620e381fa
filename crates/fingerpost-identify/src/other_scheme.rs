//! Identifiers of other schemes than GS1's, which are named so that nobody reads them by the wrong
//! rules.
//!
//! ```text
//! envelope = "[)>" RS "06" GS …              ; ISO/IEC 15434 with data identifiers (ISO/IEC 15418)
//! hibc     = "+" LETTER 3(ALPHANUMERIC) … C  ; HIBC supplier labelling; C: modulo 43
//!          / "+" ("$" / DIGIT) … C           ; its secondary data
//! ppn      = ["9N"] 2(ALPHANUMERIC) … 2DIGIT ; Pharmacy Product Number of IFA; modulo 97
//! pzn      = ("PZN" / "-") 8DIGIT            ; Pharmazentralnummer; modulo 11
//! licence  = DI IAC …                        ; ISO/IEC 15459 with its data identifier
//! ```

use alloc::format;
use alloc::string::String;

use fingerpost_gs1::Plausibility;

use crate::finding::Finding;

/// A scheme of identifiers other than GS1's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OtherScheme {
    /// Health Industry Bar Code.
    Hibc,
    /// Pharmacy Product Number of IFA.
    Ppn,
    /// Pharmazentralnummer, the German number of medicines.
    Pzn,
    /// Data identifiers, of which ISO/IEC 15459 identifiers are the best known.
    DataIdentifiers,
}

impl OtherScheme {
    /// Recognises the scheme of a text, which may have a symbology identifier before it.
    ///
    /// ```
    /// use fingerpost_identify::OtherScheme;
    ///
    /// assert_eq!(OtherScheme::of("+A123BJC5D6E71G"), Some(OtherScheme::Hibc));
    /// assert_eq!(OtherScheme::of("9N110375286414"), Some(OtherScheme::Ppn));
    /// assert_eq!(OtherScheme::of("09520123456788"), None);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let data = match text.strip_prefix(']') {
            Some(rest) => rest.get(2..)?,
            None => text,
        };
        let data = data.strip_prefix('*').and_then(|rest| rest.strip_suffix('*')).unwrap_or(data);
        match data.as_bytes() {
            [b'[', b')', b'>', ..] => of_envelope(data),
            [b'+', ..] => is_hibc(data).then_some(Self::Hibc),
            _ if is_pzn(data) => Some(Self::Pzn),
            [b'9', b'N', ..] if is_ppn(&data[2..]) => Some(Self::Ppn),
            _ if is_bare_ppn(data) => Some(Self::Ppn),
            _ => is_licence(data).then_some(Self::DataIdentifiers),
        }
    }

    /// Returns the machine-readable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Hibc => "hibc",
            Self::Ppn => "ppn",
            Self::Pzn => "pzn",
            Self::DataIdentifiers => "data-identifiers",
        }
    }

    /// Returns the human-readable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hibc => "HIBC code",
            Self::Ppn => "Pharmacy Product Number (PPN)",
            Self::Pzn => "Pharmazentralnummer (PZN)",
            Self::DataIdentifiers => "code with data identifiers (ISO/IEC 15418, 15459)",
        }
    }

    /// Returns the finding that a text follows this scheme.
    pub(crate) fn finding(self, text: &str) -> Finding {
        let help = match self {
            Self::Hibc => hibc_check(text),
            Self::Ppn | Self::Pzn => {
                "where the number has an NTIN, that is its GTIN: ask the manufacturer".into()
            }
            Self::DataIdentifiers => "ask its issuer for the rules".into(),
        };
        Finding::of_form(
            OTHER_SCHEME,
            format!("expected a GS1 identifier, found a {}: GS1 rules do not apply", self.name()),
            help,
            0..text.len(),
        )
    }
}

/// Returns the warning that a web address without GS1 keys may identify something by another
/// standard; `None` if it looks like a GS1 Digital Link URI with mistakes.
pub(crate) fn identification_link(uri: &str) -> Option<Finding> {
    if Plausibility::of(uri) != Plausibility::No {
        return None;
    }
    let message = "a web address without a GS1 key: GS1 rules do not apply to it";
    let help = "if it is on an object, it may be an Identification Link (IEC 61406-1): open it";
    Some(Finding::of_form("WEB_ADDRESS", message, help, 0..uri.len()))
}

/// The code of the finding that a text follows another scheme.
pub(crate) const OTHER_SCHEME: &str = "OTHER_SCHEME";

/// Returns whether the text is HIBC by its first characters, or by its check character.
fn is_hibc(text: &str) -> bool {
    let &[_, first, ref rest @ ..] = text.as_bytes() else { return false };
    let has_lic = first.is_ascii_uppercase()
        && rest.iter().take(3).filter(|b| b.is_ascii_alphanumeric()).count() == 3;
    let is_secondary = first == b'$' || first.is_ascii_digit();
    let expected = check_character(text);
    expected.is_some() && (has_lic || is_secondary && text.chars().last() == expected)
}

/// Returns what the last character should be: the sum of the others modulo 43.
fn check_character(text: &str) -> Option<char> {
    let value = |byte: u8| CODE_39.iter().position(|char| *char == byte);
    let (_, data) = text.as_bytes().split_last().filter(|(_, data)| data.len() >= 5)?;
    let sum = data.iter().map(|byte| value(*byte)).sum::<Option<usize>>()?;
    Some(char::from(CODE_39[sum % CODE_39.len()]))
}

fn hibc_check(text: &str) -> String {
    let data = text.trim_matches('*');
    let data = data.find('+').map_or(data, |start| &data[start..]);
    match (check_character(data), data.chars().last()) {
        (Some(expected), Some(found)) if expected != found => {
            format!("its check character is {found:?}, expected {expected:?}")
        }
        _ => "its check character is right; HIBCC, which issues it, has the rules".into(),
    }
}

/// The characters of Code 39 by their values.
const CODE_39: [u8; 43] = *b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%";

/// Returns the scheme of an envelope of ISO/IEC 15434. Format 05 holds Application Identifiers.
fn of_envelope(text: &str) -> Option<OtherScheme> {
    let format = text.trim_start_matches(|char: char| !char.is_ascii_digit());
    let data = format.strip_prefix("06")?.trim_start_matches(|char: char| !char.is_alphanumeric());
    let product = data.strip_prefix("9N").map(|rest| rest.split(['\u{1d}', '\u{1e}']).next());
    let is_ppn = product.flatten().is_some_and(is_ppn);
    Some(if is_ppn { OtherScheme::Ppn } else { OtherScheme::DataIdentifiers })
}

/// Returns whether the two last digits are those of a PPN: the characters' codes, weighted from 2
/// upwards, modulo 97.
fn is_ppn(text: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    let Some((data, check)) = text.as_bytes().split_last_chunk::<2>() else { return false };
    if !(4..=20).contains(&data.len()) || !text.bytes().all(is_valid) {
        return false;
    }
    let sum: u32 = data.iter().zip(2..).map(|(byte, weight)| u32::from(*byte) * weight).sum();
    *check == [b'0' + (sum % 97 / 10) as u8, b'0' + (sum % 97 % 10) as u8]
}

/// Returns whether these are the digits of a PPN with a PZN, and not of a GTIN-12.
fn is_bare_ppn(text: &str) -> bool {
    let pzn = text.get(2..10).filter(|_| text.len() == 12 && text.starts_with("11"));
    pzn.is_some_and(has_pzn_check_digit)
        && is_ppn(text)
        && fingerpost_gs1::ElementString::parse_gtin(text).is_err()
}

fn is_pzn(text: &str) -> bool {
    let label = text.get(..3).filter(|label| label.eq_ignore_ascii_case("PZN"));
    let digits = match label {
        Some(_) => text[3..].trim_start_matches([' ', ':', '-']),
        None => text.strip_prefix('-').unwrap_or_default(),
    };
    has_pzn_check_digit(digits)
}

/// Returns whether the last of eight digits is the sum of the others, weighted from 1 upwards,
/// modulo 11.
fn has_pzn_check_digit(digits: &str) -> bool {
    if digits.len() != 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let value = |byte: u8| u32::from(byte - b'0');
    let sum: u32 = digits.bytes().take(7).zip(1..).map(|(byte, weight)| value(byte) * weight).sum();
    digits.bytes().last().is_some_and(|last| sum % 11 == value(last))
}

/// Returns whether the text is a data identifier of ISO/IEC 15459 and an identifier with a lettered
/// agency code, in capitals.
fn is_licence(text: &str) -> bool {
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    LICENCES.iter().filter_map(|di| text.strip_prefix(di)).any(|rest| {
        let (agency, rest) = rest.as_bytes().split_at_checked(2).unwrap_or_default();
        agency.iter().all(u8::is_ascii_uppercase)
            && rest.len() >= 5
            && rest.iter().all(|byte| is_capital(*byte) || b"-./".contains(byte))
            && rest.iter().any(u8::is_ascii_digit)
    })
}

/// Data identifiers of transport units, items, products, returnable transport items and locations.
const LICENCES: [&str; 12] =
    ["1J", "2J", "3J", "4J", "5J", "6J", "25S", "26S", "25P", "25B", "25L", "25T"];

#[cfg(test)]
mod tests {
    use super::OtherScheme;

    /// GS1-OTH-01
    #[test]
    fn other_schemes_are_recognised() {
        for (text, scheme) in [
            ("+A123BJC5D6E71G", Some(OtherScheme::Hibc)),
            ("]C0+A123BJC5D6E71G", Some(OtherScheme::Hibc)),
            ("*+A123BJC5D6E71G*", Some(OtherScheme::Hibc)),
            ("+A123BJC5D6E71H", Some(OtherScheme::Hibc)),
            ("+A99912345/$$52001510X33", Some(OtherScheme::Hibc)),
            ("+$$52001510X3", None),
            ("+49 30 1234567", None),
            ("9N110375286414", Some(OtherScheme::Ppn)),
            ("9N110375286415", None),
            ("110375286414", Some(OtherScheme::Ppn)),
            ("[)>\u{1e}06\u{1d}9N110375286414\u{1d}1TABC\u{1e}\u{4}", Some(OtherScheme::Ppn)),
            ("]d1[)>\u{1e}06\u{1d}25PUNABC123\u{1e}\u{4}", Some(OtherScheme::DataIdentifiers)),
            ("[)>\u{1e}05\u{1d}0109520123456788\u{1e}\u{4}", None),
            ("-03752864", Some(OtherScheme::Pzn)),
            ("PZN - 03752864", Some(OtherScheme::Pzn)),
            ("pzn03752864", Some(OtherScheme::Pzn)),
            ("-03752865", None),
            ("25SUN043325711MH8031200000000001", Some(OtherScheme::DataIdentifiers)),
            ("1JUN123456789A2B4C6D8E", Some(OtherScheme::DataIdentifiers)),
            ("1J0123456789", None),
            ("]d2010952012345678810+A", None),
            ("é", None),
            ("]é", None),
            ("", None),
        ] {
            assert_eq!(OtherScheme::of(text), scheme, "{text:?}");
        }
    }
}
