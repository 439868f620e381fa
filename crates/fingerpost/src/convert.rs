//! `fingerpost convert`: converts an identifier to another form (EPC Tag Data Standard 2.3; GS1
//! Digital Link URI Syntax 1.4.1).

mod prefixes;

use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use fingerpost_epc::{ErrorKind, GcpLength, Hostname, PrefixTable, Scheme};
use fingerpost_identify::{Cause, Converter, Finding, OutputForm};
use fingerpost_report::{Reader, WrittenForm};
use fingerpost_resolver::{ascii_form, day_of};
use fingerpost_uri::{Typed, hide_password};

use crate::explain::clock;
use crate::failure::Failure;
use crate::input_lines::{Lines, unreadable};
use crate::limits::MAX_LINE;
use crate::output::printable;
use crate::shared_args::{Passwords, Readings};
use crate::uri_report::{status, warn, write_finding};

/// Size of the input and output buffers in bytes.
const BLOCK: usize = 64 * 1024;

/// The arguments of the command, and the converter created from them.
#[derive(Debug)]
struct Conversion<'a> {
    args: &'a Convert,
    reader: &'a Reader,
    converter: Converter<'a>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
INPUT is anything that `fingerpost check` recognises: a GS1 Digital Link URI (also with EPC bits, or
compressed as in Digital Link 1.1), an element string, scan data, a GTIN, an SSCC, an EPC URN, an EPC
Tag URI, and EPC bits as hexadecimal digits or base64url.

URNs and most tags separate company prefix and reference, element strings do not: give the length of the
prefix with --gcp-length or --gcp-table. It is never guessed. Schemes with + do not need it.

With - as INPUT there is exactly one output line per input line, empty if the input is refused.
Exit status: 0 all converted, 1 some refused, 2 wrong usage.

Examples:
  fingerpost convert 3066c4409047e14000001a85 --to digital-link
  fingerpost convert 'http://example.com/01/09520123456788?3103=000195&15=261231' --to canonical
  fingerpost convert '(01)09506000134352(21)6789' --to epc-hex --gcp-length 11 --filter 3
  fingerpost convert '(01)09506000134352(21)6789' --to epc-link --scheme SGTIN+
  fingerpost convert https://example.com/DBHKVAdpQgowOQ --to json
  fingerpost convert - --to digital-link < tags.txt > links.txt")]
pub(crate) struct Convert {
    /// Read, scanned or typed input; `-` reads lines from standard input
    #[arg(value_name = "INPUT", allow_hyphen_values = true)]
    pub(crate) input: String,
    /// Form to convert to
    #[arg(long, value_parser = forms(), value_name = "FORM")]
    pub(crate) to: WrittenForm,
    /// Number of digits of the company prefix
    #[arg(long, value_name = "N", conflicts_with = "gcp_table")]
    #[arg(value_parser = clap::value_parser!(u8).range(4..=12))]
    pub(crate) gcp_length: Option<u8>,
    /// Lengths of company prefixes: the GCPPrefixFormatList (JSON) published by GS1
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) gcp_table: Option<PathBuf>,
    /// Filter value of the EPC [default: from the input, or 0]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=63))]
    pub(crate) filter: Option<u8>,
    /// EPC scheme, such as SGTIN-96 or SGTIN+ [default: from the input, or the shortest classic
    /// one]
    #[arg(long, value_parser = scheme)]
    pub(crate) scheme: Option<Scheme>,
    /// Beginning of Digital Link URIs [default: from the input, or https://id.gs1.org]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) stem: Option<String>,
    /// Host name of the brand, for schemes with ++
    #[arg(long, value_name = "NAME", value_parser = hostname, value_hint = ValueHint::Hostname)]
    pub(crate) hostname: Option<Hostname>,
    #[command(flatten)]
    pub(crate) readings: Readings,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Leave out elements that an EPC cannot hold instead of refusing them
    #[arg(long)]
    pub(crate) lossy: bool,
}

/// Returns the parser of `--to`.
fn forms() -> impl TypedValueParser<Value = WrittenForm> {
    let forms = OutputForm::ALL.iter();
    let values = forms.map(|form| PossibleValue::new(form.code()).help(form.description()));
    let json = PossibleValue::new("json").help("All forms, as one JSON object");
    PossibleValuesParser::new(values.chain([json]))
        .try_map(|name| WrittenForm::of_code(&name).ok_or(name))
}

fn scheme(name: &str) -> Result<Scheme, String> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = Scheme::all().map(Scheme::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn hostname(name: &str) -> Result<Hostname, String> {
    name.parse().map_err(|error: fingerpost_epc::Error| error.to_string())
}

/// Runs `fingerpost convert`.
pub(crate) fn run(args: &Convert) -> Result<ExitCode, Failure> {
    let table = args.gcp_table.as_deref().map(prefixes::read).transpose()?;
    let reader = args.readings.reader(args.passwords, day_of(clock()));
    let converter = converter(args, table.as_ref())?.options(reader.options());
    let conversion = Conversion { args, reader: &reader, converter };
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
            let stem = printable(&hide_password(stem));
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
        let input = Typed::new(input).converted(ascii_form);
        let converted = self.convert(input.text());
        match &converted {
            Ok((line, warnings)) => {
                writeln!(out, "{line}")?;
                report_warnings(warnings, "");
            }
            Err(finding) => self.report(input.text(), finding, ""),
        }
        Ok(converted.is_ok())
    }

    /// Converts each line of standard input to one line.
    fn stream(&self, out: &mut impl Write) -> Result<bool, Failure> {
        let input = BufReader::with_capacity(BLOCK, io::stdin().lock());
        let mut lines = Lines::new(input).map_err(|error| unreadable(&error))?;
        let (mut number, mut is_whole) = (0_u64, true);
        loop {
            // A client that writes line by line waits for each answer.
            if lines.is_drained() {
                out.flush()?;
            }
            if lines.next().map_err(|error| unreadable(&error))?.is_none() {
                break;
            }
            number += 1;
            let (input, is_cut) = (Typed::new(lines.line()).converted(ascii_form), lines.is_cut());
            let of = || format!("line {number}");
            let converted = self.convert(input.text());
            match &converted {
                Ok((line, warnings)) if !is_cut => {
                    out.write_all(line.as_bytes())?;
                    if !warnings.is_empty() {
                        report_warnings(warnings, &of());
                    }
                }
                Err(finding) if !is_cut => self.report(input.text(), finding, &of()),
                _ => self.report("", &too_long(), &of()),
            }
            is_whole &= converted.is_ok() && !is_cut;
            out.write_all(b"\n")?;
        }
        Ok(is_whole)
    }

    /// Returns the other form of `input`, and what its reader corrected or ignored, or would read
    /// otherwise.
    fn convert(&self, input: &str) -> Result<(String, Vec<Finding>), Finding> {
        let converted = self.reader.convert(input, self.args.to, &self.converter);
        converted.map_err(|fault| self.advise(fault))
    }

    /// Reports a finding. A closed standard error is not a reason to fail with another error.
    fn report(&self, input: &str, finding: &Finding, of: &str) {
        let mut err = anstream::stderr().lock();
        let _ = write_finding(finding, input, of, self.args.passwords, &mut err);
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

/// Reports warnings about an input that was converted.
fn report_warnings(warnings: &[Finding], of: &str) {
    let mut err = anstream::stderr().lock();
    let of = if of.is_empty() { String::new() } else { format!("{of}: ") };
    let _ = warnings.iter().try_for_each(|Finding { code, message, .. }| {
        warn(code, &format!("{of}{}", printable(message)), &mut err)
    });
}
