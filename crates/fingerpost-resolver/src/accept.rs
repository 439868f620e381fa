//! Tolerant readers of `Accept`, `Accept-Language` and `Accept-Encoding`.
//!
//! RFC 9110 sections 12.4.2, 12.5.1, 12.5.3 and 12.5.4; RFC 4647 section 2.1; "Reading the headers"
//! of the selection algorithm in `docs/requirements/resolver.md`, and ER-12.
//!
//! ```text
//! Accept          = #( media-range [ weight ] )
//! media-range     = ( "*/*" / ( type "/*" ) / ( type "/" subtype ) ) parameters
//! Accept-Language = #( language-range [ weight ] )
//! language-range  = ( 1*8ALPHA *( "-" 1*8alphanum ) ) / "*"
//! weight          = OWS ";" OWS "q=" qvalue
//! qvalue          = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3"0" ] )
//! ```
//!
//! A member outside this grammar is ignored; the others are used. So is a member that no link could
//! have registered (a media range over 255 bytes, a language range over 64 bytes or 8 subtags), and
//! everything after the 32nd usable member. Nothing is copied: ranges are slices of the header, and
//! up to a dozen of them are stored without an allocation.

use smallvec::SmallVec;

use crate::language::{self};
use crate::limits::{
    MAX_HEADER_MEMBERS, MAX_LANGUAGE_TAG_BYTES, MAX_MEDIA_TYPE_BYTES, MAX_SUBTAGS,
};

/// The number of ranges stored without an allocation. Browsers send three to eight.
const INLINE: usize = 12;

/// A weight in thousandths, 0 to 1000.
pub(crate) type Quality = u16;

/// `q=1`, which is also the weight of a member without one.
const FULL: Quality = 1000;

/// How specific a media range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Specificity {
    /// `*/*`
    Any,
    /// `type/*`
    Type,
    /// `type/subtype`
    Exact,
}

/// One usable member of `Accept`, without its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediaRange<'a> {
    text: &'a [u8],
    specificity: Specificity,
    quality: Quality,
}

impl<'a> MediaRange<'a> {
    pub(crate) fn specificity(&self) -> Specificity {
        self.specificity
    }

    pub(crate) fn quality(&self) -> Quality {
        self.quality
    }

    /// Returns whether the range covers `media_type`, which has no parameters.
    fn covers(&self, media_type: &[u8]) -> bool {
        match self.specificity {
            Specificity::Any => true,
            Specificity::Exact => self.text.eq_ignore_ascii_case(media_type),
            Specificity::Type => {
                let head = &self.text[..self.text.len() - 1];
                media_type.len() > head.len() && media_type[..head.len()].eq_ignore_ascii_case(head)
            }
        }
    }
}

/// How well a link's media type suits the client; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MediaScore {
    /// Refused or covered by nothing.
    Mismatch,
    /// No media type stated, or only `*/*` covers it.
    Neutral,
    /// A range names it; ordered by weight, then an exact range before `type/*`.
    Match(Quality, Specificity),
}

/// The usable members of an `Accept` header, in header order.
#[derive(Clone, Debug)]
pub struct Accept<'a> {
    ranges: SmallVec<[MediaRange<'a>; INLINE]>,
}

impl<'a> Accept<'a> {
    /// Reads the header; the caller joins several header lines by commas.
    pub fn read(header: &'a [u8]) -> Self {
        let mut ranges = SmallVec::new();
        for member in members(header) {
            let Some((text, quality)) = weighted(member) else { continue };
            let Some(specificity) = media_range(text) else { continue };
            ranges.push(MediaRange { text, specificity, quality });
            if ranges.len() == MAX_HEADER_MEMBERS {
                break;
            }
        }
        Self { ranges }
    }

    /// Returns the highest weight, in thousandths, of a range that is one of these media types. A
    /// type that only a wildcard covers has none.
    ///
    /// ```
    /// # use fingerpost_resolver::Accept;
    /// let accept = Accept::read(b"text/html;q=0.8, text/*, text/plain;q=0");
    /// assert_eq!(accept.weight_of_named(&["text/html", "text/csv"]), Some(800));
    /// assert_eq!(accept.weight_of_named(&["text/plain"]), Some(0));
    /// assert_eq!(accept.weight_of_named(&["text/csv"]), None);
    /// ```
    pub fn weight_of_named(&self, media_types: &[&str]) -> Option<u16> {
        let is_named = |range: &&MediaRange<'_>| {
            let types = media_types.iter().map(|media_type| media_type.as_bytes());
            types.into_iter().any(|media_type| range.text.eq_ignore_ascii_case(media_type))
        };
        self.ranges.iter().filter(is_named).map(|range| range.quality).max()
    }

    /// Returns whether the header has no effect: no usable member, or `*/*` alone.
    pub(crate) fn is_absent(&self) -> bool {
        self.ranges.iter().all(|r| r.specificity == Specificity::Any && r.quality > 0)
    }

    /// Returns whether a range is more specific than `*/*`.
    pub(crate) fn names_something(&self) -> bool {
        self.ranges.iter().any(|r| r.specificity != Specificity::Any)
    }

    /// Returns whether the client accepts anything and only states preferences, as browsers do
    /// (ER-23).
    pub(crate) fn takes_anything(&self) -> bool {
        self.ranges.iter().any(|r| r.specificity == Specificity::Any && r.quality > 0)
    }

    /// Returns the most specific range that covers the type, with its position in the header. Of a
    /// repeated range, the highest weight counts.
    pub(crate) fn deciding(&self, media_type: &[u8]) -> Option<(usize, &MediaRange<'a>)> {
        let mut best: Option<(usize, &MediaRange<'a>)> = None;
        for (at, range) in self.ranges.iter().enumerate() {
            let rank = |r: &MediaRange<'_>| (r.specificity, r.quality);
            if range.covers(media_type) && best.is_none_or(|(_, b)| rank(range) > rank(b)) {
                best = Some((at, range));
            }
        }
        best
    }

    pub(crate) fn score(&self, media_type: Option<&str>) -> MediaScore {
        let Some(media_type) = media_type else { return MediaScore::Neutral };
        match self.deciding(essence(media_type)) {
            None => MediaScore::Mismatch,
            Some((_, range)) if range.quality == 0 => MediaScore::Mismatch,
            Some((_, range)) if range.specificity == Specificity::Any => MediaScore::Neutral,
            Some((_, range)) => MediaScore::Match(range.quality, range.specificity),
        }
    }

    /// Returns whether the range that decides about the type has `q=0`.
    pub(crate) fn refuses(&self, media_type: Option<&str>) -> bool {
        media_type
            .and_then(|media_type| self.deciding(essence(media_type)))
            .is_some_and(|(_, range)| range.quality == 0)
    }

    /// Returns the ranges without wildcard that share the highest weight above zero, in header
    /// order.
    pub(crate) fn top(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let explicit = |r: &&MediaRange<'_>| r.specificity == Specificity::Exact && r.quality > 0;
        let highest = self.ranges.iter().filter(explicit).map(|r| r.quality).max().unwrap_or(0);
        self.ranges.iter().filter(explicit).filter(move |r| r.quality == highest).map(|r| r.text)
    }
}

/// One usable member of `Accept-Language`.
#[derive(Clone, Copy, Debug)]
struct LanguageRange<'a> {
    text: &'a [u8],
    quality: Quality,
    /// Length of the shortest truncation: a tag that any truncation covers is covered by this one.
    shortest: usize,
}

/// The usable members of an `Accept-Language` header.
#[derive(Clone, Debug)]
pub(crate) struct AcceptLanguage<'a> {
    /// Ordered by descending weight, ties in header order.
    ranges: SmallVec<[LanguageRange<'a>; INLINE]>,
}

impl<'a> AcceptLanguage<'a> {
    /// Reads the header; the caller joins several header lines by commas.
    pub(crate) fn read(header: &'a [u8]) -> Self {
        let mut ranges: SmallVec<[LanguageRange<'a>; INLINE]> = SmallVec::new();
        for member in members(header) {
            let Some((text, quality)) = weighted(member) else { continue };
            if !is_language_range(text) {
                continue;
            }
            let at = ranges.iter().position(|r| r.quality < quality).unwrap_or(ranges.len());
            let shortest = language::truncations(text).last().map_or(0, <[u8]>::len);
            ranges.insert(at, LanguageRange { text, quality, shortest });
            if ranges.len() == MAX_HEADER_MEMBERS {
                break;
            }
        }
        Self { ranges }
    }

    /// Returns whether the header has no effect: no usable member, or `*` alone.
    pub(crate) fn is_absent(&self) -> bool {
        self.ranges.iter().all(|r| r.text == b"*" && r.quality > 0)
    }

    /// Returns the ranges with a weight above zero, best first.
    pub(crate) fn preferences(&self) -> impl Iterator<Item = &'a [u8]> + Clone + '_ {
        self.ranges.iter().take_while(|r| r.quality > 0).map(|r| r.text)
    }

    /// Returns whether there are preferences that can order links: at least one, and `*` is not the
    /// first.
    pub(crate) fn ranks(&self) -> bool {
        self.preferences().next().is_some_and(|first| first != b"*")
    }

    /// Returns whether the client accepts any language.
    pub(crate) fn takes_anything(&self) -> bool {
        self.preferences().any(|range| range == b"*")
    }

    /// Returns whether any range has `q=0`.
    pub(crate) fn has_refusals(&self) -> bool {
        self.ranges.last().is_some_and(|r| r.quality == 0)
    }

    /// Returns whether a preference matches the tag: exactly, shortened, or by a last resort. `*`
    /// matches nothing here.
    pub(crate) fn reaches(&self, tag: &str) -> bool {
        let named = self.ranges.iter().take_while(|r| r.quality > 0).filter(|r| r.text != b"*");
        named.map(|r| &r.text[..r.shortest]).any(|range| language::covers(range, tag.as_bytes()))
    }

    /// Returns whether the longest range that covers the tag has `q=0`; `*` is the shortest.
    pub(crate) fn refuses(&self, tag: &str) -> bool {
        if !self.has_refusals() {
            return false;
        }
        let mut longest: Option<(usize, Quality)> = None;
        for range in &self.ranges {
            let len = match range.text {
                b"*" => 0,
                text if language::covers(text, tag.as_bytes()) => text.len(),
                _ => continue,
            };
            if longest.is_none_or(|(best, _)| len > best) {
                longest = Some((len, range.quality));
            }
        }
        longest.is_some_and(|(_, quality)| quality == 0)
    }
}

/// Returns whether the client of this `Accept-Encoding` accepts gzip (RFC 9110 section 12.5.3). The
/// caller joins several header lines by commas. Of a repeated coding, the first weight counts.
///
/// ```
/// # use fingerpost_resolver::takes_gzip;
/// assert!(takes_gzip(b"br;q=1.0, gzip;q=0.8"));
/// assert!(!takes_gzip(b"gzip;q=0, *"));
/// assert!(!takes_gzip(b""));
/// ```
pub fn takes_gzip(accept_encoding: &[u8]) -> bool {
    let weight = |coding: &[u8]| {
        let mut codings = members(accept_encoding).take(MAX_HEADER_MEMBERS).filter_map(weighted);
        codings.find(|(name, _)| name.eq_ignore_ascii_case(coding)).map(|(_, quality)| quality)
    };
    weight(b"gzip").or_else(|| weight(b"*")).is_some_and(|quality| quality > 0)
}

/// Returns a media type without its parameters.
pub(crate) fn essence(media_type: &str) -> &[u8] {
    let bytes = media_type.as_bytes();
    let end = bytes.iter().position(|&b| b == b';').unwrap_or(bytes.len());
    bytes[..end].trim_ascii()
}

/// Splits at commas outside quoted strings.
fn members(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    split_unquoted(header, b',')
}

/// Splits at a delimiter outside quoted strings (RFC 9110 section 5.6.4).
fn split_unquoted(text: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = find_unquoted(text, delimiter);
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

/// Returns the position of the first delimiter outside quoted strings.
fn find_unquoted(text: &[u8], delimiter: u8) -> Option<usize> {
    // Hardly any header has a quoted string.
    let first = text.iter().position(|&byte| byte == delimiter || byte == b'"')?;
    if text[first] == delimiter {
        return Some(first);
    }
    let (mut quoted, mut escaped) = (false, false);
    let after = text[first..].iter().position(|&byte| {
        if escaped {
            escaped = false;
        } else if quoted && byte == b'\\' {
            escaped = true;
        } else if byte == b'"' {
            quoted = !quoted;
        } else {
            return !quoted && byte == delimiter;
        }
        false
    })?;
    Some(first + after)
}

/// Returns the value before the parameters, and the weight; `None` if the weight is malformed.
fn weighted(member: &[u8]) -> Option<(&[u8], Quality)> {
    let mut parts = split_unquoted(member, b';');
    let value = parts.next()?.trim_ascii();
    for part in parts {
        let part = part.trim_ascii();
        if let [b'q' | b'Q', rest @ ..] = part
            && let [b'=', weight @ ..] = rest.trim_ascii_start()
        {
            return Some((value, quality(weight.trim_ascii_start())?));
        }
    }
    Some((value, FULL))
}

/// Reads a `qvalue` into thousandths.
fn quality(text: &[u8]) -> Option<Quality> {
    let (&first, rest) = text.split_first()?;
    let digits = match rest {
        [] => rest,
        [b'.', digits @ ..] if digits.len() <= 3 => digits,
        _ => return None,
    };
    let mut value = match first {
        b'0' => 0,
        b'1' => FULL,
        _ => return None,
    };
    let mut unit = 100;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value += Quality::from(digit - b'0') * unit;
        unit /= 10;
    }
    (value <= FULL).then_some(value)
}

/// Returns the specificity of a media range; `None` if the text is not a media range.
fn media_range(text: &[u8]) -> Option<Specificity> {
    if text.len() > MAX_MEDIA_TYPE_BYTES {
        return None;
    }
    let slash = text.iter().position(|&b| b == b'/')?;
    let (main, sub) = (&text[..slash], &text[slash + 1..]);
    match (main, sub) {
        (b"*", b"*") => Some(Specificity::Any),
        (b"*", _) => None,
        _ if !is_token(main) || !is_token(sub) => None,
        (_, b"*") => Some(Specificity::Type),
        _ => Some(Specificity::Exact),
    }
}

/// Returns whether the text is a token (RFC 9110 section 5.6.2).
fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|&byte| IS_TCHAR[usize::from(byte)])
}

/// Whether each byte can be part of a token. A table, because all media ranges of each request are
/// looked at.
static IS_TCHAR: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let is_mark = matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~');
        table[byte as usize] = is_mark || byte.is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// Returns whether the text is a language range (RFC 4647 section 2.1), not longer than the tags
/// that can be registered.
fn is_language_range(text: &[u8]) -> bool {
    if text == b"*" {
        return true;
    }
    text.len() <= MAX_LANGUAGE_TAG_BYTES
        && text.split(|&b| b == b'-').enumerate().all(|(at, subtag)| {
            let allowed = if at == 0 { u8::is_ascii_alphabetic } else { u8::is_ascii_alphanumeric };
            at < MAX_SUBTAGS && (1..=8).contains(&subtag.len()) && subtag.iter().all(allowed)
        })
}

#[cfg(test)]
mod tests;
