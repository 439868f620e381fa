//! The arguments that several commands share: `--data` and `--config`, `--format`, `--accept`,
//! `--show-passwords`.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use fingerpost_gs1::Options;
use fingerpost_server::config::{self, Config};
use fingerpost_store::Store;
use fingerpost_uri::hide_password;

use crate::failure::Failure;

/// Where a data directory is.
#[derive(Debug, Args)]
pub(crate) struct Local {
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
}

impl Local {
    /// Returns the configuration, and the store, which must exist.
    pub(crate) fn open(&self) -> Result<(Config, Store), Failure> {
        let config = config::load(self.config.as_deref())?;
        let store = config.open_store(self.data.as_deref())?;
        Ok((config, store))
    }
}

/// How reports and findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Human-readable
    Text,
    /// Machine-readable: one JSON object per line
    Json,
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
