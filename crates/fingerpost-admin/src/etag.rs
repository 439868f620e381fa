//! The entity tag of a level: its revision in quotes (RFC 9110, section 8.8.3).

use fingerpost_store::Revision;
use http::HeaderValue;
use http::header::{self, HeaderMap};

/// Maximum number of digits of a revision.
pub(crate) const MAX_DIGITS: usize = 16;

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
    digits.parse().ok().filter(|_| plain && digits.len() <= MAX_DIGITS).map(Revision::new)
}

/// Returns whether `If-None-Match` lists the entity tag (RFC 9110 section 13.1.2).
pub(crate) fn matches(fields: &HeaderMap, tag: &HeaderValue) -> bool {
    let lists = fields.get_all(header::IF_NONE_MATCH).iter();
    lists.flat_map(|list| list.as_bytes().split(|byte| *byte == b',')).any(|member| {
        let member = member.trim_ascii();
        member == b"*" || member.strip_prefix(b"W/").unwrap_or(member) == tag.as_bytes()
    })
}
