//! The checked components of an EPC URN, stored in one text without allocation.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str;

use crate::charset;
use crate::digits;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::limits::MAX_COMPONENTS;
use crate::scheme::UrnScheme;
use crate::scheme::part::{self, Part};

/// The maximum total length of the components: CAGE code, part number and serial number of ADI.
const ROOM: usize = 6 + 32 + 30;

/// The components from the first on, each checked against the rules of the scheme.
#[derive(Clone, Copy)]
pub(crate) struct Components {
    scheme: UrnScheme,
    count: u8,
    ends: [u8; MAX_COMPONENTS],
    text: [u8; ROOM],
}

impl Components {
    #[inline]
    pub(crate) const fn new(scheme: UrnScheme) -> Components {
        Components { scheme, count: 0, ends: [0; MAX_COMPONENTS], text: [0; ROOM] }
    }

    #[inline]
    pub(crate) fn scheme(&self) -> UrnScheme {
        self.scheme
    }

    /// Returns the number of components; in a pattern fewer than the scheme has.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// Returns a component; empty if it does not exist.
    #[inline]
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        if index >= self.count() {
            return &[];
        }
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[usize::from(start)..usize::from(self.ends[index])]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        // Only ASCII passes the checks, so the conversion cannot fail.
        (0..self.count()).map(|index| str::from_utf8(self.bytes(index)).unwrap_or_default())
    }

    /// Appends a component as written in a URN, percent-encoded. The error includes its offset.
    pub(crate) fn push_escaped(&mut self, text: &[u8]) -> Result<(), (ErrorKind, usize)> {
        let part = self.next_part()?;
        let (set, escaped) = part.sets();
        if set == 0 {
            return self.push_plain(text).map_err(|kind| (kind, 0));
        }
        let (max, start) = (part.max_length(self.prefix_length()), self.end());
        let (mut at, mut end) = (0, start);
        while at < text.len() {
            let (byte, taken) =
                part::unescape(text, at, set, escaped).map_err(|kind| (kind, at))?;
            if end - start == max {
                return Err((ErrorKind::TooLong { max }, at));
            }
            self.text[end] = byte;
            (at, end) = (at + taken, end + 1);
        }
        part.check(&self.text[start..end], self.prefix_length()).map_err(|kind| (kind, 0))?;
        self.close(end);
        Ok(())
    }

    /// Appends a number as a component of `width` digits, for decoders that have checked that it
    /// has no more and that the component may be such a number.
    #[inline]
    pub(crate) fn push_digits(&mut self, number: u64, width: usize) {
        debug_assert!(self.count() < self.scheme.parts().len());
        let start = self.end();
        digits::fill(&mut self.text[start..start + width], number);
        self.close(start + width);
    }

    /// Appends a component given in pieces, of which the caller knows that the rules of the
    /// component allow it.
    #[inline(always)]
    pub(crate) fn push_checked(&mut self, pieces: &[&[u8]]) {
        let start = self.end();
        let mut end = start;
        for piece in pieces {
            self.text[end..end + piece.len()].copy_from_slice(piece);
            end += piece.len();
        }
        debug_assert_eq!(
            self.next_part().map(|part| part.check(&self.text[start..end], self.prefix_length())),
            Ok(Ok(()))
        );
        self.close(end);
    }

    /// Appends a component that is not percent-encoded.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &[u8]) -> Result<(), ErrorKind> {
        self.push_pieces(&[text])
    }

    /// Appends a component given in pieces.
    ///
    /// Inlined, because callers know the number of pieces, and most have one.
    #[inline(always)]
    pub(crate) fn push_pieces(&mut self, pieces: &[&[u8]]) -> Result<(), ErrorKind> {
        let part = self.next_part().map_err(|(kind, _)| kind)?;
        let (set, _) = part.sets();
        if set != 0 {
            let max = part.max_length(self.prefix_length());
            if !pieces.iter().all(|piece| piece.iter().all(|&byte| charset::is(byte, set))) {
                return Err(ErrorKind::BadCharacter);
            }
            if pieces.iter().map(|piece| piece.len()).sum::<usize>() > max {
                return Err(ErrorKind::TooLong { max });
            }
        }
        let start = self.end();
        let mut end = start;
        for piece in pieces {
            match self.text.get_mut(end..end + piece.len()) {
                Some(slot) => slot.copy_from_slice(piece),
                // It is longer than any component; only the check determines the error.
                None => return part.check(piece, self.prefix_length()),
            }
            end += piece.len();
        }
        part.check(&self.text[start..end], self.prefix_length())?;
        self.close(end);
        Ok(())
    }

    /// Completes the component that ends at `end`.
    #[inline]
    fn close(&mut self, end: usize) {
        // `ROOM` is below 256.
        self.ends[self.count()] = end as u8;
        self.count += 1;
    }

    /// Returns the end of the last component, which is the number of bytes of all.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.count.checked_sub(1).map_or(0, |last| usize::from(self.ends[usize::from(last)]))
    }

    #[inline]
    fn next_part(&self) -> Result<Part, (ErrorKind, usize)> {
        self.scheme.parts().get(self.count()).copied().ok_or((ErrorKind::BadUrnSyntax, 0))
    }

    /// Returns the length of the company prefix; in schemes without one that of the first
    /// component, which has no effect.
    #[inline]
    pub(crate) fn prefix_length(&self) -> usize {
        self.bytes(0).len()
    }

    /// Parses the components of a URN from `start` on; if `stars` are allowed, a star ends them.
    pub(crate) fn parse(
        scheme: UrnScheme,
        urn: &str,
        start: usize,
        stars: bool,
    ) -> Result<Components, Error> {
        let parts = scheme.parts();
        let whole = ErrorSpan::text(start, urn.len());
        let mut pieces = [""; MAX_COMPONENTS];
        let mut count = 0;
        for piece in urn[start..].splitn(parts.len(), '.') {
            pieces[count] = piece;
            count += 1;
        }
        let dotted = parts
            .last()
            .is_some_and(|last| !last.may_hold_dots() && pieces[parts.len() - 1].contains('.'));
        if count != parts.len() || dotted {
            return Err(Error::new(ErrorKind::BadUrnSyntax, whole));
        }
        let pieces = &pieces[..count];
        let literal = if stars { literal_count(scheme, pieces, whole)? } else { count };
        let mut components = Components::new(scheme);
        let mut at = start;
        for piece in &pieces[..literal] {
            components.push_escaped(piece.as_bytes()).map_err(|(kind, offset)| {
                let end = at + piece.len();
                Error::new(kind, ErrorSpan::text((at + offset).min(end), end))
            })?;
            at += piece.len() + 1;
        }
        Ok(components)
    }

    /// Writes the components, percent-encoded, separated by dots, with stars for the missing ones.
    pub(crate) fn write(&self, f: &mut impl fmt::Write) -> fmt::Result {
        for index in 0..self.scheme.parts().len() {
            if index > 0 {
                f.write_char('.')?;
            }
            if index < self.count() {
                self.write_component(index, f)?;
            } else {
                f.write_char('*')?;
            }
        }
        Ok(())
    }

    /// Writes one component, percent-encoded.
    pub(crate) fn write_component(&self, index: usize, f: &mut impl fmt::Write) -> fmt::Result {
        let (_, escaped) = self.scheme.parts()[index].sets();
        for &byte in self.bytes(index) {
            if escaped != 0 && charset::is(byte, escaped) {
                write!(f, "%{byte:02X}")?;
            } else {
                f.write_char(char::from(byte))?;
            }
        }
        Ok(())
    }
}

/// Returns the number of components before the stars: EPC Tag Data Standard 2.3, section 8.
fn literal_count(scheme: UrnScheme, pieces: &[&str], whole: ErrorSpan) -> Result<usize, Error> {
    let literal = pieces.iter().position(|piece| *piece == "*").unwrap_or(pieces.len());
    let wrong = pieces[literal..].iter().any(|piece| *piece != "*")
        || pieces.iter().any(|piece| piece.starts_with('['))
        // The components that form the key are treated as one.
        || scheme.key().is_some_and(|key| (3..key.parts).contains(&literal));
    if wrong { Err(Error::new(ErrorKind::BadPattern, whole)) } else { Ok(literal) }
}

impl PartialEq for Components {
    fn eq(&self, other: &Components) -> bool {
        self.scheme == other.scheme && self.iter().eq(other.iter())
    }
}

impl Eq for Components {}

impl PartialOrd for Components {
    fn partial_cmp(&self, other: &Components) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Components {
    fn cmp(&self, other: &Components) -> Ordering {
        self.scheme.cmp(&other.scheme).then_with(|| self.iter().cmp(other.iter()))
    }
}

impl Hash for Components {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.scheme.hash(state);
        self.iter().for_each(|component| component.hash(state));
    }
}
