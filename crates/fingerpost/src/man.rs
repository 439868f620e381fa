//! `fingerpost man`: manual pages, generated from the argument definitions.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, ValueHint};

use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Folder for the pages of all commands [default: print the main page]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
}

/// Prints the main manual page, or writes the pages of all commands.
pub(crate) fn run(args: &Man, definition: Command) -> Result<ExitCode, Failure> {
    if let Some(dir) = &args.out {
        std::fs::create_dir_all(dir)
            .and_then(|()| clap_mangen::generate_to(definition.disable_help_subcommand(true), dir))
            .map_err(|error| {
                Failure::advise(
                    format!("cannot write manual pages to `{}`: {error}", dir.display()),
                    "name a folder that can be written",
                )
            })?;
        return Ok(ExitCode::SUCCESS);
    }
    if io::stdout().is_terminal() {
        return Err(Failure::advise(
            "a manual page is not for reading as it is",
            "show it: fingerpost man | man -l -",
        ));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(definition).render(&mut page)?;
    let mut out = output::stdout();
    out.write_all(&page)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
