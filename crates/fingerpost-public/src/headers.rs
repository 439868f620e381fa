//! Header fields that many responses of the public side share.

use std::sync::LazyLock;

pub(crate) use fingerpost_http::headers::{cache, joined, value};
use http::header::{self, HeaderMap, HeaderValue};

/// The methods of the public side (RES-2.2-3).
pub(crate) const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// Request fields on which redirects and negotiated responses depend (RES-2.10-10).
pub(crate) const NEGOTIATED: HeaderValue = HeaderValue::from_static("Accept, Accept-Language");

/// Request fields on which pages depend.
pub(crate) const NEGOTIATED_PAGE: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Language, Accept-Encoding");

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const EXPOSED: HeaderValue = HeaderValue::from_static("Link, ETag");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Capacity for every header that we or hyper add, so that the map never grows.
const HEADERS: usize = 12;

/// Returns the headers of every response: CORS (RES-2.2-5), no referrer and no sniffing
/// (RES-2.10-16).
pub(crate) fn base() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(HEADERS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.insert(header::REFERRER_POLICY, NO_REFERRER);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    headers
}

/// Returns the headers of a redirect. Copied from a complete map and changed in place, because
/// filling one hashes every name.
pub(crate) fn redirect(mut location: HeaderValue, mut link: HeaderValue) -> HeaderMap {
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
