//! The commands that speak to an admin listener: `login`, `logout`, `get`, `put`, `delete`, `list`, `history`, `revert`.
//!
//! They decide nothing: what is right is judged by the server, and shown here with the place of each fault.

mod address;
mod answer;
mod api;
mod credentials;
mod history;
mod input;
mod key;
mod list;
mod login;
mod outcome;
mod problem;
mod put;
mod record;

use std::process::ExitCode;

use crate::args::client as args;
use crate::failure::Failure;

use problem::conclude;

/// Carries out `fingerpost login`.
///
/// # Errors
/// That the server cannot be asked, or knows no such key or account.
pub(crate) fn login(args: &args::Login) -> Result<ExitCode, Failure> {
    conclude(login::login(args), crate::args::ReportFormat::Text)
}

/// Carries out `fingerpost logout`.
///
/// # Errors
/// That the credentials cannot be changed.
pub(crate) fn logout(args: &args::Logout) -> Result<ExitCode, Failure> {
    login::logout(args)
}

/// Carries out `fingerpost get`.
///
/// # Errors
/// That the server cannot be asked.
pub(crate) fn get(args: &args::Get) -> Result<ExitCode, Failure> {
    conclude(record::get(args), args.connection.format)
}

/// Carries out `fingerpost put`.
///
/// # Errors
/// That the file cannot be read or the server not be asked.
pub(crate) fn put(args: &args::Put) -> Result<ExitCode, Failure> {
    conclude(put::run(args), args.connection.format)
}

/// Carries out `fingerpost delete`.
///
/// # Errors
/// That the server cannot be asked.
pub(crate) fn delete(args: &args::Delete) -> Result<ExitCode, Failure> {
    conclude(record::delete(args), args.connection.format)
}

/// Carries out `fingerpost list`.
///
/// # Errors
/// That the server cannot be asked.
pub(crate) fn list(args: &args::List) -> Result<ExitCode, Failure> {
    conclude(list::run(args), args.connection.format)
}

/// Carries out `fingerpost history`.
///
/// # Errors
/// That the server cannot be asked.
pub(crate) fn history(args: &args::History) -> Result<ExitCode, Failure> {
    conclude(history::run(args), args.connection.format)
}

/// Carries out `fingerpost revert`.
///
/// # Errors
/// That the server cannot be asked.
pub(crate) fn revert(args: &args::Revert) -> Result<ExitCode, Failure> {
    conclude(record::revert(args), args.connection.format)
}
