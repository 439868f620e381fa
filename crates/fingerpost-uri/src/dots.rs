//! Removing dot-segments, in linear time and without copying the path first (RFC 3986, seed 003, section 5.2.4).
//!
//! The standard describes the removal as rewriting an input buffer. Here the segments are fed one by one, which gives the
//! same result; the letters in the comments are the steps of the standard.

use crate::sink::Sink;

/// Receives the segments of a path and writes what is left of them.
pub(crate) struct DotRemover<'s, S> {
    out: &'s mut S,
    /// Where the path begins in `out`; nothing before it is ever removed.
    start: usize,
    /// A leading `.` or `..` has taken the slash of the next segment along (step A).
    swallow_slash: bool,
    /// How many `..` found nothing to remove (URI-RES-09 drops them, URI-RES-16 reports them).
    underflow: usize,
}

impl<'s, S: Sink> DotRemover<'s, S> {
    pub(crate) fn new(out: &'s mut S) -> Self {
        let start = out.text().len();
        Self { out, start, swallow_slash: false, underflow: 0 }
    }

    /// One segment. `slash` tells whether a slash stands before it, `last` whether the path ends behind it, `dots` whether it
    /// is `.` (1), `..` (2) or neither (0).
    pub(crate) fn segment(&mut self, slash: bool, segment: &str, last: bool, dots: usize) {
        let slash = slash && !core::mem::take(&mut self.swallow_slash);
        match (dots, slash) {
            // E
            (0, _) => {
                if slash {
                    self.out.push("/");
                }
                self.out.push(segment);
            }
            // A and D: nothing has been written yet, so there is nothing to go up from.
            (_, false) => {
                self.underflow += dots - 1;
                self.swallow_slash = true;
            }
            // B and C
            (_, true) => {
                if dots == 2 {
                    self.pop();
                }
                if last {
                    self.out.push("/");
                }
            }
        }
    }

    /// Ends the path and tells how many `..` were dropped.
    pub(crate) fn finish(self) -> usize {
        self.underflow
    }

    fn pop(&mut self) {
        let path = &self.out.text()[self.start..];
        if path.is_empty() {
            self.underflow += 1;
        }
        let slash = path.rfind('/').unwrap_or(0);
        self.out.truncate(self.start + slash);
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
