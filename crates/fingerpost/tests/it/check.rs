//! `check`: its answers about the shared vectors, exit statuses, and the wording for people, which
//! is in `tests/golden`.

use crate::support;

use serde_json::{Value, json};
use support::{expect_golden, run, run_with_input};

/// One input for each layout of the text. Their values are judged by the vectors.
const WORDED: [&str; 17] = [
    "https://id.example.org/01/09520123456788/10/A%2FB?17=261231&lang=fr",
    "010952012345678810ABC\u{1d}17261231",
    "]d2010952012345678810ABC\u{1d}17261231",
    "fd3795211411234538566cb0afc525065f1876f0d996d8",
    "urn:epc:tag:sgtin-96:3.95060001343.05.6789",
    "https://id.example.org/01/09520123456789/10/A%5EB?17=261301",
    "https://id.example.org/01/9520123456788/",
    "(01)09520123456788(10)äö",
    "1 95201 23456789123-3",
    "\u{1b}[31mred\u{202e}",
    "",
    "(01) 09520123456789 (10) ABC",
    "https://id.example.org/01/09520123456788/414/9520123456788",
    "/8006/095201234567880102/22/2A",
    "/gtin/09520123456788",
    "example.com/01/09520123456788",
    "<https://id.example.org/01/09520123456788/extra>",
];

#[test]
fn findings_are_worded_as_reviewed() {
    expect_golden("check", &run(["check", "--"].into_iter().chain(WORDED)).stdout);
}

/// Inputs with the form that they are, the code of their fault, and otherwise their element string:
/// numbers are padded to 14 digits (GS1 General Specifications), `3066c4…` is the SGTIN-96 example
/// of the EPC Tag Data Standard, and `DBHKVAdpQgowOQ` that of Digital Link 1.1.
const FORMS: [(&str, &str, Result<&str, &str>); 28] = [
    ("/01/09520123456788/21/S1", "digital-link-path", Ok("(01)09520123456788(21)S1")),
    ("01/09520123456788", "digital-link-path", Ok("(01)09520123456788")),
    (
        "010952012345678810A\u{1d}17261231",
        "raw-element-string",
        Ok("(01)09520123456788(10)A(17)261231"),
    ),
    ("0109520123456788", "raw-element-string", Ok("(01)09520123456788")),
    ("1234567890123456789012345", "raw-element-string", Err("L_ILLEGAL_MONTH")),
    ("9520123456788", "gtin", Ok("(01)09520123456788")),
    ("952 0123 45678-8", "gtin", Ok("(01)09520123456788")),
    ("95200002", "gtin", Ok("(01)00000095200002")),
    ("012345678905", "gtin", Ok("(01)00012345678905")),
    ("9520123456780", "gtin", Err("EAN_CHECK_DIGIT")),
    ("12345", "gtin", Err("EAN_TOO_SHORT")),
    ("195201234567891232", "sscc", Ok("(00)195201234567891232")),
    ("1 95201 23456789123-3", "sscc", Err("L_INCORRECT_CHECK_DIGIT")),
    ("exMGbEQJBH4UAAABqF", "epc-segment", Ok("(01)09506000134352(21)6789")),
    ("eh3066C4409047E14000001A85", "epc-segment", Err("INVALID_HEX")),
    (
        "https://id.example.org/eh3066c4409047e14000001a85?linkType=all",
        "epc-digital-link",
        Ok("(01)09506000134352(21)6789"),
    ),
    ("https://id.example.org/eh0166c4409047e140", "digital-link", Err("RESERVED_HEADER")),
    ("https://id.example.org/eh3500e86f8000a9e000000586", "digital-link", Err("NO_DIGITAL_LINK")),
    ("]Q1https://id.example.org/exMGbEQJBH4UAAABqF", "scan-data", Ok("(01)09506000134352(21)6789")),
    (
        "https://example.com/DBHKVAdpQgowOQ",
        "compressed-digital-link",
        Ok("(01)09780345418913(21)12345"),
    ),
    ("/01/09780345418913/IQUYHI", "digital-link-path", Ok("(01)09780345418913(21)12345")),
    ("urn:epc:raw:96.x3066C4409047E14000001A85", "epc-raw", Ok("(01)09506000134352(21)6789")),
    ("urn:epc:raw:96.x30", "epc-raw", Err("BAD_URN_SYNTAX")),
    ("urn:epc:idpat:sgtin:95060001343.05.*", "epc-urn", Ok("(01)09506000134352")),
    ("urn:epc:class:lgtin:95060001343.05.A", "epc-urn", Ok("(01)09506000134352(10)A")),
    ("urn:epc:id:xyz:1.2.3", "epc-urn", Err("UNKNOWN_SCHEME")),
    ("MGbEQJBH4UAAA", "epc-base64", Err("TRUNCATED")),
    ("mailto:a@example.com", "unknown", Err("NOT_RECOGNISED")),
];

#[test]
fn every_form_is_recognised() {
    let inputs: Vec<String> = FORMS.iter().map(|(input, ..)| (*input).to_owned()).collect();
    for ((input, kind, expected), found) in FORMS.iter().zip(check(&inputs)) {
        assert_eq!(found["kind"], *kind, "{input}");
        match expected {
            Ok(elements) => assert_eq!(found["item"]["element_string"], *elements, "{input}"),
            Err(code) => assert_eq!(codes(&found), [*code], "{input}"),
        }
        assert_eq!(found["valid"], expected.is_ok(), "{input}");
    }
}

/// The answers to these inputs, of one process.
fn check(inputs: &[String]) -> Vec<Value> {
    let words = ["check", "--format", "json", "--"].map(str::to_owned);
    let found = run(words.iter().chain(inputs)).events();
    assert_eq!(found.len(), inputs.len());
    found
}

fn codes(found: &Value) -> Vec<&str> {
    let faults = found["faults"].as_array().expect("a list");
    faults.iter().map(|fault| fault["code"].as_str().expect("a code")).collect()
}

/// The vectors of element strings, scans and Digital Links that use the options of `check`. Those
/// without pairings of Application Identifiers are used too: `check` requires them, and says so
/// with one code.
#[test]
fn gs1_vectors() {
    // Taken for another form, whose faults are told: a number, other schemes, the compression of
    // Digital Link 1.1; or which is valid: a human-readable interpretation.
    const OTHER_FORM: [&str; 7] =
        ["dev-0329", "dev-0014", "dev-0084", "dev-0086", "dev-0129", "dev-0131", "dev-0224"];
    let file: Value =
        serde_json::from_str(include_str!("../../../../testdata/gs1-vectors.json")).expect("JSON");
    let mut vectors = file["vectors"].as_array().expect("a list of vectors").clone();
    vectors.retain(|vector| {
        let input = vector["input"].as_str().unwrap_or_default();
        let options = vector.get("options").unwrap_or(&Value::Null);
        ["dl", "bracketed", "raw", "scan"].iter().any(|kind| vector["kind"] == *kind)
            && (options.is_null() || *options == json!({ "requisites": false }))
            && !input.is_empty()
            && input.trim() == input
            && OTHER_FORM.iter().all(|id| vector["id"] != *id)
    });
    let inputs =
        vectors.iter().map(|vector| vector["input"].as_str().unwrap_or_default().to_owned());
    let found = check(&inputs.collect::<Vec<_>>());
    for (vector, found) in vectors.iter().zip(&found) {
        let (id, codes) = (&vector["id"], codes(found));
        if vector["valid"] == false {
            let expected = vector["error"].as_str().expect("an error");
            assert!(found["valid"] == false && codes.contains(&expected), "{id}: {codes:?}");
        } else if vector.get("plain").is_some() {
            assert_eq!(codes, ["NO_GS1_DATA"], "{id}");
        } else if codes.is_empty() {
            let elements = found["item"]["elements"].as_array().expect("a list").iter();
            let pairs: Vec<_> =
                elements.map(|element| json!([element["ai"], element["value"]])).collect();
            assert_eq!(Value::Array(pairs), vector["ais"], "{id}");
            if let Some(canonical) = vector.get("canonical") {
                assert_eq!(&found["item"]["canonical_uri"], canonical, "{id}");
            }
        } else {
            let only_pairings = codes.iter().all(|code| *code == "AI_REQUIREMENT_MISSING");
            assert!(only_pairings && vector["options"]["requisites"] == false, "{id}: {codes:?}");
        }
    }
}

#[test]
fn epc_vectors() {
    let vectors: Vec<Value> =
        serde_json::from_str(include_str!("../../../../testdata/epc-vectors.json")).expect("JSON");
    let chosen = |form: &str, valid: bool| -> Vec<(&Value, String)> {
        let text = |vector: &Value| match valid {
            true => vector[form].as_str().map(str::to_owned),
            false => (vector["input_form"] == form)
                .then(|| vector["input"].as_str().map(str::to_owned))?,
        };
        let vectors = vectors.iter().filter(|vector| vector["valid"] == valid);
        vectors.filter_map(|vector| Some((vector, text(vector)?))).collect()
    };
    let judged = |form, valid| {
        let (vectors, inputs): (Vec<&Value>, Vec<String>) = chosen(form, valid).into_iter().unzip();
        assert!(!vectors.is_empty(), "no vectors of {form}");
        let found = check(&inputs);
        vectors.into_iter().zip(found).collect::<Vec<_>>()
    };
    for (form, kind) in [("hex", "epc-hex"), ("base64url", "epc-base64"), ("tag_uri", "epc-tag")] {
        for (vector, found) in judged(form, true) {
            let (id, epc) = (&vector["id"], &found["epc"]);
            assert_eq!(found["kind"], kind, "{id}");
            for member in ["scheme", "filter", "tag_uri"] {
                assert_eq!(epc[member], vector[member], "{id}: {member}");
            }
            // Tags can hold combinations of elements that the rules for pairings refuse.
            if found["valid"] == true {
                assert_eq!(found["item"]["element_string"], vector["element_string"], "{id}");
            }
        }
    }
    for (vector, found) in judged("pure_identity_urn", true) {
        assert_eq!(found["epc"]["urn"], vector["pure_identity_urn"], "{}", vector["id"]);
    }
    for form in ["hex", "segment", "tag_uri", "pure_identity_urn"] {
        for (vector, found) in judged(form, false) {
            // A segment that identifies nothing below a GS1 key is an EPC nevertheless.
            if vector["error"] != "NO_DIGITAL_LINK" {
                assert_eq!(found["valid"], false, "{}", vector["id"]);
                assert!(
                    codes(&found).contains(&vector["error"].as_str().unwrap_or_default()),
                    "{found}"
                );
            }
        }
    }
}

#[test]
fn the_exit_status_tells_whether_all_is_valid() {
    run(["check", "9520123456788", "(01)09520123456788"]).expect_status(0);
    run(["check", "9520123456788", "9520123456780"]).expect_status(1);
    run(["check"]).expect_status(2);
    // Options may come last; an input that begins with a hyphen comes after two.
    let last = run(["check", "9520123456788", "--format", "json"]).expect_status(0);
    assert_eq!(last.events().len(), 1);
    run(["check", "--", "-hello"]).expect_status(1);
}

#[test]
fn lines_of_standard_input_are_checked_one_by_one() {
    let input = b"9520123456788\r\n\n(01)09520123456789\n]d20109520123456788\n\xff\n";
    let checked = run_with_input(["check", "--format", "json", "-"], input).expect_status(1);
    let valid: Vec<_> = checked.events().iter().map(|line| line["valid"].clone()).collect();
    assert_eq!(valid, [true, false, true, false]);
}

#[test]
fn json_has_spans_and_elements() {
    let checked = run(["check", "--format", "json", "(01)09520123456789"]).expect_status(1);
    let fault = &checked.events()[0]["faults"][0];
    assert_eq!(fault["code"], "L_INCORRECT_CHECK_DIGIT");
    assert_eq!(fault["message"], "check digit of (01) is 9, expected 8");
    assert_eq!((&fault["span"]["start"], &fault["span"]["end"]), (&17.into(), &18.into()));
    let checked = run(["check", "--format", "json", "]d20109520123456788"]).expect_status(0);
    let found = &checked.events()[0];
    assert_eq!(found["symbology"]["carrier"], "GS1 DataMatrix");
    assert_eq!(found["item"]["canonical_uri"], "https://id.gs1.org/01/09520123456788");
    assert_eq!(found["item"]["elements"][0]["title"], "GTIN");
}

/// Standard output removes what could be part of a colour code, and JSON must not lose it.
#[test]
fn json_keeps_every_character() {
    let text = "urn:foo:a\u{7f}\u{1b}b\u{9b}c";
    for command in [&["check"][..], &["uri", "parse"], &["urn", "parse"]] {
        let words = command.iter().copied().chain(["--format", "json", "--", text]);
        let found = run(words).expect_status(1);
        assert_eq!(found.events()[0]["input"], text, "{command:?}");
    }
}

/// IN-1, IN-2: JSON has the reading that was probably meant, and why.
#[test]
fn json_has_what_was_probably_meant() {
    let lost = "1021072911172405310109520123456788";
    let checked = run(["check", "--format", "json", lost]).expect_status(1);
    let found = &checked.events()[0];
    let meant = "(10)21072911(17)240531(01)09520123456788";
    assert_eq!(found["faults"][0]["code"], "VALUE_TOO_LONG");
    assert_eq!(found["perhaps_meant"]["element_string"], meant);
    assert_eq!(found["why"]["assumed"][0]["code"], "LOST_SEPARATOR");
    assert_eq!(found["why"]["assumed"][0]["span"]["start"], 10);
    assert_eq!(found["why"]["assumed"][0]["evidence"][0], "(17) 240531 is a valid date");
    assert!(found["why"]["other_readings"].as_u64().is_some_and(|others| others > 0), "{found}");

    let swallowed = "010952012345678810COV010917270901";
    let checked = run(["check", "--format", "json", swallowed]).expect_status(0);
    let found = &checked.events()[0];
    assert_eq!(found["item"]["element_string"], "(01)09520123456788(10)COV010917270901");
    let meant = "(01)09520123456788(10)COV0109(17)270901";
    assert_eq!(found["perhaps_meant"]["element_string"], meant);
    let warnings = found["warnings"].as_array().expect("an array");
    assert!(warnings.iter().any(|warning| warning["code"] == "LOST_SEPARATOR"), "{found}");
    let text = run(["check", swallowed]).expect_status(0).stdout;
    assert!(text.contains("perhaps meant:\n") && text.contains("before (17)"), "{text}");
}
