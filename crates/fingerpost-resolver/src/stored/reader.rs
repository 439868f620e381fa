//! Reads the parts of stored entries from any bytes.

use jiff::Timestamp;

use super::{
    DecodeError, FLAG_CONTEXTS, FLAG_FROM, FLAG_LANGUAGES, FLAG_MEDIA_TYPE, FLAG_OTHER_TYPE,
    FLAG_TEMPLATE, FLAG_UNTIL, FLAGS, packed,
};
use crate::entry::{LIST_SEPARATOR, LinkRow, LinkTypeText, TextSpan, Window};
use crate::registration::MAX_LINKS;
use crate::vocabulary::term_by_number;

fn no_controls(text: &str) -> Result<(), DecodeError> {
    // Without a branch for each byte, so that the compiler can look at many together.
    let bad = |byte| is_control(byte) & (byte != LIST_SEPARATOR as u8);
    let found = text.bytes().fold(false, |found, byte| found | bad(byte));
    if found { Err(DecodeError::NotText) } else { Ok(()) }
}

/// The bytes not read yet. It only moves forward; every method is safe on any bytes.
pub(super) struct Reader<'b> {
    pub(super) rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'b [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn end(&self) -> Result<(), DecodeError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(DecodeError::TrailingBytes(left)),
        }
    }

    pub(super) fn text(&mut self) -> Result<&'b str, DecodeError> {
        let length = self.length()?;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| DecodeError::NotText)?;
        no_controls(text).map(|()| text)
    }

    pub(super) fn packed_text(&mut self, key: &str) -> Result<String, DecodeError> {
        let (length, packed) = (self.length()?, self.length()?);
        let text = packed::unpack(key, length, self.take(packed)?)?;
        no_controls(&text).map(|()| text)
    }

    pub(super) fn link_count(&mut self) -> Result<usize, DecodeError> {
        match self.length()? {
            count if count > MAX_LINKS => Err(DecodeError::TooManyLinks(count)),
            count => Ok(count),
        }
    }

    pub(super) fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&byte, rest) = self.rest.split_first().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    fn number(&mut self) -> Result<u64, DecodeError> {
        // Nearly every number has one byte.
        match self.rest.split_first() {
            Some((&byte, rest)) if byte < 0x80 => {
                self.rest = rest;
                Ok(u64::from(byte))
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0_u64;
        for (at, &byte) in self.rest.iter().enumerate() {
            let bits = u64::from(byte & 0x7F);
            if at > 9 || (at == 9 && bits > 1) {
                return Err(DecodeError::BadNumber);
            }
            number |= bits << (7 * at);
            if byte < 0x80 {
                self.rest = &self.rest[at + 1..];
                return Ok(number);
            }
        }
        Err(if self.rest.len() < 10 { DecodeError::Truncated } else { DecodeError::BadNumber })
    }

    #[inline]
    pub(super) fn length(&mut self) -> Result<usize, DecodeError> {
        usize::try_from(self.number()?).map_err(|_| DecodeError::BadNumber)
    }

    /// Reads a length; the span starts at `start`.
    #[inline]
    pub(super) fn span_from(&mut self, text: &str, start: usize) -> Result<TextSpan, DecodeError> {
        let end = start.checked_add(self.length()?).ok_or(DecodeError::BadSpan)?;
        text.get(start..end).ok_or(DecodeError::BadSpan)?;
        let offset = |at: usize| u32::try_from(at).map_err(|_| DecodeError::BadSpan);
        Ok(TextSpan { start: offset(start)?, end: offset(end)? })
    }

    pub(super) fn span(&mut self, text: &str) -> Result<TextSpan, DecodeError> {
        let start = self.length()?;
        self.span_from(text, start)
    }

    fn span_if(&mut self, present: bool, text: &str) -> Result<TextSpan, DecodeError> {
        if present { self.span(text) } else { Ok(TextSpan::default()) }
    }

    fn instant_if(&mut self, present: bool) -> Result<Option<Timestamp>, DecodeError> {
        if !present {
            return Ok(None);
        }
        let (second, nanosecond) = (unzigzag(self.number()?), unzigzag(self.number()?));
        let nanosecond = i32::try_from(nanosecond).map_err(|_| DecodeError::BadInstant)?;
        Timestamp::new(second, nanosecond).map(Some).map_err(|_| DecodeError::BadInstant)
    }

    pub(super) fn link(&mut self, text: &str) -> Result<LinkRow, DecodeError> {
        let flags = self.byte()?;
        let has = |flag: u8| flags & flag != 0;
        if flags & !FLAGS != 0 {
            return Err(DecodeError::BadLink);
        }
        let row = LinkRow {
            link_type: if has(FLAG_OTHER_TYPE) {
                LinkTypeText::Other(self.span(text)?)
            } else {
                let number = self.number()?;
                let term = u16::try_from(number).ok().and_then(term_by_number);
                LinkTypeText::Term(term.ok_or(DecodeError::UnknownLinkType(number))?)
            },
            href: self.span(text)?,
            title: self.span(text)?,
            media_type: self.span_if(has(FLAG_MEDIA_TYPE), text)?,
            languages: self.span_if(has(FLAG_LANGUAGES), text)?,
            contexts: self.span_if(has(FLAG_CONTEXTS), text)?,
            access: TextSpan::default(),
            window: Window::new(
                self.instant_if(has(FLAG_FROM))?,
                self.instant_if(has(FLAG_UNTIL))?,
            ),
            is_template: has(FLAG_TEMPLATE),
        };
        let href = &text[row.href.start as usize..row.href.end as usize];
        let is_url = href.starts_with("https://") || href.starts_with("http://");
        // Values that go into a header are checked here too.
        let no_type = matches!(row.link_type, LinkTypeText::Other(span) if span.is_empty());
        if no_type
            || row.title.is_empty()
            || !is_url
            || !href.bytes().fold(true, |all, byte| all & byte.is_ascii_graphic())
        {
            return Err(DecodeError::BadLink);
        }
        Ok(row)
    }
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

fn is_control(byte: u8) -> bool {
    (byte < 0x20) | (byte == 0x7F)
}
