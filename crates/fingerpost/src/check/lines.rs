//! Lines of standard input, of bounded length.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// Bytes of a line that are looked at: far more than any identifier has, so that a longer line is called too
/// long, not cut unnoticed.
const MAX_LINE: u64 = 64 * 1024;

/// Reads line by line without the line end.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    text: String,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, line: Vec::new(), text: String::new() }
    }

    /// The next line, or `None` at the end. Bytes that are no text become U+FFFD, which no rule admits.
    pub(crate) fn next(&mut self) -> io::Result<Option<&str>> {
        self.line.clear();
        if self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        } else {
            self.input.skip_until(b'\n')?;
        }
        self.text = match String::from_utf8_lossy(&self.line) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        };
        Ok(Some(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, MAX_LINE};

    #[test]
    fn line_ends_are_dropped_and_long_lines_cut() {
        let long = "x".repeat(MAX_LINE as usize + 10);
        let input = format!("a\r\n\n{long}\nb\u{1d}");
        let mut lines = Lines::new(input.as_bytes());
        assert_eq!(lines.next().unwrap(), Some("a"));
        assert_eq!(lines.next().unwrap(), Some(""));
        assert_eq!(lines.next().unwrap().map(str::len), Some(MAX_LINE as usize));
        assert_eq!(lines.next().unwrap(), Some("b\u{1d}"));
        assert_eq!(lines.next().unwrap(), None);
    }
}
