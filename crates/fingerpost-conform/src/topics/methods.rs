//! The methods HEAD and OPTIONS (section 2.2).

use super::describe;
use super::linkset::JSON;
use crate::check::Check;
use crate::message::WebRequest;
use crate::run::{Run, answer};

pub(super) const CHECKS: &[Check] = &[
    Check::shall("head-redirect", "2.2", &["RES-2.2-2"])
        .expects("HEAD has the status and the Location of GET.")
        .advice("Answer HEAD as GET, without a body."),
    Check::shall("head-linkset", "2.2", &["RES-2.2-2"])
        .expects("HEAD for a linkset has the status and the Content-Type of GET.")
        .needs("a linkset")
        .advice("Answer HEAD as GET, without a body."),
    Check::shall("head-fields", "2.2; RFC 9110, 9.3.2", &["RES-2.2-2"])
        .expects("HEAD has the Link and Vary of GET.")
        .advice("Build the header of HEAD and GET in one place."),
    Check::shall("options-status", "2.2", &["RES-2.2-3"])
        .expects("OPTIONS is answered with 200 or 204.")
        .advice("Answer OPTIONS for every path."),
    Check::shall("options-allow", "2.2; RFC 9110, 9.3.7", &["RES-2.2-3"])
        .expects("The answer to OPTIONS has Allow with GET, HEAD and OPTIONS.")
        .needs("an answer to OPTIONS")
        .advice("Send Allow: GET, HEAD, OPTIONS."),
];

pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let (_, get) = answer!(run, WebRequest::get(&*url));
    let (trial, head) = answer!(run, WebRequest::new("HEAD", &*url));
    let is_same = head.status == get.status && head.header("location") == get.header("location");
    run.expect("head-redirect", &trial, is_same, describe(&head));
    if is_same {
        let differs = ["link", "vary"].into_iter().find(|it| head.joined(it) != get.joined(it));
        let found =
            differs.map(|it| format!("{it} {}, GET has {}", head.joined(it), get.joined(it)));
        run.judge("head-fields", &trial, found.map_or(Ok(()), Err));
    }
    if !run.linkset.anchors.is_empty() {
        let linkset = format!("{url}?linkType=linkset");
        let (_, get) = answer!(run, WebRequest::get(&*linkset).header("accept", JSON));
        let request = WebRequest::new("HEAD", linkset).header("accept", JSON);
        let (trial, head) = answer!(run, request);
        let is_same = head.status == get.status && head.media_type() == get.media_type();
        run.expect("head-linkset", &trial, is_same, describe(&head));
    }
    let (trial, options) = answer!(run, WebRequest::new("OPTIONS", url));
    let is_answered = matches!(options.status, 200 | 204);
    run.expect("options-status", &trial, is_answered, describe(&options));
    if is_answered {
        let missing = ["GET", "HEAD", "OPTIONS"].into_iter().any(|it| !options.lists("allow", it));
        let found = format!("Allow {}", options.header("allow").unwrap_or("missing"));
        run.expect("options-allow", &trial, !missing, found);
    }
}
