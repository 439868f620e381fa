//! `fingerpost convert`: converts an identifier to another form (EPC Tag Data Standard 2.3; GS1 Digital Link URI Syntax 1.4.1).

mod json;
mod prefixes;

use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use fingerpost_epc::{ErrorKind, GcpLength, PrefixTable};
use fingerpost_identify::{Cause, Converter, Finding};

use crate::args::convert::Convert;
use crate::check::{Lines, MAX_LINE, unreadable};
use crate::failure::Failure;
use crate::uri_report::{status, write_finding};

/// Size of the input and output buffers in bytes.
const BLOCK: usize = 64 * 1024;

/// The arguments of the command, and the converter created from them.
#[derive(Debug)]
struct Conversion<'a> {
    args: &'a Convert,
    converter: Converter<'a>,
}

/// Runs `fingerpost convert`.
///
/// # Errors
/// Fails if an option has no effect, standard input cannot be read or the output cannot be written.
pub(crate) fn run(args: &Convert) -> Result<ExitCode, Failure> {
    let table = args.gcp_table.as_deref().map(prefixes::read).transpose()?;
    let conversion = Conversion { args, converter: converter(args, table.as_ref())? };
    // Output is exactly the result, without colours: a plain block-buffered stream.
    let mut out = io::BufWriter::with_capacity(BLOCK, io::stdout().lock());
    let is_whole = match args.input.as_str() {
        "-" => conversion.stream(&mut out)?,
        input => conversion.one(input, &mut out)?,
    };
    out.flush()?;
    Ok(status(is_whole))
}

/// Returns the converter that the arguments specify.
fn converter<'a>(
    args: &'a Convert,
    table: Option<&'a PrefixTable>,
) -> Result<Converter<'a>, Failure> {
    let mut converter =
        Converter::new().lossy(args.lossy).gcp_length(match (args.gcp_length, table) {
            (Some(digits), _) => GcpLength::Digits(digits),
            (None, Some(table)) => GcpLength::Table(table),
            (None, None) => GcpLength::Unknown,
        });
    if let Some(stem) = &args.stem {
        converter = converter.stem(stem).map_err(|error| {
            Failure::advise(
                format!("cannot use `{stem}` as --stem: {error}"),
                "give it as https://id.example.org, perhaps with a path",
            )
        })?;
    }
    if let Some(scheme) = args.scheme {
        converter = converter.scheme(scheme);
    }
    if let Some(filter) = args.filter {
        converter = converter.filter(filter);
    }
    if let Some(hostname) = &args.hostname {
        converter = converter.hostname(hostname);
    }
    Ok(converter)
}

impl Conversion<'_> {
    /// Converts the argument; writes nothing if it is refused.
    fn one(&self, input: &str, out: &mut impl Write) -> Result<bool, Failure> {
        let converted = self.convert(input);
        match &converted {
            Ok(line) => writeln!(out, "{line}")?,
            Err(finding) => report(input, finding, ""),
        }
        Ok(converted.is_ok())
    }

    /// Converts each line of standard input to one line.
    fn stream(&self, out: &mut impl Write) -> Result<bool, Failure> {
        let mut lines = Lines::new(BufReader::with_capacity(BLOCK, io::stdin().lock()));
        let (mut number, mut is_whole) = (0_u64, true);
        loop {
            // A client that writes line by line waits for each answer.
            if lines.is_drained() {
                out.flush()?;
            }
            let Some(input) = lines.next().map_err(|error| unreadable(&error))? else { break };
            number += 1;
            let converted = self.convert(input);
            let of = || format!("line {number}");
            let is_cut = lines.is_cut();
            match &converted {
                Ok(line) if !is_cut => out.write_all(line.as_bytes())?,
                Err(finding) if !is_cut => report(lines.line(), finding, &of()),
                _ => report("", &too_long(), &of()),
            }
            is_whole &= converted.is_ok() && !is_cut;
            out.write_all(b"\n")?;
        }
        Ok(is_whole)
    }

    /// Returns the other form of `input`.
    fn convert(&self, input: &str) -> Result<String, Finding> {
        // GS is not white space here: raw data begin with it.
        let text = input.trim_ascii_start();
        let before = input.len() - text.len();
        let text = text.trim_ascii_end();
        match self.args.to.form() {
            Some(form) => self.converter.convert(text, form),
            None => json::document(&self.converter, text),
        }
        .map_err(|finding| self.advise(finding).moved(before))
    }

    /// Adds advice about the options of this command to a finding.
    fn advise(&self, finding: Finding) -> Finding {
        let Cause::Epc(error) = &finding.cause else { return finding };
        let help = match error.kind() {
            ErrorKind::GcpLengthRequired if self.args.gcp_table.is_some() => {
                "the table does not list this prefix: give its digits with --gcp-length"
            }
            ErrorKind::GcpLengthRequired => {
                "give its digits with --gcp-length, or GS1's table of prefixes with --gcp-table; \
                 schemes with + do without"
            }
            ErrorKind::NoEpc => {
                "an EPC is a key with its serial number: give that, choose a scheme that fits with \
                 --scheme, or leave other elements out with --lossy"
            }
            _ => return finding,
        };
        Finding { help: help.to_owned(), ..finding }
    }
}

fn too_long() -> Finding {
    Finding::of_form(
        "TOO_LONG",
        format!("expected a line of less than {MAX_LINE} bytes, found a longer one"),
        "put one identifier on each line",
        0..0,
    )
}

/// Reports a finding. A closed standard error is not a reason to fail with another error.
fn report(input: &str, finding: &Finding, of: &str) {
    let _ = write_finding(finding, input, of, &mut anstream::stderr().lock());
}
