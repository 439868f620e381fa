//! The entity tag of a level: its revision in quotes (RFC 9110, section 8.8.3).

use fingerpost_store::Revision;
use http::HeaderValue;

use crate::limits::MAX_REVISION_DIGITS;

/// Returns the strong entity tag of a revision.
pub(crate) fn of(revision: Revision) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{}\"", revision.number()))
        .unwrap_or(HeaderValue::from_static("\"\""))
}

/// Parses the strong entity tag of a revision.
pub(crate) fn parse(etag: &[u8]) -> Option<Revision> {
    let digits = etag.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| plain && digits.len() <= MAX_REVISION_DIGITS).map(Revision::new)
}
