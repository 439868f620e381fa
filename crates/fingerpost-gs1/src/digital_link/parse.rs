//! Reading a GS1 Digital Link URI: the steps in their order, which decides which of several faults
//! is reported (GS1 Digital Link URI Syntax 1.4.1, sections 4 and 4.11; what is not settled there
//! is listed in the crate documentation).
//!
//! ```text
//! uri = scheme "://" hostname *( "/" segment ) gs1path [ "?" query ] [ "#" fragment ]
//! ```

use alloc::vec::Vec;

use super::warning::{Warning, WarningKind};
use super::{authority, chars};
use crate::associations;
use crate::element::Elements;
use crate::findings::Report;
use crate::unknown_ai;
use crate::{Ai, AiEntry, Error, ErrorKind, Options, Span};

/// The longest URI that is read or written, in bytes: the limit of GS1's own software.
pub(super) const MAX_LEN: usize = 8191;

/// Reads one URI.
pub(super) struct Parser<'a, 'o, R> {
    pub(super) uri: &'a str,
    pub(super) options: &'o Options,
    /// Decides whether a fault of values and structure ends the reading.
    pub(super) report: &'o mut R,
    /// Every value in the URI is the text that stands there.
    pub(super) plain: bool,
    /// Path first, then query.
    pub(super) elements: Elements<'a>,
    /// How many of `elements` stand in the path.
    pub(super) path_len: usize,
    pub(super) warnings: Vec<Warning>,
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

impl<'a, 'o, R: Report> Parser<'a, 'o, R> {
    #[inline]
    pub(super) fn new(uri: &'a str, options: &'o Options, report: &'o mut R) -> Self {
        Parser {
            uri,
            options,
            report,
            plain: false,
            elements: Elements::new(),
            path_len: 0,
            warnings: Vec::new(),
            faulty: Vec::new(),
        }
    }

    /// All steps. With a `stem` the path is read from the left, right after it.
    #[inline]
    pub(super) fn run(&mut self, stem: Option<&str>) -> Result<Layout, Error> {
        let layout = self.split(stem)?;
        self.read_path(layout.path)?;
        self.path_len = self.elements.len();
        if let Some(query) = layout.query {
            self.read_query(query)?;
        }
        self.check_structure()?;
        self.check_values()?;
        if !self.report.has_errors() {
            associations::check(&self.elements, self.options, self.report)?;
        }
        Ok(layout)
    }

    /// Cuts the URI into its parts, up to the place of the key.
    #[inline]
    fn split(&mut self, stem: Option<&str>) -> Result<Layout, Error> {
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
        let end = find(bytes, start, bytes.len(), |b| chars::is(b, chars::AFTER_AUTHORITY));
        if !authority::is_name(&bytes[start..end]) {
            self.unusual_authority(Span { start, end })?;
        }
        let path_end = find(bytes, end, bytes.len(), |b| chars::is(b, chars::AFTER_PATH));
        if path_end == end {
            return Err(Error::new(ErrorKind::UriNoPath, Span { start: end, end }));
        }
        let (query, fragment) = self.query_and_fragment(path_end);
        let path = Span { start: end, end: path_end };
        let path = match stem {
            None => self.find_key(path)?,
            Some(stem) => self.after_stem(stem, path)?,
        };
        Ok(Layout { path, query, fragment })
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
        self.report.report(on_characters(self.uri, error))
    }

    #[cold]
    pub(super) fn warn(&mut self, kind: WarningKind, ai: Option<Ai>, span: Span) {
        self.warnings.push(Warning::new(kind, ai, span));
    }

    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.uri.as_bytes()
    }

    /// The row of `ai`, also those that options add.
    #[inline]
    pub(super) fn entry(&self, ai: Ai) -> Option<&'static AiEntry> {
        unknown_ai::entry_for(ai, self.options)
    }

    fn whole(&self) -> Span {
        Span { start: 0, end: self.uri.len() }
    }

    /// What stands where the scheme belongs.
    fn scheme_span(&self) -> Span {
        let end = self.uri.find("://").map_or(self.uri.len(), |at| at + 3);
        Span { start: 0, end: self.uri.floor_char_boundary(end.min(MAX_SCHEME)) }
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
