//! Parsing of lists in request headers (RFC 9110 section 5.6.1), and the header fields that many
//! responses share.

use std::borrow::Cow;
use std::sync::LazyLock;

use fingerpost_resolver::Freshness;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Returns all lines of a header joined by commas; empty if there are none.
pub fn joined(headers: &HeaderMap, name: HeaderName) -> Cow<'_, [u8]> {
    let mut lines = Cow::default();
    headers.get_all(name).iter().for_each(|line| add_line(&mut lines, line.as_bytes()));
    lines
}

/// Adds a line of a header to those before it, joined by a comma.
#[inline]
pub fn add_line<'h>(lines: &mut Cow<'h, [u8]>, line: &'h [u8]) {
    if lines.is_empty() {
        *lines = Cow::Borrowed(line);
    } else {
        let lines = lines.to_mut();
        lines.extend_from_slice(b", ");
        lines.extend_from_slice(line);
    }
}

/// Returns a header value from text that is known to be visible ASCII.
pub fn value(text: String) -> Option<HeaderValue> {
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text)).ok()
}

/// Adds the time for which the response may be cached.
#[inline]
pub fn cache(fields: &mut HeaderMap, freshness: Freshness) {
    let control = freshness.cache_control().and_then(|text| match text {
        Cow::Borrowed(text) => Some(HeaderValue::from_static(text)),
        Cow::Owned(text) => value(text),
    });
    if let Some(control) = control {
        fields.append(header::CACHE_CONTROL, control);
    }
}

/// The methods of the public side (RES-2.2-3).
pub const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// Request fields on which redirects and negotiated responses depend (RES-2.10-10).
pub const NEGOTIATED: HeaderValue = HeaderValue::from_static("Accept, Accept-Language");

/// Request fields on which pages depend.
pub const NEGOTIATED_PAGE: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Language, Accept-Encoding");

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const EXPOSED: HeaderValue = HeaderValue::from_static("Link, ETag");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Capacity for every header that we or hyper add, so that the map never grows.
const HEADERS: usize = 12;

/// Returns the headers of every response: CORS (RES-2.2-5), no referrer and no sniffing
/// (RES-2.10-16).
pub fn base() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(HEADERS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.insert(header::REFERRER_POLICY, NO_REFERRER);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    headers
}

/// Returns the headers of a redirect. Copied from a complete map and changed in place, because
/// filling one hashes every name.
pub fn redirect(mut location: HeaderValue, mut link: HeaderValue) -> HeaderMap {
    static COMPLETE: LazyLock<HeaderMap> = LazyLock::new(|| {
        let mut headers = base();
        headers.insert(header::VARY, NEGOTIATED);
        headers.insert(header::LOCATION, HeaderValue::from_static(""));
        headers.insert(header::LINK, HeaderValue::from_static(""));
        headers
    });
    let mut headers = COMPLETE.clone();
    for (name, value) in &mut headers {
        if name == header::LOCATION {
            std::mem::swap(value, &mut location);
        } else if name == header::LINK {
            std::mem::swap(value, &mut link);
        }
    }
    headers
}

/// Adds what tells caches that an answer depends on the viewer. `Vary` is in every answer while any
/// role is declared, so that it does not show which records have restricted links.
pub fn mark_viewer(fields: &mut HeaderMap, is_public: bool) {
    fields.append(header::VARY, HeaderValue::from_name(header::AUTHORIZATION));
    if is_public {
        return;
    }
    let cached = fields.get(header::CACHE_CONTROL).and_then(|own| own.to_str().ok());
    let mut value = "private".to_owned();
    for directive in cached.into_iter().flat_map(|own| own.split(", ")) {
        let is_for_shared = ["s-maxage", "stale-", "private"];
        if !is_for_shared.iter().any(|beginning| directive.starts_with(beginning)) {
            value.push_str(", ");
            value.push_str(directive);
        }
    }
    fields.insert(
        header::CACHE_CONTROL,
        HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("private")),
    );
}
