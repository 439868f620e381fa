//! Joins a request's query to a target, byte for byte (Resolver 1.2.0 section 2.12, RES-2.12-1 to
//! -4).

use fingerpost_uri::percent::push_triplet;

/// Returns the address to send: `target` with `query` inserted before its fragment.
///
/// The query keeps its bytes, order, delimiters, repeats and empty parts. Only bytes that are not
/// allowed in a header (controls, space, everything above 0x7E) become `%XX`. The target gets the
/// same treatment, although registration has checked it already. There is one allocation, unless
/// such bytes occur.
pub(crate) fn forward(target: &str, query: Option<&[u8]>) -> String {
    let query = query.unwrap_or_default();
    // Nearly every target is sent as it is.
    if query.is_empty() && is_all_visible(target.as_bytes()) {
        return target.to_owned();
    }
    let (main, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
    let mut location = String::with_capacity(target.len() + 1 + query.len());
    push_visible(&mut location, main.as_bytes());
    if !query.is_empty() {
        match main.rfind('?') {
            None => location.push('?'),
            Some(_) if main.ends_with(['?', '&']) => {}
            Some(_) => location.push('&'),
        }
        push_visible(&mut location, query);
    }
    push_visible(&mut location, fragment.as_bytes());
    location
}

/// Appends `bytes`, percent-encoding those outside visible ASCII.
pub(crate) fn push_visible(out: &mut String, bytes: &[u8]) {
    if is_all_visible(bytes)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        out.push_str(text);
        return;
    }
    for &byte in bytes {
        if is_visible(byte) {
            out.push(char::from(byte));
        } else {
            push_triplet(byte, out);
        }
    }
}

fn is_visible(byte: u8) -> bool {
    (byte > 0x20) & (byte < 0x7F)
}

/// Returns whether no byte needs encoding. Without a branch for each byte, so that the compiler can
/// look at many together.
fn is_all_visible(bytes: &[u8]) -> bool {
    bytes.iter().fold(true, |all, &byte| all & is_visible(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // RES-2.12-1, RES-2.12-2, RES-2.12-3, RES-2.12-4, RES-2.12-7, RES-2.5.1-5, ER-11
    #[test]
    fn joins_as_the_rules_say() {
        let rows: &[(&str, Option<&str>, &str)] = &[
            ("https://example.com", None, "https://example.com"),
            ("https://example.com/p", Some(""), "https://example.com/p"),
            ("https://example.com/p", Some("a=1&a=2&&b="), "https://example.com/p?a=1&a=2&&b="),
            ("https://example.com/p", Some("17=1;3103=2"), "https://example.com/p?17=1;3103=2"),
            ("https://example.com/p?id=7", Some("a=1"), "https://example.com/p?id=7&a=1"),
            ("https://example.com/p?", Some("a=1"), "https://example.com/p?a=1"),
            ("https://example.com/p?x&", Some("a=1"), "https://example.com/p?x&a=1"),
            ("https://example.com/p&", Some("a=1"), "https://example.com/p&?a=1"),
            ("https://example.com/p#s?t", Some("q=a?b"), "https://example.com/p?q=a?b#s?t"),
            (
                "https://EXAMPLE.com:443/a/../b?q=%7e#f",
                None,
                "https://EXAMPLE.com:443/a/../b?q=%7e#f",
            ),
            (
                "https://example.com/p",
                Some("linkType=gs1:pip&context=CH"),
                "https://example.com/p?linkType=gs1:pip&context=CH",
            ),
            ("https://example.com/p", Some("q=é"), "https://example.com/p?q=%C3%A9"),
            (
                "https://example.com/p",
                Some("q=%E2%82%AC+x%2By"),
                "https://example.com/p?q=%E2%82%AC+x%2By",
            ),
        ];
        for (target, query, expected) in rows {
            assert_eq!(forward(target, query.map(str::as_bytes)), *expected);
        }
    }

    proptest! {
        // RES-2.12-1: for any input, the result can be sent in a header, and visible bytes are unchanged.
        #[test]
        fn any_bytes_make_a_header_value(query in proptest::collection::vec(any::<u8>(), 0..64)) {
            let location = forward("https://example.com/p#f", Some(&query));
            prop_assert!(location.bytes().all(|b| (0x21..=0x7E).contains(&b)));
            if query.iter().all(|b| (0x21..=0x7E).contains(b)) && !query.is_empty() {
                let text = std::str::from_utf8(&query).unwrap();
                prop_assert_eq!(location, format!("https://example.com/p?{text}#f"));
            }
        }
    }
}
