//! The address of a resolver: its origin (RFC 6454), and the stem below which its Digital Links
//! are.

use fingerpost_uri::hide_password;
use ureq::http::Uri;

use crate::failure::Failure;
use crate::output::printable;
use fingerpost_server::client::{is_loopback, origin};

/// A valid `https://host:port/stem`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Address {
    /// In lower case, without a default port.
    origin: String,
    stem: String,
    is_unprotected: bool,
}

impl Address {
    /// Parses an address.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |expected: &str| {
            Failure::advise(
                format!("expected {expected}, found `{}`", printable(&hide_password(text))),
                "write the address of a resolver, with its stem if it has one: https://id.example.org/stem",
            )
        };
        let uri: Uri = text.parse().map_err(|_| wrong("an address"))?;
        let origin = origin(&uri).ok_or_else(|| wrong("https:// or http:// before a host"))?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(wrong("no user before the host"));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(wrong("no query and no fragment"));
        }
        let is_unprotected = origin.starts_with("http:") && !is_loopback(&uri);
        Ok(Self { origin, stem: uri.path().trim_end_matches('/').to_owned(), is_unprotected })
    }

    /// Returns scheme, host and port.
    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the path: empty, or beginning with a slash and not ending with one.
    pub(super) fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns whether answers cross a network without TLS.
    pub(super) fn is_unprotected(&self) -> bool {
        self.is_unprotected
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_have_an_origin_and_a_stem() {
        for (text, origin, stem, is_unprotected) in [
            ("HTTPS://Id.Example.org:443/", "https://id.example.org", "", false),
            ("https://id.example.org/a/b/", "https://id.example.org", "/a/b", false),
            ("http://[::1]:8080", "http://[::1]:8080", "", false),
            ("http://[::1]/", "http://[::1]", "", false),
            ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080", "/x", false),
            ("http://id.example.org:80", "http://id.example.org", "", true),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!((address.origin(), address.stem()), (origin, stem));
            assert_eq!(address.is_unprotected(), is_unprotected, "{text}");
        }
        for wrong in
            ["id.example.org", "ftp://a", "https://u:p@a", "https://a?b", "https://a#b", ""]
        {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
