//! Answers that are not errors: redirects, linksets, files, preflights (GS1-Conformant Resolver 1.2.0 sections 2.2
//! and 2.10; RFC 9110 for conditional requests).

use bytes::Bytes;
use fingerpost_gs1::EntityKey;
use fingerpost_http::conditional::{etag, unless_same};
use fingerpost_http::gzip;
use fingerpost_resolver::{Delegation, Format, Linkset, Redirect, Request, Settings, linkset_link};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::Full;
use jiff::Timestamp;
use std::time::Duration;

use crate::pages::{self, LinksetPage, Pages, Reason};
use crate::{Body, headers};

/// An answer without a body.
pub(crate) fn empty(status: StatusCode, fields: HeaderMap) -> Response<Body> {
    with_body(status, fields, Bytes::new())
}

/// An answer.
pub(crate) fn with_body(status: StatusCode, fields: HeaderMap, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    *response.headers_mut() = fields;
    response
}

/// 307 to the chosen link; `None` if the address is no header value, which registration prevents.
pub(crate) fn redirect(
    settings: &Settings,
    request: &Request<'_>,
    redirect: Redirect<'_>,
) -> Option<Response<Body>> {
    let location = headers::value(redirect.into_location())?;
    let link = headers::value(linkset_link(settings, request))?;
    Some(empty(StatusCode::TEMPORARY_REDIRECT, headers::redirect(location, link)))
}

/// 307 to the resolver in charge (RES-2.8-2). The linkset is its business too, so there is no pointer to ours.
pub(crate) fn handed_over(delegation: Delegation) -> Option<Response<Body>> {
    let link = headers::value(delegation.handled_by_link())?;
    let location = headers::value(delegation.into_location())?;
    Some(empty(StatusCode::TEMPORARY_REDIRECT, headers::redirect(location, link)))
}

/// What a linkset is answered to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) pages: &'a Pages,
    /// Header fields of the request.
    pub(crate) asked: &'a HeaderMap,
    /// What was asked about.
    pub(crate) entity: &'a EntityKey,
}

impl<'a> Around<'a> {
    /// This linkset, in this form.
    pub(crate) fn linkset<'l>(self, linkset: &'l Linkset<'l>, format: Format) -> LinksetAnswer<'l>
    where
        'a: 'l,
    {
        LinksetAnswer { around: self, linkset, format }
    }
}

/// A linkset, and for whom it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinksetAnswer<'a> {
    around: Around<'a>,
    linkset: &'a Linkset<'a>,
    format: Format,
}

impl LinksetAnswer<'_> {
    /// 200 with the complete linkset, or 304 if the client has it (RES-2.9-1 to -3).
    pub(crate) fn whole(&self, freshness: HeaderValue) -> Response<Body> {
        let (mut fields, body) = self.parts(Reason::Asked);
        fields.insert(header::CACHE_CONTROL, freshness);
        let etag = etag(&body);
        unless_same(with_body(StatusCode::OK, fields, body), etag, self.around.asked)
    }

    /// The undecided links (300) or the available ones (404) as a linkset (RES-2.10-11, RES-2.6.2-3).
    pub(crate) fn partial(&self, reason: Reason) -> Response<Body> {
        let status = match reason {
            Reason::Asked => StatusCode::OK,
            Reason::Choice => StatusCode::MULTIPLE_CHOICES,
            Reason::NotAvailable | Reason::NoDefault => StatusCode::NOT_FOUND,
        };
        let (fields, body) = self.parts(reason);
        with_body(status, fields, body)
    }

    /// Headers and body in the form that was negotiated (RES-2.10-1 to -8).
    fn parts(&self, reason: Reason) -> (HeaderMap, Bytes) {
        let Self { around: Around { settings, pages, asked, entity }, linkset, format } = *self;
        let mut fields = headers::base();
        fields.insert(header::VARY, headers::NEGOTIATED);
        fields.insert(header::CACHE_CONTROL, headers::NO_CACHE);
        let body = match format {
            Format::LinksetJson | Format::Json => linkset.to_json().into(),
            Format::JsonLd => linkset.to_json_ld().into(),
            Format::Html => {
                let texts = pages::reader(asked);
                pages::protect(&mut fields, texts);
                let page = pages.linkset(LinksetPage { reason, linkset, entity, texts });
                gzip::packed(page, &mut fields, asked)
            }
        };
        fields.insert(header::CONTENT_TYPE, content_type(format));
        fields.extend(
            HeaderValue::from_str(settings.context_link()).ok().map(|link| (header::LINK, link)),
        );
        (fields, body)
    }
}

/// How long a complete linkset may be kept: `max_age`, but never beyond the next edge of a validity window
/// (RES-2.5.7-2), and only with asking again when that is no time at all.
pub(crate) fn freshness(
    max_age: Duration,
    next_edge: Option<Timestamp>,
    now: Timestamp,
) -> HeaderValue {
    let until_edge = next_edge.map_or(u64::MAX, |edge| {
        // Whole seconds, rounded down: a second early is right, a second late is wrong.
        u64::try_from(edge.duration_since(now).as_secs()).unwrap_or(0)
    });
    match max_age.as_secs().min(until_edge) {
        0 => headers::NO_CACHE,
        seconds => {
            HeaderValue::from_str(&format!("max-age={seconds}")).unwrap_or(headers::NO_CACHE)
        }
    }
}

fn content_type(format: Format) -> HeaderValue {
    match format {
        Format::Html => pages::CONTENT_TYPE,
        json => HeaderValue::from_static(json.media_type()),
    }
}

/// 204 to OPTIONS on whatever path, from whatever origin, for whatever method (RES-2.2-3, RES-2.2-6).
pub(crate) fn options(asked: &HeaderMap, linkset: Option<String>) -> Response<Body> {
    let mut fields = headers::base();
    fields.insert(header::ALLOW, headers::ALLOW);
    fields.insert(header::ACCESS_CONTROL_ALLOW_METHODS, headers::ALLOW);
    fields.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(asked));
    fields.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE);
    fields.insert(header::VARY, HeaderValue::from_static("Access-Control-Request-Headers"));
    fields.extend(linkset.and_then(headers::value).map(|link| (header::LINK, link)));
    empty(StatusCode::NO_CONTENT, fields)
}

/// One day in seconds; browsers cut it to two hours or so.
const PREFLIGHT_MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

const USUAL_HEADERS: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Language, If-None-Match");

/// Headers that a script may send: those that matter here, and those it asks for.
fn allowed_headers(asked: &HeaderMap) -> HeaderValue {
    let wanted = headers::joined(asked, header::ACCESS_CONTROL_REQUEST_HEADERS);
    if wanted.is_empty() {
        return USUAL_HEADERS;
    }
    let all = [USUAL_HEADERS.as_bytes(), b", ", &wanted].concat();
    HeaderValue::from_bytes(&all).unwrap_or(USUAL_HEADERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_ends_at_the_window_edge() {
        // RES-2.5.7-2
        let now: Timestamp = "2026-05-07T12:00:00Z".parse().expect("instant");
        let at = |text: &str| Some(text.parse::<Timestamp>().expect("instant"));
        let minute = Duration::from_secs(60);
        assert_eq!(freshness(Duration::ZERO, None, now), "no-cache");
        assert_eq!(freshness(minute, None, now), "max-age=60");
        assert_eq!(freshness(minute, at("2026-05-08T00:00:00Z"), now), "max-age=60");
        assert_eq!(freshness(minute, at("2026-05-07T12:00:10.9Z"), now), "max-age=10");
        assert_eq!(freshness(minute, at("2026-05-07T12:00:00.5Z"), now), "no-cache");
    }
}
