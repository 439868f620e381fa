//! The arguments that several commands share: `--data` and `--config`, `--format`, `--accept`,
//! `--show-passwords`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum, ValueHint};
use fingerpost_gs1::Options;
use fingerpost_identify::{AssumptionKind, Meant};
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
    #[command(flatten)]
    pub(crate) config: ConfigFile,
}

/// The configuration file.
#[derive(Debug, Args)]
pub(crate) struct ConfigFile {
    /// Configuration file (TOML) [default: fingerpost.toml in this folder, if there is one]
    #[arg(id = "config", long = "config", value_name = "FILE", value_hint = ValueHint::FilePath)]
    given: Option<PathBuf>,
}

impl ConfigFile {
    /// The file that is read if none is given.
    const DEFAULT: &str = "fingerpost.toml";

    /// Returns the file that is given.
    pub(crate) fn given(&self) -> Option<&Path> {
        self.given.as_deref()
    }

    /// Returns the file to read, if there is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        let default = || Some(Path::new(Self::DEFAULT)).filter(|path| path.is_file());
        self.given.as_deref().or_else(default)
    }

    /// Reads the configuration.
    pub(crate) fn load(&self) -> Result<Config, Failure> {
        config::load(self.path()).map_err(Failure::from)
    }
}

impl Local {
    /// Returns the configuration, and the store, which must exist.
    pub(crate) fn open(&self) -> Result<(Config, Store), Failure> {
        let config = self.config.load()?;
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

/// `--format`, and `--json`, which is short for `--format json`.
impl Args for ReportFormat {
    fn augment_args(command: Command) -> Command {
        let format = Arg::new("format")
            .long("format")
            .value_parser(EnumValueParser::<ReportFormat>::new())
            .value_name("FORMAT")
            .default_value("text")
            .help("Format of what is printed");
        let json = Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .conflicts_with("format")
            .help("Short for --format json");
        command.arg(format).arg(json)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReportFormat {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ReportFormat, clap::Error> {
        let chosen = matches.get_one("format").copied().unwrap_or(ReportFormat::Text);
        Ok(if matches.get_flag("json") { ReportFormat::Json } else { chosen })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
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

    /// Returns whether any input is read otherwise than it is written.
    pub(crate) fn assume(&self) -> bool {
        self.accept.iter().any(|reading| reading.assumes().is_some())
    }

    /// Returns whether an input is read as it was perhaps meant: each of its assumptions is named.
    pub(crate) fn accept_all_of(&self, meant: &Meant) -> bool {
        let is_named = |kind| self.accept.iter().any(|reading| reading.assumes() == Some(kind));
        !meant.text.is_empty() && meant.why.iter().all(|assumption| is_named(assumption.kind))
    }

    /// Returns the names of what must be accepted for this, each once.
    pub(crate) fn names_of(meant: &Meant) -> Vec<String> {
        let is_assumed = |reading: &&Reading| {
            meant.why.iter().any(|assumption| reading.assumes() == Some(assumption.kind))
        };
        let assumed = Reading::value_variants().iter().filter(is_assumed);
        assumed.filter_map(|reading| Some(reading.to_possible_value()?.get_name().into())).collect()
    }
}

/// One of the options of [`Options`], or a kind of assumption, by a name for people.
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
    /// All of the above except parts, unknown-ais, unknown-attributes and uri-syntax-1.4
    Lenient,
    /// Separators written as text, such as <GS>, {FNC1} or ~1
    Separators,
    /// Separators that got lost, where one reading is clearly the most likely
    LostSeparators,
    /// Labels before a number, such as EAN or ISBN-10, spaces in it, and a decimal part
    Labels,
    /// The control word that a reader of tags writes before an EPC
    ControlWord,
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
            Self::Separators | Self::LostSeparators | Self::Labels | Self::ControlWord => options,
        }
    }

    /// Returns the kind of assumption that it accepts.
    fn assumes(self) -> Option<AssumptionKind> {
        match self {
            Self::Separators => Some(AssumptionKind::SeparatorAsText),
            Self::LostSeparators => Some(AssumptionKind::LostSeparator),
            Self::Labels => Some(AssumptionKind::Label),
            Self::ControlWord => Some(AssumptionKind::ControlWord),
            _ => None,
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
