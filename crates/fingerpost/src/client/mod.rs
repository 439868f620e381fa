//! The commands that speak to an admin listener: `login`, `logout`, `get`, `put`, `delete`, `list`, `history`, `revert`, `recall`, `succeed`.
//!
//! They make no decisions: the server checks each request, and they show its findings with the place of each fault.

mod connection;
mod credentials;
mod history;
mod input;
mod key;
mod list;
mod login;
mod outcome;
mod problem;
mod put;
mod recall;
mod record;
mod succeed;

use std::process::ExitCode;

use crate::args::client as args;
use crate::failure::Failure;

use problem::conclude;

/// Runs `fingerpost login`.
pub(crate) fn login(args: &args::Login) -> Result<ExitCode, Failure> {
    conclude(login::login(args), crate::args::ReportFormat::Text)
}

/// Runs `fingerpost logout`.
pub(crate) fn logout(args: &args::Logout) -> Result<ExitCode, Failure> {
    login::logout(args)
}

/// Runs `fingerpost get`.
pub(crate) fn get(args: &args::Get) -> Result<ExitCode, Failure> {
    conclude(record::get(args), args.connection.format)
}

/// Runs `fingerpost put`.
pub(crate) fn put(args: &args::Put) -> Result<ExitCode, Failure> {
    conclude(put::run(args), args.connection.format)
}

/// Runs `fingerpost delete`.
pub(crate) fn delete(args: &args::Delete) -> Result<ExitCode, Failure> {
    conclude(record::delete(args), args.connection.format)
}

/// Runs `fingerpost list`.
pub(crate) fn list(args: &args::List) -> Result<ExitCode, Failure> {
    conclude(list::run(args), args.connection.format)
}

/// Runs `fingerpost history`.
pub(crate) fn history(args: &args::History) -> Result<ExitCode, Failure> {
    conclude(history::run(args), args.connection.format)
}

/// Runs `fingerpost recall`.
pub(crate) fn recall(args: &args::Recall) -> Result<ExitCode, Failure> {
    conclude(recall::run(args), args.connection.format)
}

/// Runs `fingerpost succeed`.
pub(crate) fn succeed(args: &args::Succeed) -> Result<ExitCode, Failure> {
    conclude(succeed::run(args), args.connection.format)
}

/// Runs `fingerpost revert`.
pub(crate) fn revert(args: &args::Revert) -> Result<ExitCode, Failure> {
    conclude(record::revert(args), args.connection.format)
}
