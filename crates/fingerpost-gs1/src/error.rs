//! Errors: the kind, the Application Identifier, the position, and the text found there.
//!
//! Every kind has a stable code. The codes of value rules are those of the GS1 Barcode Syntax
//! Dictionary's linters with the prefix `L_`; the others are errors of this library.

use core::fmt;

use fingerpost_uri::Span;

use crate::ai::{Ai, AiPattern};

mod lint_error;
mod snippet;
mod text;

pub use lint_error::LintError;
pub(crate) use snippet::Snippet;

/// The error of a rejected input.
///
/// The text says what was found and what was expected:
///
/// ```
/// use fingerpost_gs1::Ai;
///
/// let error = Ai::GTIN.check_value(b"09506000134353").unwrap_err();
/// assert_eq!(error.to_string(), "check digit of (01) is 3, expected 2");
/// assert_eq!(error.code(), "L_INCORRECT_CHECK_DIGIT");
/// assert_eq!((error.span().start, error.span().end), (13, 14));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    ai: Option<Ai>,
    /// Offsets in the input. Inputs over 4 GiB do not occur: parsers limit the length first.
    span: (u32, u32),
    value_span: Option<(u32, u32)>,
    found: Snippet,
}

impl Error {
    /// Returns an error at `span` of the input.
    #[cold]
    pub(crate) fn new(kind: ErrorKind, span: Span) -> Error {
        Error { kind, ai: None, span: narrow(span), value_span: None, found: Snippet::empty() }
    }

    /// Sets the Application Identifier of the error.
    pub(crate) fn with_ai(self, ai: Ai) -> Error {
        Error { ai: Some(ai), ..self }
    }

    /// Keeps the beginning of the text found, for the message.
    pub(crate) fn with_found(self, found: &[u8]) -> Error {
        Error { found: Snippet::new(found), ..self }
    }

    /// Sets the position in the input, after a check that received only a part of the input.
    pub(crate) fn with_span(self, span: Span) -> Error {
        Error { span: narrow(span), ..self }
    }

    /// Widens the position to whole characters of the input, so that the input can be sliced there.
    #[cold]
    pub(crate) fn on_characters(self, input: &str) -> Error {
        self.with_span(self.span().on_characters(input))
    }

    /// Moves the position, for an input with `by` more bytes before.
    pub(crate) fn shifted(self, by: usize) -> Error {
        let Span { start, end } = self.span();
        self.with_span(Span { start: start + by, end: end + by })
    }

    /// Sets the position in the value.
    pub(crate) fn with_value_span(self, span: Span) -> Error {
        Error { value_span: Some(narrow(span)), ..self }
    }

    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the Application Identifier of the error, if there is one.
    #[must_use]
    pub fn ai(&self) -> Option<Ai> {
        self.ai
    }

    /// Returns the position in the input.
    #[must_use]
    pub fn span(&self) -> Span {
        widen(self.span)
    }

    /// Returns the position within the whole decoded value, if the error is about a value.
    #[must_use]
    pub fn value_span(&self) -> Option<Span> {
        self.value_span.map(widen)
    }

    /// Returns the stable code, such as `VALUE_TOO_SHORT` or `L_INCORRECT_CHECK_DIGIT`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Returns advice in one line.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self.kind {
            ErrorKind::UnknownAi if self.found.contains(|byte| byte == b'(') => {
                ErrorKind::BracketSyntax.hint()
            }
            ErrorKind::Lint(_) if self.found.contains(|byte| !byte.is_ascii()) => {
                "write the letter in ASCII: values have no accents and no other alphabets"
            }
            kind => kind.hint(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = text::FoundText { text: &self.found, is_nothing: self.span().is_empty() };
        text::write(f, self.kind, self.ai, self.value_span(), found)
    }
}

impl core::error::Error for Error {}

fn narrow(span: Span) -> (u32, u32) {
    let limit = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    (limit(span.start), limit(span.end))
}

fn widen((start, end): (u32, u32)) -> Span {
    Span { start: start as usize, end: end as usize }
}

/// The requirement of an Application Identifier that is not met: one of these groups must be
/// present completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement(pub(crate) &'static [&'static [AiPattern]]);

impl Requirement {
    /// Returns the alternatives.
    #[must_use]
    pub fn groups(&self) -> &'static [&'static [AiPattern]] {
        self.0
    }
}

/// The kind of error. Lengths count characters of the decoded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is longer than `limit` bytes.
    InputTooLong {
        /// Maximum input length, in bytes.
        limit: u32,
    },
    /// There is nothing after the leading FNC1 or symbology identifier.
    NoData,
    /// Raw data does not start with FNC1.
    NoLeadingFnc1,
    /// Not a sequence of `(AI)value`.
    BracketSyntax,
    /// Not an allocated Application Identifier.
    UnknownAi,
    /// No Application Identifier starts like this.
    UnknownAiPrefix,
    /// A value is missing.
    ValueEmpty,
    /// A value is shorter than its Application Identifier allows.
    ValueTooShort {
        /// Shortest value.
        min: u16,
        /// Length found.
        found: u16,
    },
    /// A value is longer than its Application Identifier allows, or the separator after it is
    /// missing.
    ValueTooLong {
        /// Longest value.
        max: u16,
        /// Length found.
        found: u16,
    },
    /// A component of a value is truncated.
    ValueLength {
        /// Shortest component.
        min: u16,
        /// Characters left for it.
        found: u16,
    },
    /// A caret or group separator in a value.
    Fnc1InValue,
    /// More than `limit` elements.
    TooManyAis {
        /// The maximum number of elements.
        limit: u16,
    },
    /// Two Application Identifiers exclude each other.
    AiPairForbidden {
        /// The other one.
        other: Ai,
    },
    /// A required companion is missing.
    AiRequirementMissing {
        /// The groups that would satisfy the requirement.
        requirement: Requirement,
    },
    /// An Application Identifier occurs twice with different values.
    AiRepeatedDifferent,
    /// A digital signature (8030) needs a key with its serial part.
    SerialRequired,
    /// A character that is not allowed in a URI.
    UriIllegalCharacter,
    /// The scheme is neither http nor https, or `://` is missing.
    UriScheme,
    /// The host is missing or malformed, or user information is present.
    UriHost,
    /// There is no path after the host.
    UriNoPath,
    /// No pair of primary key and value, at the end of the path or in the data.
    NoPrimaryKey,
    /// A slash follows the last value of the path.
    TrailingSlash,
    /// A percent sign without two hexadecimal digits.
    PercentEncoding,
    /// A value decodes to a NUL character.
    NulInValue,
    /// Qualifiers are unknown for this key, out of order, repeated, or from two alternatives.
    QualifierSequence,
    /// A numeric query key that is not an Application Identifier.
    UnknownNumericKey,
    /// An Application Identifier occurs twice in a URI.
    DuplicateAi,
    /// The value of a key or qualifier is `.` or `..`, which clients remove from paths (RFC 3986
    /// section 5.2.4), also if it is percent-encoded.
    DotSegment,
    /// An Application Identifier that is not allowed in the query.
    NotAnAttribute,
    /// A qualifier of the key is in the query.
    BelongsInPath,
    /// The URI to write is longer than `limit` bytes.
    UriTooLong {
        /// Longest URI, in bytes.
        limit: u32,
    },
    /// Scan data does not start with a symbology identifier.
    NoSymbologyId,
    /// The symbology identifier is not that of a GS1 carrier.
    UnsupportedSymbologyId,
    /// Too few digits for the EAN/UPC carrier or a GTIN.
    EanTooShort {
        /// The number of digits.
        digits: u16,
    },
    /// Too many digits for the EAN/UPC carrier or a GTIN.
    EanTooLong {
        /// The number of digits.
        digits: u16,
    },
    /// EAN/UPC data contain a character that is not a digit.
    EanNotDigits,
    /// The check digit of EAN/UPC data is wrong.
    EanCheckDigit {
        /// The digit found, as ASCII.
        found: u8,
        /// The digit computed, as ASCII.
        expected: u8,
    },
    /// The last part of the path is not compressed: it contains a character that is not in the
    /// base64 alphabet.
    NotCompressed,
    /// A compressed text ends inside a field.
    TruncatedCompressed,
    /// A code in a compressed text is not assigned.
    UnknownOptCode,
    /// A digit of an Application Identifier in a compressed text is above nine.
    NotADigit,
    /// The encoding of a text within a compressed text is not assigned.
    EncodingCode,
    /// A number in a compressed text has more digits than its length field says, or a name is
    /// empty.
    CompressedValue,
    /// Trailing bits of a compressed text are not zero.
    NonzeroPadding,
    /// An Application Identifier or its value cannot be compressed, or the result would be
    /// indistinguishable from an ordinary URI.
    NotCompressible,
    /// A check digit is wrong (`L_INCORRECT_CHECK_DIGIT`).
    CheckDigit {
        /// The digit found, as ASCII.
        found: u8,
        /// The digit computed, as ASCII.
        expected: u8,
    },
    /// A check character pair is wrong (`L_INCORRECT_CHECK_PAIR`).
    CheckPair {
        /// The pair found.
        found: [u8; 2],
        /// The pair computed.
        expected: [u8; 2],
    },
    /// Any other content rule.
    Lint(LintError),
}

impl ErrorKind {
    /// Returns the stable code, such as `VALUE_TOO_SHORT`.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.code_and_hint().0
    }

    /// Returns advice in one line.
    #[must_use]
    pub fn hint(self) -> &'static str {
        self.code_and_hint().1
    }

    fn code_and_hint(self) -> (&'static str, &'static str) {
        match self {
            ErrorKind::Lint(lint) => (lint.code(), lint.hint()),
            ErrorKind::CheckDigit { .. } => {
                let lint = LintError::IncorrectCheckDigit;
                (lint.code(), lint.hint())
            }
            ErrorKind::CheckPair { .. } => {
                let lint = LintError::IncorrectCheckPair;
                (lint.code(), lint.hint())
            }
            other => text::code_and_hint(other),
        }
    }
}
