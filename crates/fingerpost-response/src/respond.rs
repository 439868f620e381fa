//! Responses other than pages: redirects, lists of URIs, preflights (GS1-Conformant Resolver 1.2.0
//! section 2.2).

use bytes::Bytes;
use fingerpost_resolver::{Answer, Format, Freshness};
use fingerpost_uri::urn::thttp::URI_LIST;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use http_body::Body as _;
use http_body_util::Full;

use crate::headers;

/// The body of a response, entirely in memory.
pub type Body = Full<Bytes>;

/// Returns a response without a body.
#[inline]
pub fn empty(status: StatusCode, fields: HeaderMap) -> Response<Body> {
    with_body(status, fields, Bytes::new())
}

/// Returns a response.
#[inline]
pub fn with_body(status: StatusCode, fields: HeaderMap, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    *response.headers_mut() = fields;
    response
}

/// Returns a redirect; `None` if an address is not a valid header value, which registration
/// prevents.
#[inline]
pub fn redirect(
    status: StatusCode,
    location: String,
    link: String,
    freshness: Freshness,
) -> Option<Response<Body>> {
    let (location, link) = (headers::value(location)?, headers::value(link)?);
    let mut fields = headers::redirect(location, link);
    headers::cache(&mut fields, freshness);
    Some(empty(status, fields))
}

/// Returns the media type of a linkset for programs; `None` for a page, whose text has a character
/// set.
pub fn media_type(format: Format) -> Option<HeaderValue> {
    (format != Format::Html).then(|| HeaderValue::from_static(format.media_type()))
}

/// Turns the response to GET into that to HEAD: everything that GET would return, including the
/// length, except the body (RES-2.2-2).
pub fn remove_body(response: &mut Response<Body>) {
    let length = response.body().size_hint().exact().unwrap_or(0);
    if response.status() == StatusCode::OK || length > 0 {
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    *response.body_mut() = Body::default();
}

/// Returns a list of URIs (RFC 2483 section 5).
pub fn uri_list(freshness: Freshness, list: String) -> Response<Body> {
    let mut fields = headers::base();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(URI_LIST));
    headers::cache(&mut fields, freshness);
    fields.insert(header::VARY, headers::NEGOTIATED);
    with_body(StatusCode::OK, fields, Bytes::from(list))
}

/// Returns the status of an answer.
pub fn status(answer: &Answer<'_>) -> StatusCode {
    StatusCode::from_u16(answer.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Returns the 204 response to OPTIONS for any path, origin and method (RES-2.2-3, RES-2.2-6).
pub fn options(asked: &HeaderMap, linkset: Option<String>) -> Response<Body> {
    let mut fields = headers::base();
    fields.insert(header::ALLOW, headers::ALLOW);
    fields.insert(header::ACCESS_CONTROL_ALLOW_METHODS, headers::ALLOW);
    fields.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(asked));
    fields.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE);
    fields.insert(header::VARY, HeaderValue::from_static("Access-Control-Request-Headers"));
    fields.extend(linkset.and_then(headers::value).map(|link| (header::LINK, link)));
    empty(StatusCode::NO_CONTENT, fields)
}

/// One day in seconds; browsers limit it to about two hours.
const PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

const USUAL_HEADERS: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Language, If-None-Match");

/// Returns the headers that a script may send: those that have an effect here, and those that it
/// requests.
fn allowed_headers(asked: &HeaderMap) -> HeaderValue {
    let wanted = headers::joined(asked, header::ACCESS_CONTROL_REQUEST_HEADERS);
    if wanted.is_empty() {
        return USUAL_HEADERS;
    }
    let all = [USUAL_HEADERS.as_bytes(), b", ", &wanted].concat();
    HeaderValue::from_bytes(&all).unwrap_or(USUAL_HEADERS)
}
