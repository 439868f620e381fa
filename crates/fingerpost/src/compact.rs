//! `fingerpost compact`: rewrites a data directory without the remains of deleted data.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_store::Store;

use crate::failure::Failure;
use crate::output::{self, GOOD};
use crate::shared_args::Local;

#[derive(Debug, Args)]
#[command(after_help = "\
Deleted and replaced data remain in free parts of the data file until these are used again. This command
copies everything else into a new file, compares both, and replaces the old file in one step. Run it after
erasing a user, while no other process uses the directory; processes that start meanwhile wait. It needs
as much free space as the data. It does not reach earlier backups or snapshots of the disk.
Exit status: 0 compacted, 2 not compacted, the directory is as it was.

Examples:
  fingerpost compact --data /var/lib/fingerpost")]
pub(crate) struct Compact {
    #[command(flatten)]
    pub(crate) local: Local,
}

/// Runs `fingerpost compact`.
///
/// Fails if another process uses the directory, or if it cannot be read or written; it is then
/// unchanged.
pub(crate) fn run(args: &Compact) -> Result<ExitCode, Failure> {
    let config = args.local.config.load()?;
    let report = Store::compact(config.data(args.local.data.as_deref())?, config.store_options())?;
    let mut out = output::stdout();
    let (rows, before, after) = (report.rows(), report.bytes_before(), report.bytes_after());
    writeln!(
        out,
        "{GOOD}compacted{GOOD:#}: {rows} rows, {before} bytes before, {after} bytes now"
    )?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
