//! Scheme and authority of a GS1 Digital Link URI: GS1 Digital Link URI Syntax 1.4.1, section 4.11,
//! after RFC 3986 section 3.2.2.
//!
//! ```text
//! scheme   = "http" / "https"                   ; without case
//! hostname = host [ ":" port ]                  ; the host not empty
//! ```
//!
//! The generic syntax is parsed by `fingerpost-uri`. An IPv4 address is a `reg-name` too, so the
//! ranges of its numbers are not checked.

use alloc::string::String;

use fingerpost_uri::{Authority, hide_password};

use crate::{Error, ErrorKind, Span};

/// Returns the start of the authority; `None` if the scheme or `://` is missing.
#[inline]
pub(super) fn after_scheme(uri: &[u8]) -> Option<usize> {
    // The usual spelling is one comparison of eight bytes.
    if uri.starts_with(b"https://") {
        return Some("https://".len());
    }
    let (start, rest) = uri.split_at_checked("http".len())?;
    if !start.eq_ignore_ascii_case(b"http") {
        return None;
    }
    match rest {
        [b's' | b'S', b':', b'/', b'/', ..] => Some("https://".len()),
        [b':', b'/', b'/', ..] => Some("http://".len()),
        _ => None,
    }
}

/// Returns whether `host` is `host [ ":" port ]` with a non-empty host.
pub(super) fn is_valid(host: &[u8]) -> bool {
    let authority = core::str::from_utf8(host).ok().and_then(|text| Authority::parse(text).ok());
    authority.is_some_and(|authority| {
        authority.userinfo().is_none() && !authority.host_text().is_empty()
    })
}

/// Returns the error about the authority at `span` of `text`, without a password in it.
#[cold]
pub(super) fn error(text: &str, span: Span) -> Error {
    let network_path = String::from("//") + &text[span.start..span.end];
    let shown = hide_password(&network_path);
    Error::new(ErrorKind::UriHost, span).with_found(&shown.as_bytes()["//".len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for host in [
            "example.com",
            "a",
            "a_b~$&'()*+,;=",
            "%41x",
            "a:",
            "a:80",
            "1.2.3.999",
            "[::]:8443",
            "[::1]",
            "[2001:db8::1]",
            "[1:2:3:4:5:6:7:8]",
            "[1::8]",
            "[::1.2.3.4]",
            "[v1f.a:b]",
            "[1:2:3:4:5:6:1.2.3.4]",
            "[1:2:3:4:5:6:7::]",
            "[ABCD::]",
        ] {
            assert!(is_valid(host.as_bytes()), "{host}");
        }
        for host in [
            "",
            ":80",
            "a:b",
            "a:80:80",
            "%4",
            "%4g",
            "a@b",
            "a:b@c",
            "[::1",
            "[::1]x",
            "[1:2]",
            "[1:2:3:4:5:6:7:8:9]",
            "[1::2::3]",
            "[:::]",
            "[1:2:3:4:5:6:7::8]",
            "[12345::]",
            "[::g]",
            "[1.2.3.4::]",
            "[v.a]",
            "[v1.]",
            "[vg.a]",
            "[]",
            "é",
            "a\"",
            "a[b]",
            "[::1.2.3]",
        ] {
            assert!(!is_valid(host.as_bytes()), "{host}");
        }
    }

    #[test]
    fn schemes() {
        assert_eq!(after_scheme(b"http://"), Some(7));
        assert_eq!(after_scheme(b"hTtPs://a"), Some(8));
        for uri in ["", "http", "http:/a", "httpx://a", "ftp://a", "https//a", "http:a//"] {
            assert_eq!(after_scheme(uri.as_bytes()), None, "{uri}");
        }
    }
}
