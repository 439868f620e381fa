//! The `fingerpost` command: serve, import, export, check, convert and explain GS1 Digital Link
//! identifiers and EPCs, register links through an admin listener, look after a data directory, and
//! parse, compare and find URIs and URNs.
//!
//! The program is [`run`]. This crate handles terminal output, files and data directories; the
//! knowledge of identifiers and resolution is in the crates below it.
//!
//! Exit status: 0 success, 1 the input or data have faults, 2 the command could not be carried out.

#![forbid(unsafe_code)]

mod admin;
mod audit;
mod backup;
mod check;
mod client;
mod command_line;
#[cfg(test)]
mod commands_page;
mod compact;
mod compare;
mod completions;
mod configuration;
mod conform;
mod convert;
mod doctor;
mod escrow;
mod explain;
mod export;
mod failure;
mod follow;
mod fsck;
mod import;
mod init;
mod input_lines;
mod insight;
mod label;
mod limits;
mod links;
mod man;
mod migrate;
mod output;
mod privacy_statement;
mod restore;
mod secret;
mod serve;
mod shared_args;
mod suggestions;
mod underline;
mod uri;
mod uri_report;
mod urn;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use fingerpost_http::process;

use command_line::{Cli, execute};
use failure::Failure;

/// Exit status if the command could not be carried out; clap uses the same for wrong usage.
const FAILED: u8 = 2;

/// Runs the command in `arguments`, of which the first is the program's own name.
///
/// Wrong usage, `--help` and `--version` end the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let first = arguments.get(1).cloned();
    let cli = Cli::try_parse_from(arguments)
        .unwrap_or_else(|error| suggestions::improve(error, first.as_deref()).exit());
    cli.color.apply();
    let command = cli.command;
    let result =
        process::survive_file_size_limit().map_err(Failure::new).and_then(|()| execute(command));
    match result {
        Ok(status) => status,
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Error(failure)) => {
            output::print_failure(&failure);
            ExitCode::from(FAILED)
        }
    }
}

/// Returns the definition of all arguments, for generators of documentation.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}
