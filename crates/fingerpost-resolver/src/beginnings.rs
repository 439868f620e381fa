//! Texts of which those with which another text begins are found by one binary search.

use std::cmp::Ordering;

/// A text that others can begin with.
pub trait Beginning {
    /// The texts that are compared with it. They are ordered by their characters, so that one which
    /// begins with another follows it, and what lies between the two begins with it as well.
    type Text: Ord + ?Sized;

    /// Returns the text.
    fn text(&self) -> &Self::Text;

    /// Returns the first characters of a text as a number, which orders texts as they do.
    fn head(text: &Self::Text) -> u128;

    /// Returns whether a text begins with another one.
    fn begins(text: &Self::Text, with: &Self::Text) -> bool;
}

/// The first digits of a text, at most [`CAPACITY`](Self::CAPACITY) of them: four bits each
/// from the highest on, with 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Digits(u64);

impl Digits {
    /// More than a company prefix has.
    pub const CAPACITY: usize = 16;

    /// Returns the digits with which a text begins.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let digits = text.bytes().take_while(u8::is_ascii_digit).take(Self::CAPACITY);
        let packed = digits.zip(1..).fold(0, |packed, (digit, number)| {
            packed | u64::from(digit - b'0' + 1) << (64 - 4 * number)
        });
        Self(packed)
    }

    /// Returns how many they are.
    #[must_use]
    pub fn len(self) -> usize {
        Self::CAPACITY - self.0.trailing_zeros() as usize / 4
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Beginning for Digits {
    type Text = Self;

    fn text(&self) -> &Self {
        self
    }

    fn head(text: &Self) -> u128 {
        text.0.into()
    }

    fn begins(text: &Self, with: &Self) -> bool {
        let unused = with.0.trailing_zeros() / 4 * 4;
        (text.0 ^ with.0).checked_shr(unused).unwrap_or(0) == 0
    }
}

impl Beginning for String {
    type Text = str;

    fn text(&self) -> &str {
        self
    }

    fn head(text: &str) -> u128 {
        let bytes = text.as_bytes();
        bytes.first_chunk().map_or_else(
            || bytes.iter().rfold(0, |head, byte| (head >> 8) | u128::from(*byte) << 120),
            |head| u128::from_be_bytes(*head),
        )
    }

    fn begins(text: &str, with: &str) -> bool {
        text.starts_with(with)
    }
}

/// A set of beginnings, each with a value.
///
/// ```
/// use fingerpost_resolver::{Beginnings, Digits};
///
/// let mut companies = Beginnings::default();
/// for prefix in ["9506000", "95060001", "9506002"] {
///     companies.push(Digits::of(prefix), prefix);
/// }
/// let number = Digits::of("950600012345");
/// let found: Vec<_> = companies.of(&number).map(|(_, prefix)| *prefix).collect();
/// assert_eq!(found, ["95060001", "9506000"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginnings<B, V> {
    sorted: Vec<Item<B, V>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Item<B, V> {
    /// [`Beginning::head`], which is compared first: a search seldom needs more.
    head: u128,
    beginning: B,
    /// The longest other one with which this one begins.
    shorter: Option<u32>,
    value: V,
}

impl<B, V> Default for Beginnings<B, V> {
    fn default() -> Self {
        Self { sorted: Vec::new() }
    }
}

impl<B: Beginning, V> Beginnings<B, V> {
    /// Adds a beginning, which follows all that were added before.
    pub fn push(&mut self, beginning: B, value: V) {
        let shorter = self.chain(self.sorted.len(), beginning.text()).next();
        let shorter = shorter.map(|(number, _)| number);
        let head = B::head(beginning.text());
        self.sorted.push(Item { head, beginning, shorter, value });
    }

    /// Returns those with which a text begins, the longest one first.
    pub fn of<'s>(&'s self, text: &'s B::Text) -> impl Iterator<Item = (&'s B, &'s V)> {
        let head = B::head(text);
        let is_before = |item: &Item<B, V>| match item.head.cmp(&head) {
            Ordering::Equal => item.beginning.text() <= text,
            order => order.is_lt(),
        };
        let after = self.sorted.partition_point(is_before);
        self.chain(after, text).map(|(_, item)| (&item.beginning, &item.value))
    }

    /// Returns the number of beginnings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Returns those with which a text begins that sorts before the item `after`, and not before
    /// the one in front of it: that one, or some with which that one begins.
    fn chain<'s>(
        &'s self,
        after: usize,
        text: &'s B::Text,
    ) -> impl Iterator<Item = (u32, &'s Item<B, V>)> {
        let at = |number: u32| Some((number, self.sorted.get(number as usize)?));
        let first = u32::try_from(after).ok().and_then(|after| at(after.checked_sub(1)?));
        let longest_first =
            std::iter::successors(first, move |(_, item)| item.shorter.and_then(at));
        longest_first.filter(move |(_, item)| B::begins(text, item.beginning.text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32.6: also texts that differ only after the characters that are compared first.
    #[test]
    fn long_and_short_texts_are_found() {
        let mut texts = vec!["01", "01/0", "01/0950600013435", "01/09506000134352", "0"];
        texts.extend(["01/09506000134352/10/A", "01/09506000134352/10/B", "01/0950600013436"]);
        texts.sort_unstable();
        let mut beginnings = Beginnings::default();
        texts.iter().for_each(|text| beginnings.push((*text).to_owned(), ()));
        for text in texts.iter().flat_map(|text| ["", "/", "/10/A", "9"].map(|end| [text, end])) {
            let text = text.concat();
            let found: Vec<_> = beginnings.of(&text).map(|(own, ())| &**own).collect();
            let mut expected: Vec<_> = texts.clone();
            expected.retain(|own| text.starts_with(own));
            expected.reverse();
            assert_eq!(found, expected, "{text}");
        }
    }
}
