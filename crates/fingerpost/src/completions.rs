//! `fingerpost completions`: prints a completion script, generated from the argument definitions.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Command};

use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Prints the completion script of a shell.
pub(crate) fn run(args: &Completions, mut definition: Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definition, "fingerpost", &mut script);
    let mut out = output::stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
