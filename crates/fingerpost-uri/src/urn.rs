//! Uniform Resource Names: draft-ietf-urnbis-rfc2141bis-urn-03 (2012) and RFC 8141, selected by
//! mode.
//!
//! ```text
//! URN   = "urn" ":" NID ":" NSS                       "urn" and NID without case
//! NID   = (alphanum) 0*30(alphanum / "-") (alphanum)
//!
//! draft:     NSS = 1*pchar                            reference = URN [ "?" directives ] [ "#" fragment ]
//! RFC 8141:  NSS = pchar *( pchar / "/" )             reference = URN [ "?+" r ] [ "?=" q ] [ "#" f ]
//! ```
//!
//! Every URN is a URI. The two query syntaxes do not overlap: after the question mark, a draft
//! directive begins with a letter, a component of RFC 8141 with `+` or `=`. [`Mode::Auto`] decides
//! by that one character.

use core::fmt;

use crate::class::{self, Flag, IS_PATH, IS_PCHAR, IS_QUERY};
use crate::error::Quoted;
use crate::parse::is_triplet;
use crate::percent::{self, Encoded};
use crate::span::Span;
use crate::text::{borrows_its_text, is_its_text};

mod build;
mod directive;
mod equivalence;
mod namespace;
mod namespaces;
mod owned;
mod registry;
mod service;
pub mod thttp;

pub use directive::{Directive, Directives};
pub use equivalence::{AnswerKey, NameKey};
pub use namespace::{InvalidNss, Namespace};
pub use namespaces::{Isbn, Issn};
pub use owned::UrnBuf;
pub use registry::NamespaceRegistry;
pub use service::Service;

/// The specification that defines a URN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// The draft of October 2012 (draft-ietf-urnbis-rfc2141bis-urn-03).
    Draft,
    /// RFC 8141.
    Rfc8141,
    /// Whichever matches; a name that matches both is parsed as [`Rfc8141`](Self::Rfc8141).
    Auto,
}

/// A URN, optionally with the parts that only a reference to it has (query, components, fragment).
///
/// ```
/// use fingerpost_uri::urn::{Mode, Urn};
///
/// let urn = Urn::parse("URN:ISBN:0-451-45052-3?s=I2L", Mode::Auto)?;
/// assert_eq!((urn.nid(), urn.nss().as_str()), ("ISBN", "0-451-45052-3"));
/// assert_eq!(urn.mode(), Mode::Draft);
/// # Ok::<(), fingerpost_uri::urn::UrnError>(())
/// ```
///
/// Equality, order and hash are those of the text. Whether two URNs are the same name is
/// [`is_equivalent`](Self::is_equivalent), and [`NameKey`] is for maps and sets of names.
/// [`UrnBuf`] owns its text.
#[derive(Clone, Copy)]
pub struct Urn<'a> {
    text: &'a str,
    parts: Parts,
}

/// Offsets of the parts in a valid URN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    is_draft: bool,
    /// At the colon after the namespace identifier.
    nid_end: usize,
    nss_end: usize,
    /// At the `?=` of a q-component; without one at `name_end`.
    q_start: usize,
    /// At the `#` of the fragment, or at the end.
    name_end: usize,
}

/// The error of a text that is not a URN: a reason, and the offset in the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UrnError {
    kind: UrnErrorKind,
    /// The character found, if the text does not end there.
    found: Option<char>,
    offset: usize,
}

/// The kind of error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UrnErrorKind {
    /// The text does not begin with `urn:`.
    Scheme,
    /// The namespace identifier is not 2 to 32 letters, digits and inner hyphens, or no colon
    /// follows it.
    Nid,
    /// The namespace identifier is `urn`, which is reserved.
    ReservedNid,
    /// The namespace-specific string is missing or empty.
    EmptyNss,
    /// A character that is not allowed at its position.
    UnexpectedCharacter,
    /// A `%` that is not followed by two hexadecimal digits.
    InvalidTriplet,
    /// `%00`, which is not allowed in any part.
    Nul,
    /// The query is not a list of `keyword=value` separated by `&`.
    Directive,
    /// A question mark begins no component of RFC 8141, or one that is empty or begins with a
    /// delimiter.
    Component,
}

impl UrnErrorKind {
    /// Returns the machine-readable name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Scheme => "SCHEME",
            Self::Nid => "NID",
            Self::ReservedNid => "RESERVED_NID",
            Self::EmptyNss => "EMPTY_NSS",
            Self::UnexpectedCharacter => "UNEXPECTED_CHARACTER",
            Self::InvalidTriplet => "INVALID_TRIPLET",
            Self::Nul => "NUL",
            Self::Directive => "DIRECTIVE",
            Self::Component => "COMPONENT",
        }
    }
}

impl UrnError {
    pub(crate) const fn new(kind: UrnErrorKind, offset: usize) -> Self {
        Self { kind, found: None, offset }
    }

    /// Keeps the character at the offset, for the message.
    #[cold]
    fn in_text(self, text: &str) -> Self {
        let found = text.get(self.offset..).and_then(|rest| rest.chars().next());
        Self { found, ..self }
    }

    /// Returns the kind of error.
    pub const fn kind(&self) -> UrnErrorKind {
        self.kind
    }

    /// Returns the position of the error: the character found, empty at the end of the text.
    pub const fn span(&self) -> Span {
        let length = match self.found {
            Some(found) => found.len_utf8(),
            None => 0,
        };
        Span::from_length(self.offset, length)
    }

    /// Returns the stable code, such as `EMPTY_NSS`.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for UrnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Quoted(self.found);
        let expected = match self.kind {
            UrnErrorKind::Scheme => "expected urn: and a namespace",
            UrnErrorKind::Nid => {
                "expected a namespace identifier of 2 to 32 letters, digits and inner hyphens, and a colon,"
            }
            UrnErrorKind::ReservedNid => {
                "expected a namespace identifier other than urn, which is reserved,"
            }
            UrnErrorKind::EmptyNss => "expected a name within the namespace, found nothing",
            UrnErrorKind::UnexpectedCharacter => {
                return write!(
                    f,
                    "expected a character of URNs, found {found} at byte {}",
                    self.offset
                );
            }
            UrnErrorKind::InvalidTriplet => {
                "expected two hexadecimal digits after the percent sign"
            }
            UrnErrorKind::Nul => "expected no null character, found %00",
            UrnErrorKind::Directive => "expected keyword=value, divided by &,",
            UrnErrorKind::Component => {
                return write!(
                    f,
                    "expected a component after ?+ (for the resolver) or ?= (for the resource), found {found} at byte {}; \
                     a question mark within a name is written %3F",
                    self.offset
                );
            }
        };
        write!(f, "{expected} at byte {}", self.offset)
    }
}

impl core::error::Error for UrnError {}

impl<'a> Urn<'a> {
    /// Reads a URN or a reference to one.
    ///
    /// # Errors
    ///
    /// The first part that is not valid in `mode`.
    pub fn parse(text: &'a str, mode: Mode) -> Result<Self, UrnError> {
        match parts(text, mode) {
            Ok(parts) => Ok(Self { text, parts }),
            Err(error) => Err(error.in_text(text)),
        }
    }

    /// Combines a text with the offsets of its parts.
    pub(crate) const fn from_parts(text: &'a str, parts: Parts) -> Self {
        Self { text, parts }
    }

    /// Returns the offsets of the parts.
    pub(crate) const fn parts(self) -> Parts {
        self.parts
    }

    /// Returns a copy that owns its text.
    pub fn to_buf(self) -> UrnBuf {
        UrnBuf::from(self)
    }

    /// Returns the text.
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// Returns the specification by which this URN was parsed: [`Mode::Draft`] or
    /// [`Mode::Rfc8141`].
    pub const fn mode(self) -> Mode {
        if self.parts.is_draft { Mode::Draft } else { Mode::Rfc8141 }
    }

    /// Returns the namespace identifier as written; it is compared case-insensitively.
    pub fn nid(self) -> &'a str {
        &self.text[SCHEME.len()..self.parts.nid_end]
    }

    /// Returns the namespace-specific string.
    pub fn nss(self) -> Encoded<'a> {
        Encoded::new(&self.text[self.parts.nid_end + 1..self.parts.nss_end])
    }

    /// Returns the query of the draft, without its question mark.
    pub fn query(self) -> Option<&'a str> {
        let Parts { is_draft, nss_end, name_end, .. } = self.parts;
        (is_draft && nss_end < name_end).then(|| &self.text[nss_end + 1..name_end])
    }

    /// Returns the directives of the draft's query; none without a query.
    pub fn directives(self) -> Directives<'a> {
        Directives::new(self.query())
    }

    /// Returns the r-component of RFC 8141, for resolvers.
    pub fn resolver_component(self) -> Option<Encoded<'a>> {
        let Parts { is_draft, nss_end, q_start, .. } = self.parts;
        let text = (!is_draft && nss_end < q_start).then(|| &self.text[nss_end + 2..q_start]);
        text.map(Encoded::new)
    }

    /// Returns the q-component of RFC 8141, for the named resource.
    pub fn query_component(self) -> Option<Encoded<'a>> {
        let Parts { is_draft, q_start, name_end, .. } = self.parts;
        let text = (!is_draft && q_start < name_end).then(|| &self.text[q_start + 2..name_end]);
        text.map(Encoded::new)
    }

    /// Returns the fragment, called f-component by RFC 8141: it is for the client only, never for a
    /// resolver.
    pub fn fragment(self) -> Option<Encoded<'a>> {
        self.text.get(self.parts.name_end + 1..).map(Encoded::new)
    }

    /// Returns whether this is an assigned name: without query, component or fragment.
    pub fn is_assigned_name(self) -> bool {
        self.parts.nss_end == self.text.len()
    }

    /// Returns only the assigned name, as written.
    pub fn name(self) -> &'a str {
        &self.text[..self.parts.nss_end]
    }

    /// Returns warnings about names that are valid but should be written differently.
    pub fn lints(self) -> impl Iterator<Item = UrnLint> {
        let needless = self.nss().as_str().match_indices('%').any(|(at, _)| {
            percent::triplet(&self.nss().as_str().as_bytes()[at..])
                .is_some_and(|octet| class::is(octet, class::IS_UNRESERVED))
        });
        let nid = self.nid().as_bytes();
        let starts_like = |start: &str| {
            self.nid().get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
        };
        let is_informal = starts_like("urn-") && nid[4..].iter().all(u8::is_ascii_digit);
        let is_country =
            nid.len() > 2 && nid[..2].iter().all(u8::is_ascii_alphabetic) && nid[2] == b'-';
        [
            (needless, UrnLint::NeedlessEncoding),
            (is_informal, UrnLint::InformalNamespace),
            (starts_like("x-"), UrnLint::ExperimentalNamespace),
            (is_country && !starts_like("x-"), UrnLint::CountryNamespace),
        ]
        .into_iter()
        .filter_map(|(applies, lint)| applies.then_some(lint))
    }
}

/// A warning about a valid URN that should be written differently.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UrnLint {
    /// A triplet encodes a character that needs no encoding; because equivalence never decodes,
    /// this is a different name.
    NeedlessEncoding,
    /// `urn-` and a number: an informal namespace.
    InformalNamespace,
    /// `x-`: an experimental namespace, which RFC 8141 does not allow.
    ExperimentalNamespace,
    /// Two letters and a hyphen: reserved for countries.
    CountryNamespace,
}

impl UrnLint {
    /// Returns the machine-readable name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NeedlessEncoding => "NEEDLESS_ENCODING",
            Self::InformalNamespace => "INFORMAL_NAMESPACE",
            Self::ExperimentalNamespace => "EXPERIMENTAL_NAMESPACE",
            Self::CountryNamespace => "COUNTRY_NAMESPACE",
        }
    }
}

impl fmt::Display for UrnLint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeedlessEncoding => {
                "a percent-encoded character needs no encoding; encoded, it makes another name"
            }
            Self::InformalNamespace => "the namespace is an informal one",
            Self::ExperimentalNamespace => {
                "namespaces that begin with x- are experiments and not registered"
            }
            Self::CountryNamespace => {
                "namespaces that begin with two letters and a hyphen are kept for countries"
            }
        })
    }
}

is_its_text!(['a] Urn<'a>);
borrows_its_text! {
    Urn, UrnError, |text| Urn::parse(text, Mode::Auto);
}

const SCHEME: &str = "urn:";

/// Returns the offsets of the parts of a URN.
fn parts(text: &str, mode: Mode) -> Result<Parts, UrnError> {
    match text.get(..SCHEME.len()) {
        Some(scheme) if scheme.eq_ignore_ascii_case(SCHEME) => {}
        _ => return Err(UrnError::new(UrnErrorKind::Scheme, 0)),
    }
    let nid_end = SCHEME.len() + nid(text, SCHEME.len())?.len();
    let nss_start = nid_end + 1;
    let (nss_end, is_draft) = nss(text, nss_start, mode)?;
    if nss_start == nss_end || text[nss_start..].starts_with('/') {
        return Err(UrnError::new(UrnErrorKind::EmptyNss, nss_start));
    }
    let rest = &text[nss_end..];
    let name_end = nss_end + rest.find('#').unwrap_or(rest.len());
    let tail = text[nss_end..name_end].get(1..);
    let mut q_start = name_end;
    if is_draft {
        directive::check(text, nss_end, name_end)?;
    } else if let Some(tail) = tail {
        q_start = components(text, tail, nss_end)?;
    }
    if name_end < text.len() {
        check(text, name_end + 1, text.len(), IS_QUERY)?;
    }
    Ok(Parts { is_draft, nid_end, nss_end, q_start, name_end })
}

/// Returns the namespace identifier at `start` (section 2.1 of both texts).
fn nid(text: &str, start: usize) -> Result<&str, UrnError> {
    let rest = &text[start..];
    let wrong = |at: usize| UrnError::new(UrnErrorKind::Nid, start + at);
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let end = rest.bytes().position(|byte| !is_inner(byte)).unwrap_or(rest.len());
    let nid = &rest[..end];
    if !rest[end..].starts_with(':') || nid.len() < 2 {
        return Err(wrong(end));
    }
    if nid.len() > 32 {
        return Err(wrong(32));
    }
    if nid.starts_with('-') {
        return Err(wrong(0));
    }
    if nid.ends_with('-') {
        return Err(wrong(end - 1));
    }
    if nid.eq_ignore_ascii_case("urn") {
        return Err(UrnError::new(UrnErrorKind::ReservedNid, start));
    }
    Ok(nid)
}

/// Returns the end of the namespace-specific string at `start`, and whether it and what follows are
/// those of the draft.
fn nss(text: &str, start: usize, mode: Mode) -> Result<(usize, bool), UrnError> {
    // One pass finds its end too, because neither class has the delimiters after it.
    let flag = if mode == Mode::Draft { IS_PCHAR } else { IS_PATH };
    let error = match check(text, start, text.len(), flag) {
        Ok(()) => return Ok((text.len(), mode == Mode::Draft)),
        Err(error) => error,
    };
    let name = text[start..].split('#').next().unwrap_or_default();
    let query = name.split_once('?').map(|(_, query)| query);
    let is_draft = match mode {
        Mode::Draft => true,
        Mode::Rfc8141 => false,
        Mode::Auto => query.is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_alphabetic())),
    };
    if is_draft {
        // Slashes are not allowed after all.
        check(text, start, error.offset, IS_PCHAR)?;
    }
    match text.as_bytes()[error.offset] {
        b'?' | b'#' => Ok((error.offset, is_draft)),
        _ => Err(error),
    }
}

/// Checks that a part contains only characters of a class and triplets other than `%00`.
fn check(text: &str, start: usize, end: usize, flag: Flag) -> Result<(), UrnError> {
    let bytes = &text.as_bytes()[..end];
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if class::is(byte, flag) {
            at += 1;
        } else if byte != b'%' {
            return Err(UrnError::new(UrnErrorKind::UnexpectedCharacter, at));
        } else if !is_triplet(&bytes[at..]) {
            return Err(UrnError::new(UrnErrorKind::InvalidTriplet, at));
        } else if percent::triplet(&bytes[at..]) == Some(0) {
            return Err(UrnError::new(UrnErrorKind::Nul, at));
        } else {
            at += 3;
        }
    }
    Ok(())
}

/// Checks `[ "?+" r-component ] [ "?=" q-component ]`; `tail` follows the question mark at
/// `question` (RFC 8141 section 2.3). Returns where `?=` is; without a q-component, the end.
fn components(text: &str, tail: &str, question: usize) -> Result<usize, UrnError> {
    let (start, end) = (question + 1, question + 1 + tail.len());
    let q_start = match tail.as_bytes().first() {
        // The r-component ends at the first `?=`.
        Some(b'+') => tail.find("?=").map_or(end, |at| start + at),
        Some(b'=') => question,
        _ => return Err(UrnError::new(UrnErrorKind::Component, start)),
    };
    for (mark, component_end) in [(question, q_start), (q_start, end)] {
        // Without content, or with that of the path or another component.
        if mark < component_end
            && (mark + 2 == component_end || text[mark + 2..].starts_with(['/', '?']))
        {
            return Err(UrnError::new(UrnErrorKind::Component, mark + 2));
        }
    }
    check(text, start + 1, end, IS_QUERY)?;
    Ok(q_start)
}
