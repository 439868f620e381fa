//! The checks by topic. Each file has the table of its checks, and the requests that they need.

mod caching;
mod compression;
mod cors;
mod description;
mod errors;
mod hand_over;
mod keys;
mod link_headers;
mod link_types;
mod linkset;
mod methods;
mod negotiation;
mod query;
mod redirects;
mod representations;
mod spelling;
mod transport;
mod vocabulary;
mod walk_up;

use std::fmt::Write as _;
use std::rc::Rc;

use crate::check::Check;
use crate::message::{Trial, WebResponse};
use crate::run::Run;

/// Checks that belong together.
pub(crate) struct Topic {
    pub(crate) title: &'static str,
    pub(crate) checks: &'static [Check],
    /// Sends the requests and records the observations.
    pub(crate) examine: fn(&mut Run),
}

const fn topic(title: &'static str, checks: &'static [Check], examine: fn(&mut Run)) -> Topic {
    Topic { title, checks, examine }
}

/// All topics, in the order in which they are examined: later ones use the description file and the
/// linkset.
pub(crate) static TOPICS: [Topic; 19] = [
    topic("Transport", transport::CHECKS, transport::examine),
    topic("Description file", description::CHECKS, description::examine),
    topic("Hand-over", hand_over::CHECKS, hand_over::examine),
    topic("Linkset", linkset::CHECKS, linkset::examine),
    topic("Formats of the linkset", representations::CHECKS, representations::examine),
    topic("Vocabulary", vocabulary::CHECKS, vocabulary::examine),
    topic("Redirects", redirects::CHECKS, redirects::examine),
    topic("Query string", query::CHECKS, query::examine),
    topic("Link types", link_types::CHECKS, link_types::examine),
    topic("Languages, media types and contexts", negotiation::CHECKS, negotiation::examine),
    topic("Errors", errors::CHECKS, errors::examine),
    topic("Primary keys", keys::CHECKS, keys::examine),
    topic("Spelling of the path", spelling::CHECKS, spelling::examine),
    topic("Methods", methods::CHECKS, methods::examine),
    topic("Cross-origin requests", cors::CHECKS, cors::examine),
    topic("Caching", caching::CHECKS, caching::examine),
    topic("Granularity", walk_up::CHECKS, walk_up::examine),
    topic("EPC binary", compression::CHECKS, compression::examine),
    topic("Link headers", link_headers::CHECKS, link_headers::examine),
];

/// Returns all checks, by topic.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    TOPICS.iter().flat_map(|topic| topic.checks)
}

/// Judges what every answer must have.
pub(crate) fn every_answer(run: &mut Run, trial: &Rc<Trial>, response: &WebResponse) {
    transport::version(run, trial, response);
    link_headers::handled_by(run, trial, response);
}

/// Returns what an answer is, for messages.
fn describe(response: &WebResponse) -> String {
    match response.header("location") {
        Some(location) => format!("status {}, Location {location}", response.status),
        None => format!("status {}, {}", response.status, response.media_type()),
    }
}

/// Whether a redirect leads to a link: to its target, with or without a query behind it, and with
/// or without a slash after a bare host.
fn leads_to(response: &WebResponse, href: &str) -> bool {
    let Some(location) = response.location() else { return false };
    let (location, href) = (without_fragment(location), without_fragment(href));
    let Some(rest) = location.strip_prefix(href) else { return false };
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    rest.is_empty() || rest.starts_with(['?', '&']) || href.ends_with(['?', '&'])
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

/// Returns a link type as the value of `linkType`: `gs1:pip`, `license`, or a URI that is
/// percent-encoded.
fn parameter(relation: &str) -> String {
    let mut encoded = String::with_capacity(relation.len());
    for byte in relation.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
