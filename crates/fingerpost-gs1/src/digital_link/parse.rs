//! Reading a GS1 Digital Link URI: the steps in their order, which decides which of several faults
//! is reported (GS1 Digital Link URI Syntax 1.4.1, sections 4 and 4.11; what is not settled there
//! is listed in the crate documentation).
//!
//! ```text
//! uri = scheme "://" hostname *( "/" segment ) gs1path [ "?" query ] [ "#" fragment ]
//! ```

use alloc::vec::Vec;

use super::path::Slashes;
use super::warning::{Warning, WarningKind};
use super::{DigitalLink, authority, chars};
use crate::associations;
use crate::findings::Report;
use crate::unknown_ai;
use crate::{Ai, AiEntry, Error, ErrorKind, Options, Span};

/// The longest URI that is read or written, in bytes: the limit of GS1's own software.
pub(super) const MAX_LEN: usize = 8191;

/// Reads one URI into `link`.
pub(super) struct Parser<'a, 'p, R> {
    /// Filled in place: it is too large to be moved about for nothing.
    pub(super) link: &'p mut DigitalLink<'a>,
    pub(super) options: &'p Options,
    /// Decides whether a fault of values and structure ends the reading.
    pub(super) report: &'p mut R,
    /// Every value in the URI is the text that stands there.
    pub(super) plain: bool,
    /// Where the values stand that were found faulty while reading went on.
    pub(super) faulty: Vec<usize>,
}

/// Where the parts of a URI stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// From the slash before the key to the end of the last value.
    pub(super) path: Span,
    /// Without its `?`.
    pub(super) query: Option<Span>,
    /// Without its `#`.
    pub(super) fragment: Option<Span>,
}

impl<'a, 'p, R: Report> Parser<'a, 'p, R> {
    #[inline]
    pub(super) fn new(
        link: &'p mut DigitalLink<'a>,
        options: &'p Options,
        report: &'p mut R,
    ) -> Self {
        Parser { link, options, report, plain: false, faulty: Vec::new() }
    }

    /// All steps. With a `stem` the path is read from the left, right after it.
    #[inline]
    pub(super) fn run(&mut self, stem: Option<&str>) -> Result<(), Error> {
        self.split(stem)?;
        self.check_structure()?;
        self.check_values()?;
        if !self.report.has_errors() {
            associations::check(&self.link.elements, self.options, self.report)?;
        }
        Ok(())
    }

    /// Cuts the URI into its parts and reads path and query.
    #[inline]
    fn split(&mut self, stem: Option<&str>) -> Result<(), Error> {
        let bytes = self.bytes();
        if bytes.len() > MAX_LEN {
            let limit = u32::try_from(MAX_LEN).unwrap_or(u32::MAX);
            return Err(Error::new(ErrorKind::InputTooLong { limit }, self.whole()));
        }
        let overview = chars::overview(bytes);
        self.plain = overview.plain;
        if !overview.legal {
            self.illegal_character()?;
        }
        let start = authority::after_scheme(bytes)
            .ok_or_else(|| Error::new(ErrorKind::UriScheme, self.scheme_span()))?;
        let end = self.authority(start)?;
        let slashes = Slashes::of_path(bytes, end);
        if slashes.path_end == end {
            return Err(Error::new(ErrorKind::UriNoPath, Span { start: end, end }));
        }
        let (query, fragment) = self.query_and_fragment(slashes.path_end);
        self.link.layout =
            Layout { path: Span { start: end, end: slashes.path_end }, query, fragment };
        match stem {
            None => self.read_path(&slashes)?,
            Some(stem) => self.read_path_after(stem, &slashes)?,
        }
        self.link.path_len = self.link.elements.len();
        match query {
            Some(query) => self.read_query(query),
            None => Ok(()),
        }
    }

    /// Checks the authority, which starts at `start`, and finds its end.
    #[inline]
    fn authority(&mut self, start: usize) -> Result<usize, Error> {
        let bytes = self.bytes();
        let end = find(bytes, start, bytes.len(), |b| !chars::is(b, chars::REG_NAME));
        let ends_there = bytes.get(end).is_none_or(|&b| chars::is(b, chars::AFTER_AUTHORITY));
        if end > start && ends_there {
            return Ok(end); // a plain name
        }
        let end = find(bytes, end, bytes.len(), |b| chars::is(b, chars::AFTER_AUTHORITY));
        self.unusual_authority(Span { start, end })?;
        Ok(end)
    }

    #[inline]
    fn query_and_fragment(&self, at: usize) -> (Option<Span>, Option<Span>) {
        let bytes = self.bytes();
        let mut query = None;
        let mut at = at;
        if bytes.get(at) == Some(&b'?') {
            let end = find(bytes, at, bytes.len(), |b| b == b'#');
            query = Some(Span { start: at + 1, end });
            at = end;
        }
        let fragment = (at < bytes.len()).then_some(Span { start: at + 1, end: bytes.len() });
        (query, fragment)
    }

    #[cold]
    fn illegal_character(&mut self) -> Result<(), Error> {
        let mut characters = self.link.uri.char_indices();
        let Some((start, found)) = characters
            .find(|(_, c)| !u8::try_from(*c).is_ok_and(|byte| chars::is(byte, chars::URI)))
        else {
            return Ok(());
        };
        let span = Span { start, end: start + found.len_utf8() };
        if self.options.allows_any_uri_character() {
            self.warn(WarningKind::IllegalCharacter, None, span);
            return Ok(());
        }
        let found = &self.bytes()[span.start..span.end];
        self.fault(Error::new(ErrorKind::UriIllegalCharacter, span).with_found(found))
    }

    /// An authority that is no plain name: address, port, user information, or malformed.
    #[cold]
    fn unusual_authority(&mut self, span: Span) -> Result<(), Error> {
        let text = &self.bytes()[span.start..span.end];
        if authority::is_valid(text) {
            return Ok(());
        }
        if let Some(at) = text.iter().rposition(|&b| b == b'@')
            && self.options.allows_user_information()
            && authority::is_valid(&text[at + 1..])
        {
            let user = Span { start: span.start, end: span.start + at + 1 };
            self.warn(WarningKind::UserInformation, None, user);
            return Ok(());
        }
        self.fault(Error::new(ErrorKind::UriHost, span).with_found(text))
    }

    /// Ends the reading with `error`, or notes it when all faults are wanted.
    #[cold]
    pub(super) fn fault(&mut self, error: Error) -> Result<(), Error> {
        self.report.report(on_characters(self.link.uri, error))
    }

    #[cold]
    pub(super) fn warn(&mut self, kind: WarningKind, ai: Option<Ai>, span: Span) {
        self.link.warnings.push(Warning::new(kind, ai, span));
    }

    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.link.uri.as_bytes()
    }

    /// The row of `ai`, also those that options add.
    #[inline]
    pub(super) fn entry(&self, ai: Ai) -> Option<&'static AiEntry> {
        unknown_ai::entry_for(ai, self.options)
    }

    fn whole(&self) -> Span {
        Span { start: 0, end: self.link.uri.len() }
    }

    /// What stands where the scheme belongs.
    fn scheme_span(&self) -> Span {
        let end = self.link.uri.find("://").map_or(self.link.uri.len(), |at| at + 3);
        Span { start: 0, end: self.link.uri.floor_char_boundary(end.min(MAX_SCHEME)) }
    }
}

/// Widens the span of an error to whole characters, so that the text can be cut there.
#[cold]
pub(super) fn on_characters(uri: &str, error: Error) -> Error {
    let span = error.span();
    error.with_span(Span {
        start: uri.floor_char_boundary(span.start),
        end: uri.ceil_char_boundary(span.end),
    })
}

/// The first place from `start` on where `wanted` holds, or `end`.
#[inline]
pub(super) fn find(bytes: &[u8], start: usize, end: usize, wanted: impl Fn(u8) -> bool) -> usize {
    bytes[start..end].iter().position(|&byte| wanted(byte)).map_or(end, |at| start + at)
}

/// How much of a wrong scheme is pointed at, in bytes.
const MAX_SCHEME: usize = 16;
