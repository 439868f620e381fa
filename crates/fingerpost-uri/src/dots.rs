//! Removing dot-segments, in linear time and without copying the path first (RFC 3986, seed 003, section 5.2.4).
//!
//! The standard describes the removal as rewriting an input buffer. Here every segment is taken together with the slash behind
//! it, which gives the same result; the letters in the comments are the steps of the standard.

use core::ops::Range;

use crate::sink::Sink;

/// Receives a path, in one piece or several, and writes what is left of it.
pub(crate) struct DotRemover<'s, S> {
    out: &'s mut S,
    /// Where the path begins in `out`; nothing before it is ever removed. What is written of a path is empty or ends with a slash
    /// whenever a segment begins.
    start: usize,
    decode: bool,
    /// How many `..` found nothing to remove (URI-RES-09 drops them, URI-RES-16 reports them).
    underflow: usize,
}

impl<'s, S: Sink> DotRemover<'s, S> {
    /// A path that will begin `before` bytes behind what `out` holds. With `decode`, `%2E` counts as a dot (URI-RES-12).
    pub(crate) fn new(out: &'s mut S, before: usize, decode: bool) -> Self {
        let start = out.text().len() + before;
        Self { out, start, decode, underflow: 0 }
    }

    /// Writes the path or the next piece of it, which lies at `range` in `text`, and all that stands around it there. All pieces but
    /// the last one end with a slash. Returns how many `..` were dropped so far.
    pub(crate) fn write(&mut self, text: &str, range: Range<usize>) -> usize {
        let path = &text.as_bytes()[..range.end];
        // What lies between `kept` and the segment stays as it is, and is written together (E).
        let (mut kept, mut at) = (0, range.start);
        if !self.decode && !may_hold_dots(&path[at..]) {
            at = path.len();
        }
        while at < path.len() {
            let (dots, length) = self.segment(&path[at..]);
            let next = path.len().min(at + length + 1);
            // A, B, C and D: a dot-segment goes with the slash behind it; the one before it stays.
            if dots > 0 {
                if kept < at {
                    self.out.push(&text[kept..at]);
                }
                kept = next;
            }
            if dots == 2 {
                self.up();
            }
            at = next;
        }
        self.out.push(&text[kept..]);
        self.underflow
    }

    /// The first segment of `path`: whether it is `.` (1), `..` (2) or neither (0), and its length.
    fn segment(&self, path: &[u8]) -> (usize, usize) {
        match path {
            [b'.'] | [b'.', b'/', ..] => (1, 1),
            [b'.', b'.'] | [b'.', b'.', b'/', ..] => (2, 2),
            _ => {
                let slash = path.iter().position(|&byte| byte == b'/');
                let length = slash.unwrap_or(path.len());
                let dots = if self.decode { decoded_dots(&path[..length]) } else { 0 };
                (dots, length)
            }
        }
    }

    /// Removes the last segment.
    fn up(&mut self) {
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
    }
}

/// Whether a segment begins with a dot: a quick way to learn that a path holds no dot-segments, as most do.
pub(crate) fn may_hold_dots(path: &[u8]) -> bool {
    let [first, rest @ ..] = path else { return false };
    // One byte tells what was found, so that sixteen are looked at in one step.
    let pairs = path.iter().zip(rest);
    *first == b'.'
        || pairs.fold(0, |found, (&a, &b)| found | u8::from((a == b'/') & (b == b'.'))) > 0
}

/// Whether `segment`, with `%2E` read as a dot, is `.` (1), `..` (2) or neither (0).
fn decoded_dots(segment: &[u8]) -> usize {
    let mut rest = segment;
    let mut dots = 0;
    while let [b'.', tail @ ..] | [b'%', b'2', b'e' | b'E', tail @ ..] = rest {
        rest = tail;
        dots += 1;
    }
    if rest.is_empty() && dots <= 2 { dots } else { 0 }
}
