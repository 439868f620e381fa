//! What single sections of the standards require of a reader of typed and scanned text.

use fingerpost_identify::{Converter, InputForm, OutputForm, inspect, read};

/// The code of the only fault, its message and its help.
fn fault(text: &str) -> (&'static str, String, String) {
    let found = inspect(text);
    assert_eq!(found.faults.len(), 1, "{text}: {found:?}");
    let first = read(text).expect_err(text);
    assert_eq!(first.code, found.faults[0].code, "{text}");
    let place = &found.faults[0].span;
    assert!(text.get(place.clone()).is_some(), "{text}: {place:?}");
    (found.faults[0].code, found.faults[0].message.clone(), found.faults[0].help.clone())
}

fn warning_codes(text: &str) -> Vec<&'static str> {
    let found = inspect(text);
    assert!(found.is_valid(), "{text}: {found:?}");
    let (_, identifier) = read(text).expect(text);
    let codes: Vec<_> = found.warnings.iter().map(|warning| warning.code).collect();
    let of_identifier: Vec<_> = identifier.warnings().iter().map(|warning| warning.code).collect();
    assert_eq!(codes, of_identifier, "{text}");
    codes
}

/// GS1 Digital Link URI Syntax 1.4.1, sections 4.9 and 4.10: one primary key in the path.
/// GS1-DL-26.
#[test]
fn uri_syntax_4_10_an_ignored_key_is_named() {
    let item = "/01/09520123456788/10/A/414/9520123456788";
    for text in [
        item.to_owned(),
        format!("https://a.example{item}"),
        format!("]Q1https://a.example/x{item}"),
    ] {
        assert_eq!(warning_codes(&text), ["IGNORED_KEY"], "{text}");
        let found = inspect(&text);
        let message = &found.warnings[0].message;
        assert!(message.contains("/01/09520123456788/10/A"), "{message}");
        assert!(found.warnings[0].help.contains("?01=09520123456788"), "{:?}", found.warnings);
    }
    let place = inspect("]Q1https://a.example/01/09520123456788/414/9520123456788").warnings[0]
        .span
        .clone();
    assert_eq!(place, 20..38);
    let bits = "https://a.example/01/09520123456788/exMGbEQJBH4UAAABqF";
    assert_eq!(warning_codes(bits), ["IGNORED_KEY"]);
    // Path segments of a stem may be numbers, or words.
    for text in [
        "https://a.example/01/x/414/9520123456788",
        "https://a.example/2026/414/9520123456788",
        "https://a.example/shop/01/09520123456788",
    ] {
        assert!(warning_codes(text).is_empty(), "{text}");
    }
}

/// GS1 Digital Link URI Syntax 1.4.1, section 4.9 (`itip-path`), against the dictionary. ER-1.
#[test]
fn uri_syntax_4_9_a_variant_of_an_itip_is_a_finding() {
    for text in [
        "https://a.example/8006/095201234567880102/22/2A",
        "/8006/095201234567880102/22/2A",
        "(8006)095201234567880102(22)2A",
        "(8006) 095201234567880102 (22) 2A",
        "]d28006095201234567880102\u{1d}222A",
    ] {
        assert_eq!(warning_codes(text), ["ITIP_WITH_VARIANT"], "{text}");
    }
    assert!(warning_codes("(01)09520123456788(22)2A").is_empty());
}

/// GS1 Digital Link URI Syntax 1.4.1, section 4.12.
#[test]
fn uri_syntax_4_12_the_canonical_form_is_written() {
    let canonical = "https://id.gs1.org/01/09520123456788/22/2A?15=261231&3103=000195";
    for text in [
        "http://example.com/x/01/09520123456788/22/2A?3103=000195&linkType=gs1:pip&15=261231#f",
        "(3103)000195(01)09520123456788(15)261231(22)2A",
        canonical,
    ] {
        let converter = Converter::new().stem("https://b.example").unwrap();
        assert_eq!(converter.convert(text, OutputForm::Canonical).unwrap(), canonical, "{text}");
    }
    let refused = Converter::new().convert("(99)A", OutputForm::Canonical).unwrap_err();
    assert_eq!(refused.code, "NO_PRIMARY_KEY");
}

/// GS1 Digital Link URI Syntax 1.4.1, section 5, prints interpretations with spaces. GS1-DL-27.
#[test]
fn uri_syntax_5_interpretations_are_read() {
    for (text, item) in [
        ("(01) 09520123456788 (10) ABC123", "(01)09520123456788(10)ABC123"),
        ("(01) 09520123456788 (8004) 9520614141234567", "(01)09520123456788(8004)9520614141234567"),
        ("(01) 09520123456788 (10) A(B", r"(01)09520123456788(10)A\(B"),
    ] {
        let (form, identifier) = read(text).unwrap();
        assert_eq!(form, InputForm::Hri, "{text}");
        assert_eq!(identifier.values().unwrap().to_element_string().unwrap().to_bracketed(), item);
        assert!(inspect(text).is_valid(), "{text}");
    }
    // Places are those of the text with its spaces.
    let found = inspect("(01) 09520123456789 (17) 271301");
    let places: Vec<_> = found.faults.iter().map(|fault| fault.span.clone()).collect();
    assert_eq!(places, [18..19, 27..29]);
}

/// Former names (withdrawn in GS1 Digital Link URI Syntax 1.3.0), URIs without scheme (RFC 3986,
/// section 4.5) and surplus segments are named as such.
#[test]
fn the_most_likely_cause_is_told() {
    for text in
        ["/gtin/09520123456788", "gtin/09520123456788", "https://a.example/gtin/09520123456788"]
    {
        let (code, message, help) = fault(text);
        assert_eq!(code, "NO_PRIMARY_KEY", "{text}");
        assert!(
            message.contains("01") && message.contains("\"gtin\"") && help.contains("01"),
            "{message}"
        );
        let item = inspect(text).item.expect("what was meant");
        assert_eq!(item.element_string, "(01)09520123456788", "{text}");
    }
    for text in ["example.com/01/09520123456788", "localhost:8080/01/09520123456788?17=261231"] {
        let (code, _, help) = fault(text);
        assert_eq!((code, &*help), ("URI_SCHEME", "start with https://"), "{text}");
        assert!(inspect(text).item.expect("what was meant").element_string.starts_with("(01)"));
    }
    for (end, found) in [
        ("/extra", "\"extra\""),
        ("/foo", "\"foo\""),
        ("/foo/bar?17=261231", "\"foo\""),
        ("/10", "after (10)"),
    ] {
        for start in ["/01/09520123456788", "https://a.example/01/09520123456788"] {
            let text = format!("{start}{end}");
            let (code, message, help) = fault(&text);
            assert_eq!(code, "SURPLUS_SEGMENT", "{text}");
            assert!(message.contains(found) && help.contains("remove"), "{text}: {message}");
            assert_eq!(inspect(&text).faults[0].span.start, start.len() + 1, "{text}");
            assert!(inspect(&text).item.is_some(), "{text}");
        }
    }
    // What is compressed and damaged is told as such.
    assert_eq!(fault("https://example.com/DBHKVAdpQgowO").0, "TRUNCATED_COMPRESSED");
    assert_eq!(fault("https://a.example/eh0166c4409047e140").0, "RESERVED_HEADER");
}
