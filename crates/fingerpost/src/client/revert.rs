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

With --set, all records of an import, a batch or a recall return to their state before it. The
import prints the number of its set; `fingerpost history` shows those of a record. A record that was
changed later is not taken back; without --each, nothing is then.

Examples:
  fingerpost revert 9520123456788 --revision 12
  fingerpost revert 9520123456788 --revision 12 --if-match 15
  fingerpost revert --set 12 --dry-run")]
pub(crate) struct Revert {
    /// The level
    #[arg(value_name = "KEY", required_unless_present = "set", requires = "revision")]
    pub(crate) key: Option<String>,
    /// The revision to restore, as shown by `fingerpost history`
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,
    /// Take back everything that an import, a batch or a recall changed
    #[arg(long, value_name = "N", conflicts_with_all = ["key", "revision", "if_match"])]
    pub(crate) set: Option<u64>,
    /// With --set, take back what was not changed later, and leave the rest
    #[arg(long, requires = "set")]
    pub(crate) each: bool,
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
    let client = connection::open(&args.connection)?;
    let (Some(key), Some(revision)) = (&args.key, args.revision) else {
        return take_back(args, args.set.unwrap_or_default());
    };
    let key = key::read(key)?;
    let call =
        Call::new("POST", format!("/v1/restore/{key}")).query("revision", &revision.to_string());
    let answer = client.send(&writing(call, args.dry_run, args.if_match)?)?;
    outcome::write(key.as_str(), &answer, args.connection.format, &mut output::stdout())?;
    Ok(ExitCode::SUCCESS)
}

/// Takes a change set back.
fn take_back(args: &Revert, set: u64) -> Result<ExitCode, Stop> {
    let client = connection::open(&args.connection)?;
    let mode = if args.each { "each" } else { "atomic" };
    let call = Call::new("POST", format!("/v1/change-sets/{set}/undo")).query("mode", mode);
    let answer = client.send(&writing(call, args.dry_run, None)?)?;
    let is_complete = outcome::write_batch(&answer, args.connection.format, &mut output::stdout())?;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
