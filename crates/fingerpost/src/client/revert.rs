//! `fingerpost revert`: restores an earlier state of a level.

use std::process::ExitCode;

use clap::Args;

use super::connection::{self, Connection, writing};
use super::problem::Stop;
use super::{key, outcome};
use crate::output;
use fingerpost_server::client::Call;

#[derive(Debug, Args)]
#[command(after_help = "\
The earlier state is written as a new revision, validated like any record. If nothing was registered
at that revision, the level is deleted.

Examples:
  fingerpost revert 9520123456788 --revision 12
  fingerpost revert 9520123456788 --revision 12 --if-match 15")]
pub(crate) struct Revert {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// The revision to restore, as shown by `fingerpost history`
    #[arg(long, value_name = "N")]
    pub(crate) revision: u64,
    /// Restore only if the level currently has this revision
    #[arg(long, value_name = "N")]
    pub(crate) if_match: Option<u64>,
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Restores an earlier state of a level.
pub(crate) fn run(args: &Revert) -> Result<ExitCode, Stop> {
    let key = key::read(&args.key)?;
    let client = connection::open(&args.connection)?;
    let call = Call::new("POST", format!("/v1/restore/{key}"))
        .query("revision", &args.revision.to_string());
    let answer = client.send(&writing(call, args.dry_run, args.if_match)?)?;
    outcome::write(key.as_str(), &answer, args.connection.format, &mut output::stdout())?;
    Ok(ExitCode::SUCCESS)
}
