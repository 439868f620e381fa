//! Removing dot-segments, in linear time and without copying the path first (RFC 3986, seed 003, section 5.2.4).
//!
//! The standard describes the removal as rewriting an input buffer. Here every segment is taken together with the slash behind
//! it, which gives the same result; the letters in the comments are the steps of the standard.

use crate::sink::Sink;

/// Receives a path, in one piece or several, and writes what is left of it.
pub(crate) struct DotRemover<'s, S> {
    out: &'s mut S,
    /// Where the path begins in `out`; nothing before it is ever removed. What is written of a path is empty or ends with a slash
    /// whenever a segment begins.
    start: usize,
    /// How many `..` found nothing to remove (URI-RES-09 drops them, URI-RES-16 reports them).
    underflow: usize,
}

impl<'s, S: Sink> DotRemover<'s, S> {
    pub(crate) fn new(out: &'s mut S) -> Self {
        let start = out.text().len();
        Self { out, start, underflow: 0 }
    }

    /// The path or the next piece of it; all pieces but the last one end with a slash. `dots` tells whether a segment is `.` (1),
    /// `..` (2) or neither (0).
    pub(crate) fn path(&mut self, path: &str, dots: impl Fn(&str) -> usize) {
        // What lies between `kept` and the segment stays as it is, and is written together (E).
        let (mut kept, mut at) = (0, 0);
        while at < path.len() {
            let slash = path.as_bytes()[at..].iter().position(|&byte| byte == b'/');
            let end = slash.map_or(path.len(), |length| at + length);
            let next = slash.map_or(path.len(), |length| at + length + 1);
            let dots = dots(&path[at..end]);
            // A, B, C and D: a dot-segment goes with the slash behind it; the one before it stays.
            if dots > 0 {
                self.out.push(&path[kept..at]);
                kept = next;
            }
            if dots == 2 {
                self.up();
            }
            at = next;
        }
        self.out.push(&path[kept..]);
    }

    /// Ends the path and tells how many `..` were dropped.
    pub(crate) fn finish(self) -> usize {
        self.underflow
    }

    /// Removes the last segment.
    fn up(&mut self) {
        let path = &self.out.text()[self.start..];
        match path.strip_suffix('/') {
            None | Some("") => self.underflow += 1,
            Some(directory) => match directory.bytes().rposition(|byte| byte == b'/') {
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

/// Whether `segment` is `.` (1), `..` (2) or neither (0), as it stands.
pub(crate) fn literal_dots(segment: &str) -> usize {
    match segment {
        "." => 1,
        ".." => 2,
        _ => 0,
    }
}

/// The same with `%2E` read as a dot (URI-RES-12).
pub(crate) fn decoded_dots(segment: &str) -> usize {
    let mut rest = segment;
    let mut dots = 0;
    while !rest.is_empty() {
        let Some(tail) = [".", "%2e", "%2E"].iter().find_map(|dot| rest.strip_prefix(dot)) else {
            return 0;
        };
        rest = tail;
        dots += 1;
    }
    if dots > 2 { 0 } else { dots }
}
