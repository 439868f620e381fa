//! Uniform Resource Names: draft-ietf-urnbis-rfc2141bis-urn-03 (2012) and RFC 8141, selected by mode.
//!
//! ```text
//! URN   = "urn" ":" NID ":" NSS                       "urn" and NID without case
//! NID   = (alphanum) 0*30(alphanum / "-") (alphanum)
//!
//! draft:     NSS = 1*pchar                            reference = URN [ "?" directives ] [ "#" fragment ]
//! RFC 8141:  NSS = pchar *( pchar / "/" )             reference = URN [ "?+" r ] [ "?=" q ] [ "#" f ]
//! ```
//!
//! Every URN is a URI (URN-SYN-01). The two query syntaxes do not overlap: after the question mark, a draft directive
//! begins with a letter, a component of RFC 8141 with `+` or `=`. [`Mode::Auto`] decides by that one character.

use core::fmt;

use crate::class::{self, Flag, IS_PATH, IS_PCHAR, IS_QUERY};
use crate::parse::is_triplet;
use crate::percent::{self, Encoded};

mod build;
mod directive;
mod equivalence;
mod namespace;
mod namespaces;
mod service;
pub mod thttp;

pub use build::build;
pub use directive::{Directive, Directives};
pub use equivalence::{AnswerKey, NameKey};
pub use namespace::{InvalidNss, Namespace, NamespaceRegistry};
pub use namespaces::{isbn, issn};
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Urn<'a> {
    text: &'a str,
    nid: &'a str,
    nss: &'a str,
    tail: Tail<'a>,
    fragment: Option<&'a str>,
}

/// The part between the name and the fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tail<'a> {
    Draft { query: Option<&'a str> },
    Rfc8141 { r: Option<&'a str>, q: Option<&'a str> },
}

/// The error of a text that is not a URN: a reason, and the offset in the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UrnError {
    kind: UrnErrorKind,
    offset: usize,
}

/// The kind of error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UrnErrorKind {
    /// The text does not begin with `urn:`.
    Scheme,
    /// The namespace identifier is not 2 to 32 letters, digits and inner hyphens, or no colon follows it.
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
    /// A component of RFC 8141 is empty, out of order or begins with a delimiter.
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
        Self { kind, offset }
    }

    /// Returns the kind of error.
    pub const fn kind(&self) -> UrnErrorKind {
        self.kind
    }

    /// Returns the position of the error: a byte offset into the text.
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for UrnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = match self.kind {
            UrnErrorKind::Scheme => "expected urn: and a namespace",
            UrnErrorKind::Nid => {
                "expected a namespace identifier of 2 to 32 letters, digits and inner hyphens, and a colon,"
            }
            UrnErrorKind::ReservedNid => {
                "expected a namespace identifier other than urn, which is reserved,"
            }
            UrnErrorKind::EmptyNss => "expected a name within the namespace, found nothing",
            UrnErrorKind::UnexpectedCharacter => "expected a character of URNs, found another",
            UrnErrorKind::InvalidTriplet => {
                "expected two hexadecimal digits after the percent sign"
            }
            UrnErrorKind::Nul => "expected no null character, found %00",
            UrnErrorKind::Directive => "expected keyword=value, divided by &,",
            UrnErrorKind::Component => {
                "expected ?+ and a resolver component or ?= and a query component"
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
        let nid_start = match text.get(..4) {
            Some(scheme) if scheme.eq_ignore_ascii_case("urn:") => 4,
            _ => return Err(UrnError::new(UrnErrorKind::Scheme, 0)),
        };
        let nid = nid(text, nid_start)?;
        let nss_start = nid_start + nid.len() + 1;
        let (name, fragment) = match text.split_once('#') {
            Some((name, fragment)) => (name, Some(fragment)),
            None => (text, None),
        };
        let nss_end = name.find('?').unwrap_or(name.len());
        let tail = name.get(nss_end + 1..);
        let is_draft = match mode {
            Mode::Draft => true,
            Mode::Rfc8141 => false,
            Mode::Auto => {
                tail.is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_alphabetic()))
            }
        };
        check(text, nss_start, nss_end, if is_draft { IS_PCHAR } else { IS_PATH })?;
        let nss = &text[nss_start..nss_end];
        if nss.is_empty() || nss.starts_with('/') {
            return Err(UrnError::new(UrnErrorKind::EmptyNss, nss_start));
        }
        let tail = match tail {
            _ if is_draft => Tail::Draft { query: directive::check(text, nss_end, name.len())? },
            None => Tail::Rfc8141 { r: None, q: None },
            Some(tail) => components(text, tail, nss_end)?,
        };
        if fragment.is_some() {
            check(text, name.len() + 1, text.len(), IS_QUERY)?;
        }
        Ok(Self { text, nid, nss, tail, fragment })
    }

    /// Returns the text.
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// Returns the specification by which this URN was parsed: [`Mode::Draft`] or [`Mode::Rfc8141`].
    pub const fn mode(self) -> Mode {
        match self.tail {
            Tail::Draft { .. } => Mode::Draft,
            Tail::Rfc8141 { .. } => Mode::Rfc8141,
        }
    }

    /// Returns the namespace identifier as written; it is compared case-insensitively.
    pub const fn nid(self) -> &'a str {
        self.nid
    }

    /// Returns the namespace-specific string.
    pub const fn nss(self) -> Encoded<'a> {
        Encoded::new(self.nss)
    }

    /// Returns the query of the draft, without its question mark.
    pub const fn query(self) -> Option<&'a str> {
        match self.tail {
            Tail::Draft { query } => query,
            Tail::Rfc8141 { .. } => None,
        }
    }

    /// Returns the directives of the draft's query; none without a query.
    pub fn directives(self) -> Directives<'a> {
        Directives::new(self.query())
    }

    /// Returns the r-component of RFC 8141, for resolvers.
    pub const fn resolver_component(self) -> Option<Encoded<'a>> {
        match self.tail {
            Tail::Rfc8141 { r: Some(r), .. } => Some(Encoded::new(r)),
            _ => None,
        }
    }

    /// Returns the q-component of RFC 8141, for the named resource.
    pub const fn query_component(self) -> Option<Encoded<'a>> {
        match self.tail {
            Tail::Rfc8141 { q: Some(q), .. } => Some(Encoded::new(q)),
            _ => None,
        }
    }

    /// Returns the fragment, called f-component by RFC 8141: it is for the client only, never for a resolver
    /// (URN-FRG-02).
    pub fn fragment(self) -> Option<Encoded<'a>> {
        self.fragment.map(Encoded::new)
    }

    /// Returns whether this is an assigned name: without query, component or fragment (URN-QRY-01, URN-FRG-01).
    pub fn is_assigned_name(self) -> bool {
        self.name().len() == self.text.len()
    }

    /// Returns only the assigned name, as written.
    pub fn name(self) -> &'a str {
        &self.text[.."urn:".len() + self.nid.len() + 1 + self.nss.len()]
    }

    /// Returns warnings about names that are valid but should be written differently.
    pub fn lints(self) -> impl Iterator<Item = UrnLint> {
        let needless = self.nss.match_indices('%').any(|(at, _)| {
            percent::triplet(&self.nss.as_bytes()[at..])
                .is_some_and(|octet| class::is(octet, class::IS_UNRESERVED))
        });
        let nid = self.nid.as_bytes();
        let starts_like = |start: &str| {
            self.nid.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
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
    /// A triplet encodes a character that needs no encoding; because equivalence never decodes, this is a different
    /// name (URN-SYN-11).
    NeedlessEncoding,
    /// `urn-` and a number: an informal namespace (URN-PRE-06).
    InformalNamespace,
    /// `x-`: an experimental namespace, which RFC 8141 does not allow (URN-PRE-06).
    ExperimentalNamespace,
    /// Two letters and a hyphen: reserved for countries (URN-PRE-06).
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

impl fmt::Display for Urn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// Returns the namespace identifier at `start` (section 2.1 of both texts; URN-SYN-03, URN-SYN-04).
fn nid(text: &str, start: usize) -> Result<&str, UrnError> {
    let rest = &text[start..];
    let wrong = |at: usize| UrnError::new(UrnErrorKind::Nid, start + at);
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
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

/// Parses `[ "?+" r-component ] [ "?=" q-component ]`; `tail` follows the question mark at `question` (RFC 8141
/// section 2.3).
fn components<'a>(text: &'a str, tail: &'a str, question: usize) -> Result<Tail<'a>, UrnError> {
    let start = question + 2;
    let wrong = UrnError::new(UrnErrorKind::Component, question);
    let (r, q) = if let Some(rest) = tail.strip_prefix('+') {
        // The r-component ends at the first `?=`.
        rest.split_once("?=").map_or((Some(rest), None), |(r, q)| (Some(r), Some(q)))
    } else {
        (None, Some(tail.strip_prefix('=').ok_or(wrong)?))
    };
    for component in [r, q].into_iter().flatten() {
        if component.is_empty() || component.starts_with(['/', '?']) {
            return Err(wrong);
        }
    }
    check(text, start, question + 1 + tail.len(), IS_QUERY)?;
    Ok(Tail::Rfc8141 { r, q })
}
