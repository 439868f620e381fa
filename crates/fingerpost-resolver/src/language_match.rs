//! Choosing links by language: RFC 4647 section 3.4 (lookup) with the last resorts of step B.2
//! of the selection algorithm (RES-2.6.3-4, ER-22). Comparison ignores ASCII case.

use crate::accept::AcceptLanguage;
use crate::language::covers;

/// Returns whether the tag is longer than the range and begins with it.
fn extends(range: &[u8], tag: &[u8]) -> bool {
    tag.len() > range.len() && covers(range, tag)
}

/// Returns the range itself, then shortened from the right one subtag at a time. A single-letter subtag left at the end is
/// removed too, so `zh-a-bcd` is followed by `zh`.
fn truncations(range: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(range), |range| {
        let mut rest = &range[..range.iter().rposition(|&b| b == b'-')?];
        let last = rest.iter().rposition(|&b| b == b'-').map_or(0, |at| at + 1);
        if rest.len() - last == 1 {
            rest = &rest[..last.saturating_sub(1)];
        }
        (!rest.is_empty()).then_some(rest)
    })
}

/// Returns whether the range matches the tag at all: exactly, shortened, or by a last resort.
pub(crate) fn reaches(range: &[u8], tag: &[u8]) -> bool {
    truncations(range).any(|range| covers(range, tag))
}

/// Keeps the members of `set` that the first matching preference selects.
///
/// `any_tag(member, test)` returns whether one of the member's tags passes the test. Returns `false`, with `set` unchanged, if
/// every range failed. `*` ends the search and keeps everything.
pub(crate) fn narrow<'p, T: Copy>(
    set: &mut Vec<T>,
    mut preferences: impl Iterator<Item = &'p [u8]> + Clone,
    any_tag: &impl Fn(T, &dyn Fn(&str) -> bool) -> bool,
) -> bool {
    while let Some(range) = preferences.next() {
        if range == b"*" {
            return true;
        }
        let with = |test: &dyn Fn(&str) -> bool| -> Vec<T> {
            set.iter().copied().filter(|&member| any_tag(member, test)).collect()
        };
        let exact = truncations(range)
            .map(|range| with(&|tag| tag.as_bytes().eq_ignore_ascii_case(range)))
            .find(|found| !found.is_empty());
        if let Some(found) = exact {
            *set = found;
            return true;
        }
        let resort = truncations(range)
            .map(|range| with(&|tag| extends(range, tag.as_bytes())))
            .find(|found| !found.is_empty());
        if let Some(found) = resort {
            *set = found;
            // `pt-PT, pt-BR;q=0.9`: neither region of Portuguese was the first choice, but one was the second.
            if set.len() > 1 {
                narrow(set, preferences, any_tag);
            }
            return true;
        }
    }
    false
}

/// Returns the language to answer in: the one of `available` that an `Accept-Language` header selects, by the lookup that also
/// chooses links; `None` if it selects none. Languages that the header refuses are not chosen.
///
/// ```
/// use fingerpost_resolver::choose_language;
///
/// let texts = ["en", "fr", "pt"];
/// assert_eq!(choose_language(b"de, fr-CH;q=0.9, en;q=0.8", &texts), Some("fr"));
/// assert_eq!(choose_language(b"ja", &texts), None);
/// assert_eq!(choose_language(b"", &texts), None);
/// ```
#[must_use]
pub fn choose_language<'t>(accept_language: &[u8], available: &[&'t str]) -> Option<&'t str> {
    let wanted = AcceptLanguage::read(accept_language);
    if !wanted.ranks() {
        return None;
    }
    let mut left: Vec<&str> =
        available.iter().copied().filter(|tag| !wanted.refuses(tag)).collect();
    let is_found = narrow(&mut left, wanted.preferences(), &|tag, test| test(tag));
    left.first().copied().filter(|_| is_found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose<'t>(tags: &[&'t str], ranges: &[&str]) -> Option<Vec<&'t str>> {
        let mut set = tags.to_vec();
        let found = narrow(&mut set, ranges.iter().map(|r| r.as_bytes()), &|tag, test| test(tag));
        found.then_some(set)
    }

    // RES-2.6.3-4: the closest language wins, by RFC 4647 lookup, then the last resorts.
    #[test]
    fn closest_language_wins() {
        type Row =
            (&'static [&'static str], &'static [&'static str], Option<&'static [&'static str]>);
        let rows: &[Row] = &[
            (&["fr", "en"], &["fr-CA"], Some(&["fr"])),
            (&["pt", "pt-BR"], &["pt"], Some(&["pt"])),
            (&["en-US", "de"], &["en"], Some(&["en-US"])),
            (&["en-US", "de"], &["en-GB"], Some(&["en-US"])), // ER-22
            (&["zh", "zh-Hans"], &["zh-Hant-TW"], Some(&["zh"])),
            (&["zh-Hant-HK", "zh-Hans"], &["zh-Hant-TW"], Some(&["zh-Hant-HK"])),
            (&["pt-BR", "pt-AO"], &["pt-PT", "pt-BR"], Some(&["pt-BR"])), // narrowing
            (&["pt-BR", "pt-AO"], &["pt-PT", "*", "pt-BR"], Some(&["pt-BR", "pt-AO"])),
            (&["pt-BR", "pt-AO"], &["pt-PT", "de"], Some(&["pt-BR", "pt-AO"])),
            (&["fr", "en"], &["de"], None),
            (&["x-b"], &["x-a"], None),
            (&["EN-us"], &["en-US"], Some(&["EN-us"])),
        ];
        for (tags, ranges, expected) in rows {
            assert_eq!(choose(tags, ranges).as_deref(), *expected, "{tags:?} {ranges:?}");
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

    #[test]
    fn reaching_is_the_same_as_being_found_alone() {
        for range in ["en", "en-GB", "zh-Hant-TW", "x-a", "i-a-bc"] {
            for tag in ["en", "en-US", "zh", "zh-Hans", "x-a", "x-b", "i-a", "i", "e"] {
                let alone = choose(&[tag], &[range]).is_some();
                assert_eq!(reaches(range.as_bytes(), tag.as_bytes()), alone, "{range} {tag}");
            }
        }
    }
}
