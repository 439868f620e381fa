//! The first URI syntax of the web (the Internet-Draft "Uniform Resource Identifiers", published in
//! a changed form as RFC 1630).
//!
//! ```text
//! fragmentaddress = uri [ "#" fragmentid ]
//! uri      = scheme ":" path [ "?" search ]
//! path     = ( void | xpalphas ) [ "/" path ]        read so that the examples fit it
//! search   = xalphas [ "+" search ]
//! xalpha   = alpha | digit | safe | extra | escape   xpalpha: the same or "+"
//! safe     = "$" | "-" | "_" | "@" | "." | "&"
//! extra    = "!" | "*" | '"' | "'" | "(" | ")" | ":" | ";" | "," | space
//! escape   = "%" hex hex                             codes of ISO Latin-1
//! ```
//!
//! Of historical interest, and therefore separate: everything else uses RFC 3986
//! ([`UriRef`](crate::UriRef)). Each item documents how it differs from RFC 3986.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::Quoted;
use crate::parse::is_triplet;
use crate::percent;
use crate::span::Span;

mod partial;
mod scheme;

pub use partial::{NoSuchRun, expand_partial, partial_form};
pub use scheme::SchemeView;

/// How much of the syntax is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grammar {
    /// The printed grammar: with spaces, without `=`.
    Bnf,
    /// The grammar and `=`, which it omits by mistake.
    Tolerant,
    /// The canonical form described in the text: no spaces.
    Canonical,
}

impl Grammar {
    fn admits(self, byte: u8) -> bool {
        match byte {
            b' ' => self != Self::Canonical,
            b'=' => self == Self::Tolerant,
            _ => byte.is_ascii_alphanumeric() || b"$-_@.&!*\"'():;,".contains(&byte),
        }
    }
}

/// A URI of the first syntax.
///
/// ```
/// use fingerpost_uri::www::{Grammar, WwwUri};
///
/// let uri = WwwUri::parse("http://h/q?a%2Bb+c#", Grammar::Canonical)?;
/// assert_eq!(uri.path(), "//h/q");
/// assert_eq!(uri.search_words(), ["a+b", "c"]);
/// assert_eq!(uri.fragment(), None, "a void fragment means the whole object");
/// # Ok::<(), fingerpost_uri::www::WwwError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WwwUri<'a> {
    scheme: &'a str,
    path: &'a str,
    search: Option<&'a str>,
    fragment: Option<&'a str>,
}

/// The error of a text that is not in the first syntax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WwwError {
    offset: usize,
    /// The character found, if the text does not end there.
    found: Option<char>,
    kind: WwwErrorKind,
}

/// The kind of error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WwwErrorKind {
    /// There is no colon before the first slash, or no scheme before it.
    NoScheme,
    /// A character that the requested grammar does not allow.
    UnexpectedCharacter,
    /// A `%` that is not followed by two hexadecimal digits (Example 3 of the draft).
    InvalidEscape,
}

impl WwwErrorKind {
    /// Returns the machine-readable name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoScheme => "NO_SCHEME",
            Self::UnexpectedCharacter => "UNEXPECTED_CHARACTER",
            Self::InvalidEscape => "INVALID_ESCAPE",
        }
    }
}

impl WwwError {
    const fn new(kind: WwwErrorKind, offset: usize) -> Self {
        Self { offset, found: None, kind }
    }

    /// Keeps the character at the offset, for the message.
    #[cold]
    fn in_text(self, text: &str) -> Self {
        let found = text.get(self.offset..).and_then(|rest| rest.chars().next());
        Self { found, ..self }
    }

    /// Returns the position of the error: the character found, empty at the end of the text.
    pub const fn span(&self) -> Span {
        let length = match self.found {
            Some(found) => found.len_utf8(),
            None => 0,
        };
        Span::from_length(self.offset, length)
    }

    /// Returns the stable code, such as `NO_SCHEME`.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Returns the kind of error.
    pub const fn kind(&self) -> WwwErrorKind {
        self.kind
    }
}

impl fmt::Display for WwwError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            WwwErrorKind::NoScheme => {
                f.write_str("expected a scheme and a colon before any slash, found a partial form")
            }
            WwwErrorKind::UnexpectedCharacter => {
                write!(
                    f,
                    "expected a character of the first web syntax, found {} at byte {offset}",
                    Quoted(self.found)
                )
            }
            WwwErrorKind::InvalidEscape => {
                write!(f, "expected two hexadecimal digits after the percent sign at byte {offset}")
            }
        }
    }
}

impl core::error::Error for WwwError {}

impl<'a> WwwUri<'a> {
    /// Parses a full form. The scheme is parsed as in RFC 3986.
    ///
    /// # Errors
    ///
    /// The first invalid character, or a missing scheme.
    pub fn parse(text: &'a str, grammar: Grammar) -> Result<Self, WwwError> {
        Self::read(text, grammar).map_err(|error| error.in_text(text))
    }

    fn read(text: &'a str, grammar: Grammar) -> Result<Self, WwwError> {
        let scheme = scheme_of(text).ok_or(WwwError::new(WwwErrorKind::NoScheme, 0))?;
        let rest_start = scheme.len() + 1;
        let (uri, fragment) = match text.split_once('#') {
            Some((uri, fragment)) => (uri, Some(fragment)),
            None => (text, None),
        };
        let (path, search) = match uri[rest_start..].split_once('?') {
            Some((path, search)) => (path, Some(search)),
            None => (&uri[rest_start..], None),
        };
        let search_start = rest_start + path.len() + 1;
        check(path, rest_start, |byte| grammar.admits(byte) || matches!(byte, b'/' | b'+'))?;
        check(search.unwrap_or_default(), search_start, |byte| {
            grammar.admits(byte) || byte == b'+'
        })?;
        check(fragment.unwrap_or_default(), uri.len() + 1, |byte| grammar.admits(byte))?;
        let fragment = fragment.filter(|fragment| !fragment.is_empty());
        Ok(Self { scheme, path, search, fragment })
    }

    /// Returns the part before the first colon.
    pub const fn scheme(self) -> &'a str {
        self.scheme
    }

    /// Returns the part after the colon, including a host: the first syntax has no separate
    /// authority.
    pub const fn path(self) -> &'a str {
        self.path
    }

    /// Returns the part after the question mark.
    pub const fn search(self) -> Option<&'a str> {
        self.search
    }

    /// Returns the part after the hash; an empty one is treated as none. RFC 3986 distinguishes the
    /// two.
    pub const fn fragment(self) -> Option<&'a str> {
        self.fragment
    }

    /// Returns the words of the search: split at `+`, which represents a space, then decoded. RFC
    /// 3986 has no such rule.
    pub fn search_words(self) -> Vec<String> {
        self.search.into_iter().flat_map(|search| search.split('+')).map(decode_latin1).collect()
    }

    /// Returns whether the scheme is an experiment by mutual agreement: `x-…`.
    pub fn is_experimental(self) -> bool {
        self.scheme.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("x-"))
    }

    /// Returns the path as interpreted by the scheme.
    pub fn view(self) -> SchemeView<'a> {
        scheme::view(self)
    }
}

/// Returns the scheme of a full form: its colon is before any slash, question mark and hash.
fn scheme_of(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))?;
    (text[end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic()))
        .then(|| &text[..end])
}

fn check(part: &str, start: usize, admits: impl Fn(u8) -> bool) -> Result<(), WwwError> {
    let bytes = part.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (step, kind) = match byte {
            b'%' => (is_triplet(&bytes[at..]).then_some(3), WwwErrorKind::InvalidEscape),
            _ => (admits(byte).then_some(1), WwwErrorKind::UnexpectedCharacter),
        };
        at += step.ok_or(WwwError::new(kind, start + at))?;
    }
    Ok(())
}

/// Escapes read as codes of ISO Latin-1, which are the first 256 code points of Unicode.
fn decode_latin1(text: &str) -> String {
    percent::decode(text).iter().map(|&octet| char::from(octet)).collect()
}

/// The characters whose escape differs in meaning from the character itself: hierarchy, fragment,
/// search, and the escape itself. A `+` is data in a path but a space in a search, so it is never
/// changed.
const RESERVED: &[u8] = b"/#?%+";

/// Decodes every escape of a printable ASCII character that is not reserved: the most decoded form
/// that can be encoded back, in which two URIs are compared. Elements `.` and `..` are reserved
/// too, so their dots stay escaped, and so are `:` and `@` where they divide the login from the
/// host, and `@` in `news`, where it tells an article from a group. A raw space, which the
/// canonical form does not allow, is escaped.
///
/// ```
/// use fingerpost_uri::www::relax;
///
/// assert_eq!(relax("http://h/marie%2Dclaude"), "http://h/marie-claude");
/// assert_eq!(relax("http://h/a%2fb"), "http://h/a%2Fb");
/// assert_eq!(relax("http://h/%2E%2e/b"), "http://h/%2E%2E/b");
/// ```
pub fn relax(text: &str) -> String {
    rewrite(text, |kind, octet, escaped| match octet {
        _ if !escaped => octet == b' ',
        b'.' if kind == UriPart::Dots => true,
        _ => !octet.is_ascii_graphic() || RESERVED.contains(&octet) || kind.divides(octet),
    })
}

/// Escapes everything except letters, digits and characters that have a meaning in their part of
/// the URI: the most encoded form, for transport through unreliable gateways. The scheme reads it
/// as the same object, and [`relax`] undoes it.
///
/// ```
/// use fingerpost_uri::www::{make_safer, relax};
///
/// assert_eq!(make_safer("http://h/a$b"), "http://h/a%24b");
/// assert_eq!(relax(&make_safer("http://h/a$b")), "http://h/a$b");
/// assert_eq!(make_safer("ftp://joe@host:21/x@y"), "ftp://joe@host:21/x%40y");
/// ```
pub fn make_safer(text: &str) -> String {
    rewrite(text, |kind, octet, escaped| {
        let has_meaning = RESERVED.contains(&octet)
            || kind.divides(octet)
            || matches!((kind, octet), (UriPart::Dots, b'.') | (UriPart::Login, b'.' | b'-'));
        escaped || !(octet.is_ascii_alphanumeric() || has_meaning)
    })
}

/// The part of a URI that a character is in, which may give it a meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UriPart {
    /// The login, host and port after `//`.
    Login,
    /// An element of the path that is `.` or `..`.
    Dots,
    /// The path of `news`.
    News,
    /// Anywhere else.
    Other,
}

impl UriPart {
    /// Returns whether a character divides the parts that the scheme reads here.
    fn divides(self, octet: u8) -> bool {
        matches!((self, octet), (Self::Login, b':' | b'@') | (Self::News, b'@'))
    }
}

/// Returns `text` with each octet after the scheme escaped or not, as `escapes` decides from its
/// part of the URI, its value and whether it was already escaped.
fn rewrite(text: &str, escapes: impl Fn(UriPart, u8, bool) -> bool) -> String {
    let scheme = scheme_of(text).unwrap_or_default();
    let is = |name: &str| scheme.eq_ignore_ascii_case(name);
    let (head, rest) = text.split_at(scheme.len() + usize::from(!scheme.is_empty()));
    let login = rest
        .strip_prefix("//")
        .map_or(0, |after| "//".len() + after.find(['/', '?', '#']).unwrap_or(after.len()));
    let (login, rest) = rest.split_at(login);
    let mut out = String::with_capacity(text.len());
    out.push_str(head);
    rewrite_part(login, &mut out, |octet, escaped| {
        octet != b'/' && escapes(UriPart::Login, octet, escaped)
    });
    // The first character of a gopher path is a type, not text.
    let (kind, rest) = rest.split_at(if is("gopher") { gopher_type(rest) } else { 0 });
    out.push_str(kind);
    let path = rest.find(['?', '#']).unwrap_or(rest.len());
    let (path, after) = rest.split_at(path);
    for (part, kind) in
        [(path, if is("news") { UriPart::News } else { UriPart::Other }), (after, UriPart::Other)]
    {
        for (at, element) in part.split('/').enumerate() {
            if at > 0 {
                out.push('/');
            }
            let is_dots = matches!(&*percent::decode(element), b"." | b"..");
            let kind = if is_dots { UriPart::Dots } else { kind };
            rewrite_part(element, &mut out, |octet, escaped| escapes(kind, octet, escaped));
        }
    }
    out
}

/// Returns the length of the slash and the type at the start of a gopher path.
fn gopher_type(path: &str) -> usize {
    let Some(rest) = path.strip_prefix('/') else { return 0 };
    let kind = match rest.chars().next() {
        None | Some('/' | '?' | '#') => 0,
        Some(_) if is_triplet(rest.as_bytes()) => 3,
        Some(kind) => kind.len_utf8(),
    };
    1 + kind
}

/// Appends `text` with each octet escaped or not, as `escapes` decides; its argument says whether
/// the octet was already escaped.
fn rewrite_part(text: &str, out: &mut String, escapes: impl Fn(u8, bool) -> bool) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let bytes = rest.as_bytes();
        if let Some(octet) = percent::triplet(bytes) {
            if escapes(octet, true) {
                percent::push_triplet(octet, out);
            } else {
                out.push(char::from(octet));
            }
            rest = &rest[3..];
        } else {
            // This syntax does not allow characters outside ASCII; they are passed through.
            if c.is_ascii() && escapes(bytes[0], false) {
                percent::push_triplet(bytes[0], out);
            } else {
                out.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// Returns whether two URIs are the same at one level of encoding; an empty fragment is treated as
/// none.
///
/// ```
/// use fingerpost_uri::www::equivalent;
///
/// assert!(equivalent("http://h/marie-claude#", "http://h/marie%2Dclaude"));
/// assert!(!equivalent("http://h/a/b", "http://h/a%2Fb"));
/// ```
pub fn equivalent(a: &str, b: &str) -> bool {
    let normal = |text: &str| relax(text.strip_suffix('#').unwrap_or(text));
    normal(a) == normal(b)
}
