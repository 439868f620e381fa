//! The GS1 part of the path: GS1 Digital Link URI Syntax 1.4.1, sections 4.7 to 4.9.
//!
//! ```text
//! gs1path = 1*( "/" ai "/" value )      ; key first
//! ```
//!
//! Any segments may stand before it, so the key is looked for from the right: pairs of AI and value
//! are read off the end of the path until one is a primary key. The right-most key wins. A caller
//! that knows the stem has the path read from the left, right after the stem.

use super::authority;
use super::parse::{Parser, find};
use super::value::Place;
use super::warning::WarningKind;
use crate::findings::Report;
use crate::{Ai, AiEntry, Error, ErrorKind, Span};

use super::alphas;

impl<R: Report> Parser<'_, '_, R> {
    /// The GS1 part of `path`, which starts with a slash: key looked for from the right.
    #[inline]
    pub(super) fn find_key(&mut self, path: Span) -> Result<Span, Error> {
        if let Some(start) = self.rightmost_key(path) {
            return Ok(Span { start, end: path.end });
        }
        self.find_key_before_slash(path)
    }

    /// The slash before the right-most primary key whose followers are all pairs.
    #[inline]
    fn rightmost_key(&self, path: Span) -> Option<usize> {
        let bytes = self.bytes();
        let slash_before = |end: usize| {
            bytes[path.start..end].iter().rposition(|&b| b == b'/').map(|at| path.start + at)
        };
        let mut end = path.end;
        loop {
            let value = slash_before(end)?;
            let ai = slash_before(value)?;
            let (_, entry) = self.path_ai(Span { start: ai + 1, end: value })?;
            if entry.qualifier_sequences().is_some() {
                return Some(ai);
            }
            end = ai;
        }
    }

    /// The same without a slash at the end.
    #[cold]
    fn find_key_before_slash(&mut self, path: Span) -> Result<Span, Error> {
        let not_found = Error::new(ErrorKind::NoPrimaryKey, path)
            .with_found(&self.bytes()[path.start..path.end]);
        if self.bytes()[path.end - 1] != b'/' {
            return Err(not_found);
        }
        let shorter = Span { start: path.start, end: path.end - 1 };
        let start = self.rightmost_key(shorter).ok_or(not_found)?;
        self.trailing_slash(path.end)?;
        Ok(Span { start, end: shorter.end })
    }

    fn trailing_slash(&mut self, end: usize) -> Result<(), Error> {
        let slash = Span { start: end - 1, end };
        if self.options.allows_trailing_slash() {
            self.warn(WarningKind::TrailingSlash, None, slash);
            return Ok(());
        }
        self.fault(Error::new(ErrorKind::TrailingSlash, slash))
    }

    /// The GS1 part of `path` when it follows `stem`. Scheme and host compare without case.
    pub(super) fn after_stem(&mut self, stem: &str, path: Span) -> Result<Span, Error> {
        let stem = stem.strip_suffix('/').unwrap_or(stem).as_bytes();
        let bytes = self.bytes();
        let outside =
            Error::new(ErrorKind::NoPrimaryKey, path).with_found(&bytes[path.start..path.end]);
        let host_end = authority::after_scheme(stem)
            .map_or(0, |start| find(stem, start, stem.len(), |b| b == b'/'));
        let follows = path.start == host_end
            && stem.len() < path.end
            && bytes[..host_end].eq_ignore_ascii_case(&stem[..host_end])
            && bytes[host_end..stem.len()] == stem[host_end..]
            && bytes[stem.len()] == b'/';
        if !follows {
            return Err(outside);
        }
        let mut rest = Span { start: stem.len(), end: path.end };
        let slashes = bytes[rest.start..rest.end].iter().filter(|&&b| b == b'/').count();
        if slashes % 2 == 1 && slashes > 1 && bytes[rest.end - 1] == b'/' {
            self.trailing_slash(rest.end)?;
            rest.end -= 1;
        }
        Ok(rest)
    }

    /// Reads the pairs of the GS1 part into `elements`.
    #[inline]
    pub(super) fn read_path(&mut self, path: Span) -> Result<(), Error> {
        let bytes = self.bytes();
        let mut at = path.start;
        while at < path.end {
            let slash = find(bytes, at + 1, path.end, |b| b == b'/');
            let ai_span = Span { start: at + 1, end: slash };
            let Some((ai, entry)) = self.path_ai(ai_span) else {
                return Err(self.not_a_pair(ai_span));
            };
            if slash == path.end
                || (self.elements.is_empty() && entry.qualifier_sequences().is_none())
            {
                return Err(self.not_a_pair(ai_span));
            }
            if self.options.allows_convenience_alphas() {
                self.warn_of_alpha(ai, ai_span);
            }
            let end = find(bytes, slash + 1, path.end, |b| b == b'/');
            self.push_value(ai, entry, Span { start: slash + 1, end }, Place::Path)?;
            at = end;
        }
        Ok(())
    }

    /// The error for a segment that is not an AI with a value. Only a path read from the left
    /// can have one.
    #[cold]
    fn not_a_pair(&self, span: Span) -> Error {
        let text = &self.uri[span.start..span.end];
        let kind = if self.elements.is_empty() || Ai::new(text).and_then(Ai::entry).is_some() {
            ErrorKind::NoPrimaryKey
        } else {
            ErrorKind::UnknownAi
        };
        let error = Error::new(kind, span).with_found(text.as_bytes());
        Ai::new(text).map_or(error, |ai| error.with_ai(ai))
    }

    /// The AI that a path segment names and its row. Unknown AIs are never in the path, whatever
    /// the options say.
    #[inline]
    fn path_ai(&self, span: Span) -> Option<(Ai, &'static AiEntry)> {
        match Ai::from_digits(&self.bytes()[span.start..span.end]) {
            Some(ai) => match ai.entry() {
                Some(entry) => Some((ai, entry)),
                None => {
                    self.entry(ai).filter(|entry| entry.is_attribute()).map(|entry| (ai, entry))
                }
            },
            None if self.options.allows_convenience_alphas() => {
                let ai = alphas::ai_for(&self.uri[span.start..span.end])?;
                Some((ai, ai.entry()?))
            }
            None => None,
        }
    }

    #[cold]
    pub(super) fn warn_of_alpha(&mut self, ai: Ai, span: Span) {
        if &self.uri[span.start..span.end] != ai.as_str() {
            self.warn(WarningKind::ConvenienceAlpha, Some(ai), span);
        }
    }
}
