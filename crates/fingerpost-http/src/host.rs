//! The host that a request names (RFC 9112 section 3.2, RFC 9110 section 7.2): a server, a cache
//! and a filter in front of it that read different hosts from one request answer for different
//! sites.
//!
//! ```text
//! Host = uri-host [ ":" port ]
//! ```

use fingerpost_uri::{Authority, percent};
use http::header::{self, HeaderValue};
use http::{Request, Version};

use crate::limits::MAX_SHOWN_HOST;

/// The reason that a request has to be refused for its `Host`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostFault {
    /// HTTP/1.1 requires the field; HTTP/1.0 does not, and HTTP/2 has `:authority`.
    #[error("expected a `Host`, which HTTP/1.1 requires, found none (RFC 9112 section 3.2)")]
    Missing,
    /// The field is repeated, with equal values or others.
    #[error("expected one `Host`, found {0} (RFC 9112 section 3.2)")]
    Repeated(usize),
    /// The value is not a host with a port at most.
    #[error("expected a host, or a host and a port, in `Host`, found `{0}` (RFC 9112 section 3.2)")]
    Invalid(String),
}

impl HostFault {
    /// Returns why a request has to be refused for its `Host`, if it has to be.
    pub(crate) fn of<B>(request: &Request<B>) -> Option<Self> {
        // Looking at all names takes less than hashing one.
        let mut hosts = request.headers().iter().filter(|(name, _)| **name == header::HOST);
        let Some((_, host)) = hosts.next() else {
            return (request.version() == Version::HTTP_11).then_some(Self::Missing);
        };
        match hosts.count() {
            0 if is_host(host) => None,
            0 => {
                let shown = &host.as_bytes()[..host.len().min(MAX_SHOWN_HOST)];
                let rest = if host.len() > MAX_SHOWN_HOST { "…" } else { "" };
                Some(Self::Invalid(format!("{}{rest}", shown.escape_ascii())))
            }
            others => Some(Self::Repeated(others + 1)),
        }
    }
}

/// Returns whether a value is a host with a port at most. It may be empty: the target has no
/// authority then.
fn is_host(value: &HeaderValue) -> bool {
    // Most are a name, or an IPv4 address, without triplets.
    let bytes = value.as_bytes();
    let end = bytes.iter().position(|byte| !percent::is_unreserved(*byte));
    match &bytes[end.unwrap_or(bytes.len())..] {
        [] => return true,
        [b':', port @ ..] if port.iter().all(u8::is_ascii_digit) => return true,
        _ => {}
    }
    let authority = value.to_str().ok().map(Authority::parse);
    authority.is_some_and(|parsed| parsed.is_ok_and(|host| host.userinfo().is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(version: Version, hosts: &[&[u8]]) -> Option<HostFault> {
        let mut request = Request::builder().version(version).body(()).unwrap();
        for host in hosts {
            request.headers_mut().append(header::HOST, HeaderValue::from_bytes(host).unwrap());
        }
        HostFault::of(&request)
    }

    /// IN-17
    #[test]
    fn a_host_is_a_name_or_an_address_with_a_port_at_most() {
        for good in [
            "",
            "a",
            "A.example",
            "a.example.",
            "a_b",
            "a:80",
            "a:",
            "127.0.0.1:8080",
            "[::1]",
            "[2001:db8::1]:443",
            "xn--bcher-kva.example",
            "a%20b",
            "a,b",
        ] {
            assert_eq!(fault(Version::HTTP_11, &[good.as_bytes()]), None, "{good}");
        }
        for bad in [
            "a b",
            "a/b",
            "/",
            "a:x",
            "a:8 0",
            "a:80:80",
            "::1",
            "[::1",
            "::1]",
            "[::1]a",
            "[]",
            "[g::1]",
            "user@a",
            "@a",
            "user:pw@a:80",
            "a?b",
            "a#b",
            "http://a",
            "a\\b",
            "a\"",
            "<a>",
            "a%2",
            "é",
        ]
        .map(str::as_bytes)
        .into_iter()
        .chain([b"a\xff".as_slice()])
        {
            let found = fault(Version::HTTP_11, &[bad]);
            assert!(matches!(found, Some(HostFault::Invalid(_))), "{}", bad.escape_ascii());
        }
    }

    /// IN-17
    #[test]
    fn one_host_is_required_by_http_1_1_only() {
        for version in [Version::HTTP_10, Version::HTTP_11, Version::HTTP_2] {
            let missing = (version == Version::HTTP_11).then_some(HostFault::Missing);
            assert_eq!(fault(version, &[]), missing, "{version:?}");
            assert_eq!(fault(version, &[b"a", b"a"]), Some(HostFault::Repeated(2)), "{version:?}");
            assert_eq!(fault(version, &[b"", b"a", b"/"]), Some(HostFault::Repeated(3)));
        }
    }

    #[test]
    fn a_long_or_binary_value_is_shown_escaped_and_cut() {
        let shown = |host: &[u8]| fault(Version::HTTP_11, &[host]).unwrap().to_string();
        let beginning = "expected a host, or a host and a port, in `Host`, found `";
        let end = "` (RFC 9112 section 3.2)";
        assert_eq!(shown(b"a/\xff"), format!("{beginning}a/\\xff{end}"));
        let long = "/".repeat(40);
        assert_eq!(shown(long.as_bytes()), format!("{beginning}{}…{end}", &long[..32]));
    }
}
