//! The query string is passed on (section 2.12).

use super::describe;
use crate::check::{Check, Release};
use crate::message::WebRequest;
use crate::run::{Run, answer};

/// Delimiters, an escape in lower case, a plus sign, empty and repeated parts.
const VERBATIM: &str = "b=2;a=%2f%2F+x&&a=1&a=&17=261231";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("query-forwarded", "2.12", &["RES-2.12-1", "RES-2.12-5"])
        .expects("The query string of a request is part of Location.")
        .needs("a redirect")
        .advice("Append the query string to the target; since release 1.2 no link can opt out."),
    Check::shall("query-verbatim", "2.12", &["RES-2.12-1"])
        .expects(
            "The query string arrives byte for byte: order, delimiters, repeats and empty parts.",
        )
        .needs("a redirect that has the query string")
        .advice("Copy the text after the question mark; do not parse it and write it again."),
    Check::shall("query-link-type", "2.12", &["RES-2.12-7"])
        .expects("linkType is passed on, too.")
        .needs("a redirect by linkType")
        .advice("Do not remove linkType and context from the query string."),
    Check::shall("query-context", "2.12", &["RES-2.12-7"])
        .expects("context is passed on, too.")
        .needs("links of a type that context distinguishes")
        .advice("Do not remove linkType and context from the query string."),
    Check::should("query-joined", "2.12; RFC 3986, 3.4", &["RES-2.12-2"])
        .since(Release::V1_0)
        .expects("A target with a query is joined by an ampersand, another one by a question mark.")
        .needs("a redirect that has the query string")
        .advice("Use & if the target already has a question mark."),
    Check::shall("query-before-fragment", "2.12; RFC 3986, 3.5", &["RES-2.12-4"])
        .expects("The query string is inserted before the fragment of a target.")
        .needs("a default link with a fragment")
        .advice("Insert it before the #: clients never send what follows it."),
];

pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let (_, plain) = answer!(run, WebRequest::get(&*url));
    let Some(target) = plain.location() else { return };
    let (trial, response) = answer!(run, WebRequest::get(format!("{url}?fptest=1")));
    let location = response.location().unwrap_or_default();
    let (before, fragment) = location.split_once('#').unwrap_or((location, ""));
    if target.contains('#') {
        let holds = !fragment.contains("fptest=1");
        run.expect("query-before-fragment", &trial, holds, describe(&response));
        if !holds {
            return;
        }
    }
    let is_forwarded = before.ends_with("fptest=1");
    if !is_forwarded && run.standard() < Release::V1_2 {
        let reason = "before release 1.2 a link can opt out";
        run.depends("query-forwarded", &trial, format!("{}; {reason}", describe(&response)));
    } else {
        run.expect("query-forwarded", &trial, is_forwarded, describe(&response));
    }
    if is_forwarded {
        let rest = before.strip_suffix("fptest=1").unwrap_or_default();
        let own = target.split('#').next().unwrap_or_default();
        let expected = match own.contains('?') {
            true if own.ends_with(['?', '&']) => own.to_owned(),
            true => format!("{own}&"),
            false => format!("{own}?"),
        };
        if rest == expected {
            run.expect("query-joined", &trial, true, "");
        } else {
            run.depends(
                "query-joined",
                &trial,
                format!("{}; the standard does not say how", describe(&response)),
            );
        }
        let (trial, response) = answer!(run, WebRequest::get(format!("{url}?{VERBATIM}")));
        let location = response.location().unwrap_or_default();
        let before = location.split('#').next().unwrap_or_default();
        run.expect("query-verbatim", &trial, before.ends_with(VERBATIM), describe(&response));
    }
}
