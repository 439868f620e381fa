//! Reads elements and extension pairs from the compressed text, without validating them.
//!
//! ```text
//! string    = *entry *"0"                        ; at most eight bits left over
//! entry     = ai value / code *value / %xF pair
//! ai        = 2*4nibble                          ; each nibble a digit
//! code      = 2nibble                            ; of the table; one of them above nine
//! pair      = length7 *symbol6 encoding3 length7 *symbol
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use super::bits::{ALPHABET, BitReader};
use super::format::{self, Order};
use super::value::{self, Length, take};
use crate::limits::MAX_PADDING;
use crate::{Ai, Error, ErrorKind, Span};

/// The content of a compressed text, in its order.
#[derive(Default)]
pub(super) struct Content {
    pub(super) pairs: Vec<Pair>,
    pub(super) extensions: Vec<Extension>,
    /// The position of the trailing bits, if they are not all zero.
    pub(super) bad_padding: Option<Span>,
}

/// An Application Identifier with its value.
pub(super) struct Pair {
    pub(super) ai: Ai,
    pub(super) value: String,
    /// The characters of the input that contain it.
    pub(super) span: Span,
}

/// A pair of the query that is not GS1's.
pub(super) struct Extension {
    pub(super) key: String,
    pub(super) value: String,
}

/// Reads `text`, which starts at `base` in the input. The second result is whether it contains a
/// code with two different orders.
pub(super) fn read(text: &str, base: usize, order: Order) -> (Result<Content, Error>, bool) {
    let bits = match BitReader::new(text) {
        Ok(bits) => bits,
        Err(at) => {
            let end = Span::from_length(at, 1).on_characters(text).end;
            let span = Span { start: base + at, end: base + end };
            let found = text.as_bytes().get(at..end).unwrap_or_default();
            return (Err(Error::new(ErrorKind::NotCompressed, span).with_found(found)), false);
        }
    };
    let content = Content::default();
    let mut reader = Reader { text, base, bits, order, content, met_two_orders: false };
    let result = reader.entries();
    (result.map(|()| reader.content), reader.met_two_orders)
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    bits: BitReader<'a>,
    order: Order,
    content: Content,
    met_two_orders: bool,
}

impl Reader<'_> {
    fn entries(&mut self) -> Result<(), Error> {
        while self.bits.left() > MAX_PADDING {
            self.entry()?;
        }
        let start = self.bits.at();
        let left = self.bits.left() as u32;
        if self.bits.take(left).is_some_and(|padding| padding != 0) {
            self.content.bad_padding = Some(self.span_from(start));
        }
        if self.content.pairs.is_empty() && self.content.extensions.is_empty() {
            return Err(self.error(ErrorKind::TruncatedCompressed, start));
        }
        Ok(())
    }

    fn entry(&mut self) -> Result<(), Error> {
        let start = self.bits.at();
        let at_fault = |reader: &Self, kind| reader.error(kind, start);
        let number = take(&mut self.bits, 8).map_err(|kind| at_fault(self, kind))? as u8;
        match (number >> 4, number & 15) {
            (tens @ 0..=9, units @ 0..=9) => {
                let ai = self.ai(tens, units, start)?;
                self.value_of(ai, start)
            }
            (15, _) => {
                self.bits.put_nibble_back();
                let pair = self.extension().map_err(|kind| self.error(kind, start))?;
                self.content.extensions.push(pair);
                Ok(())
            }
            _ => {
                let code = format::code(number);
                let code = code.ok_or_else(|| self.error(ErrorKind::UnknownOptCode, start))?;
                self.met_two_orders |= code.ais != code.published;
                let ais = match self.order {
                    Order::Sorted => code.ais,
                    Order::Published => code.published,
                };
                ais.iter().try_for_each(|&ai| self.value_of(ai, self.bits.at()))
            }
        }
    }

    /// Returns the Application Identifier that begins with two digits, which start at `start`.
    fn ai(&mut self, tens: u8, units: u8, start: usize) -> Result<Ai, Error> {
        let length = format::ai_length(tens, units);
        let length = length.ok_or_else(|| self.error(ErrorKind::UnknownAiPrefix, start))?;
        let mut digits = [b'0' + tens, b'0' + units, 0, 0];
        for digit in digits.iter_mut().take(length).skip(2) {
            let at = self.bits.at();
            let nibble = take(&mut self.bits, 4).map_err(|kind| self.error(kind, start))? as u8;
            if nibble > 9 {
                return Err(self.error(ErrorKind::NotADigit, at));
            }
            *digit = b'0' + nibble;
        }
        let ai = digits.get(..length).and_then(Ai::from_digits);
        ai.ok_or_else(|| self.error(ErrorKind::UnknownAiPrefix, start))
    }

    fn value_of(&mut self, ai: Ai, start: usize) -> Result<(), Error> {
        let Some(parts) = format::parts_of(ai) else {
            return Err(self.error(ErrorKind::NotCompressible, start).with_ai(ai));
        };
        let mut value = String::new();
        value::read(&mut self.bits, parts, &mut value)
            .map_err(|kind| self.error(kind, start).with_ai(ai))?;
        // An Application Identifier must occur only once in a URI; checked here, so that a
        // malicious text cannot produce a long list.
        if self.content.pairs.iter().any(|pair| pair.ai == ai) {
            return Err(self.error(ErrorKind::DuplicateAi, start).with_ai(ai));
        }
        let span = self.span_from(start);
        self.content.pairs.push(Pair { ai, value, span });
        Ok(())
    }

    fn extension(&mut self) -> Result<Extension, ErrorKind> {
        let length = take(&mut self.bits, 7)?;
        if length == 0 {
            return Err(ErrorKind::CompressedValue);
        }
        let (mut key, mut value) = (String::new(), String::new());
        for _ in 0..length {
            let symbol = take(&mut self.bits, 6)? as usize;
            key.push(char::from(ALPHABET[symbol & 63]));
        }
        value::read_text(&mut self.bits, Length::Bits(7), &mut value)?;
        Ok(Extension { key, value })
    }

    fn error(&self, kind: ErrorKind, start: usize) -> Error {
        let span = if kind == ErrorKind::TruncatedCompressed {
            let end = self.base + self.text.len();
            Span { start: (self.base + start / 6).min(end), end }
        } else {
            self.span_from(start)
        };
        let found = &self.text.as_bytes()[span.start - self.base..span.end - self.base];
        Error::new(kind, span).with_found(found)
    }

    /// Returns the characters that contain the bits from `start` to here.
    fn span_from(&self, start: usize) -> Span {
        let end = self.bits.at().div_ceil(6).min(self.text.len());
        Span { start: self.base + (start / 6).min(end), end: self.base + end }
    }
}
