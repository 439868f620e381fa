//! Parse errors: the reason, the component, and the offset in the text.

use core::fmt;

use crate::span::Span;

/// The part of a URI that an error or a difference is about (RFC 3986 section 3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Component {
    /// The scheme, before the first colon.
    Scheme,
    /// User information, before the `@` of the authority.
    Userinfo,
    /// The host.
    Host,
    /// The port, after the last colon of the authority.
    Port,
    /// The path.
    Path,
    /// The query, after the first question mark.
    Query,
    /// The fragment, after the first number sign.
    Fragment,
}

impl Component {
    /// Returns the name of the component in RFC 3986.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Userinfo => "userinfo",
            Self::Host => "host",
            Self::Port => "port",
            Self::Path => "path",
            Self::Query => "query",
            Self::Fragment => "fragment",
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The kind of error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A character that the component does not allow; the offset points at it.
    UnexpectedCharacter,
    /// A `%` that is not followed by two hexadecimal digits; the offset points at the `%`.
    InvalidTriplet,
    /// Square brackets that contain neither an IPv6 address nor an `IPvFuture`; the offset points
    /// at the opening bracket.
    InvalidIpLiteral,
    /// A colon in the first segment of a relative reference; the offset points at the colon.
    ColonInFirstSegment,
    /// A reference without a scheme where a URI is required; the offset is 0.
    MissingScheme,
    /// A fragment where an `absolute-URI` is required; the offset points at the `#`.
    UnexpectedFragment,
    /// A scheme where a relative reference is required; the offset points at its colon.
    UnexpectedScheme,
    /// The text is longer than [`MAX_LEN`](crate::MAX_LEN) bytes.
    TooLong,
}

impl ErrorKind {
    /// Returns the machine-readable name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnexpectedCharacter => "UNEXPECTED_CHARACTER",
            Self::InvalidTriplet => "INVALID_TRIPLET",
            Self::InvalidIpLiteral => "INVALID_IP_LITERAL",
            Self::ColonInFirstSegment => "COLON_IN_FIRST_SEGMENT",
            Self::MissingScheme => "MISSING_SCHEME",
            Self::UnexpectedFragment => "UNEXPECTED_FRAGMENT",
            Self::UnexpectedScheme => "UNEXPECTED_SCHEME",
            Self::TooLong => "TOO_LONG",
        }
    }
}

/// The error of a text that does not match the requested rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ParseError {
    kind: ErrorKind,
    component: Component,
    /// The character found, if the text was known and does not end there.
    found: Option<char>,
    offset: usize,
}

impl ParseError {
    pub(crate) const fn new(kind: ErrorKind, component: Component, offset: usize) -> Self {
        Self { kind, component, found: None, offset }
    }

    /// Keeps the character at the offset, for the message.
    #[cold]
    pub(crate) fn in_text(self, text: &str) -> Self {
        let found = text.get(self.offset..).and_then(|rest| rest.chars().next());
        Self { found, ..self }
    }

    /// Returns the kind of error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the component that contains the error.
    pub const fn component(&self) -> Component {
        self.component
    }

    /// Returns the position of the error: the character found, empty at the end of the text. Each
    /// [`ErrorKind`] documents its position.
    pub const fn span(&self) -> Span {
        let length = match self.found {
            Some(found) => found.len_utf8(),
            None => 0,
        };
        Span::from_length(self.offset, length)
    }

    /// Returns the stable code, such as `UNEXPECTED_CHARACTER`.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// Formats a character found, escaped and in quotes.
pub(crate) struct Quoted(pub(crate) Option<char>);

impl fmt::Display for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(found) => write!(f, "\"{}\"", found.escape_debug()),
            None => f.write_str("the end"),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, component, found, offset } = self;
        let found = Quoted(*found);
        match kind {
            ErrorKind::UnexpectedCharacter => {
                write!(f, "expected a character of the {component}, found {found} at byte {offset}")
            }
            ErrorKind::InvalidTriplet => write!(
                f,
                "expected two hexadecimal digits after the percent sign at byte {offset} of the {component}"
            ),
            ErrorKind::InvalidIpLiteral => {
                write!(f, "expected an IPv6 address or IPvFuture in the brackets at byte {offset}")
            }
            ErrorKind::ColonInFirstSegment => write!(
                f,
                "expected a scheme before the colon at byte {offset}; a relative path with a colon starts with ./"
            ),
            ErrorKind::MissingScheme => {
                f.write_str("expected a scheme, found a relative reference")
            }
            ErrorKind::UnexpectedFragment => {
                write!(f, "expected no fragment, found one at byte {offset}")
            }
            ErrorKind::UnexpectedScheme => {
                write!(
                    f,
                    "expected a relative reference, found a scheme that ends at byte {offset}"
                )
            }
            ErrorKind::TooLong => write!(f, "expected at most {} bytes", crate::MAX_LEN),
        }
    }
}

impl core::error::Error for ParseError {}
