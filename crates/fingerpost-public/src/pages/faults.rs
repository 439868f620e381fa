//! Faults of an address or a text, in the reader's language: each rule of the libraries below maps
//! to one of the texts `faults` and, if there is advice, to one of `hints`.

use fingerpost_epc::ErrorKind as EpcErrorKind;
use fingerpost_gs1::{Ai, Error, ErrorKind, LintError};
use fingerpost_identify::{Cause, Finding};
use fingerpost_resolver::PathFault;

use super::words;
use crate::texts::Texts;

/// A fault, as keys of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShownFault {
    key: &'static str,
    hint: Option<&'static str>,
    ai: Option<Ai>,
    found: String,
    expected: String,
}

const COMPARE: Option<&str> = Some("compare");
const WHOLE: Option<&str> = Some("whole");
const ISSUER: Option<&str> = Some("issuer");
const AI: Option<&str> = Some("ai");
const FORMS: Option<&str> = Some("forms");
const SURPLUS: Option<&str> = Some("surplus");
const LINK: Option<&str> = Some("link");

impl ShownFault {
    fn new(key: &'static str, hint: Option<&'static str>) -> Self {
        Self { key, hint, ..Self::default() }
    }

    fn about(self, ai: Ai) -> Self {
        Self { ai: Some(ai), ..self }
    }

    /// Creates the fault of an address below a stem other than ours.
    pub(crate) fn other_stem() -> Self {
        Self::new("other-stem", None)
    }

    /// Creates the fault of an address that was reached by a link without a scheme.
    pub(crate) fn no_scheme() -> Self {
        Self::new("uri", LINK)
    }

    /// Creates the fault of a primary key that this resolver does not serve.
    pub(crate) fn not_served(ai: Ai) -> Self {
        Self::new("not-served", None).about(ai)
    }

    /// Creates the fault of a name that is not valid in its namespace.
    pub(crate) fn name() -> Self {
        Self::new("name", COMPARE)
    }

    /// Creates the fault of a name of a kind without keys.
    pub(crate) fn name_without_key() -> Self {
        Self::new("name-no-key", None)
    }

    /// Converts the fault of a path.
    pub(crate) fn of_path(fault: &PathFault) -> Self {
        match fault {
            PathFault::NoPrimaryKey => Self::new("no-key", FORMS),
            PathFault::FormerName(_) => Self::new("former-name", AI),
            PathFault::NotAnAi => Self::new("unknown-ai", SURPLUS),
            PathFault::EmptySegment => Self::new("empty-part", WHOLE),
            PathFault::NoValue(ai) => Self::new("empty", WHOLE).about(*ai),
            PathFault::Escape | PathFault::RawCharacter => Self::new("escape", COMPARE),
            PathFault::UnknownAiValue(ai) => Self::new("character", COMPARE).about(*ai),
            PathFault::RepeatDisagrees(ai) => Self::new("repeated", ISSUER).about(*ai),
            PathFault::Epc(error) => Self::of_epc(error),
            PathFault::Decompression(error) => Self::of_gs1(error),
            PathFault::Gs1(error) => Self::of_gs1(error),
            PathFault::AiLength { .. } => Self::new("unknown-ai", AI),
        }
    }

    /// Converts a finding about a text.
    pub(crate) fn of_finding(finding: &Finding) -> Self {
        match &finding.cause {
            Cause::Gs1(error) => Self::of_gs1(error),
            Cause::Epc(error) => Self::of_epc(error),
            _ => Self::of_form(finding.code),
        }
    }

    /// Converts the code of a finding about the form of a text.
    fn of_form(code: &str) -> Self {
        match code {
            "OTHER_SCHEME" => Self::new("other-scheme", None),
            "NO_GS1_DATA" => Self::new("symbology", FORMS),
            "NO_PRIMARY_KEY" => Self::new("former-name", AI),
            "SURPLUS_SEGMENT" => Self::new("unknown-ai", SURPLUS),
            _ => Self::new("unrecognised", FORMS),
        }
    }

    fn of_gs1(error: &Error) -> Self {
        let number = |found: u16, expected: u16| (found.to_string(), expected.to_string());
        let digit = |found: u8, expected: u8| {
            (char::from(found).to_string(), char::from(expected).to_string())
        };
        let pair = |pair: [u8; 2]| String::from_utf8_lossy(&pair).into_owned();
        let kind = error.kind();
        let (found, expected) = match kind {
            ErrorKind::CheckDigit { found, expected }
            | ErrorKind::EanCheckDigit { found, expected } => digit(found, expected),
            ErrorKind::CheckPair { found, expected } => (pair(found), pair(expected)),
            ErrorKind::ValueTooShort { min, found } => number(found, min),
            ErrorKind::ValueTooLong { max, found } => number(found, max),
            ErrorKind::EanTooShort { .. } | ErrorKind::EanTooLong { .. } => {
                (error.span().len().to_string(), String::new())
            }
            _ => (String::new(), String::new()),
        };
        let (key, hint) = of_kind(kind);
        // Barcodes with digits only are GTINs.
        let is_gtin = matches!(kind, ErrorKind::EanCheckDigit { .. });
        let ai = error.ai().or(is_gtin.then_some(Ai::GTIN));
        Self { key, hint, ai, found, expected }
    }

    fn of_epc(error: &fingerpost_epc::Error) -> Self {
        match error.kind() {
            EpcErrorKind::Value(error) => Self::of_gs1(&error),
            EpcErrorKind::Empty | EpcErrorKind::Truncated { .. } => Self::new("truncated", WHOLE),
            EpcErrorKind::ReservedHeader { .. }
            | EpcErrorKind::UnknownScheme
            | EpcErrorKind::NotAnEpcSegment => Self::new("epc-kind", COMPARE),
            EpcErrorKind::NoDigitalLink | EpcErrorKind::NoEpc => Self::new("epc-no-key", None),
            EpcErrorKind::BadUrnSyntax
            | EpcErrorKind::BadGcpLength
            | EpcErrorKind::BadRefLength { .. }
            | EpcErrorKind::BadEscape
            | EpcErrorKind::MustEscape
            | EpcErrorKind::BadPattern => Self::new("name", COMPARE),
            EpcErrorKind::InvalidHex | EpcErrorKind::InvalidBase64 => Self::new("epc", COMPARE),
            _ => Self::new("epc", ISSUER),
        }
    }

    /// Returns a sentence that describes the fault.
    pub(super) fn message(&self, texts: &Texts) -> String {
        let name = self.ai.map(|ai| {
            let word = words::identifier(texts, ai).text;
            if word.is_empty() { format!("({ai})") } else { word.into_owned() }
        });
        let values = [
            ("name", name.as_deref().unwrap_or_default()),
            ("found", self.found.as_str()),
            ("expected", self.expected.as_str()),
        ];
        texts.fill(texts.fault(self.key), &values)
    }

    /// Returns advice, if any.
    pub(super) fn hint<'t>(&self, texts: &'t Texts) -> Option<&'t str> {
        self.hint.map(|key| texts.hint(key))
    }
}

/// Returns the text and the hint of a rule.
fn of_kind(kind: ErrorKind) -> (&'static str, Option<&'static str>) {
    use ErrorKind as K;
    match kind {
        K::Lint(lint) => of_lint(lint),
        K::CheckDigit { .. } | K::EanCheckDigit { .. } => ("check-digit", COMPARE),
        K::CheckPair { .. } => ("check-pair", COMPARE),
        K::ValueEmpty => ("empty", WHOLE),
        K::ValueTooShort { .. } => ("too-short", WHOLE),
        K::ValueTooLong { .. } => ("too-long", COMPARE),
        K::ValueLength { .. } => ("structure", COMPARE),
        K::UnknownAi | K::UnknownAiPrefix => ("unknown-ai", AI),
        K::BracketSyntax => ("brackets", AI),
        K::NoLeadingFnc1 | K::Fnc1InValue => ("separator", COMPARE),
        K::AiPairForbidden { .. } => ("pair", ISSUER),
        K::AiRequirementMissing { .. } => ("missing", WHOLE),
        K::AiRepeatedDifferent | K::DuplicateAi => ("repeated", ISSUER),
        K::SerialRequired => ("serial", ISSUER),
        K::UriIllegalCharacter | K::NulInValue => ("uri-character", COMPARE),
        K::UriScheme | K::UriHost => ("uri", FORMS),
        K::UriNoPath | K::NoPrimaryKey | K::NotCompressed => ("no-key", FORMS),
        K::TrailingSlash => ("slash", WHOLE),
        K::PercentEncoding => ("escape", COMPARE),
        K::QualifierSequence => ("order", ISSUER),
        K::UnknownNumericKey => ("unknown-ai", AI),
        K::NotAnAttribute | K::BelongsInPath => ("query", ISSUER),
        K::DotSegment => ("order", ISSUER),
        K::NoSymbologyId | K::UnsupportedSymbologyId => ("symbology", FORMS),
        K::EanTooShort { .. } | K::EanTooLong { .. } => ("number-length", COMPARE),
        K::EanNotDigits => ("digits", COMPARE),
        K::NoData | K::TruncatedCompressed => ("truncated", WHOLE),
        K::UnknownOptCode
        | K::NotADigit
        | K::EncodingCode
        | K::CompressedValue
        | K::NonzeroPadding => ("compressed", COMPARE),
        K::InputTooLong { .. } | K::TooManyAis { .. } | K::UriTooLong { .. } => ("too-big", None),
        _ => ("unrecognised", FORMS),
    }
}

/// Returns the text and the hint of a rule about the content of a value.
fn of_lint(lint: LintError) -> (&'static str, Option<&'static str>) {
    let code = lint.code();
    let is = |parts: &[&str]| parts.iter().any(|part| code.contains(part));
    if code.starts_with("L_COUPON_") {
        ("structure", ISSUER)
    } else if is(&["_CHARACTER"]) && !is(&["MUST_BE_ONE", "REQUIRES"]) {
        ("character", COMPARE)
    } else if is(&["DATE", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"]) {
        ("date", COMPARE)
    } else if is(&["ISO3166", "ISO4217", "MEDIA_TYPE", "PACKAGE_TYPE", "SEX_CODE", "COUNTRY_CODE"])
    {
        ("code", ISSUER)
    } else if is(&["GCP"]) {
        ("prefix", COMPARE)
    } else {
        ("structure", COMPARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::all;

    /// Every key that this file writes is in every language: none falls back, none is empty.
    #[test]
    fn every_key_has_a_text() {
        let source = include_str!("faults.rs").split("#[cfg(test)]").next().expect("code");
        let keys: Vec<&str> = source
            .split("Self::new(\"")
            .chain(source.split("=> (\""))
            .chain(source.split("{\n        (\""))
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .filter(|key| key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'))
            .collect();
        assert!(keys.len() > 50, "{keys:?}");
        for texts in all() {
            for key in &keys {
                assert!(!texts.fault(key).is_empty(), "{}: {key}", texts.language());
            }
            for hint in [COMPARE, WHOLE, ISSUER, AI, FORMS, SURPLUS, LINK].into_iter().flatten() {
                assert!(!texts.hint(hint).is_empty(), "{}: {hint}", texts.language());
            }
        }
    }

    #[test]
    fn rules_about_content_are_grouped_by_what_people_see() {
        for (lint, key) in [
            (LintError::NonDigitCharacter, "character"),
            (LintError::IllegalMonth, "date"),
            (LintError::NotIso4217, "code"),
            (LintError::InvalidGcpPrefix, "prefix"),
            (LintError::CouponInvalidExpirationDate, "structure"),
            (LintError::RequiresNonDigitCharacter, "structure"),
            (LintError::CouponMissingGcpVli, "structure"),
        ] {
            assert_eq!(of_lint(lint).0, key, "{lint:?}");
        }
    }
}
