//! Checks of an answer against all expectations of a case.

use std::collections::BTreeSet;

use crate::linkset::{page_targets, published};
use crate::predicate::{self, Scene};
use crate::{Answer, Ask, Case, ExpectedLinkset, Outcome, headers, linkset_faults};

/// Returns all faults of the answer to a resolve case.
///
/// `again` sends further requests to the same resolver: some expectations compare answers.
///
/// # Panics
///
/// If the case is a registration, or has an expectation whose wording is not implemented.
pub fn judge(case: &Case, answer: &Answer, again: &mut dyn FnMut(&Ask) -> Answer) -> Vec<String> {
    let ask = case.ask().expect("a resolve case");
    let outcome = case.outcome().expect("a resolve case");
    let mut faults = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            faults.push(what);
        }
    };
    expect(
        answer.status == outcome.status,
        format!("status: expected {}, found {}", outcome.status, answer.status),
    );
    let location = answer.header("location");
    expect(
        location == outcome.location,
        format!("location: expected {:?}, found {location:?}", outcome.location),
    );
    if let Some(expected) = &outcome.content_type {
        let found = answer.header("content-type").unwrap_or_default();
        let essence = found.split(';').next().unwrap_or_default();
        expect(essence == expected, format!("content type: expected {expected}, found {found}"));
    }
    for (name, words) in &outcome.headers {
        let found = answer.header(name);
        if let Err(fault) = headers::check(name, words, found.as_deref(), &ask) {
            faults.push(fault);
        }
    }
    if let Some(expected) = &outcome.linkset {
        linkset(expected, &ask, answer, &mut faults);
    }
    checks(case, outcome, answer, &mut faults);
    every_answer(answer, &mut faults);
    if let Some(words) = &outcome.body {
        let mut scene = Scene { case, ask: &ask, outcome, answer, again };
        if let Err(fault) = predicate::check(words, &mut scene) {
            faults.push(format!("body: expected {words:?}: {fault}"));
        }
    }
    faults
}

/// Checks anchors, targets and validity of the linkset in a body.
fn linkset(expected: &ExpectedLinkset, ask: &Ask, answer: &Answer, faults: &mut Vec<String>) {
    if ask.method == "HEAD" {
        return;
    }
    let Some(found) = published(answer) else {
        if !expected.may_be_absent {
            faults.push("linkset: expected one, found none".to_owned());
        }
        return;
    };
    if found.anchors != expected.anchors {
        faults.push(format!("anchors: expected {:?}, found {:?}", expected.anchors, found.anchors));
    }
    let mut targets = expected.hrefs_in_any_order.clone();
    targets.sort();
    if found.sorted_targets() != targets {
        faults.push(format!("targets: expected {targets:?}, found {:?}", found.sorted_targets()));
    }
    let form = answer.header("content-type").unwrap_or_default();
    if form.starts_with("application/linkset+json") || form.starts_with("application/json") {
        // RES-2.10-3
        faults.extend(
            linkset_faults(&found.document).into_iter().map(|fault| format!("schema: {fault}")),
        );
    }
    if form.starts_with("text/html") {
        // RES-2.10-7: every link is a hyperlink.
        let shown: BTreeSet<String> = page_targets(&answer.text()).into_iter().collect();
        if !targets.iter().all(|target| shown.contains(target)) {
            faults.push(format!("page: expected hyperlinks to {targets:?}, found {shown:?}"));
        }
    }
}

fn checks(case: &Case, outcome: &Outcome, answer: &Answer, faults: &mut Vec<String>) {
    let location = answer.header("location");
    if outcome.checks.no_location_header && location.is_some() {
        faults.push(format!("expected no Location, found {location:?}"));
    }
    let on_this = |location: &str| location.starts_with(case.resolver_root());
    if outcome.checks.location_not_on_this_resolver && location.as_deref().is_some_and(on_this) {
        faults.push(format!("expected a Location elsewhere, found {location:?}"));
    }
    let any_of = outcome.checks.status_any_of.as_ref();
    if any_of.is_some_and(|statuses| !statuses.contains(&answer.status)) {
        faults.push(format!("expected one of {any_of:?}, found {}", answer.status));
    }
}

/// Checks what applies to every answer: CORS (RES-2.2-5), no referrer, no sniffing (RES-2.10-16).
fn every_answer(answer: &Answer, faults: &mut Vec<String>) {
    let exposed = answer.header("access-control-expose-headers").unwrap_or_default();
    for (holds, what) in [
        (
            answer.header("access-control-allow-origin").as_deref() == Some("*"),
            "any origin allowed",
        ),
        (exposed.split(',').any(|name| name.trim() == "Link"), "Link exposed"),
        (answer.header("x-content-type-options").as_deref() == Some("nosniff"), "nosniff"),
        (answer.header("referrer-policy").as_deref() == Some("no-referrer"), "no referrer"),
    ] {
        if !holds {
            faults.push(format!("expected {what}"));
        }
    }
}
