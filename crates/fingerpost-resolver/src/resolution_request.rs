//! The request as received (GS1-Conformant Resolver 1.2.0 sections 2.4 and 2.6; RFC 9112 section
//! 3.2).

use jiff::Timestamp;

/// An undecoded request: everything that an answer depends on besides the settings and the
/// registered entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResolutionRequest<'a> {
    /// The request target: path and query, from the first slash. Paths below `/urn/` and
    /// `/uri-res/` ask about names.
    pub target: &'a [u8],
    /// `Accept`, several lines joined by `", "`; empty if absent.
    pub accept: &'a [u8],
    /// `Accept-Language`, several lines joined by `", "`; empty if absent.
    pub accept_language: &'a [u8],
    /// The instant for which validity windows are evaluated.
    pub now: Timestamp,
}

impl<'a> ResolutionRequest<'a> {
    /// Returns the path of the target.
    pub fn path(&self) -> &'a [u8] {
        self.parts().0
    }

    /// Returns the query of the target; `None` without a question mark, empty with a bare one.
    pub fn query(&self) -> Option<&'a [u8]> {
        self.parts().1
    }

    pub(crate) fn parts(&self) -> (&'a [u8], Option<&'a [u8]>) {
        let end = self.target.iter().position(|&byte| byte == b'?');
        let (path, query) = match end {
            Some(end) => (&self.target[..end], Some(&self.target[end + 1..])),
            None => (self.target, None),
        };
        // RFC 9110 section 4.2.3: an empty path is the root.
        (if path.is_empty() { b"/" } else { path }, query)
    }
}
