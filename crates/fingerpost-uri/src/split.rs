//! The splitter of RFC 3986 Appendix B: five parts of any text, without validation.
//!
//! `^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`

/// The five parts of a text that need not be a URI. `None` means undefined, which differs from
/// empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Split<'a> {
    /// The part before the first colon, if it is not empty and contains no `/`, `?` or `#`.
    pub scheme: Option<&'a str>,
    /// Between `//` and the next `/`, `?` or `#`.
    pub authority: Option<&'a str>,
    /// Up to the first `?` or `#`.
    pub path: &'a str,
    /// Between the first `?` and the first `#`.
    pub query: Option<&'a str>,
    /// After the first `#`.
    pub fragment: Option<&'a str>,
}

/// Splits any text; never fails. On a valid reference it agrees with [`UriRef`](crate::UriRef).
///
/// ```
/// let parts = fingerpost_uri::split("http://www.ics.uci.edu/pub/ietf/uri/#Related");
/// assert_eq!(parts.authority, Some("www.ics.uci.edu"));
/// assert_eq!(parts.query, None);
/// assert_eq!(parts.fragment, Some("Related"));
/// ```
pub fn split(text: &str) -> Split<'_> {
    let (rest, fragment) = cut(text, '#');
    let (rest, query) = cut(rest, '?');
    let (scheme, rest) = match rest.find([':', '/']) {
        Some(at) if at > 0 && rest[at..].starts_with(':') => (Some(&rest[..at]), &rest[at + 1..]),
        _ => (None, rest),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            (Some(authority), path)
        }
        None => (None, rest),
    };
    Split { scheme, authority, path, query, fragment }
}

/// Returns the part before the first `delimiter`, and the part after it.
fn cut(text: &str, delimiter: char) -> (&str, Option<&str>) {
    text.split_once(delimiter).map_or((text, None), |(before, after)| (before, Some(after)))
}
