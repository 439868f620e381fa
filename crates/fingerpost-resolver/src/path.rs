//! The request path: from raw bytes to an `EntityKey` (GS1-Conformant Resolver 1.2.0 sections 2.4,
//! 2.4.1 and 2.13; RES-2.4-*, RES-2.13-*, and the rules about the stem).
//!
//! ```text
//! path    = stem "/" key-ai "/" value *( "/" ai "/" value ) [ "/" ]
//! ai      = 2*4DIGIT                      ; and, with legacy_alphas, a convenience alpha
//! value   = 1*( byte / "%" HEXDIG HEXDIG ) ; decoded once, after splitting
//! ```
//!
//! The path is split before anything is decoded, so `%2F` stays data, and it is read from the left,
//! directly after the configured stem. Two things that a strict Digital Link parser refuses and the
//! resolver tolerates are removed here: equal repeats (RES-2.4-11) and plausible unknown
//! Application Identifiers (RES-2.4-8).

use std::borrow::Cow;
use std::collections::BTreeMap;

use fingerpost_gs1::{Ai, EntityKey, Error, ErrorKind, Options, Span, gtin, percent};

use crate::Settings;
use crate::compressed::{self, Compression, Content};
use crate::limits::{MAX_FOREIGN_STEM, MAX_PAIRS};
use crate::refusal::{PathFault, Refusal};

/// A path that identifies an entity.
#[derive(Debug)]
pub(crate) struct ParsedPath<'a> {
    pub(crate) entity: EntityKey,
    /// The path as received, without the stem and one trailing slash; it begins with a slash.
    pub(crate) path: &'a [u8],
    /// For a compressed path, its compression and what it holds besides the entity.
    pub(crate) decompressed: Option<Box<Decompressed>>,
}

/// The compression of a path, and what the path holds besides the entity.
#[derive(Debug)]
pub(crate) struct Decompressed {
    pub(crate) compression: Compression,
    /// The query that goes before that of the request (RES-2.3-7).
    pub(crate) query: Option<String>,
}

/// Reads the path of a request target.
pub(crate) fn parse<'a>(settings: &Settings, path: &'a [u8]) -> Result<ParsedPath<'a>, Refusal> {
    let below = below_stem(path, settings.root().stem().as_bytes());
    let reader = Reader {
        whole: path,
        start: below.unwrap_or(0),
        legacy_gtin: settings.legacy_gtin(),
        legacy_alphas: settings.legacy_alphas(),
    };
    let inner = reader.without_trailing_slash();
    if below.is_some() && compressed::is_epc(inner) {
        return decompressed(settings, inner, compressed::read_epc(inner, reader.start)?);
    }
    // Nearly every path is written as its key is.
    let canonical = inner.strip_prefix(b"/").and_then(canonical_key);
    match canonical.map_or_else(|| reader.entity(inner, reader.start), Ok) {
        Ok(_) if below.is_none() => Err(Refusal::NotServed),
        Ok(entity) if settings.primary_keys().contains(entity.primary_key()) => {
            Ok(ParsedPath { entity, path: inner, decompressed: None })
        }
        Ok(entity) => Err(Refusal::UnsupportedKey(entity.primary_key())),
        Err(_)
            if !reader.first_segment_is_known_ai(inner) && reader.is_below_another_stem(inner) =>
        {
            Err(if begins_with_host(inner) { Refusal::NoScheme } else { Refusal::NotServed })
        }
        Err(error) if below.is_some() && settings.legacy_decompression() => {
            let options = Options::new()
                .zero_suppressed_gtin(settings.legacy_gtin())
                .convenience_alphas(settings.legacy_alphas());
            match compressed::read_legacy(inner, reader.start, &options) {
                // A name is more likely than a damaged compressed link that begins like one.
                Some(Err(_)) if error.is_former_name() => Err(error),
                Some(content) => decompressed(settings, inner, content?),
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Returns where the part of a path after the stem begins, if it is below the stem. A triplet of an
/// unreserved character is the same as the character, and its digits have no case (RFC 3986 section
/// 6.2.2).
fn below_stem(path: &[u8], stem: &[u8]) -> Option<usize> {
    let is_end = |rest: &[u8]| rest.first().is_none_or(|&byte| byte == b'/');
    match path.strip_prefix(stem) {
        Some(rest) if is_end(rest) => Some(stem.len()),
        _ if path.contains(&b'%') => {
            let mut rest = path;
            let mut stem = stem;
            while !stem.is_empty() {
                let ((wanted, after_stem), (found, after)) = (unit(stem)?, unit(rest)?);
                (stem, rest) = (after_stem, after);
                if wanted != found {
                    return None;
                }
            }
            is_end(rest).then_some(path.len() - rest.len())
        }
        _ => None,
    }
}

/// Returns the first character of a path, whether it is a triplet that means something else than
/// the character, and what follows.
fn unit(path: &[u8]) -> Option<((u8, bool), &[u8])> {
    if let Some(octet) = percent::triplet(path) {
        let is_unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
        return Some(((octet, !is_unreserved), &path[3..]));
    }
    let (&first, rest) = path.split_first()?;
    Some(((first, false), rest))
}

/// Returns the key of which this is the canonical text: the same that [`Reader::entity`] returns,
/// without reading segment by segment.
fn canonical_key(path: &[u8]) -> Option<EntityKey> {
    EntityKey::from_canonical(std::str::from_utf8(path).ok()?)
}

/// Reads a compressed path as the uncompressed one that it stands for (RES-2.3-8).
#[cold]
fn decompressed<'a>(
    settings: &Settings,
    path: &'a [u8],
    content: Content,
) -> Result<ParsedPath<'a>, Refusal> {
    let Content { compression, entity, query } = content;
    if !settings.primary_keys().contains(entity.primary_key()) {
        return Err(Refusal::UnsupportedKey(entity.primary_key()));
    }
    let decompressed = Some(Box::new(Decompressed { compression, query }));
    Ok(ParsedPath { entity, path, decompressed })
}

struct Reader<'a> {
    whole: &'a [u8],
    /// The position in `whole` where the part after the stem begins.
    start: usize,
    legacy_gtin: bool,
    legacy_alphas: bool,
}

/// An AI with its value, and the positions of both in the whole path.
#[derive(Clone)]
struct Pair<'a> {
    ai: Ai,
    value: Cow<'a, [u8]>,
    ai_span: Span,
    value_span: Span,
}

impl<'a> Reader<'a> {
    /// Removes one trailing slash, which is tolerated (RES-2.13-1).
    fn without_trailing_slash(&self) -> &'a [u8] {
        let inner = &self.whole[self.start..];
        if inner.len() > 1 { inner.strip_suffix(b"/").unwrap_or(inner) } else { inner }
    }

    fn first_segment_is_known_ai(&self, inner: &[u8]) -> bool {
        let first = inner.strip_prefix(b"/").unwrap_or(inner).split(|&b| b == b'/').next();
        let decoded = first.and_then(|segment| decode(segment).ok());
        decoded.and_then(|segment| self.ai(&segment)).is_some_and(|ai| ai.entry().is_some())
    }

    /// Returns whether a later segment starts a complete valid GS1 path: a valid URI, but not of
    /// this resolver.
    fn is_below_another_stem(&self, inner: &[u8]) -> bool {
        let slashes = inner.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        slashes.skip(1).take(MAX_FOREIGN_STEM).any(|at| {
            self.first_segment_is_known_ai(&inner[at..])
                && self.entity(&inner[at..], self.start + at).is_ok()
        })
    }

    /// Returns the AI that a decoded segment spells, known or not (test 2.1, RES-2.4-4).
    fn ai(&self, segment: &[u8]) -> Option<Ai> {
        let text = std::str::from_utf8(segment).ok()?;
        Ai::new(text)
            .or_else(|| if self.legacy_alphas { Ai::from_convenience_alpha(text) } else { None })
    }

    /// Reads `/ai/value…`, which begins at `start` in the whole path (tests 1 to 5 of section 2.4).
    fn entity(&self, inner: &'a [u8], start: usize) -> Result<EntityKey, Refusal> {
        let mut pairs: [Option<Pair<'a>>; MAX_PAIRS] = [const { None }; MAX_PAIRS];
        let mut count = 0;
        let mut unknown: BTreeMap<Ai, Cow<'a, [u8]>> = BTreeMap::new();
        let mut at = 0;
        while at < inner.len() || count == 0 {
            let (pair, next) = self.pair(inner, at, start)?;
            at = next;
            if count == 0 && !pair.ai.is_primary_key() {
                return Err(Refusal::invalid(PathFault::NoPrimaryKey, pair.ai_span));
            }
            let earlier = if pair.ai.entry().is_none() {
                check_unknown(&pair)?;
                unknown.get(&pair.ai)
            } else {
                pairs.iter().flatten().find(|other| other.ai == pair.ai).map(|other| &other.value)
            };
            match earlier {
                Some(value) if *value == pair.value => {}
                Some(_) => {
                    let fault = PathFault::RepeatDisagrees(pair.ai);
                    return Err(Refusal::invalid(fault, pair.value_span));
                }
                None if pair.ai.entry().is_none() => {
                    unknown.insert(pair.ai, pair.value);
                }
                None if count < MAX_PAIRS => {
                    pairs[count] = Some(pair);
                    count += 1;
                }
                // There are already more qualifiers than any key has: the order test below refuses
                // them.
                None => {}
            }
        }
        entity_key(&pairs)
    }

    /// Returns the pair that begins with the slash at `at`, and the position where the next one
    /// begins.
    fn pair(&self, inner: &'a [u8], at: usize, start: usize) -> Result<(Pair<'a>, usize), Refusal> {
        let (ai_text, ai_span, next) = segment(inner, at, start)?;
        let spelled = decode_at(ai_text, ai_span)?;
        let ai = self.ai(&spelled).ok_or_else(|| {
            let fault = match former_name(&spelled) {
                Some(ai) => PathFault::FormerName(ai),
                None if at == 0 => PathFault::NoPrimaryKey,
                None => PathFault::NotAnAi,
            };
            Refusal::invalid(fault, ai_span)
        })?;
        check_ai_length(ai, ai_span)?;
        if next == inner.len() {
            return Err(Refusal::invalid(PathFault::NoValue(ai), ai_span));
        }
        let (text, value_span, next) = segment(inner, next, start)?;
        let mut value = decode_at(text, value_span)?;
        if self.legacy_gtin
            && ai == Ai::GTIN
            && let Some(padded) = gtin::padded(&value)
        {
            value = Cow::Owned(padded.to_vec());
        }
        Ok((Pair { ai, value, ai_span, value_span }, next))
    }
}

/// Returns the AI whose convenience alpha a decoded segment is, in any case. They are read with
/// `legacy_alphas` only.
#[cold]
fn former_name(segment: &[u8]) -> Option<Ai> {
    let mut alphas = Ai::CONVENIENCE_ALPHAS.iter();
    let found = alphas.find(|(alpha, _)| alpha.as_bytes().eq_ignore_ascii_case(segment));
    found.map(|&(_, ai)| ai)
}

/// Returns whether the first segment of a path is a host name with a dot, and perhaps a port: what
/// a browser asks for that follows a link without a scheme (RFC 3986, section 4.5).
fn begins_with_host(inner: &[u8]) -> bool {
    let first = inner.strip_prefix(b"/").unwrap_or(inner).split(|&byte| byte == b'/').next();
    let first = first.and_then(|segment| std::str::from_utf8(segment).ok()).unwrap_or_default();
    let host = match first.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => first,
    };
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    host.contains('.') && host.split('.').all(is_label)
}

/// Returns the segment after the slash at `at`, its position in the whole path, and its end.
fn segment(inner: &[u8], at: usize, start: usize) -> Result<(&[u8], Span, usize), Refusal> {
    let from = (at + 1).min(inner.len());
    let len = inner[from..].iter().position(|&b| b == b'/').unwrap_or(inner.len() - from);
    let span = Span { start: start + from, end: start + from + len };
    if len == 0 {
        let fault = if from == inner.len() && at <= 1 {
            PathFault::NoPrimaryKey
        } else {
            PathFault::EmptySegment
        };
        return Err(Refusal::invalid(fault, span));
    }
    Ok((&inner[from..from + len], span, from + len))
}

/// Decodes a segment exactly once (test 1.2, RES-2.4-3).
fn decode(segment: &[u8]) -> Result<Cow<'_, [u8]>, usize> {
    if !segment.contains(&b'%') {
        return Ok(Cow::Borrowed(segment));
    }
    let mut out = Vec::new();
    percent::decode(segment, &mut out)?;
    Ok(Cow::Owned(out))
}

fn decode_at(segment: &[u8], span: Span) -> Result<Cow<'_, [u8]>, Refusal> {
    if let Some(at) = segment.iter().position(|byte| matches!(byte, b'"' | b'<' | b'>')) {
        let span = Span::from_length(span.start + at, 1);
        return Err(Refusal::invalid(PathFault::RawCharacter, span));
    }
    decode(segment).map_err(|at| {
        let start = span.start + at;
        let end = (start + 3).min(span.end);
        Refusal::invalid(PathFault::Escape, Span { start, end })
    })
}

/// Checks that an AI is as long as the allocated AIs that share its first two digits (test 2.2,
/// RES-2.4-5).
fn check_ai_length(ai: Ai, span: Span) -> Result<(), Refusal> {
    let digits = ai.as_str().as_bytes();
    match Ai::length_for_prefix([digits[0], digits[1]]) {
        Some(expected) if expected != digits.len() => {
            Err(Refusal::invalid(PathFault::AiLength { ai, expected }, span))
        }
        _ => Ok(()),
    }
}

/// Checks the value of an unknown AI, which may hold 1 to 90 characters of sets 39 and 82 (test
/// 3.3, RES-2.4-8).
fn check_unknown(pair: &Pair<'_>) -> Result<(), Refusal> {
    let fits = pair.value.len() <= 90 && pair.value.iter().copied().all(is_in_set_39_or_82);
    if fits {
        Ok(())
    } else {
        Err(Refusal::invalid(PathFault::UnknownAiValue(pair.ai), pair.value_span))
    }
}

/// Returns whether the byte is in set 39 or 82. Set 82 has everything in set 39 except `#`.
fn is_in_set_39_or_82(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!\"%&'()*+,-./:;<=>?_#".contains(&byte)
}

/// Applies tests 3 to 5 to the remaining pairs.
fn entity_key(pairs: &[Option<Pair<'_>>; MAX_PAIRS]) -> Result<EntityKey, Refusal> {
    let mut texts = [(Ai::GTIN, ""); MAX_PAIRS];
    let mut count = 0;
    for pair in pairs.iter().flatten() {
        let text = std::str::from_utf8(&pair.value).map_err(|_| {
            // No character set has anything above 0x7F, so this check reports the position.
            match pair.ai.check_value(&pair.value) {
                Err(error) => gs1_fault(error, Some(pair)),
                Ok(()) => Refusal::invalid(PathFault::NotAnAi, pair.value_span),
            }
        })?;
        texts[count] = (pair.ai, text);
        count += 1;
    }
    EntityKey::new(texts[0], &texts[1..count]).map_err(|error| {
        let at_fault = |pair: &&Pair<'_>| Some(pair.ai) == error.ai();
        gs1_fault(error, pairs.iter().flatten().find(at_fault))
    })
}

/// Moves an error's span from the value to the whole path.
fn gs1_fault(error: Error, pair: Option<&Pair<'_>>) -> Refusal {
    let span = match (pair, error.kind()) {
        (Some(pair), ErrorKind::QualifierSequence | ErrorKind::NoPrimaryKey) => pair.ai_span,
        (Some(Pair { value: Cow::Borrowed(_), value_span, .. }), _) => Span {
            start: (value_span.start + error.span().start).min(value_span.end),
            end: (value_span.start + error.span().end).min(value_span.end),
        },
        (Some(pair), _) => pair.value_span,
        (None, _) => error.span(),
    };
    Refusal::invalid(PathFault::Gs1(error), span)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SEGMENTS: [&str; 20] = [
        "01",
        "00",
        "8006",
        "8004",
        "414",
        "10",
        "21",
        "22",
        "254",
        "99",
        "89",
        "09520123456788",
        "09520123456789",
        "9520123456788",
        "952012345678801234",
        "A",
        "A%2FB",
        "A%2fB",
        "A!",
        "",
    ];

    proptest! {
        #[test]
        fn a_canonical_path_is_read_as_its_segments_are(
            segments in proptest::collection::vec(proptest::sample::select(&SEGMENTS[..]), 1..7),
            begins_with_a_gtin in any::<bool>(),
        ) {
            let begin = if begins_with_a_gtin { "01/09520123456788/" } else { "" };
            let path = format!("/{begin}{}", segments.join("/"));
            let reader = Reader { whole: path.as_bytes(), start: 0, legacy_gtin: true, legacy_alphas: true };
            let read = reader.entity(path.as_bytes(), 0).ok();
            let canonical = canonical_key(&path.as_bytes()[1..]);
            prop_assert_eq!(&canonical, &read.clone().filter(|key| key.as_str() == &path[1..]));
        }
    }
}
