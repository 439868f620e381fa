//! Input that a lenient parser accepts although GS1 Digital Link URI Syntax 1.4.1 does not allow
//! it.

use core::fmt;

use crate::{Ai, Span};

/// A correction by a lenient parser.
///
/// ```
/// use fingerpost_gs1::{DigitalLink, Options, WarningKind};
///
/// let options = Options::new().lenient();
/// let link = DigitalLink::parse_with("https://a.example/gtin/9520123456788/", &options)?;
/// let kinds: Vec<_> = link.warnings().iter().map(|warning| warning.kind()).collect();
/// assert_eq!(
///     kinds,
///     [WarningKind::TrailingSlash, WarningKind::ConvenienceAlpha, WarningKind::PaddedGtin],
/// );
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warning {
    kind: WarningKind,
    ai: Option<Ai>,
    span: Span,
}

impl Warning {
    pub(crate) fn new(kind: WarningKind, ai: Option<Ai>, span: Span) -> Self {
        Warning { kind, ai, span }
    }

    /// Returns the corrections.
    #[must_use]
    pub fn kind(&self) -> WarningKind {
        self.kind
    }

    /// Returns the affected AI, if any.
    #[must_use]
    pub fn ai(&self) -> Option<Ai> {
        self.ai
    }

    /// Returns the position, in bytes of the input.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Returns a stable code, such as `PADDED_GTIN`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind {
            WarningKind::IllegalCharacter => "ILLEGAL_CHARACTER",
            WarningKind::UserInformation => "USER_INFORMATION",
            WarningKind::TrailingSlash => "TRAILING_SLASH",
            WarningKind::BadPercentEncoding => "BAD_PERCENT_ENCODING",
            WarningKind::PaddedGtin => "PADDED_GTIN",
            WarningKind::ConvenienceAlpha => "CONVENIENCE_ALPHA",
            WarningKind::RepeatedAttribute => "REPEATED_ATTRIBUTE",
            WarningKind::LiftedQualifier => "LIFTED_QUALIFIER",
            WarningKind::NonzeroPadding => "NONZERO_PADDING",
            WarningKind::PublishedOrder => "PUBLISHED_ORDER",
            WarningKind::SeveralKeys => "SEVERAL_KEYS",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ai) = self.ai {
            write!(f, "({ai}): ")?;
        }
        f.write_str(match self.kind {
            WarningKind::IllegalCharacter => "character outside the URI set taken as it is",
            WarningKind::UserInformation => "user information before the host ignored",
            WarningKind::TrailingSlash => "slash after the last value dropped",
            WarningKind::BadPercentEncoding => {
                "percent sign without two hexadecimal digits kept as text"
            }
            WarningKind::PaddedGtin => "GTIN padded with zeros to 14 digits",
            WarningKind::ConvenienceAlpha => "deprecated name read as its AI",
            WarningKind::RepeatedAttribute => "repeated in the query, the last value counts",
            WarningKind::LiftedQualifier => "qualifier lifted from the query into the path",
            WarningKind::NonzeroPadding => "bits left over at the end are not zero, ignored",
            WarningKind::PublishedOrder => {
                "values read in the order of the published table, not in that of the toolkit"
            }
            WarningKind::SeveralKeys => {
                "compressed with more than one primary key, the first one taken for the path"
            }
        })
    }
}

/// The kinds of [`Warning`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WarningKind {
    /// The URI contains a character outside the URI set (the first one is named).
    IllegalCharacter,
    /// There is user information before the host.
    UserInformation,
    /// A slash after the last value of the path was dropped.
    TrailingSlash,
    /// A percent sign without two hexadecimal digits was kept as text.
    BadPercentEncoding,
    /// A GTIN of 8, 12 or 13 digits was padded to 14.
    PaddedGtin,
    /// A convenience alpha is used instead of its AI.
    ConvenienceAlpha,
    /// An earlier value of a repeated query attribute was dropped.
    RepeatedAttribute,
    /// A qualifier was moved from the query into the path.
    LiftedQualifier,
    /// Trailing bits of a compressed text are not zero.
    NonzeroPadding,
    /// A compressed text is valid only with its values in the order of the published table.
    PublishedOrder,
    /// A compressed text contains several primary keys and does not show which one was in the path.
    SeveralKeys,
}
