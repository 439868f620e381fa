//! Reads compressed paths (GS1-Conformant Resolver 1.2.0 section 2.3, RES-2.3-*).
//!
//! ```text
//! path    = stem "/" ( epc / full / key-ai "/" value "/" partial ) [ "/" ]
//! epc     = "eh" *lower-hex / "ex" *base64url        ; EPC binary (EPC Tag Data Standard 2.3)
//! full    = 10*base64url                             ; compression of Digital Link 1.1,
//! partial = 1*base64url                              ; withdrawn, but in use
//! ```
//!
//! EPC binary is recognised by the two letters at the beginning of the only segment. Everything
//! else is read as an ordinary path first, so ordinary paths have no cost from the compression of
//! Digital Link 1.1.

use std::fmt;

use fingerpost_epc::{Bits, Epc};
use fingerpost_gs1::compression::{decompress, decompress_path};
use fingerpost_gs1::{DigitalLink, EntityKey, Error, ErrorKind, Options, Span};

use crate::refusal::{PathFault, Refusal};

/// The compression of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// EPC binary: `eh…` or `ex…`.
    EpcBinary,
    /// The compression of GS1 Digital Link 1.1.
    DigitalLink11,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EpcBinary => "EPC binary",
            Self::DigitalLink11 => "the compression of Digital Link 1.1",
        })
    }
}

/// The content of a compressed path.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) compression: Compression,
    pub(crate) entity: EntityKey,
    /// Content that is not part of the path, as a query (RES-2.3-7).
    pub(crate) query: Option<String>,
}

/// Returns whether the path, after the stem, is one segment that can only be EPC binary (RES-2.3-1,
/// -2).
pub(crate) fn is_epc(inner: &[u8]) -> bool {
    let segment = inner.strip_prefix(b"/").unwrap_or_default();
    (segment.starts_with(b"eh") || segment.starts_with(b"ex")) && !segment.contains(&b'/')
}

/// Reads EPC binary. `inner` begins with its slash at `start` in the whole path.
#[cold]
pub(crate) fn read_epc(inner: &[u8], start: usize) -> Result<Content, Refusal> {
    let segment = Span { start: start + 1, end: start + inner.len() };
    // Replacement characters are outside the alphabet, like everything outside ASCII.
    let text = String::from_utf8_lossy(inner.get(1..).unwrap_or_default());
    epc(&text).map_err(|error| {
        let span = span_in_path(error.span(), &text, segment);
        Refusal::invalid(PathFault::Epc(Box::new(error)), span)
    })
}

fn epc(segment: &str) -> Result<Content, fingerpost_epc::Error> {
    let elements = Epc::from_segment(segment)?.elements()?;
    let (entity, _) = elements.entity_key()?;
    let path_and_query = elements.path_and_query()?;
    let query = path_and_query.split_once('?').map(|(_, query)| query.to_owned());
    Ok(Content { compression: Compression::EpcBinary, entity, query })
}

/// Returns the span of the characters of the segment that hold the fault.
fn span_in_path(span_in_path: Option<Span>, text: &str, segment: Span) -> Span {
    let (from, to) = match span_in_path {
        Some(Span { start, end }) => {
            (text.floor_char_boundary(start), text.ceil_char_boundary(end))
        }
        None => (0, text.len()),
    };
    let start = (segment.start + from).min(segment.end);
    Span { start, end: (segment.start + to).clamp(start, segment.end) }
}

/// Reads the compression of Digital Link 1.1, after `inner` failed to parse as an ordinary path.
///
/// `None`: nothing indicates that the path is compressed, so its fault as an ordinary path is the
/// better answer (RES-2.3-3).
#[cold]
pub(crate) fn read_legacy(
    inner: &[u8],
    start: usize,
    options: &Options,
) -> Option<Result<Content, Refusal>> {
    let text = std::str::from_utf8(inner).ok()?;
    match decompress_path(text, options) {
        Ok(read) => Some(Ok(Content {
            compression: Compression::DigitalLink11,
            entity: read.entity_key(),
            query: read.query().map(str::to_owned),
        })),
        Err(error) if begins_otherwise(&error, text) => None,
        Err(error) => {
            let Span { start: from, end } = error.span();
            let span = Span { start: start + from, end: start + end };
            let fault = PathFault::Decompression(Box::new(error));
            Some(Err(Refusal::invalid(fault, span)))
        }
    }
}

/// Returns whether not even the first element could be read, as in most texts that are not
/// compressed.
fn begins_otherwise(error: &Error, path: &str) -> bool {
    let string = path.rfind('/').map_or(0, |slash| slash + 1);
    match error.kind() {
        ErrorKind::NoPrimaryKey | ErrorKind::NotCompressed | ErrorKind::InputTooLong { .. } => true,
        ErrorKind::TruncatedCompressed
        | ErrorKind::UnknownAiPrefix
        | ErrorKind::UnknownOptCode
        | ErrorKind::NotADigit
        | ErrorKind::EncodingCode
        | ErrorKind::CompressedValue
        | ErrorKind::NotCompressible => error.span().start <= string,
        _ => false,
    }
}

/// Returns the key of a Digital Link URI in any form.
pub(crate) fn key_of_uri(uri: &str) -> Option<EntityKey> {
    let options = Options::new().lenient();
    if let Ok(link) = DigitalLink::parse_with(uri, &options) {
        return Some(link.entity_key());
    }
    let path = &uri[..uri.find(['?', '#']).unwrap_or(uri.len())];
    let last = path.strip_suffix('/').unwrap_or(path).rsplit('/').next().unwrap_or_default();
    if Bits::is_segment(last) {
        return epc(last).ok().map(|content| content.entity);
    }
    decompress(uri, &options).ok().map(|read| read.entity_key())
}

/// Returns whether the only segment of a path is a compressed link, or may become one when every
/// `wildcard` in it is replaced by some value.
pub(crate) fn may_be_link(segment: &str, wildcard: &str) -> bool {
    let options = Options::new().lenient();
    let Some((head, tail)) = segment.split_once(wildcard) else {
        return epc(segment).is_ok() || decompress_path(segment, &options).is_ok();
    };
    let rest = tail.replace(wildcard, "");
    let in_alphabet = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if !head.bytes().chain(rest.bytes()).all(in_alphabet) {
        return false;
    }
    if is_epc(format!("/{head}").as_bytes()) {
        return Bits::is_segment(&format!("{head}{rest}"));
    }
    // Three characters determine the first element; the `A`s, which encode zeros, are never valid
    // by themselves.
    let sample = format!("{head}AAAAAAAAAA");
    let refused = decompress_path(&sample, &options).err();
    head.len() < 3 || !refused.is_some_and(|error| is_no_element(&error))
}

/// Returns whether the text does not begin with an Application Identifier or a code for some.
fn is_no_element(error: &Error) -> bool {
    let kinds = [ErrorKind::UnknownAiPrefix, ErrorKind::UnknownOptCode, ErrorKind::NotADigit];
    kinds.contains(&error.kind()) && error.span().start == 0
}
