//! The own resolver as targets see it: a target that is a Digital Link below the resolver root
//! would redirect to ourselves, perhaps for ever (RES-2.5.1-8).

use url::Url;

use crate::compressed;

/// Host, port and stem of the resolver root, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Lower case, Punycode, without a final dot.
    host: String,
    /// The port of the https listener.
    port: u16,
    /// Path of the root without a final slash, empty for none.
    stem: String,
}

impl Origin {
    /// From the text of a resolver root; `None` if it is no URL with a host.
    pub(crate) fn of(resolver_root: &str) -> Option<Origin> {
        let url = Url::parse(resolver_root).ok()?;
        let stem = url.path().trim_end_matches('/').to_owned();
        Some(Origin { host: host(&url)?.to_owned(), port: port(&url)?, stem })
    }

    /// Is `url` on this resolver, with a path that is a Digital Link or becomes one when every
    /// `wildcard` in it is replaced by some value?
    ///
    /// `url` has gone through the parser, so dot segments are gone as they will be in a browser.
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
            // RES-2.3-8: a compressed link answers as the uncompressed one, so it may not either.
            return std::str::from_utf8(&decoded)
                .is_ok_and(|segment| compressed::may_be_link(segment, wildcard));
        }
        let is_key = |name: &str| matches(&decoded, wildcard.as_bytes(), name.as_bytes());
        key_names().any(is_key)
    }
}

fn host(url: &Url) -> Option<&str> {
    // The parser has put the host in lower case and Punycode.
    url.host_str().map(|host| host.trim_end_matches('.'))
}

/// The port, with http's default counted as https's: a plain listener sends on to the TLS one.
fn port(url: &Url) -> Option<u16> {
    url.port_or_known_default().map(|port| if port == 80 { 443 } else { port })
}

/// What the first segment of a Digital Link may be: the sixteen keys and their former names.
fn key_names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().chain(&FORMER_NAMES).copied()
}

/// Does `pattern`, in which every `wildcard` stands for any text, cover `name`?
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

/// The primary keys (GS1 Digital Link URI Syntax 1.4.1, section 4.3).
const KEYS: [&str; 16] = [
    "00", "01", "253", "255", "401", "402", "414", "415", "417", "8003", "8004", "8006", "8010",
    "8013", "8017", "8018",
];

/// The convenience alphas of Digital Link 1.0 to 1.2, which an operator may have switched on
/// (RES-2.4-17).
const FORMER_NAMES: [&str; 15] = [
    "sscc", "gtin", "gdti", "gcn", "ginc", "gsin", "gln", "party", "grai", "giai", "itip", "cpid",
    "gmn", "gsrnp", "gsrn",
];

#[cfg(test)]
mod tests {
    use fingerpost_gs1::Ai;

    use super::*;

    #[test]
    fn keys_are_the_dictionarys() {
        let keys: Vec<Ai> = fingerpost_gs1::all_entries()
            .map(|(ai, _)| ai)
            .filter(|ai| ai.is_primary_key())
            .collect();
        assert_eq!(keys.iter().map(Ai::as_str).collect::<Vec<_>>(), KEYS);
    }

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
