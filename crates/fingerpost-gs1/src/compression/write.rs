//! Writes elements and extension pairs as compressed text.

use alloc::string::String;
use alloc::vec::Vec;

use super::bits::{BitWriter, index_of};
use super::format::{self, Code};
use super::{CompressOptions, locate, value};
use crate::element::Element;
use crate::limits::MAX_EXTENSION_TEXT;
use crate::{Ai, DigitalLink, Error, ErrorKind, Options, Span, percent};

/// Writes the URI of `link`, compressing everything possible.
pub(super) fn compress(link: &DigitalLink<'_>, options: &CompressOptions) -> Result<String, Error> {
    let (key, others) = (link.key(), link.elements().get(1..).unwrap_or_default());
    let mut elements: Vec<&Element<'_>> = others.iter().collect();
    if !options.partial {
        elements.push(key);
    }
    elements.sort_by_key(|element| element.ai());
    let mut query = Query::default();
    let mut length = rewritten_len(link);
    if options.keep_uncompressible {
        let is_attribute = |element: &Element<'_>| link.attributes().contains(element);
        elements.retain(|element| {
            let stays = fits(element) || !is_attribute(element);
            if !stays {
                query.push_pair(element);
            }
            stays
        });
    }
    let mut writer = BitWriter::default();
    if options.optimise {
        write_codes(&mut elements, &mut writer)?;
    }
    for element in elements {
        for digit in element.ai().as_str().bytes() {
            writer.push(u32::from(digit - b'0'), 4);
        }
        write_value(element, &mut writer)?;
    }
    for piece in link.extensions() {
        let pair = extension(piece).filter(|_| options.other_pairs);
        // The re-encoded value may be longer than the original.
        let grown = |(key, value): &(&str, Vec<u8>)| {
            length + (key.len() + 1 + percent::encoded_len(value)).saturating_sub(piece.len())
        };
        match pair.filter(|pair| grown(pair) <= DigitalLink::MAX_LEN) {
            Some(pair) => {
                length = grown(&pair);
                write_extension(pair.0, &pair.1, &mut writer);
            }
            None => query.push(piece),
        }
    }
    if length > DigitalLink::MAX_LEN {
        return Err(too_long(link));
    }
    assemble(link, options, &writer.finish(), &query)
}

/// Returns the maximum length of the URI after its elements are encoded again, as readers will
/// write them: the result must be possible to decompress.
fn rewritten_len(link: &DigitalLink<'_>) -> usize {
    let grown = |element: &Element<'_>| {
        percent::encoded_len(element.value().as_bytes()).saturating_sub(element.span().len())
    };
    link.uri().len() + link.elements().iter().map(grown).sum::<usize>()
}

fn too_long(link: &DigitalLink<'_>) -> Error {
    let limit = u32::try_from(DigitalLink::MAX_LEN).unwrap_or(u32::MAX);
    let whole = Span { start: 0, end: link.uri().len() };
    Error::new(ErrorKind::UriTooLong { limit }, whole)
}

/// Writes optimisation codes and removes their elements from `elements`: of the codes that fit, the
/// one with the most digits, or the first of several in the table.
fn write_codes(elements: &mut Vec<&Element<'_>>, writer: &mut BitWriter) -> Result<(), Error> {
    loop {
        let unused = |ai: &Ai| elements.iter().any(|element| element.ai() == *ai);
        let mut best: Option<(usize, &Code)> = None;
        for code in format::codes().iter().filter(|code| code.ais.iter().all(unused)) {
            let digits = code.ais.iter().map(|ai| ai.digit_count()).sum();
            if best.is_none_or(|(most, _)| digits > most) {
                best = Some((digits, code));
            }
        }
        let Some((_, code)) = best else { return Ok(()) };
        writer.push(u32::from(code.code), 8);
        for ai in code.ais {
            if let Some(at) = elements.iter().position(|element| element.ai() == *ai) {
                write_value(elements.remove(at), writer)?;
            }
        }
    }
}

fn fits(element: &Element<'_>) -> bool {
    write_value(element, &mut BitWriter::default()).is_ok()
}

fn write_value(element: &Element<'_>, writer: &mut BitWriter) -> Result<(), Error> {
    let (ai, value) = (element.ai(), element.value().as_bytes());
    format::parts_of(ai)
        .and_then(|parts| value::write(value, parts, writer))
        .ok_or_else(|| Error::new(ErrorKind::NotCompressible, element.span()).with_ai(ai))
}

/// Returns key and decoded value of a query piece that compression preserves. A `+` would be
/// decompressed as `%2B`, which receivers may interpret differently, so such a pair is excluded.
fn extension(piece: &str) -> Option<(&str, Vec<u8>)> {
    let (key, value) = piece.split_once('=')?;
    let writable = (1..=MAX_EXTENSION_TEXT).contains(&key.len())
        && key.bytes().all(|byte| index_of(byte).is_some())
        && !value.contains('+');
    let mut decoded = Vec::new();
    percent::decode(value.as_bytes(), &mut decoded).ok().filter(|()| writable)?;
    (decoded.len() <= MAX_EXTENSION_TEXT && decoded.is_ascii()).then_some((key, decoded))
}

/// Writes a pair that [`extension`] accepted.
fn write_extension(key: &str, value: &[u8], writer: &mut BitWriter) {
    writer.push(0b1111, 4);
    writer.push(key.len() as u32, 7);
    for index in key.bytes().filter_map(index_of) {
        writer.push(u32::from(index), 6);
    }
    let written = value::write_text(value, Some(7), writer);
    debug_assert!(written.is_some());
}

/// The parts that stay in the query.
#[derive(Default)]
struct Query(String);

impl Query {
    fn push(&mut self, piece: &str) {
        self.0.push(if self.0.is_empty() { '?' } else { '&' });
        self.0.push_str(piece);
    }

    fn push_pair(&mut self, element: &Element<'_>) {
        self.push(element.ai().as_str());
        self.0.push('=');
        percent::encode_value(element.value().as_bytes(), &mut self.0);
    }
}

fn assemble(
    link: &DigitalLink<'_>,
    options: &CompressOptions,
    string: &str,
    query: &Query,
) -> Result<String, Error> {
    let mut uri = String::from(link.stem());
    if options.partial {
        let key = link.key();
        uri.push('/');
        uri.push_str(key.ai().as_str());
        uri.push('/');
        percent::encode_value(key.value().as_bytes(), &mut uri);
    }
    let start = uri.len() + 1;
    if !string.is_empty() {
        uri.push('/');
        uri.push_str(string);
    }
    let span = Span { start, end: uri.len().max(start) };
    uri.push_str(&query.0);
    if let Some(fragment) = link.fragment() {
        uri.push('#');
        uri.push_str(fragment);
    }
    if uri.len() > DigitalLink::MAX_LEN {
        return Err(too_long(link));
    }
    if string.is_empty() || is_found_again(&uri, span, options.partial) {
        return Ok(uri);
    }
    let key = link.key();
    Err(Error::new(ErrorKind::NotCompressible, key.span()).with_ai(key.ai()))
}

/// Returns whether a reader recognises the text at `span` of `uri` as the compressed part: it does
/// not if the text is too short, or if stem and text together look like something else.
fn is_found_again(uri: &str, span: Span, partial: bool) -> bool {
    // The more a reader accepts, the more texts it treats as ordinary URIs.
    let options = Options::new().lenient().unknown_ais(true).uri_syntax_1_4(true);
    let unread = DigitalLink::parse_with(uri, &options)
        .is_err_and(|error| error.kind() == ErrorKind::NoPrimaryKey);
    unread
        && locate::find(uri, span.end, &options)
            .is_some_and(|located| located.string == span && located.key.is_some() == partial)
}
