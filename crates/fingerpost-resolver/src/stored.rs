//! The stored form of an entry: small, versioned, safe to read from any bytes.
//!
//! ```text
//! entry     = plain / %x03 plain-length plain restricted
//! plain     = [%x05] head text description-length link-count *link
//! text      = text-length UTF-8                     ; without control characters but the one
//!                                                   ; between list items
//!           / text-length packed-length packed      ; after %x05, see `packed.rs`
//! restricted = text-length UTF-8 link-count *(position link access) ; what only some roles may see
//! position  = number                                ; of the link among all links of the entry
//! access    = span                                  ; the roles, into the text of `restricted`
//! head      = %x01 / %x02 answer                    ; the second with a default answer of the record
//!           / %x04 source ( %x00 / answer )         ; where the context of a request comes from
//! source    = %x01 / %x02                           ; the request, the country of the client
//! answer    = %x01 / %x02 / %x03 / %x04             ; linkset, default link, notice of a recall, successor
//! description-length                                ; the description is the beginning of the text
//! link      = flags link-type href title [media-type] [languages] [contexts] [from] [until]
//! flags     = one byte, see the FLAG constants
//! link-type = number of the GS1 term / span         ; by FLAG_OTHER_TYPE
//! span      = start length                          ; into the text, in bytes
//! from, until = seconds nanoseconds                 ; both zigzag
//! ```
//!
//! Numbers are LEB128, at most ten bytes. The anchor is not part of it: it is the key of the store.
//!
//! Links that only some roles may see are behind everything that the public sees, with texts of
//! their own: an answer to the public is decoded without reading them.

use std::borrow::Cow;
use std::fmt;

use crate::Anchor;
use crate::entry::{
    Contents, ContentsBuilder, ContextSource, DefaultAnswer, Entry, LinkRow, LinkTypeText, TextSpan,
};
use crate::registration::MAX_LINKS;

mod packed;
mod reader;

use reader::Reader;

impl Entry {
    /// Returns the bytes to store under [`Entry::anchor`].
    pub fn encode(&self) -> Vec<u8> {
        let contents = self.contents();
        if !contents.has_access() {
            return encode_plain(self.anchor().as_str(), contents);
        }
        let public = contents.select(|link| !link.has_access());
        let plain = encode_plain(self.anchor().as_str(), &public);
        let mut texts = ContentsBuilder::new();
        let mut rows = Vec::new();
        for link in contents.links().filter(|link| link.has_access()) {
            put(&mut rows, link.index() as u64);
            let row = contents.copied(&contents.rows[link.index()], &mut texts);
            put_link(&mut rows, &row);
            put_span(&mut rows, row.access);
        }
        let count = contents.links().filter(|link| link.has_access()).count();
        let texts = texts.finish().text;
        let mut out = Vec::with_capacity(plain.len() + texts.len() + rows.len() + 16);
        out.push(VERSION_WITH_ACCESS);
        put(&mut out, plain.len() as u64);
        out.extend_from_slice(&plain);
        put(&mut out, texts.len() as u64);
        out.extend_from_slice(texts.as_bytes());
        put(&mut out, count as u64);
        out.extend_from_slice(&rows);
        out
    }

    /// Reads the output of [`Entry::encode`] for an anchor. Any bytes give an entry or an error;
    /// the rules across links were checked before the entry was written and are not checked
    /// again.
    pub fn decode(anchor: Anchor, bytes: &[u8]) -> Result<Entry, DecodeError> {
        let key = anchor.as_str();
        let contents = match split(bytes)? {
            (plain, None) => decode_plain(key, plain)?,
            (plain, Some(restricted)) => decode_restricted(decode_plain(key, plain)?, restricted)?,
        };
        Ok(Entry::new(anchor, contents))
    }

    /// Reads what the public sees of the output of [`Entry::encode`]: the same as
    /// [`Viewer::see`](crate::Viewer::see) of the whole entry returns for the public. `None`: only
    /// some roles see any of its links. Restricted links are not read, so the work does not depend
    /// on them.
    pub fn decode_public(anchor: Anchor, bytes: &[u8]) -> Result<Option<Entry>, DecodeError> {
        let (plain, restricted) = split(bytes)?;
        let contents = decode_plain(anchor.as_str(), plain)?;
        let is_seen = restricted.is_none() || !contents.rows.is_empty();
        Ok(is_seen.then(|| Entry::new(anchor, contents)))
    }
}

/// Returns how many bytes at the end of the output of [`Entry::encode`] only some roles see.
pub fn restricted_length(encoded: &[u8]) -> usize {
    split(encoded).ok().and_then(|(_, restricted)| restricted).map_or(0, <[u8]>::len)
}

/// Splits a stored entry into the part that everyone sees and the part that some roles see.
fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), DecodeError> {
    let Some((&VERSION_WITH_ACCESS, rest)) = bytes.split_first() else { return Ok((bytes, None)) };
    let mut reader = Reader { rest };
    let length = reader.length()?;
    Ok((reader.take(length)?, Some(reader.rest)))
}

fn encode_plain(key: &str, contents: &Contents) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + contents.text.len() + contents.rows.len() * 16);
    let packed = packed::pack(key, &contents.text);
    if packed.is_some() {
        out.push(VERSION_PACKED);
    }
    let answer = contents.default_answer.map(|answer| match answer {
        DefaultAnswer::Linkset => ANSWER_LINKSET,
        DefaultAnswer::Link => ANSWER_LINK,
        DefaultAnswer::Recall => ANSWER_RECALL,
        DefaultAnswer::Successor => ANSWER_SUCCESSOR,
    });
    match (contents.context_source, answer) {
        (None, None) => out.push(VERSION),
        (None, Some(answer)) => out.extend([VERSION_WITH_ANSWER, answer]),
        (Some(source), answer) => {
            let source = match source {
                ContextSource::Request => SOURCE_REQUEST,
                ContextSource::Country => SOURCE_COUNTRY,
            };
            out.extend([VERSION_WITH_CONTEXT_SOURCE, source, answer.unwrap_or(ANSWER_NONE)]);
        }
    }
    put(&mut out, contents.text.len() as u64);
    if let Some(packed) = &packed {
        put(&mut out, packed.len() as u64);
    }
    out.extend_from_slice(packed.as_deref().unwrap_or(contents.text.as_bytes()));
    put(&mut out, u64::from(contents.description.end));
    put(&mut out, contents.rows.len() as u64);
    for row in &contents.rows {
        put_link(&mut out, row);
    }
    out
}

fn decode_plain(key: &str, bytes: &[u8]) -> Result<Contents, DecodeError> {
    let mut reader = Reader { rest: bytes };
    let first = reader.byte()?;
    let is_packed = first == VERSION_PACKED;
    let version = if is_packed { reader.byte()? } else { first };
    let (context_source, default_answer) = match version {
        VERSION => (None, None),
        VERSION_WITH_ANSWER => (None, Some(answer(reader.byte()?)?)),
        VERSION_WITH_CONTEXT_SOURCE => {
            let source = match reader.byte()? {
                SOURCE_REQUEST => ContextSource::Request,
                SOURCE_COUNTRY => ContextSource::Country,
                _ => return Err(DecodeError::BadNumber),
            };
            let answer = match reader.byte()? {
                ANSWER_NONE => None,
                byte => Some(answer(byte)?),
            };
            (Some(source), answer)
        }
        version => return Err(DecodeError::UnknownVersion(version)),
    };
    let text = match is_packed {
        true => Cow::Owned(reader.packed_text(key)?),
        false => Cow::Borrowed(reader.text()?),
    };
    let description = reader.span_from(&text, 0)?;
    let count = reader.link_count()?;
    let mut rows = Vec::with_capacity(count);
    for _ in 0..count {
        rows.push(reader.link(&text)?);
    }
    reader.end()?;
    let contents = Contents::new(text.into(), description, rows.into(), default_answer);
    Ok(contents.with_context_source(context_source))
}

fn answer(byte: u8) -> Result<DefaultAnswer, DecodeError> {
    Ok(match byte {
        ANSWER_LINKSET => DefaultAnswer::Linkset,
        ANSWER_LINK => DefaultAnswer::Link,
        ANSWER_RECALL => DefaultAnswer::Recall,
        ANSWER_SUCCESSOR => DefaultAnswer::Successor,
        _ => return Err(DecodeError::BadNumber),
    })
}

/// Adds the links that only some roles may see to those that everyone sees.
fn decode_restricted(plain: Contents, bytes: &[u8]) -> Result<Contents, DecodeError> {
    let mut reader = Reader { rest: bytes };
    let text = reader.text()?;
    let count = reader.link_count()?;
    let all = plain.rows.len() + count;
    if all > MAX_LINKS {
        return Err(DecodeError::TooManyLinks(all));
    }
    let shift = u32::try_from(plain.text.len()).map_err(|_| DecodeError::BadSpan)?;
    let mut public = plain.rows.into_vec().into_iter();
    let mut rows = Vec::with_capacity(all);
    for _ in 0..count {
        let position = reader.length()?;
        if position < rows.len() || position >= all {
            return Err(DecodeError::BadNumber);
        }
        let before = position - rows.len();
        rows.extend(public.by_ref().take(before));
        let mut row = reader.link(text)?;
        row.access = reader.span(text)?;
        // Without a role, it would be a link for everyone.
        if rows.len() != position || row.access.is_empty() {
            return Err(DecodeError::BadLink);
        }
        rows.push(row.shifted(shift).ok_or(DecodeError::BadSpan)?);
    }
    rows.extend(public);
    reader.end()?;
    let text = [&*plain.text, text].concat();
    let contents = Contents::new(text.into(), plain.description, rows.into(), plain.default_answer);
    Ok(contents.with_context_source(plain.context_source))
}

/// An error for stored bytes that are not an entry this version can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes end too early.
    Truncated,
    /// The first byte names a format this version does not know.
    UnknownVersion(u8),
    /// A number is longer or larger than allowed.
    BadNumber,
    /// The text is not UTF-8 or holds control characters.
    NotText,
    /// A packed text cannot be read, or has another length.
    BadText,
    /// A span lies outside the text or cuts a character.
    BadSpan,
    /// A link has flags this version does not know, lacks a type, target or title, or has a target
    /// that is not an http(s) URL.
    BadLink,
    /// A link type of the GS1 Web Vocabulary that this version does not know.
    UnknownLinkType(u64),
    /// More links than a level can have.
    TooManyLinks(usize),
    /// An instant out of range.
    BadInstant,
    /// This many bytes are left over.
    TrailingBytes(usize),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated => f.write_str("the entry ends too early"),
            DecodeError::UnknownVersion(found) => {
                write!(f, "expected entry format {VERSION} to {VERSION_PACKED}, found {found}")
            }
            DecodeError::BadNumber => f.write_str("expected a number in range, found none"),
            DecodeError::NotText => f.write_str("expected text, found other bytes"),
            DecodeError::BadText => f.write_str("expected a packed text, found something else"),
            DecodeError::BadSpan => f.write_str("expected a range of the text, found another"),
            DecodeError::BadLink => f.write_str("expected a link, found something else"),
            DecodeError::UnknownLinkType(number) => {
                write!(f, "expected a known link type, found number {number}")
            }
            DecodeError::TooManyLinks(found) => {
                write!(f, "expected at most {MAX_LINKS} links, found {found}")
            }
            DecodeError::BadInstant => {
                f.write_str("expected an instant, found numbers out of range")
            }
            DecodeError::TrailingBytes(found) => {
                write!(f, "expected the end, found {found} more bytes")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

fn put_link(out: &mut Vec<u8>, row: &LinkRow) {
    let optional = [row.media_type, row.languages, row.contexts];
    let windows = [row.valid_from(), row.valid_until()];
    let flag = |flag: u8, set: bool| if set { flag } else { 0 };
    out.push(
        flag(FLAG_OTHER_TYPE, matches!(row.link_type, LinkTypeText::Other(_)))
            | flag(FLAG_TEMPLATE, row.is_template)
            | flag(FLAG_MEDIA_TYPE, !row.media_type.is_empty())
            | flag(FLAG_LANGUAGES, !row.languages.is_empty())
            | flag(FLAG_CONTEXTS, !row.contexts.is_empty())
            | flag(FLAG_FROM, row.valid_from().is_some())
            | flag(FLAG_UNTIL, row.valid_until().is_some()),
    );
    match row.link_type {
        LinkTypeText::Term(term) => put(out, u64::from(term.number())),
        LinkTypeText::Other(span) => put_span(out, span),
    }
    put_span(out, row.href);
    put_span(out, row.title);
    for span in optional.into_iter().filter(|span| !span.is_empty()) {
        put_span(out, span);
    }
    for instant in windows.into_iter().flatten() {
        put(out, zigzag(instant.as_second()));
        put(out, zigzag(i64::from(instant.subsec_nanosecond())));
    }
}

fn put_span(out: &mut Vec<u8>, span: TextSpan) {
    put(out, u64::from(span.start));
    put(out, u64::from(span.end - span.start));
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        out.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

const VERSION: u8 = 1;
const VERSION_WITH_ANSWER: u8 = 2;
const VERSION_WITH_ACCESS: u8 = 3;
const VERSION_WITH_CONTEXT_SOURCE: u8 = 4;
const VERSION_PACKED: u8 = 5;

const SOURCE_REQUEST: u8 = 1;
const SOURCE_COUNTRY: u8 = 2;

const ANSWER_NONE: u8 = 0;
const ANSWER_LINKSET: u8 = 1;
const ANSWER_LINK: u8 = 2;
const ANSWER_RECALL: u8 = 3;
const ANSWER_SUCCESSOR: u8 = 4;

const FLAG_OTHER_TYPE: u8 = 1;
const FLAG_TEMPLATE: u8 = 1 << 1;
const FLAG_MEDIA_TYPE: u8 = 1 << 2;
const FLAG_LANGUAGES: u8 = 1 << 3;
const FLAG_CONTEXTS: u8 = 1 << 4;
const FLAG_FROM: u8 = 1 << 5;
const FLAG_UNTIL: u8 = 1 << 6;
const FLAGS: u8 = 0x7F;
