//! Removal of dot-segments, in linear time and without copying the path first (RFC 3986, section
//! 5.2.4).
//!
//! The standard describes the removal as rewriting an input buffer. This code processes every
//! segment together with the slash after it, which gives the same result; the letters in the
//! comments are the steps of the standard.

use core::ops::Range;

use crate::sink::Sink;
use crate::words;

/// A writer that receives a path in one or several pieces and removes its dot-segments.
pub(crate) struct DotRemover<'s, S> {
    out: &'s mut S,
    /// The start of the path in `out`; nothing before it is ever removed. The written part of a
    /// path is empty or ends with a slash whenever a segment begins.
    start: usize,
    decode: bool,
    /// How many `..` had no segment to remove: they are dropped, and counted.
    underflow: usize,
}

impl<'s, S: Sink> DotRemover<'s, S> {
    /// Creates a writer for a path that begins `before` bytes after the end of `out`. With
    /// `decode`, `%2E` counts as a dot.
    pub(crate) fn new(out: &'s mut S, before: usize, decode: bool) -> Self {
        let start = out.text().len() + before;
        Self { out, start, decode, underflow: 0 }
    }

    /// Writes the path, or its next piece, at `range` in `text`, together with the text around it.
    /// All pieces but the last one end with a slash. Returns how many `..` were dropped so far.
    pub(crate) fn write(&mut self, text: &str, range: Range<usize>) -> usize {
        let path = &text.as_bytes()[range.clone()];
        let first = if self.decode { Some(0) } else { words::first_dots(path) };
        match first {
            None => self.out.push(text),
            Some(first) => self.write_from(range.start + first, text, range),
        }
        self.underflow
    }

    /// Writes the path at `range` in `text`, with dot-segments from `at` on, where a segment
    /// begins.
    fn write_from(&mut self, mut at: usize, text: &str, range: Range<usize>) {
        let path = &text.as_bytes()[..range.end];
        self.out.push(&text[..range.start]);
        // Adjacent segments are written together, and as late as possible, because `..` may remove
        // them first (E).
        let mut kept = range.start..at;
        while at < path.len() {
            let (dots, length) = self.segments(&path[at..]);
            let next = path.len().min(at + length + 1);
            // A, B, C and D: a dot-segment is removed together with the slash after it; the slash
            // before it stays.
            if dots == 2 {
                kept = self.up(text, kept);
            } else if dots == 0 {
                if kept.end < at {
                    self.out.push(&text[kept]);
                    kept = at..at;
                }
                kept.end = next;
            }
            at = next;
        }
        if kept.end < range.end {
            self.out.push(&text[kept]);
            kept = range.end..range.end;
        }
        self.out.push(&text[kept.start..]);
    }

    /// Returns the kind of prefix of `path`: `.` (1), `..` (2), or segments that are neither (0);
    /// and its length without the last slash.
    fn segments(&self, path: &[u8]) -> (usize, usize) {
        match path {
            [b'.'] | [b'.', b'/', ..] => (1, 1),
            [b'.', b'.'] | [b'.', b'.', b'/', ..] => (2, 2),
            _ if self.decode => {
                let length = path.iter().position(|&byte| byte == b'/').unwrap_or(path.len());
                (decoded_dots(&path[..length]), length)
            }
            _ => (0, path.windows(2).position(|pair| pair == b"/.").unwrap_or(path.len())),
        }
    }

    /// Removes the last segment, from the part kept at `kept` in `text` if there is one, otherwise
    /// from the output. Returns the range that remains kept.
    fn up(&mut self, text: &str, kept: Range<usize>) -> Range<usize> {
        if let [directory @ .., _] = &text.as_bytes()[kept.clone()] {
            if let Some(slash) = directory.iter().rposition(|&byte| byte == b'/') {
                return kept.start..kept.start + slash + 1;
            }
            if self.out.text().len() > self.start {
                return kept.start..kept.start;
            }
            self.out.push(&text[kept.clone()]);
        }
        match &self.out.text().as_bytes()[self.start..] {
            [] | [b'/'] => self.underflow += 1,
            [directory @ .., _] => match directory.iter().rposition(|&byte| byte == b'/') {
                Some(slash) => self.out.truncate(self.start + slash + 1),
                // C removes the segment before `/..`, but not that slash.
                None => {
                    self.out.truncate(self.start);
                    self.out.push("/");
                }
            },
        }
        kept.end..kept.end
    }
}

/// Removes the dot-segments at the beginning of `path`, and the segments of `directory` that they
/// go above. The directory contains no dot-segments and ends with a slash. Returns the rest of
/// both, and how many `..` were dropped.
pub(crate) fn climb<'t>(directory: &'t [u8], path: &'t [u8]) -> (&'t [u8], &'t [u8], usize) {
    let (mut above, mut rest, mut underflow) = (directory, path, 0);
    loop {
        let (dots, tail) = match rest {
            [b'.', b'/', tail @ ..] => (1, tail),
            [b'.', b'.', b'/', tail @ ..] => (2, tail),
            [b'.'] => (1, &rest[1..]),
            [b'.', b'.'] => (2, &rest[2..]),
            _ => break,
        };
        match above {
            _ if dots == 1 => {}
            [] | [b'/'] => underflow += 1,
            [parent @ .., _] => match parent.iter().rposition(|&byte| byte == b'/') {
                Some(slash) => above = &above[..=slash],
                // The only segment of a path without a slash at its start; C leaves a slash in
                // place of it.
                None => break,
            },
        }
        rest = tail;
    }
    (above, rest, underflow)
}

/// Returns whether `segment`, with `%2E` read as a dot, is `.` (1), `..` (2) or neither (0).
fn decoded_dots(segment: &[u8]) -> usize {
    let mut rest = segment;
    let mut dots = 0;
    while let [b'.', tail @ ..] | [b'%', b'2', b'e' | b'E', tail @ ..] = rest {
        rest = tail;
        dots += 1;
    }
    if rest.is_empty() && dots <= 2 { dots } else { 0 }
}
