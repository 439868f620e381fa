//! What single sections of the standards require of a reader of typed and scanned text.

use fingerpost_identify::{Converter, InputForm, OutputForm, inspect, read};

/// The code of the only fault, its message and its help.
fn fault(text: &str) -> (&'static str, String, String) {
    let found = inspect(text);
    assert_eq!(found.faults.len(), 1, "{text}: {found:?}");
    let first = read(text).expect_err(text);
    assert_eq!(first.code, found.faults[0].code, "{text}");
    let position = &found.faults[0].span;
    assert!(text.get(position.clone()).is_some(), "{text}: {position:?}");
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
    let position = inspect("]Q1https://a.example/01/09520123456788/414/9520123456788").warnings[0]
        .span
        .clone();
    assert_eq!(position, 20..38);
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
    // Positions are those of the text with its spaces.
    let found = inspect("(01) 09520123456789 (17) 271301");
    let positions: Vec<_> = found.faults.iter().map(|fault| fault.span.clone()).collect();
    assert_eq!(positions, [18..19, 27..29]);
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

/// GS1-DL-28, IN-15: `.` and `..` in a path would become another identifier.
#[test]
fn dots_are_never_written_into_a_path() {
    for text in [
        "(01)09520123456788(10)..(21)X",
        "(01)09520123456788(10).",
        "(01)09520123456788(22)..",
        "https://a.example/01/09520123456788/10/..",
        "https://a.example/01/09520123456788/10/%2E%2e/21/X",
        "/01/09520123456788/21/.",
        "]d2010952012345678810..",
        "(8004)..",
    ] {
        let found = inspect(text);
        // GIAI begin with a company prefix.
        assert_eq!(found.is_valid(), !text.starts_with("(8004)"), "{text}: {found:?}");
        if !found.is_valid() {
            continue;
        }
        assert!(found.warnings.iter().any(|w| w.code == "DOT_SEGMENT"), "{text}: {found:?}");
        let item = found.item.expect("elements");
        assert_eq!(item.canonical_uri, None, "{text}");
        assert_eq!(item.no_uri.expect("a reason").code, "DOT_SEGMENT", "{text}");
        for form in [OutputForm::DigitalLink, OutputForm::Canonical, OutputForm::Compressed] {
            for converter in [Converter::new(), Converter::new().stem("https://b.example").unwrap()]
            {
                let refused = converter.convert(text, form).unwrap_err();
                assert_eq!(refused.code, "DOT_SEGMENT", "{text}");
            }
        }
        assert!(Converter::new().convert(text, OutputForm::ElementString).is_ok(), "{text}");
    }
    // Neither is a segment of a path.
    for text in ["(01)09520123456788(10)...", "(01)09520123456788(240).."] {
        let found = inspect(text);
        assert!(found.warnings.is_empty(), "{text}: {found:?}");
        assert!(Converter::new().convert(text, OutputForm::DigitalLink).is_ok(), "{text}");
    }
}

/// IN-16: bits and URNs can hold values that no reader accepts; they are not written in any form.
#[test]
fn what_check_refuses_is_not_converted() {
    for text in [
        "urn:epc:id:itip:4012345.011111.03.02.987",
        "urn:epc:id:itip:4012345.011111.00.02.987",
        "urn:epc:id:itip:4012345.011111.01.00.987",
        "urn:epc:id:cpi:0614141.123.0",
    ] {
        assert!(!inspect(text).is_valid(), "{text}");
        for form in OutputForm::ALL {
            let converted = Converter::new().convert(text, *form);
            assert!(converted.is_err(), "{text} as {form:?}: {converted:?}");
        }
    }
}

/// IN-20: the reason why there is no canonical URI is the true one.
#[test]
fn the_reason_for_no_uri_is_named() {
    for (text, code) in [
        ("(01)09520123456788(8200)https://x.example", "NOT_AN_ATTRIBUTE"),
        ("(99)A", "NO_PRIMARY_KEY"),
        ("(01)09520123456788(10)..", "DOT_SEGMENT"),
    ] {
        let item = inspect(text).item.expect(text);
        assert_eq!(item.canonical_uri, None, "{text}");
        let reason = item.no_uri.expect("a reason");
        assert_eq!(reason.code, code, "{text}");
        let refused = Converter::new().convert(text, OutputForm::DigitalLink).unwrap_err();
        assert_eq!(refused.message, reason.message, "{text}");
    }
}

/// IN-7: a pattern without a reference belongs to a scheme with keys, but names none.
#[test]
fn open_patterns_are_not_called_keyless() {
    for text in ["urn:epc:idpat:sgtin:4012345.*.*", "urn:epc:idpat:sscc:4012345.*"] {
        for form in [OutputForm::DigitalLink, OutputForm::ElementString, OutputForm::Hri] {
            let refused = Converter::new().convert(text, form).unwrap_err();
            assert_eq!(refused.code, "NO_DIGITAL_LINK", "{text}");
            assert!(refused.message.contains("leaves it open"), "{}", refused.message);
        }
    }
    let refused = Converter::new().convert("urn:epc:id:gid:1.2.3", OutputForm::Hri).unwrap_err();
    assert_eq!(refused.message, "EPCs of this scheme have no GS1 key");
}

/// PE-26: faults are errors with a text, so `?` passes them on.
#[test]
fn findings_are_errors() {
    fn converted(text: &str) -> Result<String, Box<dyn std::error::Error>> {
        Ok(Converter::new().convert(text, OutputForm::DigitalLink)?)
    }
    assert!(converted("(01)09520123456788").is_ok());
    let error = converted("(01)09520123456789").unwrap_err();
    assert_eq!(error.to_string(), "check digit of (01) is 9, expected 8");
}
