//! The beginning of an input, stored for an error message: at most 32 bytes, escaped for display.

use core::fmt;

use crate::limits::MAX_SHOWN_INPUT;

/// At most the first 32 bytes of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snippet {
    bytes: [u8; MAX_SHOWN_INPUT],
    /// The number of used bytes; one more than `MAX_SHOWN_INPUT` if the text was truncated.
    length: u8,
}

impl Snippet {
    pub(crate) const fn empty() -> Snippet {
        Snippet { bytes: [0; MAX_SHOWN_INPUT], length: 0 }
    }

    pub(crate) fn new(text: &[u8]) -> Snippet {
        let mut snippet = Snippet::empty();
        for (slot, &byte) in snippet.bytes.iter_mut().zip(text) {
            *slot = byte;
        }
        snippet.length = u8::try_from(text.len().min(MAX_SHOWN_INPUT + 1)).unwrap_or(0);
        snippet
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(crate) fn contains(&self, is_meant: impl Fn(u8) -> bool) -> bool {
        self.bytes().iter().any(|byte| is_meant(*byte))
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length).min(MAX_SHOWN_INPUT)]
    }
}

impl fmt::Display for Snippet {
    /// Formats the text in double quotes, with everything but printable ASCII escaped: characters
    /// as `\u{e9}`, bytes that are no text as `\xc3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for chunk in self.bytes().utf8_chunks() {
            for char in chunk.valid().chars() {
                match u8::try_from(char).ok().filter(u8::is_ascii) {
                    Some(byte) => write!(f, "{}", byte.escape_ascii())?,
                    None => write!(f, "{}", char.escape_unicode())?,
                }
            }
            write!(f, "{}", chunk.invalid().escape_ascii())?;
        }
        f.write_str(if usize::from(self.length) > MAX_SHOWN_INPUT { "...\"" } else { "\"" })
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
        assert_eq!(format!("{}", Snippet::new("b\u{e9}".as_bytes())), r#""b\u{e9}""#);
        assert_eq!(format!("{}", Snippet::new(&[b'a'; 32])), format!("\"{}\"", "a".repeat(32)));
        assert_eq!(format!("{}", Snippet::new(&[b'a'; 33])), format!("\"{}...\"", "a".repeat(32)));
    }
}
