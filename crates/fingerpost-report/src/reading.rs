//! Where the standards leave room: what is accepted besides the strict reading.

use fingerpost_gs1::Options;
use fingerpost_identify::AssumptionKind;

macro_rules! readings {
    ($($(#[doc = $doc:literal])+ $reading:ident = $code:literal,)*) => {
        /// One of the options of [`Options`], or a kind of assumption, by a name for people.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum AcceptedReading {
            $($(#[doc = $doc])+ $reading,)*
        }

        impl AcceptedReading {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$reading),*];

            /// Returns its name: `short-gtin`.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$reading => $code,)*
                }
            }

            /// Returns a description, in one sentence.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self {
                    $(Self::$reading => concat!($($doc),+).trim_ascii(),)*
                }
            }
        }
    };
}

readings! {
    /// One symbol of several: elements without the companions that they need
    Parts = "parts",
    /// Application Identifiers that are not allocated
    UnknownAis = "unknown-ais",
    /// The same, also in the query of a URI; needs unknown-ais
    UnknownAttributes = "unknown-attributes",
    /// A GTIN (01) with 8, 12 or 13 digits in a URI
    ShortGtin = "short-gtin",
    /// What only GS1 Digital Link URI Syntax 1.4.1 allows: 3944, 3945, and 8020 in the query
    UriSyntax14 = "uri-syntax-1.4",
    /// Characters that a URI cannot contain
    AnyCharacter = "any-character",
    /// A user before the host
    UserInformation = "user-information",
    /// A slash after the last value of the path
    TrailingSlash = "trailing-slash",
    /// A percent sign without two hexadecimal digits, as text
    BadPercent = "bad-percent",
    /// Former names of Application Identifiers, such as gtin
    FormerNames = "former-names",
    /// An attribute that is repeated: the last value counts
    RepeatedAttributes = "repeated-attributes",
    /// Qualifiers in the query, which are moved into the path
    QualifiersInQuery = "qualifiers-in-query",
    /// Raw data without the leading FNC1
    MissingFnc1 = "missing-fnc1",
    /// A compressed URI whose padding bits are not zero
    NonzeroPadding = "nonzero-padding",
    /// All of the above except parts, unknown-ais, unknown-attributes and uri-syntax-1.4
    Lenient = "lenient",
    /// Separators written as text, such as {GS}, {FNC1} or ~1
    Separators = "separators",
    /// Separators that got lost, where one reading is clearly the most likely
    LostSeparators = "lost-separators",
    /// Labels before a number, such as EAN or ISBN-10, spaces in it, and a decimal part
    Labels = "labels",
    /// The control word that a reader of tags writes before an EPC
    ControlWord = "control-word",
}

impl AcceptedReading {
    /// Returns the reading with this name.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reading| reading.code() == code)
    }

    pub(crate) fn add(self, options: Options) -> Options {
        match self {
            Self::Parts => options.requisites(false),
            Self::UnknownAis => options.unknown_ais(true),
            Self::UnknownAttributes => options.unknown_ais_as_attributes(true),
            Self::ShortGtin => options.zero_suppressed_gtin(true),
            Self::UriSyntax14 => options.uri_syntax_1_4(true),
            Self::AnyCharacter => options.any_uri_character(true),
            Self::UserInformation => options.user_information(true),
            Self::TrailingSlash => options.trailing_slash(true),
            Self::BadPercent => options.bad_percent_encoding(true),
            Self::FormerNames => options.convenience_alphas(true),
            Self::RepeatedAttributes => options.last_attribute_wins(true),
            Self::QualifiersInQuery => options.lift_qualifiers(true),
            Self::MissingFnc1 => options.missing_leading_fnc1(true),
            Self::NonzeroPadding => options.nonzero_padding(true),
            Self::Lenient => options.lenient(),
            Self::Separators | Self::LostSeparators | Self::Labels | Self::ControlWord => options,
        }
    }

    /// Returns the kind of assumption that it accepts.
    pub(crate) fn assumes(self) -> Option<AssumptionKind> {
        match self {
            Self::Separators => Some(AssumptionKind::SeparatorAsText),
            Self::LostSeparators => Some(AssumptionKind::LostSeparator),
            Self::Labels => Some(AssumptionKind::Label),
            Self::ControlWord => Some(AssumptionKind::ControlWord),
            _ => None,
        }
    }
}
