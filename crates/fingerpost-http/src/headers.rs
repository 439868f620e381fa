//! Parsing of lists in request headers (RFC 9110 section 5.6.1), and `Cache-Control`.

use std::borrow::Cow;

use fingerpost_resolver::Freshness;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Returns all lines of a header joined by commas; empty if there are none.
pub fn joined(headers: &HeaderMap, name: HeaderName) -> Cow<'_, [u8]> {
    let mut lines = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let Some(first) = lines.next() else { return Cow::Borrowed(b"") };
    let mut all = Cow::Borrowed(first);
    for line in lines {
        let text = all.to_mut();
        text.extend_from_slice(b", ");
        text.extend_from_slice(line);
    }
    all
}

/// Returns a header value from text that is known to be visible ASCII.
pub fn value(text: String) -> Option<HeaderValue> {
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text)).ok()
}

/// Adds the time for which the response may be cached.
pub fn cache(fields: &mut HeaderMap, freshness: Freshness) {
    let control = freshness.cache_control().and_then(|text| match text {
        Cow::Borrowed(text) => Some(HeaderValue::from_static(text)),
        Cow::Owned(text) => value(text),
    });
    fields.extend(control.map(|control| (header::CACHE_CONTROL, control)));
}
