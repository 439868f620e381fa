//! The `fingerpost` command: serve, import, export, check, convert and explain GS1 Digital Link identifiers
//! and EPCs, register links through an admin listener, look after a data directory, and parse, compare and find URIs and URNs.
//!
//! The program is [`run`]. This crate handles terminal output, files and data directories; the knowledge of identifiers and resolution
//! is in the crates below it.
//!
//! Exit status: 0 success, 1 the input or data have faults, 2 the command could not be carried out.

#![forbid(unsafe_code)]

mod admin;
mod args;
mod audit;
mod backup;
mod check;
mod client;
mod compact;
mod convert;
mod doctor;
mod explain;
mod export;
mod failure;
mod follow;
mod fsck;
mod generate;
mod import;
mod label;
mod migrate;
mod output;
mod restore;
mod secret;
mod serve;
mod uri;
mod uri_report;
mod urn;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use fingerpost_http::process;

use args::{Cli, Command};
use failure::Failure;

/// Exit status if the command could not be carried out; clap uses the same for wrong usage.
const FAILED: u8 = 2;

/// Runs the command in `arguments`, of which the first is the program's own name.
///
/// Wrong usage, `--help` and `--version` end the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let command = Cli::parse_from(arguments).command;
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

fn execute(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Serve(args) => serve::run(args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Login(args) => client::login(&args),
        Command::Logout(args) => client::logout(&args),
        Command::Get(args) => client::get(&args),
        Command::Put(args) => client::put(&args),
        Command::Delete(args) => client::delete(&args),
        Command::List(args) => client::list(&args),
        Command::History(args) => client::history(&args),
        Command::Revert(args) => client::revert(&args),
        Command::Recall(args) => client::recall(&args),
        Command::Succeed(args) => client::succeed(&args),
        Command::Admin(args) => admin::run(&args.command),
        Command::Audit(args) => audit::run(&args.command),
        Command::Backup(args) => backup::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Fsck(args) => fsck::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Follow(args) => follow::run(&args),
        Command::Compact(args) => compact::run(&args),
        Command::Migrate(args) => migrate::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Label(args) => label::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Uri(args) => uri::run(&args.command),
        Command::Urn(args) => urn::run(&args.command),
        Command::Completions(args) => generate::completions(&args),
        Command::Man(args) => generate::man(&args),
    }
}

/// Returns the definition of all arguments, for generators of documentation.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}
