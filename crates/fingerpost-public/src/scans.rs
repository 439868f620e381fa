//! What is counted about a scan: what the answer knows already, and nothing about the client but
//! whether it is a program.

use std::sync::Arc;

use fingerpost_insight::{AnswerKind, AnsweredScan, LinkType};
use fingerpost_resolver::{Answer, Entry, Outcome};
use jiff::Timestamp;

/// Returns what is counted about an answer: redirects, choices and linksets of registered levels.
/// Errors, hand-overs and pages are not counted, so that nobody can create counters by inventing
/// keys.
#[inline]
pub(crate) fn scan<'s>(
    answer: &'s Answer<'_>,
    levels: &'s [Arc<Entry>],
    user_agent: &'s [u8],
    at: Timestamp,
) -> Option<AnsweredScan<'s>> {
    let granular = levels.first()?;
    let (kind, entry, link_type, language) = match answer.outcome() {
        Outcome::Redirect(redirect) => {
            let link = redirect.link();
            let entry = levels.iter().find(|entry| entry.has(link)).unwrap_or(granular);
            let link_type = match link.term() {
                Some(term) => LinkType::Term(term.iri()),
                None => LinkType::Other(link.link_type()),
            };
            (AnswerKind::Redirect, entry, Some(link_type), link.first_language())
        }
        Outcome::Choices(linkset, _) => {
            let link_type = linkset.contexts().next()?.groups().next()?.link_type();
            let has = |entry: &&Arc<Entry>| entry.links().any(|it| it.link_type() == link_type);
            let entry = levels.iter().find(has).unwrap_or(granular);
            (AnswerKind::Choice, entry, Some(LinkType::Other(link_type)), None)
        }
        Outcome::Linkset(..) => (AnswerKind::Linkset, granular, None, None),
        Outcome::Public(_)
        | Outcome::Refused(_)
        | Outcome::HandOver(_)
        | Outcome::LinkTypeNotAvailable(..)
        | Outcome::NoDefault(..)
        | Outcome::Unknown(_)
        | Outcome::Suspended(..)
        | Outcome::Uris(_)
        | Outcome::NoLocator
        | Outcome::NotOffered => return None,
    };
    let level = entry.anchor().as_str();
    Some(AnsweredScan { level, kind, link_type, language, country: None, user_agent, at })
}
