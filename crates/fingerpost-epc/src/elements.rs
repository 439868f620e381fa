//! Application Identifiers with their values, in order: the content of an EPC as elements (EPC Tag
//! Data Standard 2.3, section 7).

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str;

use fingerpost_gs1::{Ai, DigitalLink, ElementString};

use crate::error::Error;

mod names;

pub use names::KeyAndAttributes;
pub(crate) use names::LinkPath;

/// The number of bytes of values stored inline: two keys of the longest kind.
const INLINE_TEXT: usize = 64;

/// The number of pairs stored inline.
const INLINE_PAIRS: usize = 6;

/// The Application Identifiers and values of a tag in their order: the key first, then its
/// qualifiers, then further data. The values are decoded text, including check digits.
///
/// Tags hold data that the rules of their Application Identifiers refuse.
/// [`digital_link`](Self::digital_link), [`entity_key`](Self::entity_key) and
/// [`to_element_string`](Self::to_element_string) check them; the [`ElementString`] that the last
/// one gives is checked content of an item.
///
/// ```
/// use fingerpost_epc::Epc;
/// use fingerpost_gs1::Ai;
///
/// let values = Epc::from_hex("3066c4409047e14000001a85")?.elements()?;
/// assert_eq!(values.get(Ai::SERIAL), Some("6789"));
/// assert_eq!(values.to_string(), "(01)09506000134352(21)6789");
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone)]
pub struct AiValues {
    inline: [u8; INLINE_TEXT],
    /// The whole text if it is too long for `inline`; otherwise empty.
    spill: Vec<u8>,
    text_len: usize,
    pairs: [Pair; INLINE_PAIRS],
    /// The pairs after those of `pairs`.
    more_pairs: Vec<Pair>,
    count: usize,
}

/// One pair; its value starts at the end of the previous pair's value.
#[derive(Clone, Copy)]
struct Pair {
    ai: Ai,
    end: u32,
}

/// What takes elements one after another, each value in one or more pieces.
pub(crate) trait Elements {
    /// Starts an element with an empty value.
    fn start(&mut self, ai: Ai);
    /// Extends the last value.
    fn write_bytes(&mut self, bytes: &[u8]);
}

impl Elements for AiValues {
    #[inline]
    fn start(&mut self, ai: Ai) {
        AiValues::start(self, ai);
    }

    #[inline]
    fn write_bytes(&mut self, bytes: &[u8]) {
        AiValues::write_bytes(self, bytes);
    }
}

impl AiValues {
    /// Lists elements, each value checked against the rules of its Application Identifier. Their
    /// associations are not: a tag need not hold everything.
    ///
    /// ```
    /// use fingerpost_epc::AiValues;
    /// use fingerpost_gs1::Ai;
    ///
    /// let values = AiValues::new([(Ai::GTIN, "09506000134352"), (Ai::SERIAL, "6789")])?;
    /// assert_eq!(values.to_string(), "(01)09506000134352(21)6789");
    /// let error = AiValues::new([(Ai::GTIN, "09506000134353")]).unwrap_err();
    /// assert_eq!(error.code(), "L_INCORRECT_CHECK_DIGIT");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first rule that a value violates.
    pub fn new<'v>(pairs: impl IntoIterator<Item = (Ai, &'v str)>) -> Result<AiValues, Error> {
        let values = AiValues::unchecked(pairs);
        values.check_values()?;
        Ok(values)
    }

    /// Lists elements as another reader found them on a tag, whatever the rules of their values
    /// say.
    pub fn unchecked<'v>(pairs: impl IntoIterator<Item = (Ai, &'v str)>) -> AiValues {
        let mut values = AiValues::empty();
        pairs.into_iter().for_each(|(ai, value)| values.push(ai, value));
        values
    }

    /// Creates an empty list.
    pub(crate) const fn empty() -> AiValues {
        AiValues {
            inline: [0; INLINE_TEXT],
            spill: Vec::new(),
            text_len: 0,
            pairs: [Pair { ai: Ai::GTIN, end: 0 }; INLINE_PAIRS],
            more_pairs: Vec::new(),
            count: 0,
        }
    }

    /// Appends a pair. Neither the value nor its associations are checked.
    pub(crate) fn push(&mut self, ai: Ai, value: &str) {
        self.start(ai);
        self.write_str(value);
    }

    /// Returns the number of pairs.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Returns whether it is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (Ai, &str)> + Clone {
        // Only whole strings are written, so the conversion cannot fail.
        self.pairs().map(|(ai, value)| (ai, str::from_utf8(value).unwrap_or_default()))
    }

    /// Returns the value of the first pair with this Application Identifier.
    #[must_use]
    pub fn get(&self, ai: Ai) -> Option<&str> {
        // Only whole strings are written, so the conversion cannot fail.
        self.find(ai).map(|value| str::from_utf8(value).unwrap_or_default())
    }

    /// Returns the value of the first pair with this Application Identifier, as bytes.
    #[inline]
    pub(crate) fn find(&self, ai: Ai) -> Option<&[u8]> {
        self.pair_at(self.index_of(ai)?).map(|(_, value)| value)
    }

    /// Returns the index of the first pair with this Application Identifier.
    #[inline]
    fn index_of(&self, ai: Ai) -> Option<usize> {
        let inline = &self.pairs[..self.count.min(INLINE_PAIRS)];
        let index = inline.iter().position(|pair| pair.ai == ai);
        index.or_else(|| {
            let index = self.more_pairs.iter().position(|pair| pair.ai == ai)?;
            Some(INLINE_PAIRS + index)
        })
    }

    /// Returns the pairs with values as bytes.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Ai, &[u8])> + Clone {
        let text = self.text();
        let mut start = 0;
        let inline = self.pairs[..self.count.min(INLINE_PAIRS)].iter();
        inline.chain(&self.more_pairs).map(move |pair| {
            let end = pair.end as usize;
            (pair.ai, &text[core::mem::replace(&mut start, end)..end])
        })
    }

    /// Starts a pair with an empty value, which the `write_…` functions extend.
    #[inline]
    pub(crate) fn start(&mut self, ai: Ai) {
        let pair = Pair { ai, end: self.end() };
        match self.pairs.get_mut(self.count) {
            Some(slot) => *slot = pair,
            None => self.more_pairs.push(pair),
        }
        self.count += 1;
    }

    /// Removes the last pair.
    pub(crate) fn remove_last(&mut self) {
        let Some(left) = self.count.checked_sub(1) else { return };
        self.more_pairs.pop();
        self.count = left;
        self.text_len = match left.checked_sub(1) {
            Some(last) => self.pair(last).end as usize,
            None => 0,
        };
        self.spill.truncate(self.text_len);
    }

    /// Extends the last value.
    #[inline]
    pub(crate) fn write_str(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    #[inline]
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) {
        let end = self.text_len + bytes.len();
        match self.inline.get_mut(self.text_len..end) {
            Some(slot) if self.spill.is_empty() => slot.copy_from_slice(bytes),
            _ => self.write_beyond(bytes),
        }
        self.text_len = end;
        let end = self.end();
        match self.count.checked_sub(1) {
            Some(last) if last < INLINE_PAIRS => self.pairs[last].end = end,
            _ => {
                if let Some(last) = self.more_pairs.last_mut() {
                    last.end = end;
                }
            }
        }
    }

    /// Writes text that does not fit inline.
    #[cold]
    fn write_beyond(&mut self, bytes: &[u8]) {
        if self.spill.is_empty() {
            self.spill.extend_from_slice(&self.inline[..self.text_len]);
        }
        self.spill.extend_from_slice(bytes);
    }

    fn text(&self) -> &[u8] {
        if self.spill.is_empty() { &self.inline[..self.text_len] } else { &self.spill }
    }

    /// Returns the pair at `index`, its value as bytes.
    #[inline]
    fn pair_at(&self, index: usize) -> Option<(Ai, &[u8])> {
        if index >= self.count {
            return None;
        }
        let start = index.checked_sub(1).map_or(0, |before| self.pair(before).end);
        let pair = self.pair(index);
        Some((pair.ai, &self.text()[start as usize..pair.end as usize]))
    }

    fn pair(&self, index: usize) -> Pair {
        match self.pairs.get(index) {
            Some(pair) => *pair,
            None => self.more_pairs[index - INLINE_PAIRS],
        }
    }

    /// Returns the end of the text. No bit string or element string has nearly four gigabytes.
    #[inline]
    fn end(&self) -> u32 {
        self.text_len as u32
    }
}

impl From<&ElementString<'_>> for AiValues {
    fn from(elements: &ElementString<'_>) -> AiValues {
        AiValues::unchecked(
            elements.elements().iter().map(|element| (element.ai(), element.value())),
        )
    }
}

impl From<&DigitalLink<'_>> for AiValues {
    /// Converts a link to key, qualifiers and attributes.
    fn from(link: &DigitalLink<'_>) -> AiValues {
        AiValues::unchecked(link.elements().iter().map(|element| (element.ai(), element.value())))
    }
}

impl PartialEq for AiValues {
    fn eq(&self, other: &AiValues) -> bool {
        self.pairs().eq(other.pairs())
    }
}

impl Eq for AiValues {}

impl Hash for AiValues {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pairs().for_each(|pair| pair.hash(state));
    }
}

impl fmt::Display for AiValues {
    /// Formats a bracketed element string, with `(` in values escaped: `(10)A\(B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (ai, value) in self.iter() {
            write!(f, "({ai})")?;
            for (nth, piece) in value.split('(').enumerate() {
                f.write_str(if nth == 0 { "" } else { "\\(" })?;
                f.write_str(piece)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for AiValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AiValues({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    #[test]
    fn pairs_keep_their_order_and_values_beyond_the_inline_part() {
        for count in 0..20_usize {
            let texts: Vec<String> = (0..count).map(|n| "x".repeat(n * 3)).collect();
            let mut values = AiValues::unchecked(texts.iter().map(|text| (Ai::LOT, text.as_str())));
            assert_eq!(values.len(), count);
            assert!(values.iter().map(|(_, value)| value).eq(texts.iter().map(String::as_str)));
            values.push(Ai::SERIAL, "last");
            values.remove_last();
            values.remove_last();
            let left = count.saturating_sub(1);
            assert!(values.iter().map(|(_, value)| value).eq(texts[..left].iter()));
            values.push(Ai::SERIAL, "next");
            assert_eq!(values.get(Ai::SERIAL), Some("next"));
        }
    }

    #[test]
    fn brackets_are_escaped() {
        let mut values = AiValues::empty();
        values.start(Ai::SERIAL);
        values.write_str("42");
        values.write_bytes(b"(");
        assert_eq!(values.to_string(), r"(21)42\(");
    }
}
