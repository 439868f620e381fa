//! Output buffers for resolution and normalisation.

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Range;

/// A text that grows at its end and can be truncated.
pub(crate) trait Sink {
    /// Appends `text`.
    fn push(&mut self, text: &str);
    /// Truncates the text to its first `len` bytes.
    fn truncate(&mut self, len: usize);
    /// Returns what has been written.
    fn text(&self) -> &str;
}

impl Sink for String {
    fn push(&mut self, text: &str) {
        self.push_str(text);
    }

    fn truncate(&mut self, len: usize) {
        Self::truncate(self, len);
    }

    fn text(&self) -> &str {
        self
    }
}

/// An output that allocates only if it differs from the original.
pub(crate) struct Unchanged<'a> {
    original: &'a str,
    /// While `changed` is empty, the output equals the first `same` bytes of the original.
    same: usize,
    changed: Option<String>,
}

impl<'a> Unchanged<'a> {
    pub(crate) const fn new(original: &'a str) -> Self {
        Self { original, same: 0, changed: None }
    }

    pub(crate) fn finish(self) -> Cow<'a, str> {
        match self.changed {
            None => Cow::Borrowed(&self.original[..self.same]),
            // The changed part may have been removed later.
            Some(text) if self.original.starts_with(&text) => {
                Cow::Borrowed(&self.original[..text.len()])
            }
            Some(text) => Cow::Owned(text),
        }
    }

    /// Appends the part of the original at `range`.
    #[inline]
    pub(crate) fn keep(&mut self, range: Range<usize>) {
        if self.changed.is_none() && self.same == range.start {
            self.same = range.end;
        } else if !range.is_empty() {
            self.copy(range);
        }
    }

    #[inline(never)]
    fn copy(&mut self, range: Range<usize>) {
        let piece = &self.original[range];
        self.change().push_str(piece);
    }

    /// Appends the part of the original at `range`, in upper case.
    pub(crate) fn keep_in_upper_case(&mut self, range: Range<usize>) {
        let piece = &self.original[range];
        let text = self.change();
        let start = text.len();
        text.push_str(piece);
        text[start..].make_ascii_uppercase();
    }

    /// Removes the output from `at` on.
    pub(crate) fn split_off(&mut self, at: usize) -> Cow<'a, str> {
        match &mut self.changed {
            None => {
                let end = core::mem::replace(&mut self.same, at);
                Cow::Borrowed(&self.original[at..end])
            }
            Some(text) => Cow::Owned(text.split_off(at)),
        }
    }

    /// Inserts `text` before the output from `at` on.
    pub(crate) fn insert(&mut self, at: usize, text: &str) {
        self.change().insert_str(at, text);
    }

    /// Returns the output for modification.
    pub(crate) fn change(&mut self) -> &mut String {
        self.changed.get_or_insert_with(|| {
            let mut copy = String::with_capacity(self.original.len() + 2);
            copy.push_str(&self.original[..self.same]);
            copy
        })
    }
}

impl Sink for Unchanged<'_> {
    fn push(&mut self, text: &str) {
        if self.changed.is_none() && self.original[self.same..].starts_with(text) {
            self.same += text.len();
        } else {
            self.change().push_str(text);
        }
    }

    fn truncate(&mut self, len: usize) {
        match &mut self.changed {
            Some(text) => text.truncate(len),
            None => self.same = self.same.min(len),
        }
    }

    fn text(&self) -> &str {
        self.changed.as_deref().unwrap_or(&self.original[..self.same])
    }
}
