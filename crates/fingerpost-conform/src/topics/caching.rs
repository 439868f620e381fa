//! Caches between the resolver and its clients (RFC 9110, RFC 9111).

use super::linkset::JSON;
use crate::check::Check;
use crate::message::WebRequest;
use crate::run::{Run, answer};

pub(super) const CHECKS: &[Check] = &[
    Check::should("cache-vary-accept", "RFC 9110, 12.5.5", &["RES-2.10-10"])
        .expects("Answers that depend on Accept have Vary: Accept.")
        .needs("a resolver that redirects without Accept and sends the linkset with it")
        .advice(
            "Send Vary: Accept, Accept-Language; otherwise a cache gives browsers the linkset.",
        ),
    Check::should("cache-vary-language", "RFC 9110, 12.5.5", &["RES-2.10-10"])
        .expects("Redirects that depend on Accept-Language have Vary: Accept-Language.")
        .needs("variants of the default link that Accept-Language chooses")
        .advice("Send Vary: Accept, Accept-Language."),
    Check::should("cache-conditional", "RFC 9110, 13.1.2", &["RES-2.2-1"])
        .expects("If-None-Match with the current ETag is answered with 304.")
        .needs("a linkset with an ETag")
        .advice("Compare If-None-Match with the ETag, or send no ETag."),
];

pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let (plain_trial, plain) = answer!(run, WebRequest::get(&*url));
    let (trial, linkset) = answer!(run, WebRequest::get(&*url).header("accept", JSON));
    let varies = |response: &crate::message::WebResponse, name: &str| {
        response.lists("vary", name) || response.lists("vary", "*")
    };
    if plain.is_redirect() && linkset.status == 200 {
        for (trial, response) in [(&plain_trial, &plain), (&trial, &linkset)] {
            let found = format!("Vary {}", response.header("vary").unwrap_or("missing"));
            run.expect("cache-vary-accept", trial, varies(response, "accept"), found);
        }
    }
    let language = run.linkset.variants().iter().find_map(|link| link.languages.first().cloned());
    if let (true, Some(language)) = (plain.is_redirect(), language) {
        let (trial, variant) =
            answer!(run, WebRequest::get(&*url).header("accept-language", language));
        if variant.location() != plain.location() {
            let found = format!("Vary {}", variant.header("vary").unwrap_or("missing"));
            run.expect("cache-vary-language", &trial, varies(&variant, "accept-language"), found);
        }
    }
    let Some(tag) = linkset.header("etag").filter(|_| linkset.status == 200) else { return };
    let request = WebRequest::get(url).header("accept", JSON).header("if-none-match", tag);
    let (trial, response) = answer!(run, request);
    let found = format!("status {} for {tag}", response.status);
    run.expect("cache-conditional", &trial, response.status == 304, found);
}
