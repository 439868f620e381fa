//! Requests from scripts of other origins (section 2.2, the Fetch Standard).

use super::linkset::JSON;
use crate::check::Check;
use crate::message::{WebRequest, WebResponse};
use crate::run::{Run, answer};

/// The origin of the scripts.
const ORIGIN: &str = "https://app.example.net";

const ADVICE: &str = "Send Access-Control-Allow-Origin: * with every answer.";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("cors-redirect", "2.2", &["RES-2.2-5"])
        .expects("Redirects have Access-Control-Allow-Origin.")
        .needs("a redirect")
        .advice(ADVICE),
    Check::shall("cors-linkset", "2.2", &["RES-2.2-5"])
        .expects("Linksets have Access-Control-Allow-Origin.")
        .needs("a linkset")
        .advice(ADVICE),
    Check::shall("cors-description", "2.2", &["RES-2.2-5", "RES-3-15"])
        .expects("The description file has Access-Control-Allow-Origin.")
        .needs("a description file")
        .advice(ADVICE),
    Check::shall("cors-expose", "2.2", &["RES-2.2-5"])
        .expects("Access-Control-Expose-Headers of linksets contains Link.")
        .needs("a linkset with Access-Control-Allow-Origin")
        .advice("Send Access-Control-Expose-Headers: Link."),
    Check::shall("cors-preflight", "2.2", &["RES-2.2-6"])
        .expects("A preflight request is answered with 200 or 204 and Access-Control-Allow-Origin.")
        .advice("Answer OPTIONS for every path and origin."),
    Check::shall("cors-preflight-methods", "2.2", &["RES-2.2-6"])
        .expects("Access-Control-Allow-Methods of a preflight contains GET, HEAD and OPTIONS.")
        .needs("an answer to a preflight request")
        .advice("Send Access-Control-Allow-Methods: GET, HEAD, OPTIONS."),
    Check::shall("cors-preflight-headers", "2.2", &["RES-2.2-6"])
        .expects("Access-Control-Allow-Headers of a preflight contains Accept and Accept-Language, or *.")
        .needs("an answer to a preflight request")
        .advice("Send Access-Control-Allow-Headers: Accept, Accept-Language."),
];

pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let from_script = |request: WebRequest| request.header("origin", ORIGIN);
    let (trial, redirect) = answer!(run, from_script(WebRequest::get(&*url)));
    if redirect.is_redirect() {
        run.expect("cors-redirect", &trial, allows(&redirect), origin(&redirect));
    }
    if !run.description.is_empty() {
        let file = format!("{}/.well-known/gs1resolver", run.subject.origin);
        let (trial, file) = answer!(run, from_script(WebRequest::get(file)));
        run.expect("cors-description", &trial, allows(&file), origin(&file));
    }
    if !run.linkset.anchors.is_empty() {
        let linkset = WebRequest::get(format!("{url}?linkType=linkset")).header("accept", JSON);
        let (trial, linkset) = answer!(run, from_script(linkset));
        run.expect("cors-linkset", &trial, allows(&linkset), origin(&linkset));
        if allows(&linkset) {
            let name = "access-control-expose-headers";
            let holds = linkset.lists(name, "link") || linkset.lists(name, "*");
            run.expect("cors-expose", &trial, holds, field(&linkset, name));
        }
    }
    preflight(run, &url);
}

fn preflight(run: &mut Run, url: &str) {
    let request = WebRequest::new("OPTIONS", url)
        .header("origin", ORIGIN)
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "accept,accept-language");
    let (trial, response) = answer!(run, request);
    let is_answered = matches!(response.status, 200 | 204) && allows(&response);
    let found = format!("status {}, {}", response.status, origin(&response));
    run.expect("cors-preflight", &trial, is_answered, found);
    if !is_answered {
        return;
    }
    for (id, name, members) in [
        ("cors-preflight-methods", "access-control-allow-methods", &["GET", "HEAD", "OPTIONS"][..]),
        ("cors-preflight-headers", "access-control-allow-headers", &["accept", "accept-language"]),
    ] {
        let has = |member: &&str| response.lists(name, member) || response.lists(name, "*");
        run.expect(id, &trial, members.iter().all(has), field(&response, name));
    }
}

fn allows(response: &WebResponse) -> bool {
    let value = response.header("access-control-allow-origin");
    value.is_some_and(|value| value == "*" || value == ORIGIN)
}

fn origin(response: &WebResponse) -> String {
    field(response, "access-control-allow-origin")
}

fn field(response: &WebResponse, name: &str) -> String {
    format!("{name} {}", response.header(name).unwrap_or("missing"))
}
