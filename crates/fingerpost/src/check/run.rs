//! Checks each input, and writes what was found.

use std::io::{self, Write};
use std::process::ExitCode;

use fingerpost_gs1::Options;
use fingerpost_identify::inspect_with;
use fingerpost_resolver::ascii_form;
use fingerpost_uri::Typed;

use super::online::{self, Hosts};
use super::{plausible, write};
use crate::args::ReportFormat;
use crate::args::check::Check;
use crate::failure::Failure;
use crate::output;
use crate::uri_report::{judge_each, note, write_note};

/// Runs `fingerpost check`.
pub(crate) fn run(args: &Check) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let mut checker = Checker {
        args,
        options: args.readings.options(),
        hosts: args.online.then(Hosts::default),
        out: &mut out,
        shown: 0,
    };
    let status = judge_each(&args.inputs, |input| checker.check(input))?;
    out.flush()?;
    Ok(status)
}

struct Checker<'o, W> {
    args: &'o Check,
    options: Options,
    /// The hosts that were asked.
    hosts: Option<Hosts>,
    out: &'o mut W,
    shown: u64,
}

impl<W: Write> Checker<'_, W> {
    fn check(&mut self, input: &Typed<'_>) -> io::Result<bool> {
        let input = &input.clone().converted(ascii_form);
        let (passwords, is_text) = (self.args.passwords, self.args.format == ReportFormat::Text);
        let inspection = inspect_with(input.text(), &self.options);
        if self.args.plausible {
            return plausible::write(&inspection, passwords, is_text, self.out);
        }
        let host = self.hosts.as_mut().filter(|_| inspection.is_valid());
        let host = host.and_then(|hosts| hosts.of(&inspection));
        if is_text {
            if self.shown > 0 {
                writeln!(self.out)?;
            }
            write_note(input, self.out)?;
            write::text(&inspection, passwords, self.out)?;
            host.map_or(Ok(()), |host| online::write(host, self.out))?;
        } else {
            let mut value = write::json(&inspection, passwords);
            value["notes"] = note(input).into();
            if let Some(host) = host {
                value["resolver"] = online::json(host);
            }
            writeln!(self.out, "{value}")?;
        }
        self.shown += 1;
        Ok(inspection.is_valid() && host.is_none_or(Result::is_ok))
    }
}
