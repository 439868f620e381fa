//! `fingerpost urn`: parses, builds and compares Uniform Resource Names (RFC 8141 and its draft of
//! 2012), and converts them to GS1 keys.

mod build;
mod compare;
mod key;
mod parse;

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use fingerpost_uri::urn::Mode;

use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(after_help = "\
The rules are those of RFC 8141 and of the draft of October 2012 that preceded it.
Exit status: 0 valid (or the same name), 1 invalid (or another name), 2 wrong usage.")]
pub(crate) struct Urn {
    #[command(subcommand)]
    pub(crate) command: UrnCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UrnCommand {
    /// Parse URNs and check them against their namespaces
    Parse(parse::Parse),
    /// Compare two URNs
    Compare(compare::Compare),
    /// Print the GS1 key of a URN
    Key(key::Key),
    /// Build a URN from data
    Build(build::Build),
}

/// The definition of URNs to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UrnMode {
    /// The draft of October 2012: directives after ?, no slash in a name
    Draft,
    /// RFC 8141: r-, q- and f-components
    Rfc8141,
    /// Chosen by the character after `?`
    Auto,
}

/// Runs a command of `fingerpost urn`.
pub(crate) fn run(command: &UrnCommand) -> Result<ExitCode, Failure> {
    match command {
        UrnCommand::Parse(args) => parse::run(args),
        UrnCommand::Compare(args) => compare::run(args),
        UrnCommand::Key(args) => key::run(args),
        UrnCommand::Build(args) => build::run(args),
    }
}

impl From<UrnMode> for Mode {
    fn from(mode: UrnMode) -> Self {
        match mode {
            UrnMode::Draft => Self::Draft,
            UrnMode::Rfc8141 => Self::Rfc8141,
            UrnMode::Auto => Self::Auto,
        }
    }
}
