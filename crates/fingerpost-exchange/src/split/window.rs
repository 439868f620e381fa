//! The part of a stream that was read but not consumed: at most a few records, for any input.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use serde::de::IgnoredAny;

/// A reader of a stream in parts that knows the position of the next byte.
#[derive(Debug)]
pub(super) struct Window<R> {
    input: R,
    /// Bytes read; those before `at` are consumed.
    bytes: Vec<u8>,
    at: usize,
    /// Whether the end of the stream has been read.
    is_last: bool,
    /// The minimum number of bytes to read at once.
    capacity: usize,
    /// The maximum number of bytes of a value.
    limit: usize,
    position: Position,
    consumed: u64,
}

/// Line and column, in bytes, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// The end of the next value.
pub(super) enum End {
    /// After this many bytes.
    At(usize),
    /// Further away than the longest allowed value.
    TooFar,
    Broken(serde_json::Error),
}

impl<R: Read> Window<R> {
    pub(super) fn new(input: R, capacity: usize, limit: usize) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            at: 0,
            is_last: false,
            capacity,
            limit,
            position: Position { line: 1, column: 1 },
            consumed: 0,
        }
    }

    /// Returns the bytes read but not consumed.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Returns the bytes of a range that [`Window::take`] returned. The range is valid until more
    /// is read.
    pub(super) fn taken(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// Returns the position of the next byte.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// Returns the maximum number of bytes of a value.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of bytes consumed.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Returns the position of a fault in the bytes that come next.
    pub(super) fn position_of(&self, error: &serde_json::Error) -> Position {
        let (line, column) = match (error.line() as u64, error.column() as u64) {
            // The fault is at the end of the previous line.
            (line, 0) if line > 1 => (line - 1, self.line_length(line - 1) + 1),
            found => found,
        };
        match line {
            0 | 1 => Position { column: self.position.column + column.max(1) - 1, ..self.position },
            _ => Position { line: self.position.line + line - 1, column },
        }
    }

    /// Returns the length of a line in bytes; lines are counted from 1, starting at the next byte.
    fn line_length(&self, line: u64) -> u64 {
        let mut lines = self.rest().split(|byte| *byte == b'\n');
        let line = usize::try_from(line - 1).ok().and_then(|line| lines.nth(line));
        line.map_or(0, |line| line.len() as u64)
    }

    pub(super) fn consume(&mut self, length: usize) {
        let bytes = &self.bytes[self.at..self.at + length];
        match memrchr(b'\n', bytes) {
            Some(last) => {
                self.position.line += memchr_iter(b'\n', bytes).count() as u64;
                self.position.column = (length - last) as u64;
            }
            None => self.position.column += length as u64,
        }
        self.at += length;
        self.consumed += length as u64;
    }

    /// Consumes bytes; returns their range for [`Window::taken`].
    pub(super) fn take(&mut self, length: usize) -> Range<usize> {
        let begin = self.at;
        self.consume(length);
        begin..self.at
    }

    /// Does the same for bytes without a line end.
    pub(super) fn take_in_line(&mut self, length: usize) -> Range<usize> {
        let begin = self.at;
        self.at += length;
        self.consumed += length as u64;
        self.position.column += length as u64;
        begin..self.at
    }

    /// Reads as many bytes again as are held, so that looking at all of them after each read costs
    /// little.
    fn fill(&mut self) -> io::Result<()> {
        self.bytes.drain(..self.at);
        self.at = 0;
        let wanted = self.capacity.max(2 * self.bytes.len()) - self.bytes.len();
        let read = self.input.by_ref().take(wanted as u64).read_to_end(&mut self.bytes)?;
        self.is_last = read < wanted;
        Ok(())
    }

    pub(super) fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        while self.rest().len() < BYTE_ORDER_MARK.len() && !self.is_last {
            self.fill()?;
        }
        if self.rest().starts_with(BYTE_ORDER_MARK) {
            self.consume(BYTE_ORDER_MARK.len());
            self.position.column = 1;
        }
        Ok(())
    }

    /// Consumes white space; returns the byte after it.
    pub(super) fn skip_white_space(&mut self) -> io::Result<Option<u8>> {
        self.skip_to(|byte| !is_white_space(*byte))?;
        Ok(self.rest().first().copied())
    }

    /// Consumes everything before the next line feed.
    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        self.skip_to(|byte| *byte == b'\n')
    }

    /// Consumes a value that is too large to keep, looking only at its brackets and quotation
    /// marks.
    pub(super) fn skip_value(&mut self) -> io::Result<()> {
        let (mut depth, mut in_string, mut is_escaped) = (0_u64, false, false);
        self.skip_to(|byte| {
            match (in_string, byte) {
                (true, _) if is_escaped => is_escaped = false,
                (true, b'\\') => is_escaped = true,
                (_, b'"') => in_string = !in_string,
                (false, b'{' | b'[') => depth += 1,
                (false, b'}' | b']') => depth = depth.saturating_sub(1),
                _ => return false,
            }
            !in_string && depth == 0
        })?;
        self.consume(self.rest().len().min(1));
        Ok(())
    }

    /// Consumes everything before the first byte for which `is_end` is true.
    fn skip_to(&mut self, mut is_end: impl FnMut(&u8) -> bool) -> io::Result<()> {
        loop {
            let end = self.rest().iter().position(&mut is_end);
            self.consume(end.unwrap_or(self.rest().len()));
            if end.is_some() || self.is_last {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// Reads until the next value is complete, or too large.
    pub(super) fn value(&mut self) -> io::Result<End> {
        loop {
            let rest = self.rest();
            let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
            let result = values.next().transpose();
            match (result, values.byte_offset()) {
                // More digits of a number may follow.
                (Ok(_), length) if length < rest.len() || self.is_last => {
                    return Ok(End::At(length));
                }
                (Err(error), _) if !error.is_eof() || self.is_last => {
                    return Ok(End::Broken(error));
                }
                _ if rest.len() > self.limit => return Ok(End::TooFar),
                _ => self.fill()?,
            }
        }
    }

    /// Reads until the line is complete; returns its length, or `None` if it is longer than a
    /// value may be.
    pub(super) fn line(&mut self) -> io::Result<Option<usize>> {
        loop {
            let rest = self.rest();
            let length = memchr(b'\n', rest);
            if length.is_some() || self.is_last || rest.len() > self.limit {
                let length = length.unwrap_or(rest.len());
                return Ok(Some(length).filter(|length| *length <= self.limit));
            }
            self.fill()?;
        }
    }

    /// Returns the number of bytes of memory in use.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Returns whether a byte is white space between the parts of JSON (RFC 8259, section 2), which a
/// form feed is not.
pub(super) fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
