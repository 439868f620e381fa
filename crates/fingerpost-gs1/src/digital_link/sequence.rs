//! The order of qualifiers after a primary key: GS1 Digital Link URI Syntax 1.4.1, sections 4.8
//! and 4.9.
//!
//! A key has alternative ordered lists of qualifiers. Any subset of one list can follow the key, in
//! the order of the list; lists cannot be mixed.

use core::cmp::Ordering;

use crate::Ai;

/// Returns whether `qualifiers` may follow `key`. If `key` is not a primary key, none may.
pub(crate) fn is_valid(key: Ai, qualifiers: &[Ai]) -> bool {
    first_misplaced(sequences(key), &qualifiers.iter().copied()).is_none()
}

/// Returns the index of the first of `qualifiers` that is not allowed after a key with these
/// alternatives and the qualifiers before it.
#[inline]
pub(crate) fn first_misplaced(
    alternatives: &[&[Ai]],
    qualifiers: &(impl Iterator<Item = Ai> + Clone),
) -> Option<usize> {
    qualifiers.clone().next()?;
    // The alternative with the longest agreement shows the position of the error.
    let mut furthest = 0;
    for sequence in alternatives {
        match agreement(sequence, qualifiers.clone()) {
            None => return None,
            Some(count) => furthest = furthest.max(count),
        }
    }
    Some(furthest)
}

/// Returns whether `ai` can be inserted somewhere after `key` among `qualifiers`, which are in
/// valid order.
#[inline]
pub(crate) fn can_insert(key: Ai, qualifiers: &(impl Iterator<Item = Ai> + Clone), ai: Ai) -> bool {
    sequences(key).iter().any(|sequence| {
        sequence.contains(&ai)
            && !qualifiers.clone().any(|own| own == ai)
            && agreement(sequence, qualifiers.clone()).is_none()
    })
}

/// Returns the alternative of `key` that contains all of `path` (in valid order) and the most
/// members that are `available`; the first in lexical order if several have equally many. The
/// members to use are those in the path or available.
pub(crate) fn longest(
    key: Ai,
    path: &(impl Iterator<Item = Ai> + Clone),
    available: impl Fn(Ai) -> bool + Copy,
) -> Option<&'static [Ai]> {
    let members =
        move |sequence: &'static [Ai]| sequence.iter().copied().filter(move |&ai| available(ai));
    sequences(key)
        .iter()
        .copied()
        .filter(|sequence| agreement(sequence, path.clone()).is_none())
        .min_by(|a, b| match members(b).count().cmp(&members(a).count()) {
            Ordering::Equal => members(a).cmp(members(b)),
            longer => longer,
        })
}

/// Returns the alternatives of `key`.
pub(crate) fn sequences(key: Ai) -> &'static [&'static [Ai]] {
    key.entry().and_then(crate::AiEntry::qualifier_sequences).unwrap_or_default()
}

/// Returns `None` if `qualifiers` is a subset of `sequence` in its order, otherwise the number of
/// agreeing ones.
#[inline]
fn agreement(sequence: &[Ai], qualifiers: impl Iterator<Item = Ai>) -> Option<usize> {
    let mut rest = sequence.iter();
    for (count, ai) in qualifiers.enumerate() {
        if !rest.any(|&member| member == ai) {
            return Some(count);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ais(texts: &[&str]) -> alloc::vec::Vec<Ai> {
        texts.iter().filter_map(|text| Ai::new(text)).collect()
    }

    #[test]
    fn subsets_in_order_of_one_alternative() {
        for (key, qualifiers, misplaced) in [
            ("01", &[][..], None),
            ("01", &["22", "10", "21"], None),
            ("01", &["22", "21"], None),
            ("01", &["235"], None),
            ("01", &["235", "10"], Some(1)),
            ("01", &["10", "235"], Some(1)),
            ("01", &["21", "10"], Some(1)),
            ("01", &["10", "10"], Some(1)),
            ("01", &["17"], Some(0)),
            ("8006", &["235"], Some(0)),
            ("414", &["254"], None),
            ("414", &["7040"], None),
            ("414", &["254", "7040"], Some(1)),
            ("00", &["10"], Some(0)),
            ("10", &["21"], Some(0)),
        ] {
            let key = Ai::new(key).unwrap();
            let qualifiers = ais(qualifiers);
            assert_eq!(
                first_misplaced(sequences(key), &qualifiers.iter().copied()),
                misplaced,
                "{qualifiers:?}"
            );
        }
    }

    #[test]
    fn insertion_and_choice() {
        let path = ais(&["22", "21"]);
        assert!(can_insert(Ai::GTIN, &path.iter().copied(), Ai::LOT));
        assert!(!can_insert(Ai::GTIN, &path.iter().copied(), Ai::TPX));
        assert!(!can_insert(Ai::GTIN, &path.iter().copied(), Ai::SERIAL));
        let chosen = longest(Ai::GTIN, &core::iter::empty(), |ai| ai == Ai::TPX);
        assert_eq!(chosen, Some(&[Ai::TPX][..]));
        // A tie: 10 comes before 235.
        let chosen = longest(Ai::GTIN, &core::iter::empty(), |ai| ai == Ai::TPX || ai == Ai::LOT);
        assert_eq!(chosen, Some(&[Ai::CPV, Ai::LOT, Ai::SERIAL][..]));
        let chosen = longest(Ai::GTIN, &[Ai::TPX].into_iter(), |_| true);
        assert_eq!(chosen, Some(&[Ai::TPX][..]));
        assert_eq!(longest(Ai::SSCC, &core::iter::empty(), |_| true), None);
    }
}
