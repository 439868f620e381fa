//! The arguments that several commands share: `--data` and `--config`, `--format`, `--accept`,
//! `--show-passwords`, and times.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::builder::{EnumValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum, ValueHint};
use fingerpost_gs1::Date;
use fingerpost_report::{AcceptedReading, Reader, shown};
use fingerpost_resolver::parse_instant;
use fingerpost_server::config::{self, Config};
use fingerpost_store::Store;

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
    #[arg(long, value_parser = readings(), value_name = "WHAT")]
    pub(crate) accept: Vec<AcceptedReading>,
}

/// Returns the parser of `--accept`.
fn readings() -> impl TypedValueParser<Value = AcceptedReading> {
    let readings = AcceptedReading::ALL.iter();
    let values =
        readings.map(|reading| PossibleValue::new(reading.code()).help(reading.description()));
    PossibleValuesParser::new(values).try_map(|name| AcceptedReading::of_code(&name).ok_or(name))
}

impl Readings {
    /// Returns a reader with them.
    pub(crate) fn reader(&self, passwords: Passwords, today: Date) -> Reader {
        let reader = Reader::new(today).accept(&self.accept).named("--accept");
        reader.show_passwords(passwords.are_shown)
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
    /// Returns whether they are shown.
    pub(crate) fn are_shown(self) -> bool {
        self.are_shown
    }

    /// Returns a URI or other text as it is shown.
    pub(crate) fn of(self, text: &str) -> Cow<'_, str> {
        shown(text, self.are_shown)
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

/// Reads an instant, or a date as its beginning in UTC.
pub(crate) fn instant_or_date(text: &str) -> Result<jiff::Timestamp, String> {
    let instant = parse_instant(text).or_else(|| parse_instant(&format!("{text}T00:00:00Z")));
    instant.ok_or_else(|| {
        "expected a time such as 2026-05-01T08:00:00Z, or a date such as 2026-05-01".to_owned()
    })
}
