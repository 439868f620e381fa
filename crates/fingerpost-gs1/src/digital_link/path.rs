//! The GS1 part of the path: GS1 Digital Link URI Syntax 1.4.1, sections 4.7 to 4.9.
//!
//! ```text
//! gs1path = 1*( "/" ai "/" value )      ; key first; triplets of digits are equivalent to them
//! ```
//!
//! Any segments can precede it, so the key is searched for from the right: pairs of AI and value
//! are read from the end of the path until one is a primary key. The right-most key wins. If the
//! caller knows the stem, the path is parsed from the left, directly after the stem.

use super::authority;
use super::parse::{Parser, find};
use super::slashes::Slashes;
use super::value::ValueComponent;
use super::warning::WarningKind;
use crate::findings::Report;
use crate::limits::MAX_PAIRS;
use crate::percent::decoded_digits;
use crate::{Ai, AiEntry, Error, ErrorKind, Span};

/// The AIs that the search for the key has read, from the right. Those of a longer path are read
/// again.
type Known = [Option<(Ai, &'static AiEntry)>; MAX_PAIRS];

impl<R: Report> Parser<'_, '_, R> {
    /// Parses the GS1 part of the path, searching for the key from the right.
    #[inline]
    pub(super) fn read_path(&mut self, slashes: &Slashes) -> Result<(), Error> {
        let (all, end) = (slashes.as_slice(), slashes.path_end);
        let mut known = Known::default();
        match self.rightmost_key(all, &mut known) {
            Some(key) => self.read_pairs(&all[key..], end, &known),
            None => self.read_path_before_slash(all, end),
        }
    }

    /// Returns the index in `slashes` of the slash before the right-most primary key that is
    /// followed only by pairs.
    #[inline(always)]
    fn rightmost_key(&self, slashes: &[u16], known: &mut Known) -> Option<usize> {
        for (nth, pair) in slashes.rchunks_exact(2).enumerate() {
            let span = Span { start: usize::from(pair[0]) + 1, end: usize::from(pair[1]) };
            let (ai, entry) = self.path_ai(span)?;
            if let Some(position) = known.get_mut(nth) {
                *position = Some((ai, entry));
            }
            if entry.qualifier_sequences().is_some() {
                return Some(slashes.len() - 2 * (nth + 1));
            }
        }
        None
    }

    /// Parses the path in the same way, without a slash at the end.
    #[cold]
    fn read_path_before_slash(&mut self, slashes: &[u16], end: usize) -> Result<(), Error> {
        let path = self.link.layout.path();
        let not_found = Error::new(ErrorKind::NoPrimaryKey, path)
            .with_found(&self.bytes()[path.start..path.end]);
        let Some((&last, slashes)) = slashes.split_last() else { return Err(not_found) };
        if usize::from(last) != end - 1 {
            return Err(not_found);
        }
        let mut known = Known::default();
        let key = self.rightmost_key(slashes, &mut known).ok_or(not_found)?;
        self.trailing_slash(end)?;
        self.read_pairs(&slashes[key..], end - 1, &known)
    }

    fn trailing_slash(&mut self, end: usize) -> Result<(), Error> {
        let slash = Span { start: end - 1, end };
        if self.options.allows_trailing_slash() {
            self.warn(WarningKind::TrailingSlash, None, slash);
            return Ok(());
        }
        self.fault(Error::new(ErrorKind::TrailingSlash, slash))
    }

    /// Parses the GS1 part of the path that follows `stem`. Scheme and host are compared
    /// case-insensitively.
    pub(super) fn read_path_after(&mut self, stem: &str, slashes: &Slashes) -> Result<(), Error> {
        let stem = stem.strip_suffix('/').unwrap_or(stem).as_bytes();
        let (bytes, path) = (self.bytes(), self.link.layout.path());
        let host_end = authority::after_scheme(stem)
            .map_or(0, |start| find(stem, start, stem.len(), |b| b == b'/'));
        let follows = path.start == host_end
            && stem.len() < path.end
            && bytes[..host_end].eq_ignore_ascii_case(&stem[..host_end])
            && bytes[host_end..stem.len()] == stem[host_end..];
        let all = slashes.as_slice();
        let first = all.iter().position(|&slash| usize::from(slash) == stem.len());
        let Some(first) = first.filter(|_| follows) else {
            return Err(
                Error::new(ErrorKind::NoPrimaryKey, path).with_found(&bytes[path.start..path.end])
            );
        };
        let (mut rest, mut end) = (&all[first..], path.end);
        if rest.len() % 2 == 1 && rest.len() > 1 && bytes[end - 1] == b'/' {
            self.trailing_slash(end)?;
            rest = &rest[..rest.len() - 1];
            end -= 1;
        }
        self.read_pairs(rest, end, &Known::default())
    }

    /// Parses pairs of AI and value into the elements; each part follows a slash.
    #[inline]
    fn read_pairs(&mut self, slashes: &[u16], end: usize, known: &Known) -> Result<(), Error> {
        let key = slashes.first().map_or(end, |&slash| usize::from(slash));
        self.link.layout.set_path(Span { start: key, end });
        let pairs = slashes.len().div_ceil(2);
        for nth in 0..pairs {
            let position = |at: usize| slashes.get(at).map_or(end, |&slash| usize::from(slash));
            let ai_span = Span { start: position(2 * nth) + 1, end: position(2 * nth + 1) };
            let ai = known.get(pairs - 1 - nth).copied().flatten();
            let Some((ai, entry)) = ai.or_else(|| self.path_ai(ai_span)) else {
                return Err(self.not_a_pair(ai_span));
            };
            let is_key = entry.qualifier_sequences().is_some();
            if ai_span.end == end || (nth == 0 && !is_key) {
                return Err(self.not_a_pair(ai_span));
            }
            if self.options.allows_convenience_alphas() {
                self.warn_of_alpha(ai, ai_span);
            }
            let value = Span { start: ai_span.end + 1, end: position(2 * nth + 2) };
            self.push_value(ai, entry, value, ValueComponent::Path)?;
        }
        Ok(())
    }

    /// Returns the error for a segment that is not an AI with a value. Only a path parsed from the
    /// left can have one.
    #[cold]
    fn not_a_pair(&self, span: Span) -> Error {
        let text = &self.uri[span.start..span.end];
        let kind = if self.link.elements.is_empty() || Ai::new(text).and_then(Ai::entry).is_some() {
            ErrorKind::NoPrimaryKey
        } else {
            ErrorKind::UnknownAi
        };
        let error = Error::new(kind, span).with_found(text.as_bytes());
        Ai::new(text).map_or(error, |ai| error.with_ai(ai))
    }

    /// Returns the AI of a path segment and its row. Unknown AIs are never in the path, regardless
    /// of the options.
    #[inline(always)]
    fn path_ai(&self, span: Span) -> Option<(Ai, &'static AiEntry)> {
        let text = &self.bytes()[span.start..span.end];
        Ai::allocated(text).or_else(|| self.unusual_path_ai(text))
    }

    #[cold]
    fn unusual_path_ai(&self, text: &[u8]) -> Option<(Ai, &'static AiEntry)> {
        if let Some(digits) = decoded_digits(text) {
            return Ai::allocated(&digits).or_else(|| {
                let ai = Ai::from_digits(&digits)?;
                Some((ai, self.entry(ai).filter(|entry| entry.is_attribute())?))
            });
        }
        let alphas = self.options.allows_convenience_alphas();
        let ai = Ai::from_convenience_alpha(core::str::from_utf8(text).ok()?).filter(|_| alphas)?;
        Some((ai, ai.entry()?))
    }

    #[cold]
    pub(super) fn warn_of_alpha(&mut self, ai: Ai, span: Span) {
        if Ai::from_convenience_alpha(&self.uri[span.start..span.end]).is_some() {
            self.warn(WarningKind::ConvenienceAlpha, Some(ai), span);
        }
    }
}
