//! Requests that are handed over to another resolver (section 2.8).

use super::compression::{SERIAL, sgtin_96};
use super::describe;
use super::linkset::JSON;
use crate::check::{Check, Release};
use crate::message::{WebRequest, WebResponse};
use crate::run::{Run, answer};
use crate::subject::Subject;

const NEEDS: &str = "a URI that is redirected to the same path of another resolver";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("hand-over-query", "2.8, 2.12", &["RES-2.8-5", "RES-2.12-1"])
        .expects("A hand-over to another resolver passes on the whole query string.")
        .needs(NEEDS)
        .advice("Append the query string of the request, with linkType."),
    Check::shall("hand-over-link", "2.8", &["RES-2.8-2", "RES-2.8-3"])
        .until(Release::V1_1)
        .expects("A hand-over has a Link header to the other resolver with rel=\"gs1:handledBy\".")
        .needs(NEEDS)
        .advice("Send Link: <https://other.example/>; rel=\"gs1:handledBy\"."),
    Check::should("hand-over-uncompressed", "2.3, 2.8", &["RES-2.3-5", "RES-2.8-4"])
        .since(Release::V1_2)
        .expects("An EPC of an item that is handed over is sent to the other resolver as uncompressed URI.")
        .needs("a GTIN that is handed over by a resolver that decodes EPCs")
        .advice("Build Location from the decoded key."),
];

/// Finds out whether the URI under test is handed over: the redirect, also of a request for the
/// linkset, leads to the same path elsewhere.
pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let (trial, plain) = answer!(run, WebRequest::get(&*url));
    if other_root(&run.subject, &plain).is_none() {
        return;
    }
    let (_, linkset) = answer!(run, WebRequest::get(&*url).header("accept", JSON));
    let Some(root) = other_root(&run.subject, &linkset) else { return };
    run.is_handed_over = true;
    let link = plain.joined("link");
    let is_named = link.replace(' ', "").contains("rel=\"gs1:handledBy\"");
    run.expect("hand-over-link", &trial, is_named, format!("Link {link}"));
    let query = "fptest=1;a=%2f&linkType=gs1:pip";
    let (trial, response) = answer!(run, WebRequest::get(format!("{url}?{query}")));
    let location = response.location().unwrap_or_default();
    run.expect("hand-over-query", &trial, location.ends_with(query), describe(&response));
    let is_key = run.subject.ai == "01" && run.subject.qualifiers.is_empty();
    let Some(epc) = sgtin_96(&run.subject.key, SERIAL).filter(|_| is_key) else { return };
    let path = format!("/01/{}/21/{SERIAL}", run.subject.key);
    let request = WebRequest::get(format!("{}/eh{epc:024x}", run.subject.root()));
    let (trial, response) = answer!(run, request);
    if response.is_redirect() {
        let holds = response.location() == Some(&format!("{root}{path}"));
        run.expect("hand-over-uncompressed", &trial, holds, describe(&response));
    }
}

/// Returns the root of another resolver that a redirect leads to with the same path.
fn other_root(subject: &Subject, response: &WebResponse) -> Option<String> {
    let path = format!("/{}/{}{}", subject.ai, subject.key, subject.qualifiers);
    let target = response.location()?.split(['?', '#']).next()?;
    let root = target.strip_suffix(&path)?;
    (root != subject.root() && root.contains("://")).then(|| root.to_owned())
}
