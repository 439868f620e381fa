//! All primary keys that the description file announces (sections 2.1 and 2.4): example values that
//! are valid, and values that are not. They belong to GS1's example prefixes.

use serde_json::Value;

use super::describe;
use crate::check::Check;
use crate::message::WebRequest;
use crate::run::{Run, answer};

const NEEDS: &str = "a list of supportedPrimaryKeys with such a key";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("key-accepted", "2.1, 2.4", &["RES-2.1-2", "RES-2.5.9-7"])
        .expects("Each announced primary key is accepted, alone and with its key qualifiers: unknown values are no invalid URIs.")
        .needs("a list of supportedPrimaryKeys")
        .advice("Accept all key qualifiers of a primary key, or do not announce the key."),
    Check::shall("key-check-digit", "2.4, 2.4.1", &["RES-2.4-9", "RES-2.4.1-1"])
        .expects("Wrong check digits and check characters of announced primary keys are answered with 400.")
        .needs(NEEDS)
        .advice("Compute them for 00, 01, 253, 255, 402, 414, 415, 417, 8003, 8006, 8013, 8017 and 8018."),
    Check::shall("key-characters", "2.4, 2.4.1", &["RES-2.4-7", "RES-2.4.1-1"])
        .expects("Characters outside the set of an announced primary key are answered with 400.")
        .needs(NEEDS)
        .advice("Compare the characters with the set of the Application Identifier: 82 characters, 39 for 8010."),
    Check::shall("key-components", "2.4, 2.4.1", &["RES-2.4-10", "RES-2.4.1-1"])
        .expects("Components of announced primary keys are checked: the digits of the company prefix, the filler of a GRAI, piece and total of an ITIP.")
        .needs(NEEDS)
        .advice("Check each component of the value by the format of its Application Identifier."),
];

/// A primary key with example values.
struct Example {
    ai: &'static str,
    valid: &'static str,
    qualifiers: &'static [&'static str],
    /// Values that are invalid, each with the check that says why.
    invalid: &'static [(&'static str, &'static str)],
}

const DIGIT: &str = "key-check-digit";
const CHARACTERS: &str = "key-characters";
const COMPONENTS: &str = "key-components";

/// Primary keys other than the GTIN, which the errors of the key under test cover.
const EXAMPLES: [Example; 15] = [
    example("00", "195201230000000018", &[], &[(DIGIT, "195201230000000019")]),
    example(
        "253",
        "9520123000028ABC",
        &[],
        &[(DIGIT, "9520123000029ABC"), (CHARACTERS, "9520123000028%7E")],
    ),
    example("255", "9520123000028123", &[], &[(DIGIT, "9520123000029123")]),
    example("401", "9520123ABC", &[], &[(COMPONENTS, "A520123ABC"), (CHARACTERS, "9520123%7E")]),
    example("402", "95201230000000011", &[], &[(DIGIT, "95201230000000012")]),
    example("414", "9520123000028", &["254/FPZ7", "7040/1ABC"], &[(DIGIT, "9520123000029")]),
    example("415", "9520123000028", &["8020/FPZ7"], &[(DIGIT, "9520123000029")]),
    example("417", "9520123000028", &["7040/1ABC"], &[(DIGIT, "9520123000029")]),
    example(
        "8003",
        "09520123000028S1",
        &[],
        &[(DIGIT, "09520123000029S1"), (COMPONENTS, "19520123000028S1")],
    ),
    example(
        "8004",
        "9520123ABC",
        &["7040/1ABC"],
        &[(COMPONENTS, "A520123ABC"), (CHARACTERS, "9520123%7E")],
    ),
    example(
        "8006",
        "095201230099910102",
        &["22/FPZ7", "10/FPZ7", "21/FPZ7", "22/FPZ7/10/FPZ7/21/FPZ7"],
        &[(DIGIT, "095201230099920102"), (COMPONENTS, "095201230099910302")],
    ),
    example(
        "8010",
        "9520123ABC",
        &["8011/42"],
        &[(COMPONENTS, "A520123ABC"), (CHARACTERS, "9520123abc")],
    ),
    example("8013", "1987654Ad4X4bL5ttr2310c2K", &[], &[(DIGIT, "1987654Ad4X4bL5ttr2310c2L")]),
    example("8017", "952012300000000015", &["8019/42"], &[(DIGIT, "952012300000000016")]),
    example("8018", "952012300000000015", &["8019/42"], &[(DIGIT, "952012300000000016")]),
];

const fn example(
    ai: &'static str,
    valid: &'static str,
    qualifiers: &'static [&'static str],
    invalid: &'static [(&'static str, &'static str)],
) -> Example {
    Example { ai, valid, qualifiers, invalid }
}

pub(super) fn examine(run: &mut Run) {
    let keys = run.description.get("supportedPrimaryKeys").and_then(Value::as_array).cloned();
    let keys = keys.unwrap_or_default();
    let is_announced = |it: &&Example| keys.iter().any(|key| key == "all" || key == it.ai);
    for example in EXAMPLES.iter().filter(is_announced) {
        let base = format!("{}/{}", run.subject.root(), example.ai);
        let valid = format!("{base}/{}", example.valid);
        let qualified = example.qualifiers.iter().map(|rest| format!("{valid}/{rest}"));
        for url in [valid.clone()].into_iter().chain(qualified) {
            let (trial, response) = answer!(run, WebRequest::get(url));
            let is_accepted = response.status == 404 || response.is_redirect();
            run.expect("key-accepted", &trial, is_accepted, describe(&response));
        }
        for (id, value) in example.invalid {
            let (trial, response) = answer!(run, WebRequest::get(format!("{base}/{value}")));
            run.expect(id, &trial, response.status == 400, describe(&response));
        }
    }
}
