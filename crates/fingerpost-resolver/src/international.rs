//! International addresses as URIs: hosts by IDNA (RFC 5890, in the processing of UTS #46 that
//! browsers use), everything else as percent-encoded UTF-8 (RFC 3987 section 3.1).
//!
//! The only such conversion: commands and pages read addresses with it, and registration stores
//! targets and roots with it. It is in this crate, the lowest one of all that use it, because the
//! toolkit crates have no dependencies, and IDNA needs the tables of Unicode.

use std::borrow::Cow;

use fingerpost_gs1::percent;
use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

/// Returns the URI of an international address; `None` if the text is in ASCII, has no authority,
/// or its host is not a domain name.
///
/// ```
/// use fingerpost_resolver::ascii_form;
///
/// let uri = ascii_form("https://bücher.example/ü/01/09506000134352?q=日");
/// assert_eq!(uri.as_deref(), Some("https://xn--bcher-kva.example/%C3%BC/01/09506000134352?q=%E6%97%A5"));
/// assert_eq!(ascii_form("https://Example.org/"), None);
/// assert_eq!(ascii_form("(10)é"), None);
/// ```
pub fn ascii_form(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let (scheme, rest) = text.split_once("://")?;
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.bytes().all(is_scheme) {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let (login, host) = match authority.rsplit_once('@') {
        Some((login, host)) => (Some(login), host),
        None => (None, authority),
    };
    let port =
        host.rfind(':').filter(|at| host[at + 1..].bytes().all(|byte| byte.is_ascii_digit()));
    let (host, port) = host.split_at(port.unwrap_or(host.len()));
    let mut out = String::with_capacity(text.len() * 2);
    out.extend([scheme, "://"]);
    if let Some(login) = login {
        push_encoded(login, &mut out);
        out.push('@');
    }
    out.push_str(&ascii_host(host)?);
    out.push_str(port);
    push_encoded(tail, &mut out);
    Some(out)
}

/// Returns the ASCII form of a host; a host in ASCII unchanged. `None` if it is not a domain name.
///
/// ```
/// use fingerpost_resolver::ascii_host;
///
/// assert_eq!(ascii_host("BÜCHER.example").as_deref(), Some("xn--bcher-kva.example"));
/// assert_eq!(ascii_host("Example.org").as_deref(), Some("Example.org"));
/// assert_eq!(ascii_host("ü b.example"), None);
/// ```
pub fn ascii_host(host: &str) -> Option<Cow<'_, str>> {
    if host.is_ascii() {
        return Some(Cow::Borrowed(host));
    }
    let processing = Uts46::new();
    let ascii =
        processing.to_ascii(host.as_bytes(), AsciiDenyList::URL, Hyphens::Allow, DnsLength::Ignore);
    ascii.ok().filter(|host| !host.is_empty()).map(|host| Cow::Owned(host.to_string()))
}

/// Appends a text with everything outside ASCII percent-encoded as UTF-8.
pub(crate) fn push_encoded(text: &str, out: &mut String) {
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            percent::encode_value(c.encode_utf8(&mut [0; 4]).as_bytes(), out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RES-2.5.1-5: RFC 3987 section 3.1 and IDNA.
    #[test]
    fn rfc_3987_3_1_addresses_become_uris() {
        for (address, uri) in [
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("https://Bücher.Example:8443/a", "https://xn--bcher-kva.example:8443/a"),
            (
                "HTTPS://例え.テスト/日本?é#ü",
                "HTTPS://xn--r8jz45g.xn--zckzah/%E6%97%A5%E6%9C%AC?%C3%A9#%C3%BC",
            ),
            ("http://a.example/é%2F", "http://a.example/%C3%A9%2F"),
            ("ftp://jö:x@höst.example/", "ftp://j%C3%B6:x@xn--hst-sna.example/"),
            ("http://straße.example", "http://xn--strae-oqa.example"),
            // Composed and decomposed letters are one host.
            ("http://bu\u{308}cher.example", "http://xn--bcher-kva.example"),
            ("http://a。example/", "http://a.example/"),
        ] {
            assert_eq!(ascii_form(address).as_deref(), Some(uri), "{address}");
        }
        for text in [
            "",
            "é",
            "https://a.example/",
            "(21)é",
            "é://a/",
            "urn:foo:é",
            "http://é b/",
            "http://\u{200b}/",
        ] {
            assert_eq!(ascii_form(text), None, "{text}");
        }
    }
}
