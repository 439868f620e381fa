//! The arguments of `fingerpost check`, and those that `check` and `convert` share.

use clap::{Args, ValueEnum};
use fingerpost_gs1::Options;
use fingerpost_uri::hide_password;

use std::borrow::Cow;

use super::ReportFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Recognises GS1 Digital Link URIs, bracketed element strings \"(01)…(10)…\", human-readable interpretations
\"(01) … (10) …\", raw element strings with FNC1 (the GS character, or ^), scan data with a symbology
identifier \"]d2…\", bare GTINs or SSCCs, EPC URNs and EPC Tag URIs, EPC bits in hexadecimal or base64url,
and Digital Link URIs with EPC bits or compressed after Digital Link 1.1. Quotes, angle brackets and white
space around an input are left out.

--plausible answers as a scanner must (GS1 Digital Link URI Syntax 1.4.1, section 6.1.3): `definitely not` a
Digital Link URI, `maybe`, or `yes` if it is a valid one. --online asks the host of each Digital Link URI for
its resolver description file, and says whether it is a GS1-Conformant Resolver.

Exit status: 0 all valid (with --plausible: none `definitely not`; with --online: all of resolvers), 1 some
not, 2 wrong usage.

Examples:
  fingerpost check https://id.example.org/01/09520123456788/10/ABC
  fingerpost check '(01)09520123456788(17)261231(10)ABC'
  fingerpost check 9520123456788
  fingerpost check 3066c4409047e14000001a85
  fingerpost check --accept short-gtin https://id.example.org/01/9520123456788
  fingerpost check --plausible https://id.example.org/news/2026
  fingerpost check --online https://id.example.org/01/09520123456788
  fingerpost check - < scans.txt")]
pub(crate) struct Check {
    /// Only tell whether the input can be a Digital Link URI: definitely not, maybe, or yes
    #[arg(long, conflicts_with = "online")]
    pub(crate) plausible: bool,
    /// Ask the hosts of Digital Link URIs whether they are resolvers
    #[arg(long)]
    pub(crate) online: bool,
    #[command(flatten)]
    pub(crate) readings: Readings,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the findings
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Scanned or typed input; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

/// Where the standards leave room: what is accepted besides the strict reading.
#[derive(Debug, Args)]
pub(crate) struct Readings {
    /// Accept what a strict reader refuses; can be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    accept: Vec<Reading>,
}

impl Readings {
    /// Returns the options of readers.
    pub(crate) fn options(&self) -> Options {
        self.accept.iter().fold(Options::new(), |options, reading| reading.add(options))
    }
}

/// One of the options of [`Options`], by a name for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reading {
    /// One symbol of several: elements without the companions that they need
    Parts,
    /// Application Identifiers that are not allocated
    UnknownAis,
    /// The same, also in the query of a URI; needs unknown-ais
    UnknownAttributes,
    /// A GTIN (01) with 8, 12 or 13 digits in a URI
    ShortGtin,
    /// What only GS1 Digital Link URI Syntax 1.4.1 allows: 3944, 3945, and 8020 in the query
    #[value(name = "uri-syntax-1.4")]
    UriSyntax14,
    /// Characters that a URI cannot contain
    AnyCharacter,
    /// A user before the host
    UserInformation,
    /// A slash after the last value of the path
    TrailingSlash,
    /// A percent sign without two hexadecimal digits, as text
    BadPercent,
    /// Former names of Application Identifiers, such as gtin
    FormerNames,
    /// An attribute that is repeated: the last value counts
    RepeatedAttributes,
    /// Qualifiers in the query, which are moved into the path
    QualifiersInQuery,
    /// Raw data without the leading FNC1
    MissingFnc1,
    /// A compressed URI whose padding bits are not zero
    NonzeroPadding,
    /// All of these except parts, unknown-ais, unknown-attributes and uri-syntax-1.4
    Lenient,
}

impl Reading {
    fn add(self, options: Options) -> Options {
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
        }
    }
}

/// Whether passwords in URIs are shown (RFC 3986, sections 3.2.1 and 7.5).
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Passwords {
    /// Show passwords in URIs; without it they are written as ***
    #[arg(long = "show-passwords")]
    are_shown: bool,
}

impl Passwords {
    /// Returns a URI or other text as it is shown.
    pub(crate) fn of(self, text: &str) -> Cow<'_, str> {
        if self.are_shown { Cow::Borrowed(text) } else { hide_password(text) }
    }

    /// Returns an authority as it is shown.
    pub(crate) fn of_authority(self, authority: &str) -> String {
        let network_path = ["//", authority].concat();
        self.of(&network_path)["//".len()..].to_owned()
    }

    /// Returns user information as it is shown.
    pub(crate) fn of_userinfo(self, userinfo: &str) -> String {
        let mut shown = self.of_authority(&[userinfo, "@"].concat());
        shown.pop();
        shown
    }
}
