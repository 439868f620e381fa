//! Errors of bit strings, URNs and values, with their positions.

use core::fmt;

use fingerpost_gs1::Span;

mod text;

/// The position of an error in the input; ends are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ErrorSpan {
    /// Bits, counted from the first bit of the header.
    Bits { start: usize, end: usize },
    /// Bytes of a text: a URN, a hexadecimal or base64url string, or the value to encode.
    Text { start: usize, end: usize },
    /// No position: the error is in the request.
    Nowhere,
}

impl ErrorSpan {
    pub(crate) const fn bits(start: usize, end: usize) -> ErrorSpan {
        ErrorSpan::Bits { start, end }
    }

    pub(crate) const fn text(start: usize, end: usize) -> ErrorSpan {
        ErrorSpan::Text { start, end }
    }
}

/// The error of a rejected input.
///
/// ```
/// use fingerpost_epc::Epc;
///
/// let error = Epc::from_hex("3066").unwrap_err();
/// assert_eq!(error.to_string(), "expected 96 bits, found 16");
/// assert_eq!(error.code(), "TRUNCATED");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    pub(crate) span: ErrorSpan,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, span: ErrorSpan) -> Error {
        Error { kind, span }
    }

    /// Sets the position in a text with this many bits per character, which starts at byte `start`.
    #[cold]
    pub(crate) fn in_text(self, start: usize, width: usize) -> Error {
        match self.span {
            ErrorSpan::Bits { start: first, end } => {
                let span = ErrorSpan::text(start + first / width, start + end.div_ceil(width));
                Error { span, ..self }
            }
            _ => self,
        }
    }

    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the position in the input, if that is a text: a URN, a hexadecimal or base64url
    /// string.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self.span {
            ErrorSpan::Text { start, end } => Some(Span { start, end }),
            _ => None,
        }
    }

    /// Returns the position in the input, if that is a bit string: bits, counted from the first bit
    /// of the header.
    #[must_use]
    pub fn bits(&self) -> Option<Span> {
        match self.span {
            ErrorSpan::Bits { start, end } => Some(Span { start, end }),
            _ => None,
        }
    }

    /// Returns the stable code, such as `TRUNCATED` or `BAD_GCP_LENGTH`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Returns advice in one line.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.kind.hint()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(f, self.kind)
    }
}

impl core::error::Error for Error {}

impl From<fingerpost_gs1::Error> for Error {
    /// Wraps the error of a value that violates the rules of its Application Identifier.
    fn from(error: fingerpost_gs1::Error) -> Error {
        Error::new(ErrorKind::Value(error), ErrorSpan::Nowhere)
    }
}

/// The kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No data.
    Empty,
    /// A character that is not a hexadecimal digit.
    InvalidHex,
    /// A character outside the base64url alphabet.
    InvalidBase64,
    /// A path segment that starts with neither `eh` nor `ex`.
    NotAnEpcSegment,
    /// Fewer bits than the header, the scheme or the next field needs.
    Truncated {
        /// The number of bits needed.
        needed: usize,
        /// The number of bits left.
        found: usize,
    },
    /// The header is not that of any scheme.
    ReservedHeader {
        /// The first eight bits.
        header: u8,
    },
    /// A non-zero bit after the end of the data.
    NonZeroPadding,
    /// Reserved bits that are not zero.
    ReservedBitsNotZero,
    /// Partition value 7.
    BadPartition,
    /// A company prefix with more digits than its partition has.
    GcpOverflow {
        /// Digits of the company prefix.
        digits: u8,
    },
    /// A reference with more digits than its partition has.
    ReferenceOverflow {
        /// Digits of the reference.
        digits: u8,
    },
    /// A serial number above the maximum.
    SerialOverflow {
        /// Maximum serial number.
        max: u64,
    },
    /// A number or reference above the maximum.
    OutOfRange {
        /// Maximum number.
        max: u64,
    },
    /// A number that does not fit into its field.
    Overflow {
        /// Bits of the field.
        bits: u8,
    },
    /// A numeric string without its leading 1, or of a wrong length.
    BadNumericString,
    /// An empty value.
    EmptyValue,
    /// No serial component in an EPC that requires one.
    MissingSerial,
    /// A value that is too long.
    TooLong {
        /// Maximum length, in characters.
        max: usize,
    },
    /// A character that is not allowed at its position.
    BadCharacter,
    /// Data after the end of a text.
    DataAfterTerminator,
    /// Not a CAGE code or DoDAAC.
    BadCage,
    /// Four bits that are not a digit.
    BadDigitNibble {
        /// The four bits.
        nibble: u8,
    },
    /// A number with more digits than its length field says.
    DecimalOverflow {
        /// Digits of the value.
        digits: u8,
    },
    /// Sixteen bits that are not three characters of URN Code 40.
    BadCode40,
    /// Encoding indicator 6 or 7.
    ReservedEncodingIndicator {
        /// The three bits.
        indicator: u8,
    },
    /// Not a date.
    BadDate,
    /// Not a time of day.
    BadTime,
    /// A value other than two digits from 1 to 9.
    BadSeq,
    /// A date type that is not assigned.
    ReservedDateType {
        /// The four bits.
        date_type: u8,
    },
    /// A host name of length 0.
    EmptyHostname,
    /// A host name that ends within a sequence, or is longer than 63 units.
    HostnameLength,
    /// A sequence of host name bits that is not assigned.
    ReservedHostnameSequence,
    /// Not a host name.
    BadHostname,
    /// Four bits above 9 instead of an Application Identifier.
    ReservedAidcHeader,
    /// An Application Identifier that these schemes cannot contain.
    UnknownAi,
    /// An Application Identifier with two values.
    DuplicateAi,
    /// A check digit is wrong.
    BadCheckDigit {
        /// The digit found, as ASCII.
        found: u8,
        /// The digit computed, as ASCII.
        expected: u8,
    },
    /// The EPC has no GS1 key.
    NoDigitalLink,
    /// Not an EPC URN.
    BadUrnSyntax,
    /// No EPC scheme has this name.
    UnknownScheme,
    /// A company prefix with fewer than 6 or more than 12 digits.
    BadGcpLength,
    /// Company prefix and reference do not have the required number of digits.
    BadRefLength {
        /// Required digits of both components together.
        expected: u8,
    },
    /// A character that is not a digit.
    BadDigits,
    /// A number with a leading zero.
    LeadingZero,
    /// A character that must be percent-encoded.
    MustEscape,
    /// A percent sign without two hexadecimal digits.
    BadEscape,
    /// A filter value out of range.
    BadFilter {
        /// Maximum filter value.
        max: u8,
    },
    /// A star at a position where it is not allowed.
    BadPattern,
    /// The length of the company prefix must be known.
    GcpLengthRequired,
    /// A number for circulation within a company or of another system.
    RestrictedPrefix,
    /// There is no EPC of this kind for the elements.
    NoEpc,
    /// A value that violates the rules of its Application Identifier.
    Value(fingerpost_gs1::Error),
}

impl ErrorKind {
    /// Returns the stable code, such as `TRUNCATED` or `BAD_GCP_LENGTH`.
    #[must_use]
    pub fn code(self) -> &'static str {
        text::code_and_hint(self).0
    }

    /// Returns advice in one line.
    #[must_use]
    pub fn hint(self) -> &'static str {
        text::code_and_hint(self).1
    }
}
