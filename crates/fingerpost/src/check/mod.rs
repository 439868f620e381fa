//! `fingerpost check`: reports what an identifier is, whether it is valid, and each fault with its place.
//!
//! Identifiers are checked by `fingerpost-gs1` and `fingerpost-epc` (GS1 General Specifications, GS1 Digital Link URI Syntax 1.4.1); this
//! module only recognises the form of the input and writes the findings.

mod lines;
mod mark;
mod write;

use std::io::{self, Write};
use std::process::ExitCode;

use fingerpost_identify::inspect;

use crate::args::{self, ReportFormat};
use crate::failure::Failure;
use crate::output;

pub(crate) use lines::{Lines, MAX_LINE};
pub(crate) use mark::underline;

/// Exit status if an input is invalid.
const INVALID: u8 = 1;

/// Runs `fingerpost check`.
///
/// # Errors
/// Fails if standard input cannot be read or the output cannot be written.
pub(crate) fn run(args: &args::Check) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let mut checker = Checker { format: args.format, out: &mut out, shown: 0, invalid: 0 };
    for input in &args.inputs {
        if input == "-" {
            let mut lines = Lines::new(io::stdin().lock());
            while let Some(line) = lines.next().map_err(|error| unreadable(&error))? {
                if !line.is_empty() {
                    checker.check(line)?;
                }
            }
        } else {
            checker.check(input)?;
        }
    }
    let invalid = checker.invalid;
    out.flush()?;
    Ok(if invalid == 0 { ExitCode::SUCCESS } else { ExitCode::from(INVALID) })
}

struct Checker<'o, W> {
    format: ReportFormat,
    out: &'o mut W,
    shown: u64,
    invalid: u64,
}

impl<W: Write> Checker<'_, W> {
    fn check(&mut self, input: &str) -> io::Result<()> {
        let inspection = inspect(input);
        self.invalid += u64::from(!inspection.is_valid());
        match self.format {
            ReportFormat::Text => {
                if self.shown > 0 {
                    writeln!(self.out)?;
                }
                write::text(&inspection, self.out)?;
            }
            ReportFormat::Json => writeln!(self.out, "{}", write::json(&inspection))?,
        }
        self.shown += 1;
        Ok(())
    }
}

/// Returns the failure for standard input that could not be read.
pub(crate) fn unreadable(error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot read standard input: {error}"),
        "pass what to check as arguments instead",
    )
}
