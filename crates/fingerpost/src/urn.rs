//! `fingerpost urn`: parses, builds and compares Uniform Resource Names (RFC 8141 and its draft of 2012), and converts them to
//! GS1 keys.

mod build;
mod compare;
mod key;
mod parse;

use std::process::ExitCode;

use fingerpost_uri::urn::Mode;

use crate::args::urn::{UrnCommand, UrnMode};
use crate::failure::Failure;

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
