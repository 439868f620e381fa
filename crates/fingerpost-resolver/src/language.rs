//! Language tags of targets (RES-2.5.4-1 to -3) and their form in JSON linksets (ER-3).
//!
//! Tags are BCP 47: well-formed by RFC 5646 section 2.1, here with a primary subtag of two or three
//! letters, because longer ones are reserved, and `x-…` and `i-…` mean nothing to others. Tags are
//! not looked up in the subtag registry. They are stored as given and compared without letter case.

use std::borrow::Cow;

use crate::limits::MAX_LANGUAGE_TAG_BYTES;
use oxilangtag::LanguageTag;

/// Returns whether `tag` is a language tag that a link can have.
///
/// ```
/// use fingerpost_resolver::is_language_tag;
///
/// assert!(is_language_tag("es-419"));
/// assert!(is_language_tag("fil"));
/// assert!(!is_language_tag("english"));
/// ```
pub fn is_language_tag(tag: &str) -> bool {
    let primary = primary_subtag(tag);
    matches!(primary.len(), 2 | 3)
        && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
        && tag.len() <= MAX_LANGUAGE_TAG_BYTES
        && LanguageTag::parse(tag).is_ok()
}

/// Returns the tag as a JSON linkset may show it: `ll` or `ll-CC`, because nothing else fits the
/// GS1 linkset schema (RES-2.10-13, ER-3). Returns `None` for languages without a two-letter code.
///
/// ```
/// use fingerpost_resolver::degraded_language_tag;
///
/// assert_eq!(degraded_language_tag("zh-Hant-TW").as_deref(), Some("zh-TW"));
/// assert_eq!(degraded_language_tag("es-419").as_deref(), Some("es"));
/// assert_eq!(degraded_language_tag("fil"), None);
/// ```
pub fn degraded_language_tag(tag: &str) -> Option<Cow<'_, str>> {
    let primary = primary_subtag(tag);
    if !is_letter_pair(primary) {
        return None;
    }
    // Extensions and private use follow a single character; they hold no region.
    let region = tag
        .split('-')
        .skip(1)
        .take_while(|subtag| subtag.len() > 1)
        .find(|subtag| is_letter_pair(subtag));
    Some(match region {
        None => Cow::Borrowed(primary),
        Some(_) if tag.len() == 5 => Cow::Borrowed(tag),
        Some(region) => Cow::Owned(format!("{primary}-{region}")),
    })
}

fn primary_subtag(tag: &str) -> &str {
    tag.split('-').next().unwrap_or_default()
}

fn is_letter_pair(subtag: &str) -> bool {
    subtag.len() == 2 && subtag.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Returns whether a language range covers a tag: the range equals the tag or is a prefix of it
/// ending at a `-` (RFC 4647 section 3.3.1). Comparison ignores ASCII case.
pub(crate) fn covers(range: &[u8], tag: &[u8]) -> bool {
    tag.len() >= range.len()
        && tag[..range.len()].eq_ignore_ascii_case(range)
        && (tag.len() == range.len() || tag[range.len()] == b'-')
}

/// Returns the range itself, then shortened from the right one subtag at a time (RFC 4647 section
/// 3.4). A single-letter subtag left at the end is removed too, so `zh-a-bcd` is followed by `zh`.
pub(crate) fn truncations(range: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(range), |range| {
        let mut rest = &range[..range.iter().rposition(|&b| b == b'-')?];
        let last = rest.iter().rposition(|&b| b == b'-').map_or(0, |at| at + 1);
        if rest.len() - last == 1 {
            rest = &rest[..last.saturating_sub(1)];
        }
        (!rest.is_empty()).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_well_formed_bcp_47() {
        // RES-2.5.4-2
        for good in
            ["en", "EN-gb", "es-419", "zh-Hant", "fil", "de-CH-1996", "en-GB-oed", "zh-yue-HK"]
        {
            assert!(is_language_tag(good), "{good}");
        }
        for bad in
            ["", "e", "english", "de_CH", "en-", "-en", "x-own", "i-klingon", "root", "e1", "en us"]
        {
            assert!(!is_language_tag(bad), "{bad}");
        }
        assert!(!is_language_tag(&format!("en-x-{}", "abcdefgh-".repeat(9))));
    }

    #[test]
    fn json_linksets_get_short_tags() {
        // ER-3, RES-2.10-13
        for (full, short) in [
            ("en", Some("en")),
            ("fr-CA", Some("fr-CA")),
            ("es-419", Some("es")),
            ("zh-Hant-TW", Some("zh-TW")),
            ("sr-Latn-RS", Some("sr-RS")),
            ("zh-yue-HK", Some("zh-HK")),
            ("en-a-bb", Some("en")),
            ("en-x-us", Some("en")),
            ("en-GB-oed", Some("en-GB")),
            ("fil", None),
            ("gsw-CH", None),
        ] {
            assert_eq!(degraded_language_tag(full).as_deref(), short, "{full}");
        }
    }

    #[test]
    fn truncation_drops_a_singleton_left_at_the_end() {
        let texts = |range: &'static str| -> Vec<&str> {
            truncations(range.as_bytes()).map(|t| std::str::from_utf8(t).unwrap()).collect()
        };
        assert_eq!(
            texts("zh-Hant-CN-x-private1-private2"),
            [
                "zh-Hant-CN-x-private1-private2",
                "zh-Hant-CN-x-private1",
                "zh-Hant-CN",
                "zh-Hant",
                "zh"
            ]
        );
        assert_eq!(texts("x-klingon"), ["x-klingon"]);
        assert_eq!(texts("en"), ["en"]);
    }
}
