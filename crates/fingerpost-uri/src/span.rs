//! Positions in a text.

use core::ops::Range;

/// A range of bytes in a text, `end` not included: the position of everything that the crates of
/// this toolkit report.
///
/// ```
/// use fingerpost_uri::UriRef;
///
/// let text = "http://a b/";
/// let error = UriRef::parse(text).unwrap_err();
/// assert_eq!(&text[error.span().range()], " ");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span of `length` bytes from `start`.
    #[must_use]
    pub const fn from_length(start: usize, length: usize) -> Span {
        Span { start, end: start + length }
    }

    /// Returns the span widened to whole characters of `text`, so that `text` can be sliced there.
    /// Ends with the text.
    ///
    /// ```
    /// use fingerpost_uri::Span;
    ///
    /// let text = "Bär";
    /// let second_byte_of_a_letter = Span::from_length(2, 1);
    /// assert_eq!(second_byte_of_a_letter.on_characters(text), Span { start: 1, end: 3 });
    /// ```
    #[must_use]
    pub fn on_characters(self, text: &str) -> Span {
        let start = (0..=self.start.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
        let end = (self.end..text.len()).find(|&at| text.is_char_boundary(at));
        Span { start: start.unwrap_or(0), end: end.unwrap_or(text.len()) }
    }

    /// Returns how many bytes.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether it is empty, which means that something is missing there.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the range, to slice the text with.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Range<usize> {
        span.range()
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span { start: range.start, end: range.end }
    }
}
