//! Scheme and authority of a GS1 Digital Link URI: GS1 Digital Link URI Syntax 1.4.1, section 4.11,
//! after RFC 3986 section 3.2.2.
//!
//! ```text
//! scheme     = "http" / "https"                   ; without case
//! hostname   = host [ ":" port ]
//! host       = IP-literal / IPv4address / reg-name
//! IP-literal = "[" ( IPv6address / IPvFuture ) "]"
//! IPvFuture  = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
//! reg-name   = 1*( unreserved / pct-encoded / sub-delims )    ; here not empty
//! port       = *DIGIT
//! ```
//!
//! An IPv4 address is a `reg-name` too. The ranges of its numbers are not checked, neither alone nor
//! at the end of an IPv6 address.

use super::chars;
use crate::percent;

/// Where the authority starts; `None` when scheme or `://` is not there.
#[inline]
pub(super) fn after_scheme(uri: &[u8]) -> Option<usize> {
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

/// Whether `host` is `host [ ":" port ]`.
pub(super) fn is_valid(host: &[u8]) -> bool {
    if let [b'[', rest @ ..] = host {
        let Some(end) = rest.iter().position(|&b| b == b']') else { return false };
        return is_port(&rest[end + 1..]) && (is_ipv6(&rest[..end]) || is_ip_future(&rest[..end]));
    }
    let end = host.iter().position(|&b| b == b':').unwrap_or(host.len());
    end > 0 && is_port(&host[end..]) && is_reg_name(&host[..end])
}

/// `[ ":" *DIGIT ]`
fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// `*( unreserved / pct-encoded / sub-delims )`
fn is_reg_name(name: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() {
        if chars::is(name[at], chars::REG_NAME) {
            at += 1;
        } else if percent::triplet(name, at).is_some() {
            at += 3;
        } else {
            return false;
        }
    }
    true
}

/// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`
fn is_ip_future(text: &[u8]) -> bool {
    let [b'v' | b'V', rest @ ..] = text else { return false };
    let Some(dot) = rest.iter().position(|&b| b == b'.') else { return false };
    let (version, address) = (&rest[..dot], &rest[dot + 1..]);
    !version.is_empty()
        && version.iter().all(|&b| chars::is(b, chars::HEXDIG))
        && !address.is_empty()
        && address.iter().all(|&b| b == b':' || chars::is(b, chars::REG_NAME))
}

/// `IPv6address`: eight groups, or fewer around one `::`; the last two may be an IPv4 address.
fn is_ipv6(text: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(text) else { return false };
    match text.split_once("::") {
        None => groups(text, true) == Some(8),
        Some((before, after)) => {
            // `::` stands for at least one group.
            let before = if before.is_empty() { Some(0) } else { groups(before, false) };
            let after = if after.is_empty() { Some(0) } else { groups(after, true) };
            before.zip(after).is_some_and(|(before, after)| before + after <= 7)
        }
    }
}

/// How many groups of 16 bits the colon-separated `text` has; `None` when it is malformed.
fn groups(text: &str, ipv4_at_end: bool) -> Option<usize> {
    let (mut count, last) = (0, text.split(':').count() - 1);
    for (index, group) in text.split(':').enumerate() {
        if ipv4_at_end && index == last && is_ipv4(group) {
            count += 2;
        } else if (1..=4).contains(&group.len())
            && group.bytes().all(|b| chars::is(b, chars::HEXDIG))
        {
            count += 1;
        } else {
            return None;
        }
    }
    Some(count)
}

/// Four numbers of one to three digits.
fn is_ipv4(text: &str) -> bool {
    text.split('.').count() == 4
        && text
            .split('.')
            .all(|part| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
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
