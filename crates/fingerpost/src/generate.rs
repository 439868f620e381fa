//! `fingerpost completions` and `fingerpost man`: generated from the argument definitions.

#[cfg(test)]
mod commands;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args;
use crate::failure::Failure;
use crate::output;

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &args::Completions) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    let mut command = args::Cli::command();
    clap_complete::generate(args.shell, &mut command, "fingerpost", &mut script);
    let mut out = output::stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the main manual page, or writes the pages of all commands.
pub(crate) fn man(args: &args::Man) -> Result<ExitCode, Failure> {
    let command = args::Cli::command();
    if let Some(dir) = &args.out {
        std::fs::create_dir_all(dir)
            .and_then(|()| clap_mangen::generate_to(command.disable_help_subcommand(true), dir))
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
    clap_mangen::Man::new(command).render(&mut page)?;
    let mut out = output::stdout();
    out.write_all(&page)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
