//! `fingerpost compact`: rewrites a data directory without the remains of deleted data.

use std::io::Write;
use std::process::ExitCode;

use fingerpost_store::Store;

use crate::args::local as args;
use crate::failure::Failure;
use crate::output::{self, GOOD};
use fingerpost_server::config;

/// Runs `fingerpost compact`.
///
/// Fails if another process uses the directory, or if it cannot be read or written; it is then unchanged.
pub(crate) fn run(args: &args::Compact) -> Result<ExitCode, Failure> {
    let config = config::load(args.local.config.as_deref())?;
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
