//! Recognises the form of identifier that a text is meant to be, by one fixed order of tests.
//!
//! | the text | form |
//! |---|---|
//! | follows another scheme ([`OtherScheme`]) | an identifier that GS1 rules do not apply to |
//! | begins with `http://`, `https://` | Digital Link URI, compressed or not |
//! | begins with `urn:epc:` | EPC URN |
//! | is a host name and a path with a key | Digital Link URI without its scheme |
//! | begins with `(` | bracketed element string, or human-readable interpretation if spaces separate its elements |
//! | begins with `]` | scan data with a symbology identifier (ISO/IEC 15424) |
//! | begins with `^` or GS | raw element string |
//! | begins with `/01/…`, `01/…`, `/gtin/…` | path of a Digital Link URI |
//! | is `eh` and hexadecimal digits, or `ex` and base64url | last segment of a compressed Digital Link URI |
//! | 18 digits | SSCC |
//! | other digits, perhaps with spaces or hyphens, at most 14 | GTIN |
//! | more digits | EPC bits if they can be read as such, else a raw element string, else a GTIN |
//! | hexadecimal digits that begin with the header of an EPC scheme | EPC bits |
//! | base64url that begins with the header of an EPC scheme | EPC bits |
//! | begins with an AI | raw element string without its FNC1 |
//! | 16 hexadecimal digits or more, or `eh…`, `ex…` | EPC bits with a fault |
//!
//! No text is both hexadecimal and base64url of an EPC: the first begins with `2`, `3`, `4`, `E` or
//! `F`, the second with `L` to `Q`, `5` to `9`, `-` or `_`. Where base64url begins with an AI, and
//! where it is short enough to be a word, it is EPC bits only when a whole EPC can be read from
//! them. Digits alone are never base64url.

use alloc::format;
use alloc::string::String;

use fingerpost_epc::{Bits, Epc, Scheme};
use fingerpost_gs1::{Ai, Plausibility, Symbology, percent};

use crate::hri::Unspaced;
use crate::other_scheme::OtherScheme;

/// A form of identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputForm {
    /// A URI with scheme and host.
    DigitalLink,
    /// Without scheme and host.
    DigitalLinkPath,
    /// A URI whose last segment is EPC bits. Found by reading, not by [`InputForm::of`].
    EpcLink,
    /// A URI of Digital Link 1.1. Found by reading, not by [`InputForm::of`].
    CompressedLink,
    /// `(01)…(10)…`.
    Bracketed,
    /// `(01) … (10) …`: as printed below a barcode.
    Hri,
    /// With its leading FNC1.
    Raw,
    /// Raw, but the scanner dropped the leading FNC1.
    RawWithoutFnc1,
    /// With a symbology identifier, known or not.
    Scan(Option<&'static Symbology>),
    /// 8, 12, 13 or 14 digits, or a number meant as such.
    Gtin,
    /// 18 digits.
    Sscc,
    /// `urn:epc:id:…`, `urn:epc:class:…`, `urn:epc:idpat:…`.
    EpcUrn,
    /// `urn:epc:tag:…`.
    EpcTag,
    /// `urn:epc:raw:…`.
    EpcRaw,
    /// EPC bits as hexadecimal digits.
    EpcHex,
    /// EPC bits as base64url.
    EpcBase64,
    /// `eh…` or `ex…`, without a URI around it.
    EpcSegment,
    /// An identifier of another scheme than GS1's.
    Other(OtherScheme),
    /// None of these.
    Unknown,
}

/// Digits of an SSCC.
const SSCC_DIGITS: usize = 18;

/// The longest GTIN.
const GTIN_DIGITS: usize = 14;

/// Length from which base64url is too long to be a word. The shortest EPCs need less, so shorter
/// texts are read.
const LONG_BASE64: usize = 12;

/// Hexadecimal digits of ITIP-110, the shortest EPC whose header is an AI that takes letters (400).
const ITIP_DIGITS: usize = 28;

/// Number of hexadecimal digits that are taken as bits, whatever they begin with.
const LONG_HEX: usize = 16;

impl InputForm {
    /// Recognises the form by the beginning of the text and, where that is not enough, by its
    /// characters.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if let Some(scheme) = OtherScheme::of(text) {
            return Self::Other(scheme);
        }
        let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
        if scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http") {
            return Self::DigitalLink;
        }
        if let Some(form) = Self::of_urn(text) {
            return form;
        }
        match text.as_bytes().first() {
            Some(b'(') if Unspaced::of(text).is_some() => return Self::Hri,
            Some(b'(') => return Self::Bracketed,
            Some(b']') => return Self::Scan(Symbology::of(text)),
            Some(b'^' | 0x1d) => return Self::Raw,
            _ => {}
        }
        if composite(text).is_some() {
            return Self::RawWithoutFnc1;
        }
        let path = text.strip_prefix('/').unwrap_or(text);
        if let Some((first, _)) = path.split_once('/') {
            if is_ai(first) {
                return Self::DigitalLinkPath;
            }
            let is_host = first.contains('.') || first == "localhost" || first.contains(':');
            if is_host && path == text && Plausibility::matches_re1(&["https://", text].concat()) {
                return Self::DigitalLink;
            }
        }
        if Bits::is_segment(path) {
            return Self::EpcSegment;
        }
        if is_number(text) { Self::of_number(text) } else { Self::of_characters(text) }
    }

    fn of_urn(text: &str) -> Option<Self> {
        let rest = text.get(EPC.len()..)?;
        if !text[..EPC.len()].eq_ignore_ascii_case(EPC) {
            return None;
        }
        Some(match rest.split_once(':') {
            Some(("tag", _)) => Self::EpcTag,
            Some(("raw", _)) => Self::EpcRaw,
            _ => Self::EpcUrn,
        })
    }

    fn of_number(text: &str) -> Self {
        match text.bytes().filter(u8::is_ascii_digit).count() {
            SSCC_DIGITS => Self::Sscc,
            ..=GTIN_DIGITS => Self::Gtin,
            _ if Epc::from_hex(text).is_ok() => Self::EpcHex,
            _ if begins_with_ai(text) => Self::RawWithoutFnc1,
            _ => Self::Gtin,
        }
    }

    fn of_characters(text: &str) -> Self {
        let is_hex = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_bits = is_hex && (text.len() >= ITIP_DIGITS || !text.starts_with('4'));
        if is_bits && header(text, 16).is_some() {
            return Self::EpcHex;
        }
        let begins_with_ai = begins_with_ai(text);
        if is_epc_base64(text, begins_with_ai) {
            return Self::EpcBase64;
        }
        if begins_with_ai {
            return Self::RawWithoutFnc1;
        }
        let segment = text.trim_start_matches('/');
        match segment.get(..2) {
            _ if is_hex && text.len() >= LONG_HEX => Self::EpcHex,
            Some("eh" | "ex") if text.len() >= LONG_HEX && !segment.contains(['.', '/']) => {
                Self::EpcSegment
            }
            _ => Self::Unknown,
        }
    }

    /// Returns whether the form is an EPC, as bits or as URN, without a URI around it.
    #[must_use]
    pub fn is_epc(self) -> bool {
        match self {
            Self::EpcUrn
            | Self::EpcTag
            | Self::EpcRaw
            | Self::EpcHex
            | Self::EpcBase64
            | Self::EpcSegment => true,
            Self::DigitalLink
            | Self::DigitalLinkPath
            | Self::EpcLink
            | Self::CompressedLink
            | Self::Bracketed
            | Self::Hri
            | Self::Raw
            | Self::RawWithoutFnc1
            | Self::Scan(_)
            | Self::Gtin
            | Self::Sscc
            | Self::Other(_)
            | Self::Unknown => false,
        }
    }

    /// Returns the machine-readable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::DigitalLink => "digital-link",
            Self::DigitalLinkPath => "digital-link-path",
            Self::EpcLink => "epc-digital-link",
            Self::CompressedLink => "compressed-digital-link",
            Self::Bracketed => "bracketed-element-string",
            Self::Hri => "hri",
            Self::Raw | Self::RawWithoutFnc1 => "raw-element-string",
            Self::Scan(_) => "scan-data",
            Self::Gtin => "gtin",
            Self::Sscc => "sscc",
            Self::EpcUrn => "epc-urn",
            Self::EpcTag => "epc-tag",
            Self::EpcRaw => "epc-raw",
            Self::EpcHex => "epc-hex",
            Self::EpcBase64 => "epc-base64",
            Self::EpcSegment => "epc-segment",
            Self::Other(scheme) => scheme.code(),
            Self::Unknown => "unknown",
        }
    }

    /// Returns the human-readable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DigitalLink => "GS1 Digital Link URI",
            Self::DigitalLinkPath => "path of a GS1 Digital Link URI",
            Self::EpcLink => "GS1 Digital Link URI with EPC bits",
            Self::CompressedLink => "compressed GS1 Digital Link URI",
            Self::Bracketed => "element string",
            Self::Hri => "human-readable interpretation",
            Self::Raw | Self::RawWithoutFnc1 => "raw element string",
            Self::Scan(_) => "scan data",
            Self::Gtin => "GTIN",
            Self::Sscc => "SSCC",
            Self::EpcUrn => "EPC URN",
            Self::EpcTag => "EPC Tag URI",
            Self::EpcRaw => "URN of raw EPC bits",
            Self::EpcHex => "EPC in hexadecimal",
            Self::EpcBase64 => "EPC in base64url",
            Self::EpcSegment => "EPC as a path segment",
            Self::Other(scheme) => scheme.name(),
            Self::Unknown => "identifier",
        }
    }
}

/// The beginning of EPC URNs; scheme and namespace compare without case (RFC 8141 section 3.1).
pub(crate) const EPC: &str = "urn:epc:";

/// Returns whether a path segment is an Application Identifier, perhaps percent-encoded, or the
/// former name of one.
fn is_ai(segment: &str) -> bool {
    let decoded = percent::decode_ascii(segment);
    decoded.and_then(|text| Ai::new(&text)).is_some()
        || Ai::from_convenience_alpha(segment).is_some()
}

/// Returns the EPC scheme whose header the first two characters hold.
fn header(text: &str, radix: u32) -> Option<Scheme> {
    let &[first, second, ..] = text.as_bytes() else { return None };
    let bits = match radix {
        16 => {
            let digit = |byte: u8| char::from(byte).to_digit(radix);
            digit(first)? << 4 | digit(second)?
        }
        _ => (base64_value(first)? << 6 | base64_value(second)?) >> 4,
    };
    Scheme::from_header(u8::try_from(bits).ok()?)
}

fn base64_value(byte: u8) -> Option<u32> {
    let position = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(u32::from(position))
}

fn is_epc_base64(text: &str, begins_with_ai: bool) -> bool {
    header(text, 64).is_some()
        && text.bytes().all(|byte| base64_value(byte).is_some())
        && (text.len() >= LONG_BASE64 && !begins_with_ai || Epc::from_base64url(text).is_ok())
}

/// Returns whether the text is digits, perhaps grouped with spaces and hyphens.
fn is_number(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || is_grouping(byte))
}

/// Returns whether the byte is a space or hyphen, which may be between digits.
pub(crate) fn is_grouping(byte: u8) -> bool {
    matches!(byte, b' ' | b'-')
}

/// Returns whether the text begins with an allocated AI.
fn begins_with_ai(text: &str) -> bool {
    let &[first, second, ..] = text.as_bytes() else { return false };
    Ai::length_for_prefix([first, second])
        .and_then(|length| text.get(..length))
        .and_then(Ai::new)
        .is_some_and(|ai| ai.entry().is_some())
}

/// Returns the raw element string of a GTIN in EAN/UPC and its composite component, written as in
/// GS1's syntax engine: `9520123456788|^99A`. `None` if the text is not one.
pub(crate) fn composite(text: &str) -> Option<String> {
    let (gtin, rest) = text.split_once("|^")?;
    let is_gtin =
        matches!(gtin.len(), 8 | 12 | 13 | 14) && gtin.bytes().all(|b| b.is_ascii_digit());
    is_gtin.then(|| format!("^01{gtin:0>14}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::InputForm;

    #[test]
    fn forms_are_recognised() {
        for (text, form) in [
            ("https://id.example.org/01/09520123456788", InputForm::DigitalLink),
            ("HTTP://id.example.org/01/09520123456788", InputForm::DigitalLink),
            ("/01/09520123456788/10/A", InputForm::DigitalLinkPath),
            ("01/09520123456788", InputForm::DigitalLinkPath),
            ("(01)09520123456788", InputForm::Bracketed),
            ("(01) 09520123456788 (10) A", InputForm::Hri),
            ("(10)A B", InputForm::Bracketed),
            ("example.com/01/09520123456788", InputForm::DigitalLink),
            ("example.com/about", InputForm::Unknown),
            ("/gtin/09520123456788", InputForm::DigitalLinkPath),
            ("%30%31/09520123456788", InputForm::DigitalLinkPath),
            ("^0109520123456788", InputForm::Raw),
            ("\u{1d}0109520123456788", InputForm::Raw),
            ("0109520123456788", InputForm::RawWithoutFnc1),
            ("010952012345678810ABC\u{1d}17261231", InputForm::RawWithoutFnc1),
            ("952 0123 45678-8", InputForm::Gtin),
            ("1234567", InputForm::Gtin),
            ("195201234567891232", InputForm::Sscc),
            ("3066c4409047e14000001a85", InputForm::EpcHex),
            ("3066C4409047E14000001A85", InputForm::EpcHex),
            ("350000001000002000000003", InputForm::EpcHex),
            ("3066c4", InputForm::EpcHex),
            ("ff66c4409047e140", InputForm::EpcHex),
            ("MGbEQJBH4UAAABqF", InputForm::EpcBase64),
            ("94CVBgABNDUmJLUQBQA9mIGAJxC5rPg", InputForm::EpcBase64),
            ("94CVBgATQ1JiSzABCDEF", InputForm::RawWithoutFnc1),
            ("91ABCDEFGHIJKLMN", InputForm::RawWithoutFnc1),
            ("400ABC", InputForm::RawWithoutFnc1),
            ("eh3066c4409047e14000001a85", InputForm::EpcSegment),
            ("/exMGbEQJBH4UAAABqF", InputForm::EpcSegment),
            ("eh3066C4409047E14000001A85", InputForm::EpcSegment),
            ("urn:epc:id:sgtin:95060001343.05.6789", InputForm::EpcUrn),
            ("URN:EPC:id:sgtin:95060001343.05.6789", InputForm::EpcUrn),
            ("urn:epc:tag:sgtin-96:3.95060001343.05.6789", InputForm::EpcTag),
            ("urn:epc:raw:16.x00B0", InputForm::EpcRaw),
            ("urn:isbn:0451450523", InputForm::Unknown),
            ("Money", InputForm::Unknown),
            ("hello", InputForm::Unknown),
            ("", InputForm::Unknown),
        ] {
            assert_eq!(InputForm::of(text), form, "{text:?}");
        }
        assert!(matches!(InputForm::of("]d20109520123456788"), InputForm::Scan(Some(_))));
        assert!(matches!(InputForm::of("]zz"), InputForm::Scan(None)));
    }
}
