//! How lists in request headers are read (RFC 9110 section 5.6.1), and values that many answers share.

use std::borrow::Cow;

use http::header::{HeaderMap, HeaderName, HeaderValue};

/// `Cache-Control` of what depends on the moment or on who asks: it is not kept.
pub const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// `Cache-Control` of what is named by the number of its content: it never changes.
pub const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// `Cache-Control` of what is kept, but asked about each time.
pub const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");

/// All lines of a header as one, joined by commas; empty if there is none.
#[must_use]
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

/// A header value of text that is known to be visible ASCII.
#[must_use]
pub fn value(text: String) -> Option<HeaderValue> {
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text)).ok()
}
