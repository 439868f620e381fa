//! Choosing links by language: RFC 4647 section 3.4 (lookup) with the last resorts of step B.2
//! of the selection algorithm (RES-2.6.3-4, ER-22). Comparison ignores ASCII case.

use std::cmp::Reverse;

use smallvec::SmallVec;

use crate::accept::AcceptLanguage;
use crate::language::truncations;

/// How closely a range matches a tag; greater is better. Without a truncation, it does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Closeness {
    /// Whether the tag is a truncation of the range. Otherwise the tag extends one, which is the
    /// last resort.
    is_exact: bool,
    /// Length of the truncation.
    length: usize,
}

/// A language range with the lengths of its truncations, longest first.
struct Range<'p> {
    text: &'p [u8],
    truncations: SmallVec<[usize; 8]>,
}

impl<'p> Range<'p> {
    fn new(text: &'p [u8]) -> Self {
        Self { text, truncations: truncations(text).map(<[u8]>::len).collect() }
    }

    /// Compares a tag with the longest truncation that suits it. Takes as many steps as both have
    /// bytes in common, and truncations.
    fn closeness(&self, tag: &str) -> Option<Closeness> {
        let tag = tag.as_bytes();
        let pairs = self.text.iter().zip(tag);
        let common = pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        let of = |&length: &usize| {
            let is_exact = length == tag.len();
            let suits = length <= common && (is_exact || tag[length] == b'-');
            suits.then_some(Closeness { is_exact, length })
        };
        self.truncations.iter().find_map(of)
    }
}

/// Keeps the members of `set` that the first matching preference selects. `tags` returns the tags
/// of a member.
///
/// Returns `false`, with `set` unchanged, if every range failed. `*` ends the search and keeps
/// everything. Each range is compared once with each tag.
pub(crate) fn narrow<'p, 't, T: Copy, I: Iterator<Item = &'t str>>(
    set: &mut Vec<T>,
    preferences: impl Iterator<Item = &'p [u8]>,
    tags: &impl Fn(T) -> I,
) -> bool {
    let mut is_found = false;
    let mut found: SmallVec<[Option<Closeness>; 16]> = SmallVec::new();
    for range in preferences {
        if range == b"*" {
            return true;
        }
        let range = Range::new(range);
        let closest = |&member: &T| tags(member).filter_map(|tag| range.closeness(tag)).max();
        found.clear();
        found.extend(set.iter().map(closest));
        let Some(best) = found.iter().max().copied().flatten() else { continue };
        let mut closeness = found.iter();
        set.retain(|_| closeness.next() == Some(&Some(best)));
        is_found = true;
        // `pt-PT, pt-BR;q=0.9`: neither region of Portuguese was the first choice, but one was the
        // second.
        if best.is_exact || set.len() == 1 {
            return true;
        }
    }
    is_found
}

/// Returns the language to answer in: the one of `available` that an `Accept-Language` header
/// selects, by the lookup that also chooses links; `None` if it selects none. Languages that the
/// header refuses are not chosen.
///
/// ```
/// use fingerpost_resolver::choose_language;
///
/// let texts = ["en", "fr", "pt"];
/// assert_eq!(choose_language(b"de, fr-CH;q=0.9, en;q=0.8", &texts), Some("fr"));
/// assert_eq!(choose_language(b"ja", &texts), None);
/// assert_eq!(choose_language(b"", &texts), None);
/// ```
pub fn choose_language<'t>(accept_language: &[u8], available: &[&'t str]) -> Option<&'t str> {
    let wanted = AcceptLanguage::read(accept_language);
    if !wanted.ranks() {
        return None;
    }
    let mut left: Vec<&str> =
        available.iter().copied().filter(|tag| !wanted.refuses(tag)).collect();
    let is_found = narrow(&mut left, wanted.preferences(), &std::iter::once);
    left.first().copied().filter(|_| is_found)
}

/// The languages of a reader, to order links for people.
///
/// ```
/// use fingerpost_resolver::ReaderLanguages;
///
/// let reader = ReaderLanguages::read(b"fr-CA, en;q=0.5");
/// let mut links = [vec!["de"], vec![], vec!["en"], vec!["de", "fr"], vec!["fr-CA"]];
/// links.sort_by_key(|tags| reader.rank(tags.iter().copied()));
/// assert_eq!(links, [vec!["fr-CA"], vec!["de", "fr"], vec!["en"], vec![], vec!["de"]]);
/// ```
#[derive(Clone, Debug)]
pub struct ReaderLanguages<'a>(AcceptLanguage<'a>);

/// The position of a link among others for a reader; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LanguageRank(Fit, usize, Reverse<Option<Closeness>>);

impl LanguageRank {
    /// Returns whether the link is in other languages than those of the reader.
    pub fn is_foreign(self) -> bool {
        self.0 == Fit::Other
    }
}

/// How the languages of a link fit a reader; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Read,
    Unstated,
    Other,
}

impl<'a> ReaderLanguages<'a> {
    /// Reads an `Accept-Language` header.
    pub fn read(accept_language: &'a [u8]) -> Self {
        Self(AcceptLanguage::read(accept_language))
    }

    /// Returns the rank of a link with these languages: by the first preference that matches one,
    /// then by how closely it does; then links without a language; then all others. Without
    /// preferences, all links have the same rank.
    pub fn rank<'t>(&self, tags: impl Iterator<Item = &'t str> + Clone) -> LanguageRank {
        let of = |fit| LanguageRank(fit, 0, Reverse(None));
        if !self.0.ranks() || tags.clone().next().is_none() {
            return of(Fit::Unstated);
        }
        let kept = tags.filter(|tag| !self.0.refuses(tag));
        let named = self.0.preferences().filter(|range| *range != b"*").enumerate();
        let mut closest = named.filter_map(|(at, range)| {
            let range = Range::new(range);
            let closest = kept.clone().filter_map(|tag| range.closeness(tag)).max()?;
            Some(LanguageRank(Fit::Read, at, Reverse(Some(closest))))
        });
        closest.next().unwrap_or(of(Fit::Other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose<'t>(tags: &[&'t str], ranges: &[&str]) -> Option<Vec<&'t str>> {
        let mut set = tags.to_vec();
        let found = narrow(&mut set, ranges.iter().map(|r| r.as_bytes()), &std::iter::once);
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

    // Work is the number of ranges times the number of tags, whatever they look like.
    #[test]
    fn each_range_is_compared_once_with_each_tag() {
        let deep = format!("en{}", "-aaaaaaaa".repeat(6));
        for (tag, range) in [("en", "fr"), ("en-aaaaaaaa-b", "en-aaaaaaaa-c"), (&deep, &deep[..50])]
        {
            for (tags, ranges) in [(10, 4), (100, 32), (1_000, 32)] {
                let looked = std::cell::Cell::new(0);
                let mut set: Vec<usize> = (0..tags).collect();
                narrow(&mut set, std::iter::repeat_n(range.as_bytes(), ranges), &|_| {
                    looked.set(looked.get() + 1);
                    std::iter::once(tag)
                });
                assert!(looked.get() <= tags * ranges, "{} for {tag} {range}", looked.get());
            }
        }
    }
}
