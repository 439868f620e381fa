//! `resolverRoot`: the URI stem of all Digital Link URIs of this resolver (GS1-Conformant Resolver
//! 1.2.0 section 3(1), RES-3-3, RES-2.2-4).
//!
//! ```text
//! resolver-root = "https://" host [ ":" port ] *( "/" segment )   ; no trailing slash, query or fragment
//! ```

use std::fmt;

use crate::ascii_form;

/// The root of this resolver, for example `https://id.example.org` or `https://id.example.org/shop/eu`.
///
/// ```
/// use fingerpost_resolver::ResolverRoot;
///
/// let root = ResolverRoot::parse("https://id.example.org/shop/eu")?;
/// assert_eq!(root.stem(), "/shop/eu");
/// assert_eq!(root.host(), "id.example.org");
/// assert!(ResolverRoot::parse("https://id.example.org/").is_err());
/// # Ok::<(), fingerpost_resolver::RootError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolverRoot {
    text: String,
    /// The position in `text` where the stem begins.
    stem: usize,
}

impl ResolverRoot {
    /// Parses and checks the text. Scheme and host are written in lower case (RFC 3986 section
    /// 6.2.2.1), and an international address becomes its URI (RFC 3987).
    pub fn parse(text: &str) -> Result<Self, RootError> {
        let text = match ascii_form(text) {
            Some(text) => text,
            None => text.to_owned(),
        };
        let (scheme, rest) = text.split_at_checked(SCHEME.len()).ok_or(RootError::NotHttps)?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return Err(RootError::NotHttps);
        }
        let host_len = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        if !is_authority(&rest[..host_len]) {
            return Err(RootError::Host);
        }
        let (host, stem) = rest.split_at(host_len);
        if stem.ends_with('/') {
            return Err(RootError::TrailingSlash);
        }
        let mut segments = stem.split('/');
        // Nothing comes before the first slash; anything else is a query or fragment.
        if segments.next() != Some("") || !segments.all(is_segment) {
            return Err(RootError::Path);
        }
        let text = [SCHEME, &host.to_ascii_lowercase(), stem].concat();
        Ok(Self { text, stem: SCHEME.len() + host_len })
    }

    /// Returns the whole root, without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the path: empty, or beginning with a slash and not ending with one.
    pub fn stem(&self) -> &str {
        &self.text[self.stem..]
    }

    /// Returns the host, with the port if there is one.
    pub fn host(&self) -> &str {
        &self.text[SCHEME.len()..self.stem]
    }

    /// Returns the root of the host, which has the reserved paths: `https://id.example.org`.
    pub fn origin(&self) -> &str {
        &self.text[..self.stem]
    }
}

impl fmt::Display for ResolverRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The fault of a resolver root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootError {
    /// The scheme is not `https`.
    NotHttps,
    /// The host is missing, or has a user name or characters that are not allowed in hosts.
    Host,
    /// The root ends with a slash.
    TrailingSlash,
    /// An empty or malformed path segment, a query, or a fragment.
    Path,
}

impl fmt::Display for RootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHttps => "expected an address beginning with https://",
            Self::Host => "expected a host name, with a port at most, after https://",
            Self::TrailingSlash => "expected no slash at the end",
            Self::Path => "expected a path of non-empty segments, without query or fragment",
        })
    }
}

impl std::error::Error for RootError {}

const SCHEME: &str = "https://";

/// Returns whether the text is `host [ ":" port ]`; an internationalised name in its ASCII form.
fn is_authority(text: &str) -> bool {
    let host = match text.rsplit_once(':') {
        Some((host, port)) if !text.ends_with(']') => {
            if port.is_empty() || !port.bytes().all(|b| b.is_ascii_digit()) {
                return false;
            }
            host
        }
        _ => text,
    };
    let literal = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    match literal {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host.split('.').all(|label| !label.is_empty())
                && host.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
        }
    }
}

/// Returns whether the text is an RFC 3986 `segment-nz`. Dot segments are excluded, because clients
/// remove them.
fn is_segment(text: &str) -> bool {
    let pchar = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@%".contains(&b);
    !matches!(text, "" | "." | "..") && text.bytes().all(pchar)
}

#[cfg(test)]
mod tests {
    use super::*;

    // RES-3-3, RES-2.2-4
    #[test]
    fn reads_roots() {
        // One spelling of scheme and host.
        for (text, written) in [
            ("https://ID.Example.ORG/DL", "https://id.example.org/DL"),
            ("HTTPS://id.example.org", "https://id.example.org"),
            ("https://BÜCHER.example:8443/é", "https://xn--bcher-kva.example:8443/%C3%A9"),
        ] {
            assert_eq!(ResolverRoot::parse(text).unwrap().as_str(), written);
        }
        for (text, origin, host, stem) in [
            ("https://id.example.org", "https://id.example.org", "id.example.org", ""),
            ("https://h:8443/a/b", "https://h:8443", "h:8443", "/a/b"),
            ("https://[::1]:8443/dl", "https://[::1]:8443", "[::1]:8443", "/dl"),
        ] {
            let root = ResolverRoot::parse(text).unwrap();
            assert_eq!((root.as_str(), root.origin()), (text, origin));
            assert_eq!((root.host(), root.stem()), (host, stem));
        }
    }

    // RES-3-3
    #[test]
    fn refuses_what_is_no_root() {
        for (text, error) in [
            ("http://id.example.org", RootError::NotHttps),
            ("id.example.org", RootError::NotHttps),
            ("https://", RootError::Host),
            ("https://user@h", RootError::Host),
            ("https://h:", RootError::Host),
            ("https://h:a", RootError::Host),
            ("https://h..x", RootError::Host),
            ("https://hö st", RootError::Host),
            ("https://h/", RootError::TrailingSlash),
            ("https://h/a/", RootError::TrailingSlash),
            ("https://h//a", RootError::Path),
            ("https://h/../a", RootError::Path),
            ("https://h/a?b", RootError::Path),
            ("https://h#f", RootError::Path),
            ("https://h/a b", RootError::Path),
        ] {
            assert_eq!(ResolverRoot::parse(text), Err(error), "{text}");
        }
    }
}
