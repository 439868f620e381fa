//! A request as the decision needs it: what is asked about, and what the client said it wants.
//!
//! GS1-Conformant Resolver 1.2.0 sections 2.4 (path) and 2.6 (query and headers). The path can make a
//! request invalid; the query and the headers never can (RES-2.4-15, RES-2.6.2-5, ER-12).

use std::borrow::Cow;
use std::fmt;

use fingerpost_gs1::{Ai, EntityKey, Error, Span, percent};

use crate::{Compression, Settings, path};

/// A request as it came, undecoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawRequest<'a> {
    /// Path of the request target, from its first slash.
    pub path: &'a [u8],
    /// Query of the request target; `None` without a question mark, empty with a bare one.
    pub query: Option<&'a [u8]>,
    /// `Accept`, several lines joined by `", "`; empty if absent.
    pub accept: &'a [u8],
    /// `Accept-Language`, several lines joined by `", "`; empty if absent.
    pub accept_language: &'a [u8],
}

/// A valid request.
///
/// ```
/// use fingerpost_resolver::{RawRequest, Request, Settings, SettingsParts};
///
/// let parts = SettingsParts { resolver_root: "https://id.example.org".into(), ..Default::default() };
/// let settings = Settings::new(parts)?;
/// let raw = RawRequest {
///     path: b"/01/09520123456788/10/A%2fB/",
///     query: Some(b"linkType=gs1:pip"),
///     ..RawRequest::default()
/// };
/// let request = Request::parse(&settings, raw)?;
/// assert_eq!(request.entity().as_str(), "01/09520123456788/10/A%2FB");
/// assert_eq!(request.link_type(), Some("gs1:pip"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request<'a> {
    entity: EntityKey,
    path: &'a [u8],
    query: Option<&'a [u8]>,
    link_type: Parameter<'a>,
    context: Parameter<'a>,
    accept: &'a [u8],
    accept_language: &'a [u8],
    /// What stands in place of `path` and `query`; `None` for nearly every request.
    twin: Option<Box<Twin>>,
}

/// The uncompressed request that a compressed one stands for (RES-2.3-8).
#[derive(Clone, Debug)]
struct Twin {
    compression: Compression,
    path: String,
    query: Option<Vec<u8>>,
    /// Bytes of `query` that came out of the path.
    added: usize,
}

impl<'a> Request<'a> {
    /// Reads and checks a request.
    ///
    /// # Errors
    ///
    /// What makes the path something else than a Digital Link that this resolver serves.
    pub fn parse(settings: &Settings, raw: RawRequest<'a>) -> Result<Self, RequestError> {
        let path::ParsedPath { entity, path, decompressed } = path::parse(settings, raw.path)?;
        let (link_type, context) = read_query(raw.query.unwrap_or_default());
        let request = Self {
            entity,
            path,
            query: raw.query,
            link_type,
            context,
            accept: raw.accept,
            accept_language: raw.accept_language,
            twin: None,
        };
        Ok(match decompressed {
            None => request,
            Some(decompressed) => request.uncompressed(*decompressed),
        })
    }

    /// The same request as if it had come uncompressed: what was in the path goes before the query
    /// (RES-2.3-7).
    #[cold]
    fn uncompressed(mut self, from: path::Decompressed) -> Self {
        let added = from.query.map(String::into_bytes);
        let len = added.as_ref().map_or(0, Vec::len);
        let query = match (added, self.query.filter(|own| !own.is_empty())) {
            (Some(added), Some(own)) => Some([&added, b"&".as_slice(), own].concat()),
            (Some(added), None) => Some(added),
            (None, _) => self.query.map(<[u8]>::to_vec),
        };
        let (link_type, context) = read_query(query.as_deref().unwrap_or_default());
        (self.link_type, self.context) = (link_type.into_owned(), context.into_owned());
        let path = format!("/{}", self.entity);
        let compression = from.compression;
        self.twin = Some(Box::new(Twin { compression, path, query, added: len }));
        self
    }

    /// What is asked about.
    #[must_use]
    pub fn entity(&self) -> &EntityKey {
        &self.entity
    }

    /// The path as received, less stem and one trailing slash; the uncompressed one if it came
    /// compressed (RES-2.3-5).
    #[must_use]
    pub fn path(&self) -> &[u8] {
        match &self.twin {
            None => self.path,
            Some(twin) => twin.path.as_bytes(),
        }
    }

    /// The query as received, after what a compressed path held besides the entity (RES-2.3-7).
    #[must_use]
    pub fn query(&self) -> Option<&[u8]> {
        match &self.twin {
            None => self.query,
            Some(twin) => twin.query.as_deref(),
        }
    }

    /// How the path was compressed; `None` if it was not.
    #[must_use]
    pub fn compression(&self) -> Option<Compression> {
        self.twin.as_ref().map(|twin| twin.compression)
    }

    /// The path as received, less stem and one trailing slash, and what of the query was in it, of a
    /// compressed request.
    pub(crate) fn compressed(&self) -> Option<(Compression, &'a [u8], &[u8])> {
        let twin = self.twin.as_ref()?;
        let query = twin.query.as_deref().unwrap_or_default();
        Some((twin.compression, self.path, &query[..twin.added]))
    }

    /// The decoded value of `linkType`, if one was given that can be decoded.
    #[must_use]
    pub fn link_type(&self) -> Option<&str> {
        self.link_type.text()
    }

    /// The decoded value of `context`, if one was given that can be decoded.
    #[must_use]
    pub fn context(&self) -> Option<&str> {
        self.context.text()
    }

    pub(crate) fn link_type_parameter(&self) -> &Parameter<'a> {
        &self.link_type
    }

    pub(crate) fn context_parameter(&self) -> &Parameter<'a> {
        &self.context
    }

    pub(crate) fn accept(&self) -> &'a [u8] {
        self.accept
    }

    pub(crate) fn accept_language(&self) -> &'a [u8] {
        self.accept_language
    }
}

/// A parameter of the query that the decision knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parameter<'a> {
    /// Not given, or given with an empty value.
    Absent,
    /// Given and decoded.
    Text(Cow<'a, str>),
    /// Given, but not decodable: a link type or context that nobody has.
    Unreadable,
}

impl Parameter<'_> {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Unreadable => None,
        }
    }

    fn into_owned<'o>(self) -> Parameter<'o> {
        match self {
            Self::Absent => Parameter::Absent,
            Self::Text(text) => Parameter::Text(Cow::Owned(text.into_owned())),
            Self::Unreadable => Parameter::Unreadable,
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    fn read(value: &[u8]) -> Parameter<'_> {
        if value.is_empty() {
            return Parameter::Absent;
        }
        if !value.contains(&b'%') {
            return std::str::from_utf8(value)
                .map_or(Parameter::Unreadable, |text| Parameter::Text(Cow::Borrowed(text)));
        }
        let mut decoded = Vec::new();
        match percent::decode(value, &mut decoded)
            .ok()
            .and_then(|()| String::from_utf8(decoded).ok())
        {
            Some(text) => Parameter::Text(Cow::Owned(text)),
            None => Parameter::Unreadable,
        }
    }
}

/// `linkType` and `context` of a query (RES-2.6.2-5): names ignore ASCII case, the last repeat wins, an
/// empty value is no value, `&` and `;` separate, values are decoded once and `+` stays `+`.
fn read_query(query: &[u8]) -> (Parameter<'_>, Parameter<'_>) {
    let (mut link_type, mut context) = (Parameter::Absent, Parameter::Absent);
    if query.is_empty() {
        return (link_type, context);
    }
    for piece in query.split(|&b| b == b'&' || b == b';') {
        let end = piece.iter().position(|&b| b == b'=').unwrap_or(piece.len());
        let value = piece.get(end + 1..).unwrap_or_default();
        let Parameter::Text(name) = Parameter::read(&piece[..end]) else { continue };
        if name.eq_ignore_ascii_case("linkType") {
            link_type = Parameter::read(value);
        } else if name.eq_ignore_ascii_case("context") {
            context = Parameter::read(value);
        }
    }
    (link_type, context)
}

/// Why a request has no answer of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// Not a valid GS1 Digital Link URI (RES-2.4.1-1): 400.
    Invalid(InvalidPath),
    /// A valid one below a stem that is not ours: 404.
    NotServed,
    /// A valid one whose primary key is not served here (RES-2.1-3): 404.
    UnsupportedKey(Ai),
}

impl RequestError {
    pub(crate) fn invalid(fault: PathFault, span: Span) -> Self {
        Self::Invalid(InvalidPath { fault, span })
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::NotServed => f.write_str(
                "a valid GS1 Digital Link URI, but below another stem than this resolver's",
            ),
            Self::UnsupportedKey(ai) => {
                write!(f, "primary key ({}) is not served here", ai.as_str())
            }
        }
    }
}

impl std::error::Error for RequestError {}

/// What is wrong with a path, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPath {
    fault: PathFault,
    span: Span,
}

impl InvalidPath {
    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> &PathFault {
        &self.fault
    }

    /// Where, in bytes of the path as received.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// The stable code of what exactly is wrong, where it has one: `Truncated`, `VALUE_TOO_SHORT`.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        match &self.fault {
            PathFault::Epc(error) => Some(error.code()),
            PathFault::Decompression(error) => Some(error.code()),
            PathFault::Gs1(error) => Some(error.code()),
            _ => None,
        }
    }

    /// What to do about it, in one line, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match &self.fault {
            PathFault::Epc(error) => Some(error.hint()),
            PathFault::Decompression(error) => Some(error.hint()),
            PathFault::Gs1(error) => Some(error.hint()),
            _ => None,
        }
    }

    /// `invalid-digital-link`, `invalid-value`, or `invalid-compressed-link`.
    #[must_use]
    pub fn class(&self) -> &'static str {
        use fingerpost_gs1::ErrorKind;
        match &self.fault {
            PathFault::Epc(_) | PathFault::Decompression(_) => "invalid-compressed-link",
            PathFault::UnknownAiValue(_) => "invalid-value",
            PathFault::Gs1(error) => match error.kind() {
                ErrorKind::QualifierSequence | ErrorKind::NoPrimaryKey => "invalid-digital-link",
                _ => "invalid-value",
            },
            _ => "invalid-digital-link",
        }
    }
}

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

/// The ways a path can be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathFault {
    /// No primary key at the beginning. The span is the first segment.
    NoPrimaryKey,
    /// Two slashes in a row. The span is the empty place between them.
    EmptySegment,
    /// An AI without a value after it. The span is the AI.
    NoValue(Ai),
    /// `%` without two hexadecimal digits after it. The span begins at the `%`.
    Escape,
    /// Not two to four digits where an AI should be. The span is the segment.
    NotAnAi,
    /// An AI of another length than all AIs that begin with its first two digits.
    AiLength {
        /// The AI.
        ai: Ai,
        /// Digits that AIs with this beginning have.
        expected: usize,
    },
    /// An unknown AI with a value that no AI could have. The span is the value.
    UnknownAiValue(Ai),
    /// The AI stands twice, with different values. The span is the second value.
    RepeatDisagrees(Ai),
    /// EPC binary that does not decode, or has no key. The span is the characters at fault.
    Epc(Box<fingerpost_epc::Error>),
    /// A link compressed after Digital Link 1.1 that does not decode. The span is the characters at
    /// fault.
    Decompression(Box<Error>),
    /// A value, or the order of the qualifiers. The span is the part of the value, or the AI.
    Gs1(Error),
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPrimaryKey => f.write_str(
                "expected the Application Identifier of a primary key, such as 01, as the first part of the \
                 path, found something else",
            ),
            Self::EmptySegment => f.write_str("expected text between two slashes, found none"),
            Self::NoValue(ai) => write!(f, "expected a value after ({}), found the end", ai.as_str()),
            Self::Escape => f.write_str("expected two hexadecimal digits after %, found something else"),
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
