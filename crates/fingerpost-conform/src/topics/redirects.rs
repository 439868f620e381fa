//! The redirect of a plain request (sections 2.6.1, 2.11 and 2.13).

use serde_json::Value;

use super::description::is_web;
use super::{describe, leads_to};
use crate::check::{Check, Release};
use crate::message::WebRequest;
use crate::run::{Run, answer};

pub(super) const CHECKS: &[Check] = &[
    Check::shall("redirect-default", "2.6.1", &["RES-2.6.1-1", "RES-2.11-1", "RES-2.11-2"])
        .expects("A request without further information is redirected, or answered with the linkset where the description file says so.")
        .advice("Redirect to the default link with 302, 303 or 307."),
    Check::shall("redirect-absolute", "2.5.1", &["RES-2.5.1-2"])
        .expects("Location is an absolute http or https URL.")
        .needs("a redirect")
        .advice("Send the target of the link unchanged."),
    Check::shall("redirect-to-default", "2.5.8, 2.6.1", &["RES-2.6.1-1", "RES-2.5.8-1", "RES-2.2-8"])
        .expects("The redirect leads to the gs1:defaultLink of the most granular level.")
        .needs("a redirect, and a linkset with gs1:defaultLink")
        .advice("Choose the default link of the level that is closest to the request."),
    Check::should("redirect-elsewhere", "2.5.9", &["RES-2.5.9-3"])
        .since(Release::V1_2)
        .expects("The redirect leaves the resolver: levels are searched without redirects.")
        .needs("a redirect")
        .advice("Answer with the target of the higher level instead of redirecting to its URI."),
    Check::should("redirect-temporary", "RFC 9110, 15.4", &["RES-2.5.8-6"])
        .expects("The redirect is temporary, because the default link can change at any time.")
        .needs("a redirect")
        .advice("Use 302, 303 or 307: clients remember 301 and 308."),
    Check::should("redirect-slash", "2.13", &["RES-2.13-1", "RES-2.13-2"])
        .expects("A slash at the end of the path changes nothing.")
        .needs("a redirect")
        .advice("Ignore one slash at the end of the path; do not redirect to remove it."),
];

pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let (trial, response) = answer!(run, WebRequest::get(&*url));
    let can_be_linkset =
        run.description.get("linkTypeDefaultCanBeLinkset") == Some(&Value::Bool(true));
    let is_list = response.status == 200 && can_be_linkset;
    let holds = is_list || response.location().is_some();
    run.expect("redirect-default", &trial, holds, describe(&response));
    let Some(location) = response.location() else { return };
    run.expect("redirect-absolute", &trial, is_web(location), describe(&response));
    if !is_web(location) {
        return;
    }
    let is_own = location
        .strip_prefix(&format!("{}/", run.subject.root()))
        .is_some_and(|rest| rest.starts_with(&format!("{}/", run.subject.ai)));
    run.expect("redirect-elsewhere", &trial, !is_own, describe(&response));
    let default = run.linkset.default_link().map(|link| link.href.clone());
    let recall = run.linkset.of_type("gs1:recallStatus");
    let is_recall = recall.iter().any(|link| leads_to(&response, &link.href));
    if let Some(href) = default.filter(|_| !is_own) {
        let found = format!("{}; the default link is {href}", describe(&response));
        let leads = leads_to(&response, &href);
        if is_recall && !leads {
            let reading = "this is its gs1:recallStatus: the resolver may choose the default \
                           (conformance list, item 14), but example 2 of section 2.7 publishes a \
                           temporary default as gs1:defaultLink";
            run.depends("redirect-to-default", &trial, format!("{found}; {reading}"));
        } else {
            run.expect("redirect-to-default", &trial, leads, found);
        }
    }
    if matches!(response.status, 301 | 308) {
        run.depends(
            "redirect-temporary",
            &trial,
            format!("status {}; the standard names no code", response.status),
        );
    } else {
        run.expect("redirect-temporary", &trial, true, "");
    }
    let (trial, slash) = answer!(run, WebRequest::get(format!("{url}/")));
    let is_same = slash.status == response.status && slash.location() == response.location();
    run.expect("redirect-slash", &trial, is_same, describe(&slash));
}
