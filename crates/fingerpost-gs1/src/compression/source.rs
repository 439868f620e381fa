//! A compressed text within its input: reads it, rebuilds the URI, has it checked, and maps the
//! position of every error to the input.

use alloc::borrow::Cow;

use super::decompressed::{CompressionExtent, Decompressed};
use super::format::Order;
use super::read::{self, Content};
use super::rebuild::{Rebuilt, rebuild};
use crate::{Ai, DigitalLink, Error, ErrorKind, Options, Span, Warning, WarningKind};

/// The input, and the positions of its parts.
pub(super) struct Source<'a> {
    pub(super) input: &'a str,
    /// The compressed text.
    pub(super) string: Span,
    /// The primary key at the end of `head`.
    pub(super) key: Option<Ai>,
    /// The part before the slash before the compressed text.
    pub(super) head: Cow<'a, str>,
    /// The number of bytes at the start of `head` that are not from the input.
    pub(super) added: usize,
    /// The start of query and fragment.
    pub(super) tail: usize,
    /// Whether associations are checked.
    pub(super) associations: bool,
}

impl Source<'_> {
    /// Reads the text in the order of the toolkit and, if that fails and the text has a code with
    /// two orders, in the published one.
    pub(super) fn decompress(&self, options: &Options) -> Result<Decompressed, Error> {
        let (first, has_two_orders) = self.attempt(Order::Sorted, options);
        if first.is_ok() || !has_two_orders {
            return first;
        }
        match self.attempt(Order::Published, options).0 {
            Ok(read) => Ok(read.warned(WarningKind::PublishedOrder, self.string)),
            Err(_) => first,
        }
    }

    fn attempt(&self, order: Order, options: &Options) -> (Result<Decompressed, Error>, bool) {
        let text = self.input.get(self.string.start..self.string.end).unwrap_or_default();
        let (content, has_two_orders) = read::read(text, self.string.start, order);
        (content.and_then(|content| self.checked(&content, options)), has_two_orders)
    }

    fn checked(&self, content: &Content, options: &Options) -> Result<Decompressed, Error> {
        if let Some(span) = content.bad_padding.filter(|_| !options.allows_nonzero_padding()) {
            let found = self.input.get(span.start..span.end).unwrap_or_default();
            return Err(Error::new(ErrorKind::NonzeroPadding, span).with_found(found.as_bytes()));
        }
        if self.key.is_none() && !content.pairs.iter().any(|pair| pair.ai.is_primary_key()) {
            return Err(Error::new(ErrorKind::NoPrimaryKey, self.string));
        }
        let tail = self.input.get(self.tail..).unwrap_or_default();
        let mut rebuilt = rebuild(&self.head, self.key, content, tail);
        if rebuilt.uri.len() > DigitalLink::MAX_LEN {
            let limit = u32::try_from(DigitalLink::MAX_LEN).unwrap_or(u32::MAX);
            return Err(Error::new(ErrorKind::UriTooLong { limit }, self.string));
        }
        let uri = core::mem::take(&mut rebuilt.uri);
        let span_in_source =
            |span: Span, ai: Option<Ai>| self.span_in_source(&rebuilt, content, span, ai);
        let (link, mut warnings) = DigitalLink::read_owned(uri, options, self.associations)
            .map_err(|error| error.with_span(span_in_source(error.span(), error.ai())))?;
        for warning in &mut warnings {
            let (kind, ai) = (warning.kind(), warning.ai());
            *warning = Warning::new(kind, ai, span_in_source(warning.span(), ai));
        }
        let notes = [
            (WarningKind::NonzeroPadding, content.bad_padding),
            (WarningKind::SeveralKeys, rebuilt.other_key),
        ];
        for (kind, span) in notes {
            warnings.extend(span.map(|span| Warning::new(kind, None, span)));
        }
        let form =
            if self.key.is_some() { CompressionExtent::Partial } else { CompressionExtent::Full };
        Ok(Decompressed { form, link, warnings })
    }

    /// Returns the range of the input for `span` of the rebuilt URI.
    fn span_in_source(
        &self,
        rebuilt: &Rebuilt,
        content: &Content,
        span: Span,
        ai: Option<Ai>,
    ) -> Span {
        if span.start >= rebuilt.tail && self.tail < self.input.len() {
            let question = usize::from(self.input.as_bytes()[self.tail] == b'?');
            let moved =
                |at: usize| (at - rebuilt.tail + self.tail + question).min(self.input.len());
            return Span { start: moved(span.start), end: moved(span.end) };
        }
        if span.end <= rebuilt.head {
            let moved = |at: usize| at.saturating_sub(self.added);
            return Span { start: moved(span.start), end: moved(span.end) };
        }
        let pair = content.pairs.iter().find(|pair| Some(pair.ai) == ai);
        pair.map_or(self.string, |pair| pair.span)
    }
}
