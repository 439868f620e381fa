//! Link headers of redirects (section 2.8; earlier releases also for linksets).

use std::rc::Rc;

use crate::check::{Check, Release};
use crate::message::{Trial, WebRequest, WebResponse};
use crate::run::{Run, answer};

pub(super) const CHECKS: &[Check] = &[
    Check::should("link-linkset", "2.2", &["RES-2.2-11"])
        .since(Release::V1_2)
        .expects("Redirects have a Link header to the linkset.")
        .needs("a redirect")
        .advice(
            "Send Link: <…?linkType=linkset>; rel=\"linkset\"; type=\"application/linkset+json\".",
        ),
    Check::shall("link-linkset-required", "2.2, 2.6", &["RES-2.2-11"])
        .until(Release::V1_1)
        .expects(
            "Redirects have a Link header to the linkset, which release 1.2 no longer requires.",
        )
        .needs("a redirect")
        .advice(
            "Send Link: <…?linkType=linkset>; rel=\"linkset\"; type=\"application/linkset+json\".",
        ),
    Check::shall("link-handled-by", "2.8", &["RES-2.8-3"])
        .expects("A Link header to another resolver has rel=\"gs1:handledBy\".")
        .needs("a Link header to another resolver")
        .advice("Write the relation literally as gs1:handledBy."),
];

pub(super) fn examine(run: &mut Run) {
    let (trial, response) = answer!(run, WebRequest::get(run.subject.url()));
    if !response.is_redirect() {
        return;
    }
    let link = response.joined("link").to_ascii_lowercase();
    let is_linked = link.contains("rel=\"linkset\"") || link.contains("rel=linkset");
    run.expect("link-linkset-required", &trial, is_linked, format!("Link {link}"));
    if is_linked {
        run.expect("link-linkset", &trial, true, "");
    } else {
        run.depends(
            "link-linkset",
            &trial,
            "no Link to the linkset; the official suite warns, the standard does not require it",
        );
    }
}

/// Judges how any answer names another resolver.
pub(super) fn handled_by(run: &mut Run, trial: &Rc<Trial>, response: &WebResponse) {
    let link = response.joined("link");
    if let Some(member) = link.split(',').find(|it| it.to_ascii_lowercase().contains("handledby")) {
        let compact = member.replace(' ', "");
        let holds =
            compact.contains("rel=\"gs1:handledBy\"") || compact.ends_with("rel=gs1:handledBy");
        run.expect("link-handled-by", trial, holds, format!("Link {member}"));
    }
}
