//! The beginning of a text from outside, for messages.

use std::fmt;

/// The beginning of a text: `{}` writes it as it is, `{:?}` in quotes and escaped. Both add `…` if
/// the text was cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Excerpt<'a> {
    start: &'a str,
    is_cut: bool,
}

/// Returns at most the first `max_bytes` of a text, cut between characters.
///
/// ```
/// use fingerpost_resolver::excerpt;
///
/// assert_eq!(excerpt("café", 4).to_string(), "caf…");
/// assert_eq!(format!("{:?}", excerpt("a\n\"b", 4)), r#""a\n\"b""#);
/// ```
pub fn excerpt(text: &str, max_bytes: usize) -> Excerpt<'_> {
    let start = &text[..text.floor_char_boundary(max_bytes)];
    Excerpt { start, is_cut: start.len() < text.len() }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.start)?;
        f.write_str(if self.is_cut { "…" } else { "" })
    }
}

impl fmt::Debug for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.start, f)?;
        f.write_str(if self.is_cut { "…" } else { "" })
    }
}
