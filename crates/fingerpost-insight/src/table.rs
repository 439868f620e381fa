//! The counters of some threads, by what they count. Finding the counter of a scan is most of what
//! counting costs, so what most scans have is compared as numbers.

use std::borrow::Cow;

use crate::facets::{AnswerKind, CountryCode, Facets};
use crate::keyed_hash::KeyedHash;
use crate::scan::{AnsweredScan, LinkType};

/// What is counted about a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'s> {
    /// Hour since 1970, country, first byte of the level, kind of the answer, and whether the user
    /// agent is that of a program.
    numbers: u64,
    /// The first and the last eight bytes of the level without its first one: all of a GTIN.
    level_ends: [u64; 2],
    /// The last eight bytes of the language: all of most.
    language_end: u64,
    level: &'s str,
    language: &'s str,
    link_type: &'s str,
}

/// A counter.
#[derive(Debug)]
struct Counter {
    numbers: u64,
    level_ends: [u64; 2],
    language_end: u64,
    level: Box<str>,
    language: Box<str>,
    link_type: Cow<'static, str>,
    count: u64,
    hash: u64,
    /// The next counter with the same remainder of its hash.
    next: u32,
}

/// Counters by hash.
#[derive(Debug, Default)]
pub(crate) struct Table {
    counters: Vec<Counter>,
    /// The first counter with each remainder of the hash. The length is a power of two.
    first: Vec<u32>,
}

/// The end of a chain of counters.
const NONE: u32 = u32::MAX;

impl<'s> Key<'s> {
    /// Returns the key of a scan that is counted at `level`.
    #[inline]
    pub(crate) fn new(scan: &AnsweredScan<'s>, level: &'s str, bot: bool) -> Self {
        let (initial, rest) = level.as_bytes().split_first().unwrap_or((&0, &[]));
        let level_ends = match (rest.first_chunk(), rest.last_chunk()) {
            (Some(first), Some(last)) => [u64::from_ne_bytes(*first), u64::from_ne_bytes(*last)],
            _ => [0; 2],
        };
        let language = scan.language.unwrap_or_default();
        let language_end = match *language.as_bytes() {
            [first, second] => u64::from(first) << 8 | u64::from(second), // most
            ref bytes => bytes.iter().fold(0, |end, byte| end << 8 | u64::from(*byte)),
        };
        let hour = scan.at.as_second().max(0) as u64 / 3600;
        let numbers = hour << 32
            | u64::from(CountryCode::number(scan.country)) << 16
            | u64::from(*initial) << 8
            | (scan.kind as u64) << 1
            | u64::from(bot);
        let link_type = scan.link_type.map_or("", LinkType::as_str);
        Self { numbers, level_ends, language_end, level, language, link_type }
    }

    /// Returns whether [`Key::numbers`] and [`Key::level_ends`] are all of the level.
    #[inline]
    fn has_short_level(&self) -> bool {
        (9..=17).contains(&self.level.len())
    }

    /// Returns the hash. The ends of the link type and of the language are enough: a registrant can
    /// choose many with the same end, but only for its own level.
    #[inline]
    pub(crate) fn hash(&self, hash: &KeyedHash) -> u64 {
        let [first, last] = self.level_ends;
        let level = match self.has_short_level() {
            true => hash.of_numbers(first, last),
            false => hash.of(self.level.as_bytes()),
        };
        let link_type = self.link_type.as_bytes().last_chunk();
        let link_type = link_type.map_or(0, |end| u64::from_ne_bytes(*end));
        hash.of_numbers(level ^ self.numbers, link_type ^ self.language_end)
    }
}

impl Counter {
    #[inline]
    fn counts(&self, key: &Key<'_>) -> bool {
        self.numbers == key.numbers
            && self.level_ends[0] == key.level_ends[0]
            && self.level_ends[1] == key.level_ends[1]
            && self.level.len() == key.level.len()
            && self.language_end == key.language_end
            && match &self.link_type {
                // Equal texts at two addresses have two counters, which are added up later.
                Cow::Borrowed(term) => std::ptr::eq(*term, key.link_type),
                Cow::Owned(text) => text == key.link_type,
            }
            && (key.has_short_level() || *self.level == *key.level)
            && (key.language.len() < 8 || *self.language == *key.language)
    }

    fn facets(&self) -> Facets {
        let [bot_and_kind, ..] = self.numbers.to_le_bytes();
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Facets {
            kind: AnswerKind::ALL[usize::from(bot_and_kind >> 1)],
            link_type: text(&self.link_type),
            language: text(&self.language),
            country: CountryCode::of_number((self.numbers >> 16) as u16),
            bot: bot_and_kind & 1 == 1,
        }
    }
}

impl Table {
    /// Adds a scan to its counter, if there is one.
    #[inline]
    pub(crate) fn count(&mut self, hash: u64, key: &Key<'_>) -> bool {
        let remainder = hash as usize & self.first.len().wrapping_sub(1);
        let mut next = self.first.get(remainder).copied().unwrap_or(NONE);
        while let Some(counter) = self.counters.get_mut(next as usize) {
            if counter.counts(key) {
                counter.count += 1;
                return true;
            }
            next = counter.next;
        }
        false
    }

    /// Adds a counter for the first scan. The key is passed by value, so that [`Table::count`] has
    /// it in registers.
    #[cold]
    pub(crate) fn insert(&mut self, hash: u64, key: Key<'_>, link_type: Option<LinkType<'_>>) {
        self.counters.push(Counter {
            numbers: key.numbers,
            level_ends: key.level_ends,
            language_end: key.language_end,
            level: key.level.into(),
            language: key.language.into(),
            link_type: match link_type {
                Some(LinkType::Term(text)) => Cow::Borrowed(text),
                _ => Cow::Owned(key.link_type.to_owned()),
            },
            count: 1,
            hash,
            next: NONE,
        });
        let mut from = self.counters.len() - 1;
        if from >= self.first.len() {
            self.first = vec![NONE; self.counters.len().next_power_of_two().max(16)];
            from = 0;
        }
        let mask = self.first.len() - 1;
        for (counter, index) in self.counters[from..].iter_mut().zip(from..) {
            let first = &mut self.first[counter.hash as usize & mask];
            counter.next = std::mem::replace(first, index as u32);
        }
    }

    /// Returns the number of counters.
    pub(crate) fn len(&self) -> usize {
        self.counters.len()
    }

    /// Returns level, hour, facets and count of all counters.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u32, Facets, u64)> {
        let counters = self.counters.iter();
        counters.map(|it| (&*it.level, (it.numbers >> 32) as u32, it.facets(), it.count))
    }
}
