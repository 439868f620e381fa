//! Reasons a request cannot be answered as asked (GS1-Conformant Resolver 1.2.0 sections 2.4 and
//! 2.4.1).

use std::fmt;

use fingerpost_gs1::{Ai, Error, ErrorKind, Span};
use fingerpost_uri::urn::{UrnError, thttp};

use crate::UrnKeyError;

/// The reason a request cannot be answered as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not a valid GS1 Digital Link URI (RES-2.4.1-1): 400.
    Invalid(InvalidPath),
    /// An invalid name, or an invalid request for a service about it: 400.
    InvalidName(NameFault),
    /// A valid Digital Link below a stem that is not this resolver's: 404.
    NotServed,
    /// A valid Digital Link after a host name, as a path: the link to it has no scheme (RFC 3986,
    /// section 4.5): 404.
    NoScheme,
    /// A locator that is not a GS1 Digital Link (WWW-THT-08): 404. The targets of links are not
    /// searched.
    OtherLocator,
    /// A valid identifier whose primary key is not served here (RES-2.1-3): 404.
    UnsupportedKey(Ai),
    /// A request target that is longer than the configured maximum: 414.
    TargetTooLong,
}

impl Refusal {
    pub(crate) fn invalid(fault: PathFault, span: Span) -> Self {
        Self::Invalid(InvalidPath { fault, span })
    }

    /// Returns the status code.
    pub fn status(&self) -> u16 {
        match self {
            Self::Invalid(_) | Self::InvalidName(_) => 400,
            Self::NotServed | Self::NoScheme | Self::OtherLocator | Self::UnsupportedKey(_) => 404,
            Self::TargetTooLong => 414,
        }
    }

    /// Returns one line of advice on the most likely cause, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Invalid(invalid) => Some(invalid.hint()),
            Self::NoScheme => Some("start the link with https://"),
            _ => None,
        }
    }

    pub(crate) fn is_former_name(&self) -> bool {
        matches!(self, Self::Invalid(InvalidPath { fault: PathFault::FormerName(_), .. }))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::InvalidName(fault) => fault.fmt(f),
            Self::TargetTooLong => f.write_str("the request target is too long"),
            Self::NotServed => f.write_str(
                "a valid GS1 Digital Link URI, but below another stem than this resolver's",
            ),
            Self::NoScheme => f.write_str(
                "a valid GS1 Digital Link URI as a path: expected https:// before the host name, found none",
            ),
            Self::OtherLocator => f.write_str(
                "not a GS1 Digital Link URI: locators are looked up by the identifier in them, and the targets of links are not \
                 searched",
            ),
            Self::UnsupportedKey(ai) => {
                write!(f, "primary key ({}) is not served here", ai.as_str())
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// The fault of a path, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPath {
    fault: PathFault,
    span: Span,
}

impl InvalidPath {
    /// Returns the fault.
    pub fn fault(&self) -> &PathFault {
        &self.fault
    }

    /// Returns the position of the fault, in bytes of the path as received.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns the stable code of the exact fault, if it has one: `Truncated`, `VALUE_TOO_SHORT`.
    pub fn reason(&self) -> Option<&'static str> {
        match &self.fault {
            PathFault::Epc(error) => Some(error.code()),
            PathFault::Decompression(error) => Some(error.code()),
            PathFault::Gs1(error) => Some(error.code()),
            _ => None,
        }
    }

    /// Returns one line of advice on the most likely cause.
    pub fn hint(&self) -> &'static str {
        match &self.fault {
            PathFault::NoPrimaryKey => {
                "begin the path with a primary key such as /01/ and its value"
            }
            PathFault::FormerName(_) => "write the digits instead of the name",
            PathFault::EmptySegment => {
                "remove one of the slashes, or add what belongs between them"
            }
            PathFault::NoValue(_) => "add the value, or remove the Application Identifier",
            PathFault::Escape => "write % itself as %25",
            PathFault::RawCharacter => "write \" as %22, < as %3C and > as %3E",
            PathFault::NotAnAi => {
                "remove what follows the last value, or write an Application Identifier before it; segments of your own are \
                 part of the resolver root"
            }
            PathFault::AiLength { .. } => {
                "check the Application Identifier for lost or extra digits"
            }
            PathFault::UnknownAiValue(_) => {
                "check the Application Identifier, and the value for mistyped characters"
            }
            PathFault::RepeatDisagrees(_) => "decide which value is right",
            PathFault::Epc(error) => error.hint(),
            PathFault::Decompression(error) => error.hint(),
            PathFault::Gs1(error) => error.hint(),
        }
    }

    /// Returns the class of the fault.
    pub fn class(&self) -> PathClass {
        match &self.fault {
            PathFault::Epc(_) | PathFault::Decompression(_) => PathClass::CompressedLink,
            PathFault::UnknownAiValue(_) => PathClass::Value,
            PathFault::Gs1(error) => match error.kind() {
                ErrorKind::QualifierSequence | ErrorKind::NoPrimaryKey => PathClass::DigitalLink,
                _ => PathClass::Value,
            },
            _ => PathClass::DigitalLink,
        }
    }
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

/// The class of a path fault: its form, a value in it, or its compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathClass {
    /// The path does not have the form of a GS1 Digital Link.
    DigitalLink,
    /// It has the form of one, but a value in it is wrong.
    Value,
    /// It is compressed, and cannot be decompressed.
    CompressedLink,
}

impl PathClass {
    /// Returns the stable code of the class.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DigitalLink => "invalid-digital-link",
            Self::Value => "invalid-value",
            Self::CompressedLink => "invalid-compressed-link",
        }
    }
}

/// The fault of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// There is no primary key at the beginning. The span is the first segment.
    NoPrimaryKey,
    /// The former name of an AI (removed in GS1 Digital Link 1.3) instead of the AI. The span is
    /// the name.
    FormerName(Ai),
    /// Two slashes in a row. The span is the empty position between them.
    EmptySegment,
    /// An AI without a value after it. The span is the AI.
    NoValue(Ai),
    /// `%` without two hexadecimal digits after it. The span begins at the `%`.
    Escape,
    /// A character of values that no URI has, not percent-encoded: `"`, `<` or `>`. The span is the
    /// character.
    RawCharacter,
    /// A segment that should be an AI is not two to four digits. The span is the segment.
    NotAnAi,
    /// An AI whose length differs from that of all AIs that begin with its first two digits.
    AiLength {
        /// The AI.
        ai: Ai,
        /// The number of digits that AIs with this beginning have.
        expected: usize,
    },
    /// An unknown AI with a value that no AI could have. The span is the value.
    UnknownAiValue(Ai),
    /// The AI occurs twice, with different values. The span is the second value.
    RepeatDisagrees(Ai),
    /// EPC binary that does not decode, or has no key. The span is the characters at fault.
    Epc(Box<fingerpost_epc::Error>),
    /// A link compressed after Digital Link 1.1 that does not decode. The span is the characters at
    /// fault.
    Decompression(Box<Error>),
    /// A value, or the order of the qualifiers, is wrong. The span is the part of the value, or the
    /// AI.
    Gs1(Error),
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPrimaryKey => f.write_str(
                "expected the Application Identifier of a primary key, such as 01, as the first part of the \
                 path, found something else",
            ),
            Self::FormerName(ai) => {
                write!(f, "expected the Application Identifier {ai}, found its former name")
            }
            Self::EmptySegment => f.write_str("expected text between two slashes, found none"),
            Self::NoValue(ai) => write!(f, "expected a value after ({}), found the end", ai.as_str()),
            Self::Escape => f.write_str("expected two hexadecimal digits after %, found something else"),
            Self::RawCharacter => f.write_str("expected \", < and > percent-encoded, found one of them as it is"),
            Self::NotAnAi => f.write_str(
                "expected an Application Identifier of two to four digits, found something else",
            ),
            Self::AiLength { ai, expected } => write!(
                f,
                "expected {expected} digits in an Application Identifier that begins with {}, found {}",
                &ai.as_str()[..2],
                ai.as_str().len()
            ),
            Self::UnknownAiValue(ai) => write!(
                f,
                "expected 1 to 90 characters of sets 39 and 82 in ({}), found something else",
                ai.as_str()
            ),
            Self::RepeatDisagrees(ai) => {
                write!(f, "expected ({}) to have the same value each time, found two", ai.as_str())
            }
            Self::Epc(error) => error.fmt(f),
            Self::Decompression(error) => error.fmt(f),
            Self::Gs1(error) => error.fmt(f),
        }
    }
}

/// The fault of a name, or of a request for a service about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// It is not a URN.
    Urn(UrnError),
    /// The service or its operand is wrong.
    Service(thttp::RequestError),
    /// It does not follow the rules of its namespace.
    Key(UrnKeyError),
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Urn(error) => error.fmt(f),
            Self::Service(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
        }
    }
}
