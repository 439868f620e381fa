//! Targets of redirects: resolved, and compared in several spellings.

use super::kind::{self, DifferenceKind};

/// Returns the absolute form of a reference in an answer of `base` (RFC 3986, section 5.2, without
/// the removal of dots).
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let (scheme, rest) = base.split_once("://").unwrap_or(("https", base));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_absolute = reference
        .split_once(':')
        .is_some_and(|(scheme, _)| !scheme.is_empty() && !scheme.contains(['/', '?', '#']));
    if is_absolute {
        return reference.to_owned();
    }
    if reference.starts_with("//") {
        return format!("{scheme}:{reference}");
    }
    if reference.starts_with('/') {
        return format!("{scheme}://{authority}{reference}");
    }
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let folder = path.rfind('/').map_or(path, |at| &path[..at]);
    match reference.starts_with(['?', '#']) {
        true => format!("{scheme}://{path}{reference}"),
        false => format!("{scheme}://{folder}/{reference}"),
    }
}

/// Returns how two targets differ.
pub(super) fn difference(old: &str, new: &str) -> Option<&'static DifferenceKind> {
    let path = |target: &str| spelling(target.split(['?', '#']).next().unwrap_or_default());
    match () {
        () if old == new => None,
        () if spelling(old) == spelling(new) => Some(&kind::TARGET_SPELLING),
        () if path(old) == path(new) => Some(&kind::TARGET_QUERY),
        () => Some(&kind::TARGET),
    }
}

/// Returns a text that is the same for all spellings of an address.
fn spelling(target: &str) -> String {
    let bytes = target.as_bytes();
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    let (mut text, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            // Two hexadecimal digits are less than 256.
            (b'%', Some(high), Some(low)) => {
                text.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                text.push(*byte);
                at += 1;
            }
        }
    }
    let text = String::from_utf8_lossy(&text).to_lowercase();
    let text = text.strip_prefix("http://").map_or(text.clone(), |rest| format!("https://{rest}"));
    text.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_absolute() {
        for (reference, expected) in [
            ("https://b/x", "https://b/x"),
            ("//b/x", "http://b/x"),
            ("/x?y", "http://a:1/x?y"),
            ("x", "http://a:1/01/x"),
            ("?x", "http://a:1/01/2?x"),
            ("mailto:a@b", "mailto:a@b"),
            ("", "http://a:1/01/"),
        ] {
            assert_eq!(resolve("http://a:1/01/2?q", reference), expected, "{reference}");
        }
    }

    #[test]
    fn targets_differ_in_spelling_query_or_address() {
        for (old, new, expected) in [
            ("https://a/b", "https://a/b", None),
            ("http://a/b", "https://A/b/", Some("target-spelling")),
            ("https://a/%c3%a9?x=%2F", "https://a/é?x=/", Some("target-spelling")),
            ("https://a/b?x=1", "https://a/b", Some("target-query")),
            ("https://a/b#c", "https://a/b?x=1#c", Some("target-query")),
            ("https://a/b", "https://a/c", Some("target")),
        ] {
            assert_eq!(difference(old, new).map(|kind| kind.id), expected, "{old} {new}");
        }
    }
}
