//! The origin of this resolver, for checking targets: a target that is a Digital Link below the
//! resolver root would redirect to this resolver, possibly endlessly (RES-2.5.1-8).

use fingerpost_gs1::Ai;
use url::Url;

use super::{SAMPLE_VALUE, sample};
use crate::{Anchor, compressed};

/// Host, port and stem of the resolver root, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Lower case, Punycode, without a final dot.
    host: String,
    /// The port of the https listener.
    port: u16,
    /// Path of the root without a final slash; empty if there is none.
    stem: String,
    /// The root as it is written.
    root: String,
}

impl Origin {
    /// Parses the text of a resolver root; `None` if it is not a URL with a host.
    pub(crate) fn of(resolver_root: &str) -> Option<Origin> {
        let url = Url::parse(resolver_root).ok()?;
        let stem = url.path().trim_end_matches('/').to_owned();
        let (host, root) = (host(&url)?.to_owned(), resolver_root.to_owned());
        Some(Origin { host, port: port(&url)?, stem, root })
    }

    /// Returns whether a host, in lower case and without a final dot, is another one.
    pub(crate) fn is_elsewhere(&self, host: &str) -> bool {
        self.host != host
    }

    /// Returns whether a target is a Digital Link on this resolver, but not the root with the
    /// anchor of a key, to which a query may be added.
    pub(crate) fn is_disguised(&self, href: &str) -> bool {
        let path = href.find(['?', '#']).map_or(href, |end| &href[..end]);
        let key = path.strip_prefix(self.root.as_str()).map(|key| (key, Anchor::parse(key)));
        let is_key = |anchor: &Anchor, key: &str| {
            anchor.is_key_level() && key.strip_prefix('/') == Some(anchor.as_str())
        };
        !key.is_some_and(|(key, anchor)| anchor.is_ok_and(|anchor| is_key(&anchor, key)))
            && Url::parse(&sample(href))
                .is_ok_and(|url| self.holds_digital_link(&url, SAMPLE_VALUE))
    }

    /// Returns whether `url` is on this resolver and its path is a Digital Link, or becomes one
    /// when every `wildcard` in it is replaced by some value.
    ///
    /// `url` has been through the parser, so dot segments are already removed, as in a browser.
    pub(crate) fn holds_digital_link(&self, url: &Url, wildcard: &str) -> bool {
        if host(url) != Some(&self.host) || port(url) != Some(self.port) {
            return false;
        }
        let below = url.path().strip_prefix(self.stem.as_str()).and_then(|p| p.strip_prefix('/'));
        let Some(path) = below else { return false };
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let mut decoded = Vec::new();
        if fingerpost_gs1::percent::decode(first.as_bytes(), &mut decoded).is_err() {
            return false;
        }
        if rest.is_empty() {
            // RES-2.3-8: a compressed link gets the same answer as the uncompressed one, so it is
            // refused too.
            return std::str::from_utf8(&decoded)
                .is_ok_and(|segment| compressed::may_be_link(segment, wildcard));
        }
        let is_key = |name: &str| matches(&decoded, wildcard.as_bytes(), name.as_bytes());
        // The possible first segments of a Digital Link, including the convenience alphas of keys
        // (RES-2.4-17).
        let mut alphas = Ai::CONVENIENCE_ALPHAS.iter();
        Ai::PRIMARY_KEYS.iter().any(|key| is_key(key.as_str()))
            || alphas.any(|(alpha, ai)| ai.is_primary_key() && is_key(alpha))
    }
}

fn host(url: &Url) -> Option<&str> {
    // The parser has converted the host to lower case and Punycode.
    url.host_str().map(|host| host.trim_end_matches('.'))
}

/// Returns the port; http's default counts as https's, because a plain listener redirects to the
/// TLS one.
fn port(url: &Url) -> Option<u16> {
    url.port_or_known_default().map(|port| if port == 80 { 443 } else { port })
}

/// Returns whether `pattern`, in which every `wildcard` matches any text, matches `name`.
fn matches(pattern: &[u8], wildcard: &[u8], name: &[u8]) -> bool {
    if let Some(rest) = pattern.strip_prefix(wildcard) {
        return (0..=name.len()).any(|skip| matches(rest, wildcard, &name[skip..]));
    }
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((a, pattern)), Some((b, name))) => a == b && matches(pattern, wildcard, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_any_text() {
        for (pattern, name, expected) in [
            ("01", "01", true),
            ("~", "01", true),
            ("0~", "01", true),
            ("~01", "01", true),
            ("~.html", "01", false),
            ("about", "01", false),
            ("8~3", "8003", true),
            ("~~~~~~", "8003", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), b"~", name.as_bytes()), expected, "{pattern}");
        }
    }
}
