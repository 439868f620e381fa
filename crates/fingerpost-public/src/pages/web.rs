//! Addresses on pages: whether a browser can follow them, and their hosts; texts as queries.

/// Returns whether a browser can follow an address.
pub(super) fn is_web(href: &str) -> bool {
    href.starts_with("https://") || href.starts_with("http://")
}

/// Encodes a text as a value in a query.
pub(super) fn encoded(text: &str) -> String {
    fingerpost_uri::encode(text).to_string()
}

/// Returns host and port of a web address, by which people recognise a site; user information is
/// excluded.
pub(super) fn host(href: &str) -> &str {
    let rest = href.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn hosts_are_what_a_browser_takes() {
        for (href, expected) in [
            ("https://www.example.com/a?b#c", "example.com"),
            ("https://good.example@evil.example/", "evil.example"),
            ("https://example.com:8443", "example.com:8443"),
            ("mailto:a@example.com", ""),
        ] {
            assert_eq!(host(href), expected, "{href}");
        }
    }
}
