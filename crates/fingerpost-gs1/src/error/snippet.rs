//! The beginning of an input, stored for an error message: at most 32 bytes, escaped for display.

use core::fmt;

/// Maximum number of bytes shown of an input: enough to recognise it, too few to flood a log.
const LIMIT: usize = 32;

/// At most the first 32 bytes of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snippet {
    bytes: [u8; LIMIT],
    /// The number of used bytes; one more than `LIMIT` if the text was truncated.
    length: u8,
}

impl Snippet {
    pub(crate) const fn empty() -> Snippet {
        Snippet { bytes: [0; LIMIT], length: 0 }
    }

    pub(crate) fn new(text: &[u8]) -> Snippet {
        let mut snippet = Snippet::empty();
        for (place, &byte) in snippet.bytes.iter_mut().zip(text) {
            *place = byte;
        }
        snippet.length = u8::try_from(text.len().min(LIMIT + 1)).unwrap_or(0);
        snippet
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(crate) fn contains(&self, is_meant: impl Fn(u8) -> bool) -> bool {
        self.bytes().iter().any(|byte| is_meant(*byte))
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length).min(LIMIT)]
    }
}

impl fmt::Display for Snippet {
    /// Formats the text in double quotes, with everything but printable ASCII escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = usize::from(self.length) > LIMIT;
        write!(f, "\"{}{}\"", self.bytes().escape_ascii(), if cut { "..." } else { "" })
    }
}

impl fmt::Debug for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn shows_at_most_32_bytes_escaped() {
        assert_eq!(format!("{}", Snippet::new(b"A\x1d\"\xff")), r#""A\x1d\"\xff""#);
        assert_eq!(format!("{}", Snippet::new(&[b'a'; 32])), format!("\"{}\"", "a".repeat(32)));
        assert_eq!(format!("{}", Snippet::new(&[b'a'; 33])), format!("\"{}...\"", "a".repeat(32)));
    }
}
