//! Errors: invalid URIs and unknown keys (sections 2.4 and 2.4.1).

use super::describe;
use super::linkset::JSON;
use crate::check::Check;
use crate::message::WebRequest;
use crate::run::{Run, answer};

/// Steps from the key under test to other keys, one of which is expected to be unknown.
const STEPS: [u64; 3] = [7_411, 523_007, 291_919];

pub(super) const CHECKS: &[Check] = &[
    Check::shall("invalid-structure", "2.4, 2.4.1", &["RES-2.4-2", "RES-2.4.1-1"])
        .expects("A path with an Application Identifier without a value is answered with 400.")
        .advice("Require pairs of Application Identifier and value."),
    Check::shall("invalid-ai", "2.4, 2.4.1", &["RES-2.4-4", "RES-2.4-5", "RES-2.4.1-1"])
        .expects("An Application Identifier of one digit is answered with 400.")
        .advice("Require two to four digits."),
    Check::shall("invalid-ai-length", "2.4, 2.4.1", &["RES-2.4-5", "RES-2.4.1-1"])
        .expects("An Application Identifier with another length than those with its first two digits is answered with 400.")
        .advice("Require three digits for 24, for example, which all begin 240, 241 and so on."),
    Check::shall("invalid-unknown-ai", "2.4, 2.4.1", &["RES-2.4-8", "RES-2.4.1-1"])
        .expects("A character that no Application Identifier allows is answered with 400, also after an unknown one.")
        .needs("a GTIN")
        .advice("Allow the 82 characters of GS1 General Specifications, figure 7.11-1, and #."),
    Check::should("invalid-order", "2.4", &["RES-2.4-13"])
        .expects("Key qualifiers in the wrong order are answered with 400.")
        .needs("a GTIN")
        .advice("Require the order 22, 10, 21 of the URI syntax."),
    Check::should("invalid-first", "2.4", &["RES-2.4-12"])
        .expects("A path that begins with a key qualifier is answered with 400.")
        .advice("Require a primary key."),
    Check::shall("invalid-length", "2.4, 2.4.1", &["RES-2.4-6", "RES-2.4.1-1"])
        .expects("A key that is a digit too long is answered with 400.")
        .needs("a key with a fixed length")
        .advice("Compare the length of the value with its Application Identifier."),
    Check::shall("invalid-characters", "2.4, 2.4.1", &["RES-2.4-7", "RES-2.4.1-1"])
        .expects("A letter in a numeric key is answered with 400.")
        .needs("a numeric key")
        .advice("Compare the characters of the value with its Application Identifier."),
    Check::shall("invalid-check-digit", "2.4, 2.4.1", &["RES-2.4-9", "RES-2.4.1-1"])
        .expects("A key with a wrong check digit is answered with 400.")
        .needs("a key with a check digit")
        .advice("Compute the check digit before the key is looked up."),
    Check::shall("invalid-percent", "2.4, 2.4.1", &["RES-2.4-3", "RES-2.4.1-1"])
        .expects("A percent sign without two hexadecimal digits is answered with 400.")
        .needs("a GTIN")
        .advice("Refuse what cannot be decoded."),
    Check::shall("invalid-repeated", "2.4, 2.4.1", &["RES-2.4-11", "RES-2.4.1-1"])
        .expects("An Application Identifier with two different values is answered with 400.")
        .needs("a GTIN")
        .advice("Compare the values of repeated Application Identifiers."),
    Check::shall("invalid-linkset", "2.4.1", &["RES-2.4.1-1", "RES-2.4.1-3"])
        .expects("An invalid URI is answered with 400 also if a linkset is requested.")
        .needs("a resolver that refuses the same URI without Accept")
        .advice("Validate before the format of the answer is chosen."),
    Check::shall("unknown-key", "2.4.1", &["RES-2.4.1-2"])
        .expects("A valid URI about which nothing is known is answered with 404.")
        .needs("a key with a check digit")
        .advice("Answer 404; neither redirect nor answer 200 or 400."),
    Check::shall("error-status", "2.4.1", &["RES-2.4.1-3"])
        .expects("No error is answered with status 200.")
        .advice("Send error pages with status 400 or 404."),
    Check::shall("unknown-key-linkset", "2.4.1", &["RES-2.4.1-2"])
        .expects("An unknown key is answered with 404 also if a linkset is requested.")
        .needs("a key that is unknown")
        .advice("Answer 404 instead of an empty linkset."),
];

pub(super) fn examine(run: &mut Run) {
    let subject = run.subject.clone();
    let base = subject.key_url();
    let mut requests =
        vec![("invalid-structure", format!("{base}/foo")), ("invalid-ai", format!("{base}/1/A"))];
    requests.push(("invalid-ai-length", format!("{base}/24/A")));
    requests.push(("invalid-first", format!("{}/10/A", subject.root())));
    if let Some(wrong) = subject.wrong_check_digit() {
        requests.push(("invalid-check-digit", subject.with_key(&wrong)));
        requests.push(("invalid-length", subject.with_key(&format!("{}0", subject.key))));
        let letter = format!("{}A{}", &subject.key[..4], &subject.key[5..]);
        requests.push(("invalid-characters", subject.with_key(&letter)));
    }
    if subject.ai == "01" {
        requests.push(("invalid-percent", format!("{base}/10/A%ZZ")));
        requests.push(("invalid-repeated", format!("{base}/10/A/10/B")));
        requests.push(("invalid-unknown-ai", format!("{base}/26/A%7EB")));
        requests.push(("invalid-order", format!("{base}/21/A/10/B")));
    }
    for (id, url) in requests {
        let (trial, response) = answer!(run, WebRequest::get(url));
        if response.status == 200 {
            run.expect("error-status", &trial, false, describe(&response));
        } else {
            run.expect("error-status", &trial, true, "");
            let is_optional = matches!(id, "invalid-order" | "invalid-first");
            if is_optional && response.status != 400 {
                let reason = "this test is optional, but encouraged";
                run.depends(id, &trial, format!("{}; {reason}", describe(&response)));
            } else {
                run.expect(id, &trial, response.status == 400, describe(&response));
            }
        }
    }
    if run.has_failed("invalid-structure") || run.has_failed("error-status") {
        return;
    }
    let request = WebRequest::get(format!("{base}/foo")).header("accept", JSON);
    let (trial, response) = answer!(run, request);
    run.expect("invalid-linkset", &trial, response.status == 400, describe(&response));
    unknown(run);
}

fn unknown(run: &mut Run) {
    let subject = run.subject.clone();
    for step in STEPS {
        let Some(key) = subject.other_key(step) else { return };
        let url = subject.with_key(&key);
        let (trial, response) = answer!(run, WebRequest::get(&*url));
        if response.status == 404 {
            run.expect("unknown-key", &trial, true, "");
            let (trial, response) = answer!(run, WebRequest::get(url).header("accept", JSON));
            run.expect("unknown-key-linkset", &trial, response.status == 404, describe(&response));
            return;
        }
        if response.status == 200 {
            run.expect("error-status", &trial, false, describe(&response));
        } else if response.is_redirect() {
            let reason = "this key is known, handed over, or wrongly redirected";
            run.depends("unknown-key", &trial, format!("{}; {reason}", describe(&response)));
        } else {
            run.expect("unknown-key", &trial, false, describe(&response));
        }
    }
}
