//! The query: GS1 Digital Link URI Syntax 1.4.1, sections 4.10 and 3.
//!
//! ```text
//! query     = [ piece ] *( ( "&" / ";" ) [ piece ] )
//! piece     = ai "=" value / extension
//! ai        = 1*( DIGIT / "%3" DIGIT )    ; triplets of digits are equivalent to them (RFC 3986, section 2.3)
//! extension = anything else
//! ```

use super::chars;
use super::parse::{Parser, find};
use super::value::ValueComponent;
use crate::findings::Report;
use crate::percent::decoded_digits;
use crate::{Ai, AiEntry, Error, ErrorKind, Span};

/// The kind of a query piece.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    /// Its key is a number, so it should be an AI. The offset is that of the `=`.
    Numeric { equals: usize },
    /// Its key is a convenience alpha, and the options accept these.
    Alpha { ai: Ai, equals: usize },
    /// Ignored by this library.
    Extension,
}

impl Piece {
    /// Classifies `query[span]`; offsets are those of `bytes`.
    #[inline]
    pub(super) fn of(uri: &str, span: Span, alphas: bool) -> Piece {
        let bytes = uri.as_bytes();
        let end = find(bytes, span.start, span.end, |b| !b.is_ascii_digit());
        if end < span.end && end > span.start && bytes[end] == b'=' {
            return Piece::Numeric { equals: end };
        }
        if end < span.end && bytes[end] == b'%' {
            if let Some(equals) = encoded_key(bytes, Span { start: end, end: span.end }) {
                return Piece::Numeric { equals };
            }
        }
        if alphas {
            let equals = find(bytes, end, span.end, |b| b == b'=');
            let name = (equals < span.end).then_some(&uri[span.start..equals]);
            if let Some(ai) = name.and_then(Ai::from_convenience_alpha) {
                return Piece::Alpha { ai, equals };
            }
        }
        Piece::Extension
    }
}

/// Returns the offset of the `=`, if there are only digits before it, some of them percent-encoded.
#[cold]
fn encoded_key(bytes: &[u8], span: Span) -> Option<usize> {
    let equals = find(bytes, span.start, span.end, |b| b == b'=');
    (equals < span.end && decoded_digits(&bytes[span.start..equals]).is_some()).then_some(equals)
}

/// The pieces of a query that are not empty.
#[derive(Clone)]
pub(super) struct Pieces<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Pieces<'a> {
    #[inline]
    pub(super) fn new(uri: &'a str, query: Span) -> Self {
        Pieces { bytes: uri.as_bytes(), at: query.start, end: query.end }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Span;

    #[inline]
    fn next(&mut self) -> Option<Span> {
        while self.at < self.end {
            let start = self.at;
            let end = find(self.bytes, start, self.end, |b| chars::is(b, chars::SEPARATOR));
            self.at = end + 1;
            if end > start {
                return Some(Span { start, end });
            }
        }
        None
    }
}

impl<R: Report> Parser<'_, '_, R> {
    /// Parses the attributes of the query into `elements`, in their order.
    #[inline]
    pub(super) fn read_query(&mut self, query: Span) -> Result<(), Error> {
        for span in Pieces::new(self.uri, query) {
            match Piece::of(self.uri, span, self.options.allows_convenience_alphas()) {
                Piece::Numeric { equals } => {
                    let key = &self.bytes()[span.start..equals];
                    let ai = Ai::allocated(key).or_else(|| self.unusual_query_ai(key));
                    let Some((ai, entry)) = ai else {
                        self.unknown_key(Span { start: span.start, end: equals })?;
                        continue;
                    };
                    let value = Span { start: equals + 1, end: span.end };
                    self.push_value(ai, entry, value, ValueComponent::Query)?;
                }
                Piece::Alpha { ai, equals } => {
                    let Some(entry) = ai.entry() else { continue };
                    self.warn_of_alpha(ai, Span { start: span.start, end: equals });
                    let value = Span { start: equals + 1, end: span.end };
                    self.push_value(ai, entry, value, ValueComponent::Query)?;
                }
                Piece::Extension => {}
            }
        }
        Ok(())
    }

    /// Returns an AI that is percent-encoded, or not allocated but accepted by the options.
    #[cold]
    fn unusual_query_ai(&self, key: &[u8]) -> Option<(Ai, &'static AiEntry)> {
        let ai = Ai::from_digits(&decoded_digits(key)?)?;
        Some((ai, self.entry(ai)?))
    }

    #[cold]
    fn unknown_key(&mut self, span: Span) -> Result<(), Error> {
        let found = &self.bytes()[span.start..span.end];
        let error = Error::new(ErrorKind::UnknownNumericKey, span).with_found(found);
        let digits = decoded_digits(found).unwrap_or_default();
        self.fault(Ai::from_digits(&digits).map_or(error, |ai| error.with_ai(ai)))
    }
}
