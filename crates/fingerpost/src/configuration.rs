//! `fingerpost configuration`: every setting with its default, for those who have only the program.

use std::io::Write;
use std::process::ExitCode;

use fingerpost_server::config;

use crate::failure::Failure;
use crate::output;

/// Runs `fingerpost configuration`.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    out.write_all(config::example().as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
