//! One Application Identifier with its checked value, and a short list of them.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use crate::Span;
use crate::ai::{Ai, AiEntry};
use crate::unknown_ai;

/// One Application Identifier with its checked value.
///
/// Equal if identifier and value are equal; the position in the input is ignored.
#[derive(Clone)]
pub struct Element<'a> {
    ai: Ai,
    entry: &'static AiEntry,
    value: Cow<'a, str>,
    /// The position of the value. Parsers reject input over 8191 bytes.
    start: u16,
    end: u16,
}

impl<'a> Element<'a> {
    /// Creates an element for a parser, which must check the value before publishing it. `span` is
    /// the position of the value in the input.
    #[inline]
    pub(crate) fn new(
        ai: Ai,
        entry: &'static AiEntry,
        value: Cow<'a, str>,
        span: Span,
    ) -> Element<'a> {
        let limit = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        Element { ai, entry, value, start: limit(span.start), end: limit(span.end) }
    }

    /// Returns the Application Identifier.
    #[must_use]
    #[inline]
    pub fn ai(&self) -> Ai {
        self.ai
    }

    /// Returns the value: ASCII, decoded, a GTIN with all its digits.
    #[must_use]
    #[inline]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the row against which the value was checked. For an Application Identifier that is
    /// not allocated (see [`Options::unknown_ais`](crate::Options::unknown_ais)), this is a
    /// placeholder row.
    #[must_use]
    #[inline]
    pub fn entry(&self) -> &'static AiEntry {
        self.entry
    }

    /// Returns the position of the value in the input.
    #[must_use]
    pub fn span(&self) -> Span {
        Span { start: usize::from(self.start), end: usize::from(self.end) }
    }

    /// Returns an owned copy of the element.
    #[must_use]
    pub fn into_owned(self) -> Element<'static> {
        Element {
            ai: self.ai,
            entry: self.entry,
            value: Cow::Owned(self.value.into_owned()),
            start: self.start,
            end: self.end,
        }
    }

    /// A placeholder for the unused slots of [`Elements`].
    const fn placeholder() -> Element<'a> {
        Element {
            ai: Ai::GTIN,
            entry: &unknown_ai::ANY,
            value: Cow::Borrowed(""),
            start: 0,
            end: 0,
        }
    }
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Element<'_>) -> bool {
        self.ai == other.ai && self.value == other.value
    }
}

impl Eq for Element<'_> {}

impl fmt::Display for Element<'_> {
    /// Formats the element as in a bracketed element string, with `(` in the value escaped:
    /// `(10)A\(B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.ai)?;
        for (nth, piece) in self.value.split('(').enumerate() {
            f.write_str(if nth == 0 { "" } else { "\\(" })?;
            f.write_str(piece)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}){:?}", self.ai, self.value)
    }
}

/// A sequence of elements. The first eight need no allocation, and few items have more.
#[derive(Clone)]
pub struct Elements<'a> {
    inline: [Element<'a>; INLINE],
    /// The number of used slots of `inline`. If `spill` is not empty, it holds these elements and
    /// all later ones.
    inline_len: usize,
    spill: Vec<Element<'a>>,
}

impl<'a> Elements<'a> {
    /// Creates an empty list.
    #[must_use]
    pub(crate) const fn new() -> Elements<'a> {
        Elements {
            inline: [const { Element::placeholder() }; INLINE],
            inline_len: 0,
            spill: Vec::new(),
        }
    }

    /// Returns the elements as a slice.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[Element<'a>] {
        if self.spill.is_empty() { &self.inline[..self.inline_len] } else { &self.spill }
    }

    /// Appends an element.
    #[inline]
    pub(crate) fn push(&mut self, element: Element<'a>) {
        match self.inline.get_mut(self.inline_len) {
            Some(slot) => {
                *slot = element;
                self.inline_len += 1;
            }
            None => self.push_beyond(element),
        }
    }

    /// Appends an element that does not fit into `inline`.
    #[cold]
    fn push_beyond(&mut self, element: Element<'a>) {
        if self.spill.is_empty() {
            let empty = [const { Element::placeholder() }; INLINE];
            self.spill.extend(core::mem::replace(&mut self.inline, empty));
        }
        self.spill.push(element);
    }

    /// Returns an owned copy of the elements.
    #[must_use]
    pub fn into_owned(self) -> Elements<'static> {
        Elements {
            inline: self.inline.map(Element::into_owned),
            inline_len: self.inline_len,
            spill: self.spill.into_iter().map(Element::into_owned).collect(),
        }
    }
}

impl Default for Elements<'_> {
    fn default() -> Self {
        Elements::new()
    }
}

impl<'a> core::ops::Deref for Elements<'a> {
    type Target = [Element<'a>];

    #[inline]
    fn deref(&self) -> &[Element<'a>] {
        self.as_slice()
    }
}

impl<'a> Extend<Element<'a>> for Elements<'a> {
    fn extend<I: IntoIterator<Item = Element<'a>>>(&mut self, elements: I) {
        for element in elements {
            self.push(element);
        }
    }
}

impl<'a> FromIterator<Element<'a>> for Elements<'a> {
    fn from_iter<I: IntoIterator<Item = Element<'a>>>(elements: I) -> Elements<'a> {
        let mut list = Elements::new();
        list.extend(elements);
        list
    }
}

impl<'a, 'e> IntoIterator for &'e Elements<'a> {
    type Item = &'e Element<'a>;
    type IntoIter = core::slice::Iter<'e, Element<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl PartialEq for Elements<'_> {
    fn eq(&self, other: &Elements<'_>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Elements<'_> {}

impl fmt::Debug for Elements<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// The number of elements stored inline: the URIs in GS1's own documents contain at most seven.
const INLINE: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn lot(number: usize) -> Element<'static> {
        let (ai, value) = (Ai::LOT, Cow::Owned(format!("L{number}")));
        Element::new(ai, &unknown_ai::ANY, value, Span { start: number, end: number + 2 })
    }

    #[test]
    fn elements_keep_their_order_beyond_the_inline_slots() {
        for count in 0..20 {
            let list: Elements<'_> = (0..count).map(lot).collect();
            assert_eq!(list.len(), count);
            for (number, element) in list.iter().enumerate() {
                assert_eq!(element.value(), format!("L{number}"));
                assert_eq!(element.span().start, number);
            }
            assert_eq!(list.clone().into_owned(), list);
        }
    }
}
