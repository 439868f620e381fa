//! Checks that most values and most combinations of elements pass at a glance, computed from each
//! row when the program is compiled.
//!
//! If a shortcut accepts, so do the full checks ([`crate::value`], [`crate::associations`]). If it
//! does not, they decide, and find the error.

use super::{Ai, AiEntry, AiPattern};
use crate::component::{CharacterSet, ValueComponent};
use crate::linters::{Linter, are_checked_digits, charset};

/// The shortcuts of one row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shortcuts {
    content: Content,
    /// The bit of a primary key.
    key: u16,
    /// The bits of the primary keys each of which alone meets all requirements.
    met_by: u16,
    /// The bit of the first two digits; two prefixes can share one.
    prefix: u64,
    /// The bits of the prefixes of everything that must not be present.
    excluded: u64,
}

/// The values that need no look at the components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Digits of fixed length, the last one a check digit, after a company prefix in which every
    /// digit is allowed.
    CheckedDigits,
    /// Digits without further rules.
    Digits,
    /// Characters of CSET 82 without further rules.
    Cset82,
    /// Characters of CSET 82 that begin with a company prefix, in which every digit is allowed.
    Prefixed,
    /// A date.
    Date(Linter),
    /// Anything else.
    Other,
}

impl Shortcuts {
    /// The shortcuts of a row that is not in the table: none.
    pub(crate) const NONE: Shortcuts =
        Shortcuts { content: Content::Other, key: 0, met_by: 0, prefix: 0, excluded: u64::MAX };

    /// Returns whether `value`, whose length is right, certainly follows all rules of its row.
    ///
    /// Inlined, like the look-up of an AI: a call costs about twenty instructions for each element.
    #[inline(always)]
    pub(crate) fn accepts(&self, value: &[u8]) -> bool {
        match self.content {
            Content::CheckedDigits => are_checked_digits(value),
            Content::Digits => charset::digits(value).is_ok(),
            Content::Cset82 => charset::cset82(value).is_ok(),
            Content::Prefixed => {
                charset::cset82(value).is_ok() && Linter::GcpPos1.check_with(value, None).is_ok()
            }
            Content::Date(linter) => linter.check_with(value, None).is_ok(),
            Content::Other => false,
        }
    }

    const fn of(row: &AiEntry) -> Shortcuts {
        // The check of a digital signature looks at values too.
        let is_signature = row.first.bits() == Ai::DIGSIG.bits();
        Shortcuts {
            content: content(row.components),
            key: key_bit(row),
            met_by: met_by(row),
            prefix: prefix_bit(row.first.0),
            excluded: if is_signature { u64::MAX } else { excluded(row.excludes) },
        }
    }
}

impl AiEntry {
    /// Adds the shortcuts.
    pub(super) const fn with_shortcuts(self) -> AiEntry {
        AiEntry { shortcuts: Shortcuts::of(&self), ..self }
    }
}

/// Elements whose associations are checked at a glance.
pub(crate) struct Glance {
    keys: u16,
    met_by: u16,
    present: u64,
    excluded: u64,
    /// The prefixes that one element has and another one excludes. A row may exclude its own
    /// prefix, such as `310n` of 3103.
    clashes: u64,
}

impl Glance {
    #[inline]
    pub(crate) fn over<'e>(rows: impl Iterator<Item = &'e AiEntry>) -> Glance {
        let nothing = Glance { keys: 0, met_by: u16::MAX, present: 0, excluded: 0, clashes: 0 };
        rows.map(|row| &row.shortcuts).fold(nothing, |before, row| Glance {
            keys: before.keys | row.key,
            met_by: before.met_by & row.met_by,
            present: before.present | row.prefix,
            excluded: before.excluded | row.excluded,
            clashes: before.clashes
                | (before.present & row.excluded)
                | (before.excluded & row.prefix),
        })
    }

    /// Returns whether certainly nothing is present that another element excludes, and no digital
    /// signature.
    #[inline]
    pub(crate) fn excludes_nothing(&self) -> bool {
        self.clashes == 0
    }

    /// Returns whether certainly one key that is present meets all requirements.
    #[inline]
    pub(crate) fn lacks_nothing(&self) -> bool {
        self.keys & self.met_by != 0
    }

    /// Returns whether certainly one key that is present meets all requirements of this row.
    #[inline]
    pub(crate) fn meets_requirements_of(&self, row: &AiEntry) -> bool {
        self.keys & row.shortcuts.met_by != 0
    }
}

const fn content(components: &[ValueComponent]) -> Content {
    let [component] = components else { return Content::Other };
    match (component.charset, component.linters) {
        (CharacterSet::Digits, []) => Content::Digits,
        (CharacterSet::Cset82, []) => Content::Cset82,
        (CharacterSet::Cset82, [Linter::GcpPos1]) => Content::Prefixed,
        (CharacterSet::Digits, [date @ (Linter::YyMmD0 | Linter::YyMmDd)]) => Content::Date(*date),
        (CharacterSet::Digits, [Linter::Csum]) if component.min > 0 => Content::CheckedDigits,
        // A company prefix has at least four digits, and may begin with any.
        (CharacterSet::Digits, [Linter::Csum, Linter::GcpPos1 | Linter::GcpPos2])
            if component.min > 4 =>
        {
            Content::CheckedDigits
        }
        _ => Content::Other,
    }
}

const fn key_bit(row: &AiEntry) -> u16 {
    let mut at = 0;
    while at < Ai::PRIMARY_KEYS.len() {
        if Ai::PRIMARY_KEYS[at].bits() == row.first.bits() {
            return 1 << at;
        }
        at += 1;
    }
    0
}

const fn met_by(row: &AiEntry) -> u16 {
    let (mut bits, mut at) = (0, 0);
    while at < Ai::PRIMARY_KEYS.len() {
        let key = Ai::PRIMARY_KEYS[at];
        // An element does not meet its own requirements.
        if row.requires.is_empty()
            || (key.bits() != row.first.bits() && meets_all(key, row.requires))
        {
            bits |= 1 << at;
        }
        at += 1;
    }
    bits
}

const fn meets_all(key: Ai, requirements: &[&[&[AiPattern]]]) -> bool {
    let mut at = 0;
    while at < requirements.len() {
        if !meets(key, requirements[at]) {
            return false;
        }
        at += 1;
    }
    true
}

const fn meets(key: Ai, groups: &[&[AiPattern]]) -> bool {
    let mut at = 0;
    while at < groups.len() {
        if let [pattern] = groups[at] {
            if pattern.matches(key) {
                return true;
            }
        }
        at += 1;
    }
    false
}

const fn excluded(patterns: &[AiPattern]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < patterns.len() {
        let pattern = patterns[at];
        if pattern.mask >> 16 != 0xffff {
            return u64::MAX; // a wildcard among the first two digits
        }
        bits |= prefix_bit(pattern.value.to_be_bytes());
        at += 1;
    }
    bits
}

const fn prefix_bit(ai: [u8; 4]) -> u64 {
    1 << (super::digit_pair(ai[0], ai[1]) % 64)
}

#[cfg(test)]
mod tests {
    use alloc::borrow::Cow;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::element::Element;
    use crate::findings::Findings;
    use crate::value::check_components;
    use crate::{Options, Span, associations, check_digit};

    fn rows() -> impl Iterator<Item = (Ai, &'static AiEntry)> {
        Ai::all().filter(|(ai, entry)| entry.ais().next() == Some(*ai))
    }

    fn any_row() -> impl Strategy<Value = (Ai, &'static AiEntry)> {
        prop::sample::select(rows().collect::<Vec<_>>())
    }

    #[test]
    fn most_rows_have_a_shortcut() {
        let count = |wanted: fn(&Content) -> bool| {
            rows().filter(|(_, entry)| wanted(&entry.shortcuts.content)).count()
        };
        assert_eq!(count(|content| matches!(content, Content::CheckedDigits)), 15);
        assert_eq!(count(|content| matches!(content, Content::Other)), 86);
        assert!(Ai::PRIMARY_KEYS.iter().all(|key| key.entry().unwrap().shortcuts.key != 0));
        assert_eq!(Ai::LOT.entry().unwrap().shortcuts.met_by.count_ones(), 2); // 01 and 8006
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn values_are_accepted_exactly_if_the_components_accept_them(
            (_, entry) in any_row(),
            text in prop_oneof!["[0-9]{90}", "[0-1][0-9]{89}", "[!-z]{90}", "[0-9]{80}[ -~]{10}"],
            length in 0_usize..90,
            checked in any::<bool>(),
        ) {
            let (min, max) = entry.value_length();
            let mut value = text.into_bytes();
            value.truncate(min.max(1) + length % (max - min.max(1) + 1));
            if checked {
                let last = value.len() - 1;
                value[last] = check_digit::of(&value[..last]);
            }
            let shortcuts = &entry.shortcuts;
            let is_right = check_components(entry, &value, None).is_ok_and(|taken| taken == value.len());
            if shortcuts.content != Content::Other {
                prop_assert_eq!(shortcuts.accepts(&value), is_right);
            }
            prop_assert!(is_right || !shortcuts.accepts(&value));
        }

        #[test]
        fn combinations_get_the_same_findings_with_a_glance(
            mut rows in prop::collection::vec(any_row(), 1..4),
            key in prop::sample::select(&Ai::PRIMARY_KEYS[..]),
        ) {
            rows.push((key, key.entry().unwrap()));
            rows.sort_unstable_by_key(|(ai, _)| *ai);
            rows.dedup_by_key(|(ai, _)| *ai);
            let elements: Vec<_> = rows
                .iter()
                .map(|&(ai, entry)| Element::new(ai, entry, Cow::Borrowed("1"), Span { start: 0, end: 1 }))
                .collect();
            let glance = Glance::over(rows.iter().map(|&(_, entry)| entry));
            let mut findings = Findings::default();
            associations::check(&elements, &Options::new(), &mut findings).unwrap();
            prop_assert!(findings.is_empty() || !(glance.excludes_nothing() && glance.lacks_nothing()));
            let mut with_glance = Findings::default();
            associations::check_distinct(&elements, &Options::new(), &mut with_glance).unwrap();
            prop_assert_eq!(with_glance, findings);
        }
    }
}
