//! Options, limits and spellings that the vectors do not cover.

use std::sync::Arc;

use fingerpost_gs1::{
    Ai, CodeList, CompanyPrefix, ElementString, Error, Linter, Lookups, Options, Scan, Span,
};

fn code<T>(result: Result<T, Error>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "accepted")
}

fn loose() -> Options {
    Options::new().requisites(false)
}

// GS1-ES-18
#[test]
fn unknown_ais_follow_the_lengths_of_their_prefix() {
    let options = loose().unknown_ais(true);
    let read = |text| ElementString::parse_bracketed_with(text, &options);
    assert_eq!(code(read("(89)ABC(8912)DEF(7012)G")), "accepted");
    assert_eq!(code(read("(419)9520123456788(3106)123456")), "accepted");
    assert_eq!(code(read("(419)952012345678")), "VALUE_TOO_SHORT");
    for text in ["(800)A", "(80)A", "(011)A", "(1)A", "(12345)A", "()A"] {
        assert_eq!(code(read(text)), "UNKNOWN_AI", "{text}");
    }
    let item = read("(3106)123456(7012)G(90)H").expect("accepted");
    assert_eq!(item.to_raw(fingerpost_gs1::Order::AsStored), "^31061234567012G^90H");
    let raw = |text| ElementString::parse_raw_with(text, &options);
    assert_eq!(code(raw("^31061234567012G^90H")), "accepted");
    assert_eq!(code(raw("^8912ABC")), "UNKNOWN_AI_PREFIX");
    assert_eq!(code(ElementString::parse_bracketed("(89)A")), "UNKNOWN_AI");
}

// GS1-DIFF-02: 3944 and 3945 have the row of 3943.
#[test]
fn uri_syntax_1_4() {
    let options = Options::new().uri_syntax_1_4(true);
    let text = "(3944)1234(255)9526064000028";
    assert_eq!(code(ElementString::parse_bracketed_with(text, &options)), "accepted");
    assert_eq!(code(ElementString::parse_bracketed(text)), "UNKNOWN_AI");
    let both = "(3944)1234(3943)1234(255)9526064000028";
    assert_eq!(code(ElementString::parse_bracketed_with(both, &options)), "AI_PAIR_FORBIDDEN");
}

// GS1-ASC-05, GS1-ASC-06
#[test]
fn associations_are_checked_in_order_and_can_be_relaxed() {
    let clash_and_lack = "(21)A(235)B";
    assert_eq!(code(ElementString::parse_bracketed(clash_and_lack)), "AI_PAIR_FORBIDDEN");
    assert_eq!(code(ElementString::parse_bracketed("(10)A(10)B")), "AI_REQUIREMENT_MISSING");
    assert_eq!(
        code(ElementString::parse_bracketed_with("(10)A(10)B", &loose())),
        "AI_REPEATED_DIFFERENT"
    );
    let weights = "(01)09520123456788(3103)000195(3104)000195";
    assert_eq!(code(ElementString::parse_bracketed(weights)), "AI_PAIR_FORBIDDEN");
    let repeated = "(01)09520123456788(3103)000195(3103)000195";
    assert_eq!(code(ElementString::parse_bracketed(repeated)), "accepted");
}

// GS1-ERR-02
#[test]
fn inspection_lists_every_finding_once() {
    let codes = |text: &str| -> Vec<String> {
        let (item, findings) = ElementString::inspect_bracketed(text, &Options::new());
        assert!(item.is_none());
        findings
            .errors()
            .iter()
            .map(|e| format!("{} {}", e.ai().map_or(String::new(), |ai| ai.to_string()), e.code()))
            .collect()
    };
    assert_eq!(
        codes("(01)09520123456789(1A)X(10)A B(20)123(11)271301"),
        [
            " UNKNOWN_AI",
            "20 VALUE_TOO_LONG",
            "01 L_INCORRECT_CHECK_DIGIT",
            "10 L_INVALID_CSET82_CHARACTER",
            "11 L_ILLEGAL_MONTH",
        ]
    );
    assert_eq!(
        codes("(21)A(21)B(235)C(22)D"),
        [
            "21 AI_PAIR_FORBIDDEN",
            "21 AI_REQUIREMENT_MISSING",
            "22 AI_REQUIREMENT_MISSING",
            "235 AI_REQUIREMENT_MISSING",
            "21 AI_REPEATED_DIFFERENT",
        ]
    );
    let (_, findings) = ElementString::inspect_raw("^0109520123456789112713010A", &Options::new());
    assert_eq!(findings.len(), 3, "{findings}");
}

#[test]
fn places_point_into_the_input_past_escapes() {
    let error = ElementString::parse_bracketed(r"(10)A\(B\(C D").unwrap_err();
    assert_eq!(error.span(), Span { start: 11, end: 12 });
    assert_eq!(error.value_span(), Some(Span { start: 5, end: 6 }));
    let error = ElementString::parse_raw("^0109520123456789").unwrap_err();
    assert_eq!(error.span(), Span { start: 16, end: 17 });
    let error = ElementString::parse_bracketed("(01)12(10)").unwrap_err();
    assert_eq!((error.code(), error.span()), ("VALUE_TOO_SHORT", Span { start: 4, end: 6 }));
    let error = ElementString::parse_bracketed("(01)(10)A").unwrap_err();
    assert_eq!((error.code(), error.ai()), ("VALUE_TOO_SHORT", Some(Ai::GTIN)));
    let error = ElementString::parse_scan("]d1https://id.gs1.org/01/09520123456789").unwrap_err();
    assert_eq!(error.span(), Span { start: 38, end: 39 });
    let error = ElementString::parse_raw_with("^10\u{e9}", &loose()).unwrap_err();
    assert_eq!(
        (error.code(), error.span()),
        ("L_INVALID_CSET82_CHARACTER", Span { start: 3, end: 5 })
    );
}

#[test]
fn brackets() {
    let item = ElementString::parse_bracketed_with(r"(10)A\(B)C\", &loose());
    assert_eq!(code(item), "L_INVALID_CSET82_CHARACTER");
    let item = ElementString::parse_bracketed_with(r"(10)A\(B)C", &loose()).expect("accepted");
    assert_eq!(item.get(Ai::LOT), Some("A(B)C"));
    assert_eq!(item.to_bracketed(), r"(10)A\(B)C");
    for text in ["x(10)A", "(10", "(10A", "10)A", "(01)09520123456788(10)"] {
        assert_eq!(code(ElementString::parse_bracketed_with(text, &loose())), "BRACKET_SYNTAX");
    }
}

// GS1-ES-05, GS1-ES-10, GS1-ES-12: linear and composite part.
#[test]
fn composite_parts_are_joined() {
    let expected = ElementString::parse_bracketed("(01)09520123456788(10)A").expect("accepted");
    for text in ["(01)09520123456788|(10)A", "(10)A|(01)09520123456788"] {
        assert_eq!(ElementString::parse_bracketed(text).as_ref(), Ok(&expected), "{text}");
    }
    for text in ["^0109520123456788|^10A", "^10A|^0109520123456788"] {
        assert_eq!(ElementString::parse_raw(text).as_ref(), Ok(&expected), "{text}");
    }
    match ElementString::parse_scan("]E09520123456788|]e010A") {
        Ok(Scan::Elements(item)) => assert_eq!(item, expected),
        other => panic!("{other:?}"),
    }
    assert_eq!(code(ElementString::parse_scan("]E09520123456788|]e0")), "NO_DATA");
    assert_eq!(code(ElementString::parse_scan("]C110A^0109520123456788")), "FNC1_IN_VALUE");
}

// GS1-ES-10: one `|` before FNC1, in the data of a composite symbol only. CSET 82 has no `|`, so it
// is never dropped.
#[test]
fn a_bar_separates_two_parts_once() {
    let raw = |text| code(ElementString::parse_raw_with(text, &loose()));
    assert_eq!(raw("^0109520123456788|^10A"), "accepted");
    assert_eq!(raw("^10A|^0109520123456788^"), "accepted");
    assert_eq!(raw("^0109520123456788^|^10A"), "accepted", "FNC1 at the end of either part");
    assert_eq!(raw("^10A^|^0109520123456788"), "accepted");
    assert_eq!(raw("^10A|^"), "NO_DATA");
    assert_eq!(raw("^|^10A"), "NO_DATA");
    assert_eq!(raw("^10A|"), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(raw("^10A|21B"), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(raw("^10A|^21B|^11271231"), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(raw("^10A||^21B"), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(raw("9520123456788|^10A"), "NO_LEADING_FNC1");
    for data in ["3144|\u{1d}00095201234567891235", "10A|\u{1d}21B", "10A|", "10A\u{1d}|\u{1d}21B"]
    {
        for id in ["]C1", "]e0", "]d2", "]Q3", "]E09520123456788|]e0"] {
            let scan = [id, data].concat();
            let found = code(ElementString::parse_scan_with(&scan, &loose()));
            assert_ne!(found, "accepted", "{scan:?}");
        }
    }
    let error = ElementString::parse_scan_with("]C110A|\u{1d}21B", &loose()).unwrap_err();
    assert_eq!(error.code(), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(error.span(), Span { start: 6, end: 7 });
    let bracketed = |text| code(ElementString::parse_bracketed_with(text, &loose()));
    assert_eq!(bracketed("(10)A|(21)B"), "accepted");
    assert_eq!(bracketed(r"(10)A\(|(21)B"), "accepted");
    assert_eq!(bracketed("(10)A|(21)B|(11)271231"), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(bracketed("(10)A||(21)B"), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(bracketed("(10)A|"), "L_INVALID_CSET82_CHARACTER");
    assert_eq!(bracketed("(10)|(21)B"), "VALUE_TOO_SHORT");
}

// GS1-ES-06, GS1-ES-10: separators.
#[test]
fn separators() {
    let read = |text| code(ElementString::parse_raw_with(text, &loose()));
    assert_eq!(read("^0109520123456788^10A"), "accepted");
    assert_eq!(read("\u{1d}10A^"), "accepted");
    assert_eq!(read("^10A^^11271231"), "UNKNOWN_AI_PREFIX");
    assert_eq!(read("^10A^^"), "UNKNOWN_AI_PREFIX");
    assert_eq!(read("^"), "NO_DATA");
    assert_eq!(read("^1"), "UNKNOWN_AI_PREFIX");
    assert_eq!(read("10A"), "NO_LEADING_FNC1");
    let lenient = loose().missing_leading_fnc1(true);
    assert_eq!(code(ElementString::parse_raw_with("10A", &lenient)), "accepted");
}

#[test]
fn bare_gtins_of_every_length() {
    for (digits, gtin) in [
        ("95201238", "00000095201238"),
        ("416000336108", "00416000336108"),
        ("9520123456788", "09520123456788"),
        ("19520123456785", "19520123456785"),
    ] {
        let item = ElementString::parse_gtin(digits).map_err(|error| error.to_string());
        assert_eq!(item.as_ref().map(|item| item.get(Ai::GTIN)), Ok(Some(gtin)), "{digits}");
    }
    for (digits, expected) in [
        ("", "EAN_TOO_SHORT"),
        ("123456789", "EAN_TOO_SHORT"),
        ("095201234567880", "EAN_TOO_LONG"),
        ("952012345678\u{e9}", "EAN_NOT_DIGITS"),
        ("9520123456789", "EAN_CHECK_DIGIT"),
    ] {
        assert_eq!(code(ElementString::parse_gtin(digits)), expected, "{digits}");
    }
}

// GS1-ES-05: at most 64 elements.
#[test]
fn limits() {
    let read = |count: usize| {
        ElementString::parse_bracketed_with(&"(90)A".repeat(count), &loose())
            .map(|item| item.elements().len())
    };
    assert_eq!(read(64), Ok(64));
    assert_eq!(code(read(65)), "TOO_MANY_AIS");
    let raw = "^".to_owned() + &["90A"; 65].join("^");
    assert_eq!(code(ElementString::parse_raw(&raw)), "TOO_MANY_AIS");
    assert_eq!(code(ElementString::parse_raw(&"^".repeat(9000))), "INPUT_TOO_LONG");
}

#[derive(Debug)]
struct Newer;

impl Lookups for Newer {
    fn contains(&self, list: CodeList, code: &[u8]) -> Option<bool> {
        match (list, code) {
            (CodeList::Iso3166Numeric, b"840") => Some(false),
            (CodeList::PackageType, b"XXX") => Some(true),
            _ => None,
        }
    }

    fn company_prefix(&self, text: &[u8]) -> CompanyPrefix {
        match text {
            [b'9', b'5', ..] => CompanyPrefix::Allocated,
            [b'0', ..] => CompanyPrefix::Unavailable,
            _ => CompanyPrefix::NotAllocated,
        }
    }
}

// GS1-LINT-05, GS1-LINT-10: lists and prefixes can be replaced.
#[test]
fn lookups_of_the_caller_count() {
    let options = Options::new().lookups(Arc::new(Newer));
    let check = |ai: &str, value: &str| {
        code(Ai::new(ai).expect("digits").check_value_with(value.as_bytes(), &options))
    };
    assert_eq!(check("422", "840"), "L_NOT_ISO3166");
    assert_eq!(check("422", "276"), "accepted");
    assert_eq!(check("7041", "XXX"), "accepted");
    assert_eq!(check("01", "09520123456788"), "accepted");
    assert_eq!(check("01", "10416000336105"), "L_GCP_DATASOURCE_OFFLINE");
    assert_eq!(check("414", "4012345000009"), "L_INVALID_GCP_PREFIX");
    assert_eq!(code(Ai::GLN.check_value(b"4012345000009")), "accepted");
}

/// Rules count bytes; underlining a fault requires whole characters.
// GS1-ERR-01
#[test]
fn errors_point_at_whole_characters() {
    for text in [
        "39\u{16c}443",
        "]\u{16c}",
        "(10)A\u{bc}1",
        "^10A\u{bc}1",
        "]d210A\u{bc}1",
        "952012345678\u{bc}",
    ] {
        let options = Options::new().requisites(false);
        let all = [
            ElementString::inspect_bracketed(text, &options).1,
            ElementString::inspect_raw(text, &options).1,
            ElementString::inspect_scan(text, &options).1,
        ];
        let first = ElementString::parse_gtin(text).unwrap_err();
        for error in all.iter().flatten().chain([&first]) {
            let span = error.span();
            assert!(text.get(span.start..span.end).is_some(), "{error}: {span:?} in {text:?}");
        }
    }
}

#[test]
fn linters_are_found_by_name() {
    for linter in Linter::ALL {
        assert_eq!(Linter::from_name(linter.name()), Some(*linter));
    }
    assert_eq!(Linter::from_name("no such"), None);
}

// GS1-LINT-02, GS1-LINT-11, GS1-LINT-13.
#[test]
fn lint_examples() {
    let rows = [
        ("latitude", "0279085848", ""),
        ("latitude", "1800000001", "L_INVALID_LATITUDE"),
        ("latitude", "1", "L_LATITUDE_INVALID_LENGTH"),
        ("longitude", "3015297971", ""),
        ("longitude", "3600000001", "L_INVALID_LONGITUDE"),
        ("cset64", "abc=", "L_INVALID_CSET64_PADDING"),
        ("cset64", "ab=", ""),
        ("csumalpha", "1987654Ad4X4bL5ttr2310c2K", ""),
        ("gcppos1", "123", "L_TOO_SHORT_FOR_GCP"),
        ("yymmdd", "201200", "L_ILLEGAL_DAY"),
        ("yymmd0", "710229", "L_ILLEGAL_DAY"),
        ("yymmd0", "720229", ""),
        ("iso3166alpha2", "gb", "L_NOT_ISO3166_ALPHA2"),
        ("iso4217", "191", "L_NOT_ISO4217"),
        ("couponcode", "71234567890123", "L_COUPON_INVALID_GCP_LENGTH"),
        ("couponposoffer", "2", "L_COUPON_INVALID_FORMAT_CODE"),
        ("couponposoffer", "001234561234560123456", ""),
        ("iban", "FR7630006000011234567890189", ""),
    ];
    for (name, text, expected) in rows {
        let linter = Linter::from_name(name).expect("a linter");
        let found =
            linter.check(text.as_bytes()).map_or_else(|fault| fault.error().code(), |()| "");
        assert_eq!(found, expected, "{name} {text}");
    }
}
