//! The functions that the bindings call. `.ci/bindings` compares their answers with the command.

use fingerpost_report::{AcceptedReading, Toolkit, WrittenForm, call, definition};
use serde_json::{Value, json};

/// 27 November 2026.
const NOW: i64 = 1_795_824_000;

fn inputs() -> Vec<String> {
    let text = include_str!("../../../testdata/real-inputs.json");
    let corpus: Value = serde_json::from_str(text).expect("JSON");
    let cases = corpus["cases"].as_array().expect("cases").iter();
    cases.map(|case| case["input"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn options_that_are_not_valid_are_named() {
    for (options, named) in [
        (r#"{"too": "hri"}"#, "unknown field `too`"),
        (r#"{"to": "hrii"}"#, "to: expected one of digital-link, "),
        (r#"{"accept": ["any"]}"#, "accept: expected one of parts, "),
        (r#"{"scheme": "SGTIN"}"#, "scheme: expected one of "),
        (r#"{"weight_codes": "ZZ"}"#, "weight_codes: expected one of "),
        (r#"{"gcp_length": 3}"#, "gcp_length: expected 4 to 12, found \"3\""),
        (r#"{"gcp_table": {"952": "7"}}"#, "gcp_table: expected the number of digits"),
        (r#"{"filter": 64}"#, "filter: expected 0 to 63"),
        (r#"{"stem": "id.example.org"}"#, "stem: "),
        (r#"{"hostname": "a b"}"#, "hostname: "),
        (r#"{"mode": "rfc"}"#, "mode: expected one of auto, draft, rfc8141"),
        (r#"{"today": "2026-02-30"}"#, "today: expected a date"),
        ("[", "expected a JSON object of options"),
    ] {
        let refused = Toolkit::new(options, NOW).expect_err(options);
        assert_eq!(refused.finding.code, "OPTION", "{options}");
        assert!(refused.finding.message.contains(named), "{options}: {}", refused.finding.message);
    }
    assert!(call("chek", "", "", NOW).contains("function: expected one of check, convert, "));
}

#[test]
fn the_day_decides_the_century() {
    let century = |today: &str| {
        let toolkit = Toolkit::new(&json!({"today": today}).to_string(), NOW).expect("options");
        let found = toolkit.check("(01)09520123456788(17)801231");
        found["item"]["elements"][1]["meaning"].to_string()
    };
    assert!(century("2026-11-27").contains("1980-12-31"), "{}", century("2026-11-27"));
    assert!(century("2035-11-27").contains("2080-12-31"), "{}", century("2035-11-27"));
}

#[test]
fn text_alone_is_that_with_warnings() {
    let readings: Vec<&str> = AcceptedReading::ALL.iter().map(|one| one.code()).collect();
    let inputs = inputs();
    for accept in [vec![], vec!["lenient"], readings] {
        for to in WrittenForm::codes() {
            let options = json!({"accept": accept, "to": to, "gcp_length": 7}).to_string();
            let toolkit = Toolkit::new(&options, NOW).expect("options");
            for input in &inputs {
                let whole = toolkit.convert(input).map(|converted| converted.text);
                assert_eq!(toolkit.convert_text(input), whole, "{input} {options}");
            }
        }
    }
}

#[test]
fn what_is_known_can_be_called() {
    let known = definition();
    for form in known["forms"].as_array().expect("forms") {
        let options = json!({"to": form}).to_string();
        let answer = call("convert", "3066c4409047e14000001a85", &options, NOW);
        assert!(answer.starts_with(r#"{"result":"#), "{form}: {answer}");
    }
    for function in known["functions"].as_array().expect("functions") {
        let name = function.as_str().expect("a name");
        assert!(!call(name, "urn:isbn:0-451-45052-3", "", NOW).contains("OPTION"), "{name}");
    }
}
