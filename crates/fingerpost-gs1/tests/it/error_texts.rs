//! The texts of errors, as people read them: found and expected, lower case, no full stop, the
//! input escaped and cut.

use fingerpost_gs1::compression::decompress;
use fingerpost_gs1::{Ai, DigitalLink, ElementString, Error, LintError, Options};

#[track_caller]
fn text<T>(result: Result<T, Error>) -> String {
    result.err().expect("refused").to_string()
}

#[test]
fn values() {
    let rows = [
        ("01", "09506000134353", "check digit of (01) is 3, expected 2"),
        ("01", "", "value of (01) is empty, expected at least one character"),
        ("01", "0950600013435", "value of (01) has 13 characters, expected 14"),
        ("01", "0950600013435A", r#"character 14 of (01) is "A", expected a digit"#),
        ("20", "1", "value of (20) has 1 character, expected 2"),
        ("10", "123456789012345678901", "value of (10) has 21 characters, expected at most 20"),
        (
            "10",
            "A\u{1}",
            r#"character 2 of (10) is "\x01", expected one of the 82 characters of CSET 82"#,
        ),
        (
            "10",
            "caf\u{e9}",
            r#"character 4 of (10) is "\u{e9}", expected one of the 82 characters of CSET 82"#,
        ),
        ("8003", "0", "value of (8003) has 1 character, expected at least 14"),
        (
            "8008",
            "210101123",
            "value of (8008) has a part cut short, expected 2 characters in it, found 1",
        ),
        ("8013", "1987654Ad4X4bL5ttr2310c2J", r#"check pair of (8013) is "2J", expected "2K""#),
        ("11", "271301", r#"month of (11) is "13", expected 01 to 12"#),
        ("11", "270230", r#"day of (11) is "30", expected a day of that month"#),
        (
            "8010",
            "952A",
            r#"company prefix of (8010) is "A", expected a GS1 company prefix, which starts with four digits"#,
        ),
        ("8007", "FR1234", r#"IBAN of (8007) is "FR1234", expected at least 11 characters"#),
        ("8110", "01", "value of (8110) ends too early, expected a complete company prefix"),
        ("8110", "7", r#"length digit of the company prefix of (8110) is "7", expected 0 to 6"#),
        (
            "4300",
            "A%2",
            r#"percent sequence of (4300) is "%2", expected two hexadecimal digits after the percent sign"#,
        ),
        ("89", "A", r#"expected an Application Identifier of the dictionary, found "89""#),
    ];
    for (ai, value, expected) in rows {
        let ai = Ai::new(ai).expect("digits");
        assert_eq!(text(ai.check_value(value.as_bytes())), expected, "({ai}){value}");
    }
}

#[test]
fn element_strings() {
    let rows = [
        ("", "expected an Application Identifier in round brackets, then its value, found nothing"),
        (
            "12345",
            r#"expected an Application Identifier in round brackets, then its value, found "12345""#,
        ),
        ("(1A)1", r#"expected an Application Identifier of the dictionary, found "1A""#),
        (
            "(10)",
            "expected an Application Identifier in round brackets, then its value, found nothing",
        ),
        ("(10)A^", r#"in (10): expected no caret or group separator in the value, found "^""#),
        (
            "(01)09520123456788(02)09520123456788(37)1",
            "found (01) together with (37), expected only one of them",
        ),
        ("(21)A", "(21) lacks a companion, expected (01), (03) or (8006)"),
        (
            "(250)A(01)09520123456788",
            "(250) lacks a companion, expected (01) with (21), (03) with (21), or (8006) with (21)",
        ),
        ("(400)A(400)B", "found (400) with different values, expected the same value everywhere"),
        (
            "(8030)A(253)9520123456788",
            "(253) is without its serial part, expected one beside (8030)",
        ),
        (
            "abcdefghijklmnopqrstuvwxyz0123456789",
            r#"expected an Application Identifier in round brackets, then its value, found "abcdefghijklmnopqrstuvwxyz012345...""#,
        ),
    ];
    for (input, expected) in rows {
        assert_eq!(text(ElementString::parse_bracketed(input)), expected, "{input}");
    }
    let many = "(90)A".repeat(65);
    assert_eq!(
        text(ElementString::parse_bracketed(&many)),
        "too many elements, expected at most 64"
    );
    let long = "(90)".repeat(3000);
    assert_eq!(
        text(ElementString::parse_bracketed(&long)),
        "input is too long, expected at most 8191 bytes"
    );
}

#[test]
fn raw_and_scan_data() {
    let rows = [
        ("10A", r#"expected FNC1 at the start, found "1""#),
        ("", "expected FNC1 at the start, found nothing"),
        ("^", "expected data after the start of the symbol, found nothing"),
        ("^891234", r#"expected an Application Identifier, found "8912""#),
        ("^811112345", "value of (8111) has 5 characters, expected 4"),
    ];
    for (input, expected) in rows {
        assert_eq!(text(ElementString::parse_raw(input)), expected, "{input}");
    }
    let rows = [
        ("]X", r#"expected a symbology identifier at the start, found "]X""#),
        ("]C0123", r#"expected the symbology identifier of a GS1 carrier, found "]C0""#),
        ("]E498765", r#"expected 8 digits, found "98765""#),
        ("]E412ABC678", r#"expected digits only, found "A""#),
        ("]E09520123456789", "check digit is 9, expected 8"),
        ("]d1https://id.gs1.org/01/09520123456789", "check digit of (01) is 9, expected 8"),
    ];
    for (input, expected) in rows {
        assert_eq!(text(ElementString::parse_scan(input)), expected, "{input}");
    }
    assert_eq!(text(ElementString::parse_gtin("123")), r#"expected 8 digits, found "123""#);
}

#[test]
fn digital_links() {
    let rows = [
        (
            "https://a.example/01/09520123456788/10/A/22/B",
            "found (22) out of place, expected the qualifiers of the key in their order",
        ),
        (
            "https://a.example/01/09520123456788/",
            "expected no slash after the last value, found one",
        ),
        (
            "https://a.example/01/09520123456788?10=%4g",
            r#"in (10): expected two hexadecimal digits after the percent sign, found "%4g""#,
        ),
        ("https://a.example/about", r#"expected a primary key and its value, found "/about""#),
        (
            "https://a.example/01/09520123456788?10=A",
            "found (10) in the query, expected it in the path after its key",
        ),
        (
            "https://a.example/01/09520123456788?254=A",
            "found (254) in the query, expected only attributes there",
        ),
    ];
    for (input, expected) in rows {
        let result = DigitalLink::parse_with(input, &Options::new().requisites(false));
        assert_eq!(text(result), expected, "{input}");
    }
}

#[test]
fn every_content_rule_has_a_text() {
    for lint in LintError::ALL {
        let code = lint.code();
        assert!(code.starts_with("L_") && !lint.hint().ends_with('.'), "{code}");
    }
}

#[test]
fn compressed_links() {
    let rows = [
        ("https://a.example/DBHKVAdpQg", r#"in (21): expected a complete field, found "g""#),
        ("https://a.example/DBHKVAdpQgowO_", r#"expected zero bits at the end, found "_""#),
        (
            "https://a.example/MbAAAAAAAAAA",
            r#"expected a digit of an Application Identifier, found "b""#,
        ),
        (
            "https://a.example/about-us.html",
            r#"expected letters, digits, hyphens and underscores only, found ".""#,
        ),
        (
            "https://a.example/somewhere-else",
            r#"expected an Application Identifier or an assigned code, found "so""#,
        ),
        ("https://a.example/BAAAAAAAAAAA", r#"expected an Application Identifier, found "BA""#),
    ];
    for (uri, expected) in rows {
        assert_eq!(text(decompress(uri, &Options::new())), expected, "{uri}");
    }
}

/// General Specifications section 7.11: values are in ASCII. A bracket within a value is escaped in
/// the bracketed form.
#[test]
fn hints_solve_what_the_message_names() {
    let hint = |input: &str| ElementString::parse_bracketed(input).err().unwrap().hint();
    assert_eq!(
        hint("(01)09520123456788(21)ab(GdU(91)12"),
        r"write (AI)value; a round bracket in a value is written \("
    );
    assert_eq!(
        hint("(01)09520123456788(10)caf\u{e9}"),
        "write the letter in ASCII: values have no accents and no other alphabets"
    );
}
