//! Headers with surrogate keys, by which caches in front find the answers that a change affects.

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::surrogate_keys;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

/// A header with surrogate keys, and what separates them there.
#[derive(Clone, Debug)]
pub(crate) struct SurrogateHeader {
    name: HeaderName,
    separator: char,
}

/// The headers that caches read, with their separators: Fastly, Cloudflare and others, Varnish.
const KNOWN: [(&str, char); 3] = [("surrogate-key", ' '), ("cache-tag", ','), ("xkey", ' ')];

impl SurrogateHeader {
    /// Reads the name of a header; `None` for one whose separator is not known.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (name, separator) =
            KNOWN.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(Self { name: HeaderName::from_static(name), separator })
    }
}

/// Adds the surrogate keys of an answer about a key, unless it is private.
pub(crate) fn mark(fields: &mut HeaderMap, headers: &[SurrogateHeader], key: &EntityKey) {
    if is_private(fields) {
        return;
    }
    for SurrogateHeader { name, separator } in headers {
        let keys = HeaderValue::try_from(surrogate_keys(key, *separator));
        fields.extend(keys.ok().map(|keys| (name.clone(), keys)));
    }
}

fn is_private(fields: &HeaderMap) -> bool {
    fields.get(header::CACHE_CONTROL).is_some_and(|own| own.as_bytes().starts_with(b"private"))
}
