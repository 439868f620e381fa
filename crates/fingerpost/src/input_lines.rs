//! Lines of standard input, of bounded length.

use std::io::{self, BufRead, BufReader, Read};

use crate::failure::Failure;

/// Maximum number of bytes read of a line. Far more than any identifier has, so that a longer line
/// is reported as too long rather than truncated unnoticed.
pub(crate) const MAX_LINE: u64 = 64 * 1024;

/// A reader of lines without line ends.
pub(crate) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// The original line, if its bytes were not text.
    text: String,
    is_cut: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, line: Vec::new(), text: String::new(), is_cut: false }
    }

    /// Returns the next line, or `None` at the end. Invalid UTF-8 becomes U+FFFD, which no rule
    /// allows.
    pub(crate) fn next(&mut self) -> io::Result<Option<&str>> {
        self.line.clear();
        if self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.is_cut = false;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        } else {
            self.is_cut = self.input.skip_until(b'\n')? > 0;
        }
        match str::from_utf8(&self.line) {
            Ok(text) => Ok(Some(text)),
            Err(_) => {
                self.text = String::from_utf8_lossy(&self.line).into_owned();
                Ok(Some(&self.text))
            }
        }
    }

    /// Returns the line that [`Lines::next`] returned last.
    pub(crate) fn line(&self) -> &str {
        str::from_utf8(&self.line).unwrap_or(&self.text)
    }

    /// Returns whether the line returned by [`Lines::next`] was too long and was truncated.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl<R: Read> Lines<BufReader<R>> {
    /// Returns whether reading the next line would block.
    pub(crate) fn is_drained(&self) -> bool {
        self.input.buffer().is_empty()
    }
}

/// Returns the failure for standard input that could not be read.
pub(crate) fn unreadable(error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot read standard input: {error}"),
        "pass what to check as arguments instead",
    )
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
        assert!(!lines.is_cut());
        assert_eq!(lines.next().unwrap().map(str::len), Some(MAX_LINE as usize));
        assert!(lines.is_cut());
        assert_eq!(lines.next().unwrap(), Some("b\u{1d}"));
        assert!(!lines.is_cut());
        assert_eq!(lines.next().unwrap(), None);
    }
}
