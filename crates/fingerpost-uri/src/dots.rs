//! Removing dot-segments, in linear time and without copying the path first (RFC 3986, section 5.2.4).
//!
//! The standard describes the removal as rewriting an input buffer. Here every segment is taken together with the
//! slash behind it, which gives the same result; the letters in the comments are the steps of the standard.

use core::ops::Range;

use crate::sink::Sink;
use crate::words;

/// A writer that receives a path in one or several pieces and removes its dot-segments.
pub(crate) struct DotRemover<'s, S> {
    out: &'s mut S,
    /// Where the path begins in `out`; nothing before it is ever removed. What is written of a path is empty or ends
    /// with a slash whenever a segment begins.
    start: usize,
    decode: bool,
    /// How many `..` found nothing to remove (URI-RES-09 drops them, URI-RES-16 reports them).
    underflow: usize,
}

impl<'s, S: Sink> DotRemover<'s, S> {
    /// Creates a writer for a path that begins `before` bytes after the end of `out`. With `decode`, `%2E` counts as a dot
    /// (URI-RES-12).
    pub(crate) fn new(out: &'s mut S, before: usize, decode: bool) -> Self {
        let start = out.text().len() + before;
        Self { out, start, decode, underflow: 0 }
    }

    /// Writes the path or the next piece of it, which lies at `range` in `text`, and all that stands around it there.
    /// All pieces but the last one end with a slash. Returns how many `..` were dropped so far.
    pub(crate) fn write(&mut self, text: &str, range: Range<usize>) -> usize {
        let path = &text.as_bytes()[..range.end];
        let mut at = range.start;
        if !self.decode && !words::may_hold_dots(&path[at..]) {
            self.out.push(text);
            return self.underflow;
        }
        self.out.push(&text[..at]);
        // Segments that lie together are written together, and late: perhaps `..` removes them before (E).
        let mut kept = at..at;
        while at < path.len() {
            let (dots, length) = self.segments(&path[at..]);
            let next = path.len().min(at + length + 1);
            // A, B, C and D: a dot-segment goes with the slash after it; the one before it stays.
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
        self.underflow
    }

    /// Returns what `path` begins with: `.` (1), `..` (2), or segments that are neither (0); and how long that is
    /// without the last slash.
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

    /// Removes the last segment, from what lies at `kept` in `text` if there is one, or else from what is written.
    /// Returns what is still kept.
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
                // C takes the segment before `/..`, but not that slash.
                None => {
                    self.out.truncate(self.start);
                    self.out.push("/");
                }
            },
        }
        kept.end..kept.end
    }
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
