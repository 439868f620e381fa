//! Spellings of one path, and queries that are not part of the identity (section 2.4).

use super::describe;
use crate::check::Check;
use crate::message::WebRequest;
use crate::run::{Run, answer};

const NEEDS: &str = "a redirect";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("path-percent-encoded", "2.4; RFC 3986, 6.2.2.2", &["RES-2.4-3"])
        .expects("A digit of the key that is percent-encoded is the same digit.")
        .needs(NEEDS)
        .advice("Decode each segment once, before it is validated and looked up."),
    Check::shall("path-encoded-slash", "2.4; RFC 3986, 2.2", &["RES-2.4-3"])
        .expects(
            "%2F in a lot or batch number is a character of the value, not the end of the segment.",
        )
        .needs("a GTIN that is redirected")
        .advice("Split the path before it is decoded; check that proxies do not decode it."),
    Check::shall("query-not-validated", "2.4, 2.12", &["RES-2.4-2", "RES-2.4-14"])
        .expects(
            "Application Identifiers of the query string neither refuse nor change the answer.",
        )
        .needs(NEEDS)
        .advice("Validate and look up the path alone; pass on the query."),
];

pub(super) fn examine(run: &mut Run) {
    let subject = run.subject.clone();
    let url = subject.key_url();
    let (_, plain) = answer!(run, WebRequest::get(&*url));
    let (Some(target), Some(first)) = (plain.location(), subject.key.bytes().next()) else {
        return;
    };
    if first.is_ascii_alphanumeric() {
        let spelling = subject.with_key(&format!("%{first:02X}{}", &subject.key[1..]));
        let (trial, response) = answer!(run, WebRequest::get(spelling));
        let is_same = response.location() == Some(target);
        run.expect("path-percent-encoded", &trial, is_same, describe(&response));
    }
    if subject.ai == "01" {
        let (trial, response) = answer!(run, WebRequest::get(format!("{url}/10/FP%2FZ7")));
        let is_accepted = response.is_redirect();
        run.expect("path-encoded-slash", &trial, is_accepted, describe(&response));
    }
    let query = "01=1&17=999999";
    let (trial, response) = answer!(run, WebRequest::get(format!("{url}?{query}")));
    // Whether the query is passed on is judged elsewhere.
    let location = response.location().unwrap_or_default();
    let before = |it: &str| it.split(['?', '#']).next().unwrap_or_default().to_owned();
    let is_same = response.is_redirect() && before(location) == before(target);
    run.expect("query-not-validated", &trial, is_same, describe(&response));
}
