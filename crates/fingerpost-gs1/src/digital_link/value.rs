//! One value of a GS1 Digital Link URI: percent-decoding (RFC 3986 section 2.1), padding zeros of
//! old GTINs (GS1 Digital Link URI Syntax 1.4.1, section 4.1), length.

use alloc::borrow::Cow;
use alloc::string::String;

use super::chars::{self, GS};
use super::parse::Parser;
use super::warning::WarningKind;
use crate::element::Element;
use crate::findings::Report;
use crate::value::wrong_length;
use crate::{Ai, AiEntry, Error, ErrorKind, Span, gtin, percent};

/// The part of the URI that contains a value. In the query `+` means a space, in the path it is
/// literal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueComponent {
    Path,
    Query,
}

impl<'a, R: Report> Parser<'a, '_, R> {
    /// Appends the element whose value is at `span`, after all checks except those of its
    /// components.
    #[inline]
    pub(super) fn push_value(
        &mut self,
        ai: Ai,
        entry: &'static AiEntry,
        span: Span,
        component: ValueComponent,
    ) -> Result<(), Error> {
        let text = &self.uri[span.start..span.end];
        let plain = self.plain || !text.bytes().any(|b| chars::is(b, chars::NOT_PLAIN));
        let (min, max) = entry.value_length();
        if plain && (min..=max).contains(&text.len()) && !text.is_empty() {
            self.doubtful |= !entry.shortcuts.accepts(text.as_bytes());
            self.link.elements.push(Element::new(ai, entry, Cow::Borrowed(text), span));
            return Ok(());
        }
        let value = match self.unusual_value(ai, entry, span, component) {
            Ok(value) => value,
            Err(error) => {
                self.fault(error)?;
                self.faulty.push(span.start);
                // Continues only if all errors are requested: the AI still matters for the
                // structure.
                Cow::Borrowed(&self.uri[span.start..span.end])
            }
        };
        self.doubtful |= !entry.shortcuts.accepts(value.as_bytes());
        self.link.elements.push(Element::new(ai, entry, value, span));
        Ok(())
    }

    /// Appends an element whose value differs from the text at `span`, or has the wrong length.
    #[cold]
    fn unusual_value(
        &mut self,
        ai: Ai,
        entry: &'static AiEntry,
        span: Span,
        component: ValueComponent,
    ) -> Result<Cow<'a, str>, Error> {
        if span.is_empty() {
            return Err(Error::new(ErrorKind::ValueEmpty, span).with_ai(ai));
        }
        let mut value = self.decode(ai, span, component)?;
        if let Some(at) = value.bytes().position(|b| b == 0) {
            return Err(self.in_value(ErrorKind::NulInValue, ai, span, at));
        }
        let may_pad = ai == Ai::GTIN && self.options.allows_short_gtin();
        if let Some(padded) = may_pad.then(|| gtin::padded(value.as_bytes())).flatten() {
            self.warn(WarningKind::PaddedGtin, Some(ai), span);
            value = Cow::Owned(padded.into_iter().map(char::from).collect());
        }
        let (min, max) = entry.value_length();
        if !(min..=max).contains(&value.len()) {
            return Err(wrong_length(ai, entry, value.as_bytes()).with_span(span));
        }
        if let Some(at) = value.bytes().position(|b| b == b'^' || b == GS) {
            return Err(self.in_value(ErrorKind::Fnc1InValue, ai, span, at));
        }
        Ok(value)
    }

    /// Percent-decodes the value at `span`. A byte above 0x7F becomes DEL: it is in no character
    /// set, so the value is rejected at the same position, and a value is always text.
    fn decode(
        &mut self,
        ai: Ai,
        span: Span,
        component: ValueComponent,
    ) -> Result<Cow<'a, str>, Error> {
        let encoded = &self.bytes()[span.start..span.end];
        if !encoded.iter().any(|&b| chars::is(b, chars::NOT_PLAIN)) {
            return Ok(Cow::Borrowed(&self.uri[span.start..span.end]));
        }
        let mut value = String::with_capacity(encoded.len());
        let (mut at, mut warned) = (0, false);
        while at < encoded.len() {
            let triplet = percent::triplet(&encoded[at..]);
            let byte = match (encoded[at], triplet) {
                (b'%', Some(byte)) => byte,
                (b'%', None) => {
                    let start = span.start + at;
                    let span = Span { start, end: (start + 3).min(span.end) };
                    self.bad_triplet(ai, span, &mut warned)?;
                    b'%'
                }
                (b'+', _) if component == ValueComponent::Query => b' ',
                (byte, _) => byte,
            };
            at += if triplet.is_some() { 3 } else { 1 };
            value.push(char::from(if byte.is_ascii() { byte } else { DEL }));
        }
        Ok(Cow::Owned(value))
    }

    fn bad_triplet(&mut self, ai: Ai, span: Span, warned: &mut bool) -> Result<(), Error> {
        if !self.options.allows_bad_percent_encoding() {
            let found = &self.bytes()[span.start..span.end];
            let error = Error::new(ErrorKind::PercentEncoding, span).with_ai(ai);
            return Err(error.with_found(found));
        }
        if !*warned {
            self.warn(WarningKind::BadPercentEncoding, Some(ai), span);
            *warned = true;
        }
        Ok(())
    }

    /// Returns an error at one character of the decoded value at `span`.
    fn in_value(&self, kind: ErrorKind, ai: Ai, span: Span, at: usize) -> Error {
        let inner = Span::from_length(at, 1);
        let encoded = &self.bytes()[span.start..span.end];
        let outer = percent::encoded_span(encoded, inner, span.start);
        Error::new(kind, outer).with_ai(ai).with_value_span(inner)
    }
}

/// A character that is in no GS1 character set.
const DEL: u8 = 0x7F;
