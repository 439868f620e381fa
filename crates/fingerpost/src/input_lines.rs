//! Lines of standard input, of bounded length.

use std::io::{self, BufRead, BufReader, Read};

use fingerpost_exchange::Utf16Reader;

use crate::failure::Failure;
use crate::limits::MAX_LINE;

/// A reader of lines without line ends. A byte order mark is left out, and UTF-16 decoded where it
/// says so.
pub(crate) struct Lines<R> {
    input: Input<R>,
    line: Vec<u8>,
    /// The original line, if its bytes were not text.
    text: String,
    is_cut: bool,
}

enum Input<R> {
    Utf8(R),
    Utf16(BufReader<Utf16Reader<R>>),
}

impl<R: BufRead> Lines<R> {
    /// Begins to read; waits for the first bytes.
    pub(crate) fn new(mut input: R) -> io::Result<Self> {
        let start = input.fill_buf()?;
        let (mark, is_utf16) = match start {
            [0xef, 0xbb, 0xbf, ..] => (3, false),
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => (2, true),
            _ => (0, false),
        };
        let is_big_endian = start.first() == Some(&0xfe);
        input.consume(mark);
        let input = match is_utf16 {
            false => Input::Utf8(input),
            true => Input::Utf16(BufReader::new(Utf16Reader::new(input, is_big_endian))),
        };
        Ok(Self { input, line: Vec::new(), text: String::new(), is_cut: false })
    }

    /// Returns the next line, or `None` at the end. Invalid UTF-8 becomes U+FFFD, which no rule
    /// allows.
    pub(crate) fn next(&mut self) -> io::Result<Option<&str>> {
        let input: &mut dyn BufRead = match &mut self.input {
            Input::Utf8(input) => input,
            Input::Utf16(input) => input,
        };
        self.line.clear();
        if (&mut *input).take(MAX_LINE).read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.is_cut = false;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        } else {
            self.is_cut = input.skip_until(b'\n')? > 0;
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
        match &self.input {
            Input::Utf8(input) => input.buffer().is_empty(),
            Input::Utf16(input) => input.buffer().is_empty(),
        }
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

    /// IN-18: a byte order mark is not part of the first line, and states the encoding.
    #[test]
    fn byte_order_marks_are_dropped() {
        let utf16 = |mark: u16, to_bytes: fn(u16) -> [u8; 2], text: &str| -> Vec<u8> {
            core::iter::once(mark).chain(text.encode_utf16()).flat_map(to_bytes).collect()
        };
        let text = "9520123456788\r\n\nä\u{1d}";
        for bytes in [
            ["\u{feff}", text].concat().into_bytes(),
            utf16(0xfeff, u16::to_le_bytes, text),
            utf16(0xfeff, u16::to_be_bytes, text),
        ] {
            let mut lines = Lines::new(&*bytes).unwrap();
            for expected in [Some("9520123456788"), Some(""), Some("ä\u{1d}"), None] {
                assert_eq!(lines.next().unwrap(), expected, "{bytes:x?}");
            }
        }
        let long = utf16(0xfeff, u16::to_le_bytes, &["x".repeat(70_000), "b".into()].join("\n"));
        let mut lines = Lines::new(&*long).unwrap();
        assert_eq!(lines.next().unwrap().map(str::len), Some(MAX_LINE as usize));
        assert!(lines.is_cut());
        assert_eq!(lines.next().unwrap(), Some("b"));
        assert!(!lines.is_cut());
        let mut odd = Lines::new(&b"\xff\xfeA"[..]).unwrap();
        assert_eq!(odd.next().unwrap(), Some("\u{fffd}"), "half a unit is no text");
        assert_eq!(odd.next().unwrap(), None);
    }

    #[test]
    fn line_ends_are_dropped_and_long_lines_cut() {
        let long = "x".repeat(MAX_LINE as usize + 10);
        let input = format!("a\r\n\n{long}\nb\u{1d}");
        let mut lines = Lines::new(input.as_bytes()).unwrap();
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
