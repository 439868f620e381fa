//! The response to an answer, if it needs neither pages nor the store.

use fingerpost_resolver::{Answer, Outcome};
use http::Response;
use http::header::{self, HeaderMap};

use crate::linkset;
use crate::respond::{self, Body};

/// Returns the response to an answer that is no page, no problem document and no reserved path:
/// redirects, choices and linksets for programs, and lists of URIs. `None` for all others.
pub fn of_answer(answer: Answer<'_>, asked: &HeaderMap) -> Option<Response<Body>> {
    if let Some((links, format)) = answer.linkset() {
        let body = linkset::content(links, format)?;
        let mut fields = linkset::fields(&answer);
        fields.insert(header::CONTENT_TYPE, respond::media_type(format)?);
        return Some(linkset::respond(&answer, fields, body, true, asked));
    }
    let (status, freshness) = (respond::status(&answer), answer.freshness());
    let link = answer.link().unwrap_or_default().into_owned();
    match answer.into_outcome() {
        Outcome::Redirect(chosen) => {
            respond::redirect(status, chosen.into_location(), link, freshness)
        }
        Outcome::HandOver(hand_over) => {
            respond::redirect(status, hand_over.location().to_owned(), link, freshness)
        }
        Outcome::Uris(list) => Some(respond::uri_list(freshness, list)),
        _ => None,
    }
}
