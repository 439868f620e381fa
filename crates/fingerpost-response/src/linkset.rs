//! Linksets as bodies for programs (GS1-Conformant Resolver 1.2.0 section 2.10, RES-2.10-1 to -6).

use bytes::Bytes;
use fingerpost_resolver::{Answer, Format, Linkset, Outcome};
use http::Response;
use http::header::{self, HeaderMap, HeaderValue};

use crate::conditional::{etag, unless_same};
use crate::headers;
use crate::respond::{self, Body};

/// Returns the header fields that a linkset has in every form.
pub fn fields(answer: &Answer<'_>) -> HeaderMap {
    let mut fields = headers::base();
    fields.insert(header::VARY, headers::NEGOTIATED);
    headers::cache(&mut fields, answer.freshness());
    fields
}

/// Returns the body in a form for programs; `None` for a page.
pub fn content(linkset: &Linkset<'_>, format: Format) -> Option<Bytes> {
    Some(match format {
        Format::LinksetJson | Format::Json => linkset.to_json().into(),
        Format::LinksetText => linkset.to_link_text().into(),
        Format::JsonLd => linkset.to_json_ld().into(),
        Format::Html => return None,
    })
}

/// Returns the response with a body, whose fields have its media type. A linkset that was asked for
/// has a validator if `is_lasting`, and is left out if the client already has it; a choice is not.
pub fn respond(
    answer: &Answer<'_>,
    mut fields: HeaderMap,
    body: Bytes,
    is_lasting: bool,
    asked: &HeaderMap,
) -> Response<Body> {
    let link = answer.link().and_then(|link| HeaderValue::from_str(&link).ok());
    fields.extend(link.map(|link| (header::LINK, link)));
    let validator = matches!(answer.outcome(), Outcome::Linkset(..)) && is_lasting;
    let validator = validator.then(|| etag(&body));
    let response = respond::with_body(respond::status(answer), fields, body);
    match validator {
        Some(validator) => unless_same(response, validator, asked),
        None => response,
    }
}
