//! `fingerpost delete`: deletes the record of a level.

use std::process::ExitCode;

use clap::Args;

use super::connection::{self, Connection, writing};
use super::problem::Stop;
use super::{key, outcome};
use crate::output;
use fingerpost_server::client::Call;

#[derive(Debug, Args)]
#[command(after_help = "\
The history of the level is kept; restore it with `fingerpost revert`. A recalled level is deleted after its recall has
ended (`fingerpost recall --end KEY`).

Examples:
  fingerpost delete 01/09520123456788/10/LOT7
  fingerpost delete '(01)09520123456788' --if-match 12")]
pub(crate) struct Delete {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// Delete only if the level has this revision
    #[arg(long, value_name = "N")]
    pub(crate) if_match: Option<u64>,
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Deletes a level.
pub(crate) fn run(args: &Delete) -> Result<ExitCode, Stop> {
    let key = key::read(&args.key)?;
    let client = connection::open(&args.connection)?;
    let call = Call::new("DELETE", format!("/v1/levels/{key}"));
    let answer = client.send(&writing(call, args.dry_run, args.if_match)?)?;
    outcome::write(key.as_str(), &answer, args.connection.format, &mut output::stdout())?;
    Ok(ExitCode::SUCCESS)
}
