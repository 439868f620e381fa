//! The parser of GS1 Digital Link URIs. The order of its steps determines which of several errors
//! is reported (GS1 Digital Link URI Syntax 1.4.1, sections 4 and 4.11; the crate documentation
//! lists the points that these leave open).
//!
//! ```text
//! uri = scheme "://" hostname *( "/" segment ) gs1path [ "?" query ] [ "#" fragment ]
//! ```

use alloc::vec::Vec;

use super::slashes::Slashes;
use super::warning::{Warning, WarningKind};
use super::{DigitalLink, authority, chars, words};
use crate::associations;
use crate::findings::Report;
use crate::limits::{MAX_SHOWN_SCHEME, MAX_URI_BYTES};
use crate::unknown_ai;
use crate::{Ai, AiEntry, Error, ErrorKind, Options, Span};

/// Parses one URI into `link`.
pub(super) struct Parser<'a, 'p, R> {
    pub(super) uri: &'a str,
    /// Filled in place, because it is too large to move unnecessarily.
    pub(super) link: &'p mut DigitalLink<'a>,
    pub(super) options: &'p Options,
    /// Decides whether an error of values and structure stops the parser.
    pub(super) report: &'p mut R,
    /// Whether every value in the URI equals its written text.
    pub(super) plain: bool,
    /// Whether a value needs a look at its components.
    pub(super) doubtful: bool,
    /// The positions of the values with errors found so far.
    pub(super) faulty: Vec<usize>,
}

/// The positions of the parts of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// From the slash before the key to the end of the last value.
    path: ShortSpan,
    /// Without its `?`; empty at the start of the URI if there is none.
    query: ShortSpan,
    /// Without its `#`; empty at the start of the URI if there is none.
    fragment: ShortSpan,
}

/// A [`Span`] within [`MAX_URI_BYTES`], a quarter as large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ShortSpan(u16, u16);

impl Layout {
    pub(super) const NONE: Layout =
        Layout { path: ShortSpan(0, 0), query: ShortSpan(0, 0), fragment: ShortSpan(0, 0) };

    #[inline]
    pub(super) fn path(&self) -> Span {
        self.path.span()
    }

    #[inline]
    pub(super) fn set_path(&mut self, path: Span) {
        self.path = ShortSpan::of(path);
    }

    #[inline]
    pub(super) fn query(&self) -> Option<Span> {
        (self.query.0 > 0).then(|| self.query.span())
    }

    #[inline]
    pub(super) fn fragment(&self) -> Option<Span> {
        (self.fragment.0 > 0).then(|| self.fragment.span())
    }
}

impl ShortSpan {
    #[inline]
    fn of(span: Span) -> ShortSpan {
        let limit = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        ShortSpan(limit(span.start), limit(span.end))
    }

    #[inline]
    fn span(self) -> Span {
        Span { start: usize::from(self.0), end: usize::from(self.1) }
    }
}

impl<'a, 'p, R: Report> Parser<'a, 'p, R> {
    #[inline]
    pub(super) fn new(
        uri: &'a str,
        link: &'p mut DigitalLink<'a>,
        options: &'p Options,
        report: &'p mut R,
    ) -> Self {
        // A look-up may know more about a company prefix than its digits show.
        let doubtful = options.custom_lookups().is_some();
        Parser { uri, link, options, report, plain: false, doubtful, faulty: Vec::new() }
    }

    /// Performs all steps. With a `stem` the path is parsed from the left, directly after it.
    #[inline]
    pub(super) fn run(&mut self, stem: Option<&str>) -> Result<(), Error> {
        self.run_apart(stem)?;
        if !self.report.has_errors() {
            associations::check_distinct(&self.link.elements, self.options, self.report)?;
        }
        Ok(())
    }

    /// Performs all steps except the check of associations.
    #[inline]
    pub(super) fn run_apart(&mut self, stem: Option<&str>) -> Result<(), Error> {
        self.split(stem)?;
        self.check_structure()?;
        if self.doubtful { self.check_values() } else { Ok(()) }
    }

    /// Splits the URI into its parts and parses path and query.
    #[inline]
    fn split(&mut self, stem: Option<&str>) -> Result<(), Error> {
        let bytes = self.bytes();
        if bytes.len() > MAX_URI_BYTES {
            let limit = u32::try_from(MAX_URI_BYTES).unwrap_or(u32::MAX);
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
        self.query_and_fragment(slashes.path_end);
        self.link.layout.set_path(Span { start: end, end: slashes.path_end });
        match stem {
            None => self.read_path(&slashes)?,
            Some(stem) => self.read_path_after(stem, &slashes)?,
        }
        self.link.path_len = self.link.elements.len();
        match self.link.layout.query() {
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

    /// Finds query and fragment after the path, which ends at `at`.
    #[inline]
    fn query_and_fragment(&mut self, at: usize) {
        let bytes = self.bytes();
        let mut at = at;
        if bytes.get(at) == Some(&b'?') {
            let end = words::find(bytes, at, b'#');
            self.link.layout.query = ShortSpan::of(Span { start: at + 1, end });
            at = end;
        }
        if at < bytes.len() {
            self.link.layout.fragment = ShortSpan::of(Span { start: at + 1, end: bytes.len() });
        }
    }

    #[cold]
    fn illegal_character(&mut self) -> Result<(), Error> {
        let mut characters = self.uri.char_indices();
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

    /// Checks an authority that is not a plain name: address, port, user information, or malformed.
    #[cold]
    fn unusual_authority(&mut self, span: Span) -> Result<(), Error> {
        let text = &self.bytes()[span.start..span.end];
        if authority::is_valid(text) {
            return Ok(());
        }
        let at = text.iter().rposition(|&b| b == b'@');
        let is_allowed = |at: &usize| {
            self.options.allows_user_information() && authority::is_valid(&text[at + 1..])
        };
        if let Some(at) = at.filter(is_allowed) {
            let user = Span { start: span.start, end: span.start + at + 1 };
            self.warn(WarningKind::UserInformation, None, user);
            return Ok(());
        }
        self.fault(authority::error(self.uri, span))
    }

    /// Stops with `error`, or records it if all errors are requested.
    #[cold]
    pub(super) fn fault(&mut self, error: Error) -> Result<(), Error> {
        self.report.report(error.on_characters(self.uri))
    }

    #[cold]
    pub(super) fn warn(&mut self, kind: WarningKind, ai: Option<Ai>, span: Span) {
        self.link.warnings.push(Warning::new(kind, ai, span));
    }

    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.uri.as_bytes()
    }

    /// Returns the row of `ai`, including those that options add.
    #[inline]
    pub(super) fn entry(&self, ai: Ai) -> Option<&'static AiEntry> {
        unknown_ai::entry_for(ai, self.options)
    }

    fn whole(&self) -> Span {
        Span { start: 0, end: self.uri.len() }
    }

    /// Returns the text at the position of the scheme.
    fn scheme_span(&self) -> Span {
        let end = self.uri.find("://").map_or(self.uri.len(), |at| at + 3);
        Span { start: 0, end: end.min(MAX_SHOWN_SCHEME) }.on_characters(self.uri)
    }
}

/// Returns the first position from `start` on for which `wanted` holds, or `end`.
#[inline]
pub(super) fn find(bytes: &[u8], start: usize, end: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let found = bytes.get(start..end).and_then(|part| part.iter().position(|&byte| wanted(byte)));
    found.map_or(end, |count| start + count)
}
