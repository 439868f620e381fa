//! Which form of identifier a text is meant to be.
//!
//! | beginning | form |
//! |---|---|
//! | `http://`, `https://` | Digital Link URI |
//! | `/01/…`, `01/…` | path of a Digital Link URI |
//! | `(` | bracketed element string |
//! | `]` | scan data with a symbology identifier (ISO/IEC 15424) |
//! | `^` or GS | raw element string |
//! | 18 digits | SSCC |
//! | other digits, perhaps with spaces or hyphens | GTIN, or a raw element string if longer |
//! | an AI, or `^` or GS further on | raw element string without its FNC1 |

use fingerpost_gs1::{Ai, Symbology, ai_length_for_prefix};

/// A form of identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    DigitalLink,
    /// Without scheme and host.
    DigitalLinkPath,
    Bracketed,
    Raw,
    /// Raw, but the scanner dropped the leading FNC1.
    RawWithoutFnc1,
    Scan(Option<&'static Symbology>),
    /// 8, 12, 13 or 14 digits, or a number meant as such.
    Gtin,
    /// 18 digits.
    Sscc,
    Unknown,
}

/// Digits of an SSCC.
const SSCC_DIGITS: usize = 18;

/// The longest GTIN.
const GTIN_DIGITS: usize = 14;

impl Form {
    /// Recognises the form by how the text begins.
    pub(super) fn of(text: &str) -> Self {
        let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
        if scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http") {
            return Self::DigitalLink;
        }
        match text.as_bytes().first() {
            Some(b'(') => return Self::Bracketed,
            Some(b']') => return Self::Scan(Symbology::of(text)),
            Some(b'^' | 0x1d) => return Self::Raw,
            _ => {}
        }
        let path = text.strip_prefix('/').unwrap_or(text);
        if path.split_once('/').is_some_and(|(first, _)| Ai::new(first).is_some()) {
            return Self::DigitalLinkPath;
        }
        if is_number(text) {
            return match text.bytes().filter(u8::is_ascii_digit).count() {
                SSCC_DIGITS => Self::Sscc,
                ..=GTIN_DIGITS => Self::Gtin,
                _ if begins_with_ai(text) => Self::RawWithoutFnc1,
                _ => Self::Gtin,
            };
        }
        if begins_with_ai(text) { Self::RawWithoutFnc1 } else { Self::Unknown }
    }

    /// The name for programs.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::DigitalLink => "digital-link",
            Self::DigitalLinkPath => "digital-link-path",
            Self::Bracketed => "bracketed-element-string",
            Self::Raw | Self::RawWithoutFnc1 => "raw-element-string",
            Self::Scan(_) => "scan-data",
            Self::Gtin => "gtin",
            Self::Sscc => "sscc",
            Self::Unknown => "unknown",
        }
    }

    /// The name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::DigitalLink => "GS1 Digital Link URI",
            Self::DigitalLinkPath => "path of a GS1 Digital Link URI",
            Self::Bracketed => "element string",
            Self::Raw | Self::RawWithoutFnc1 => "raw element string",
            Self::Scan(_) => "scan data",
            Self::Gtin => "GTIN",
            Self::Sscc => "SSCC",
            Self::Unknown => "identifier",
        }
    }
}

/// Digits, grouped with spaces and hyphens as people write them.
fn is_number(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || is_grouping(byte))
}

/// Is it a space or hyphen between digits?
pub(super) fn is_grouping(byte: u8) -> bool {
    matches!(byte, b' ' | b'-')
}

/// Does the text begin with an allocated AI?
fn begins_with_ai(text: &str) -> bool {
    let &[first, second, ..] = text.as_bytes() else { return false };
    ai_length_for_prefix([first, second])
        .and_then(|length| text.get(..length))
        .and_then(Ai::new)
        .is_some_and(|ai| ai.entry().is_some())
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn forms_are_recognised() {
        for (text, form) in [
            ("https://id.example.org/01/09520123456788", Form::DigitalLink),
            ("HTTP://id.example.org/01/09520123456788", Form::DigitalLink),
            ("/01/09520123456788/10/A", Form::DigitalLinkPath),
            ("01/09520123456788", Form::DigitalLinkPath),
            ("(01)09520123456788", Form::Bracketed),
            ("^0109520123456788", Form::Raw),
            ("\u{1d}0109520123456788", Form::Raw),
            ("0109520123456788", Form::RawWithoutFnc1),
            ("010952012345678810ABC\u{1d}17261231", Form::RawWithoutFnc1),
            ("952 0123 45678-8", Form::Gtin),
            ("1234567", Form::Gtin),
            ("195201234567891232", Form::Sscc),
            ("hello", Form::Unknown),
            ("", Form::Unknown),
        ] {
            assert_eq!(Form::of(text), form, "{text:?}");
        }
        assert!(matches!(Form::of("]d20109520123456788"), Form::Scan(Some(_))));
        assert!(matches!(Form::of("]zz"), Form::Scan(None)));
    }
}
