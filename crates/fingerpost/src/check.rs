//! `fingerpost check`: reports what an identifier is, whether it is valid, and each fault with its
//! position.
//!
//! Identifiers are checked by `fingerpost-gs1` and `fingerpost-epc` (GS1 General Specifications,
//! GS1 Digital Link URI Syntax 1.4.1); this module only recognises the form of the input and writes
//! the findings.

mod epcis;
mod online;
mod plausible;
mod write;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_gs1::Date;
use fingerpost_gs1::gtin::WeightCodes;
use fingerpost_report::Reader;
use fingerpost_resolver::{ascii_form, day_of};
use fingerpost_uri::Typed;

use crate::explain::clock;
use crate::failure::Failure;
use crate::output;
use crate::shared_args::{Passwords, Readings, ReportFormat};
use crate::uri_report::{judge_each, write_note};
use online::Hosts;

pub(crate) use online::{NoResolver, Resolver, describe};

#[derive(Debug, Args)]
#[command(after_help = "\
Recognises GS1 Digital Link URIs, bracketed element strings \"(01)…(10)…\", human-readable interpretations
\"(01) … (10) …\", raw element strings with FNC1 (the GS character, or ^), scan data with a symbology
identifier \"]d2…\", bare GTINs or SSCCs, EPC URNs and EPC Tag URIs, EPC bits in hexadecimal or base64url,
and Digital Link URIs with EPC bits or compressed after Digital Link 1.1. Quotes, angle brackets and white
space around an input are left out.

--plausible answers as a scanner must (GS1 Digital Link URI Syntax 1.4.1, section 6.1.3): `definitely not` a
Digital Link URI, `maybe`, or `yes` if it is a valid one. --online asks the host of each Digital Link URI for
its resolver description file, and says whether it is a GS1-Conformant Resolver.

--epcis checks the identifiers of an EPCIS 2.0 document in JSON: objects and classes (EPC URIs and Digital Link
URIs), places, parties, documents, devices and master data, each with its line and JSON pointer. Other URIs,
such as geo: and urn:uuid:, are counted, but GS1 rules do not apply to them.

Exit status: 0 all valid (with --plausible: none `definitely not`; with --online: all of resolvers), 1 some
not, 2 wrong usage, or a document that cannot be read.

Examples:
  fingerpost check https://id.example.org/01/09520123456788/10/ABC
  fingerpost check '(01)09520123456788(17)261231(10)ABC'
  fingerpost check 9520123456788
  fingerpost check 3066c4409047e14000001a85
  fingerpost check --accept short-gtin https://id.example.org/01/9520123456788
  fingerpost check --plausible https://id.example.org/news/2026
  fingerpost check --online https://id.example.org/01/09520123456788
  fingerpost check --epcis shipment.jsonld
  fingerpost check - < scans.txt")]
pub(crate) struct Check {
    /// Only report whether the input can be a Digital Link URI: definitely not, maybe, or yes
    #[arg(long, conflicts_with_all = ["online", "epcis"])]
    pub(crate) plausible: bool,
    /// Ask the hosts of Digital Link URIs whether they are resolvers
    #[arg(long, conflicts_with = "epcis")]
    pub(crate) online: bool,
    /// Check the identifiers of this EPCIS document in JSON; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "inputs")]
    pub(crate) epcis: Option<PathBuf>,
    /// Read numbers of variable weight and price by the codes of this country, such as SE
    #[arg(long, value_name = "COUNTRY", value_parser = weight_codes)]
    pub(crate) weight_codes: Option<&'static WeightCodes>,
    #[command(flatten)]
    pub(crate) readings: Readings,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// Scanned or typed input; `-` reads lines from standard input
    #[arg(required_unless_present = "epcis", value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

/// Returns the weight codes of a country.
fn weight_codes(country: &str) -> Result<&'static WeightCodes, String> {
    WeightCodes::of_country(country).ok_or_else(|| {
        let known: Vec<&str> = WeightCodes::countries().collect();
        format!("the weight codes of this country are not known; known are {}", known.join(", "))
    })
}

/// Runs `fingerpost check`.
pub(crate) fn run(args: &Check) -> Result<ExitCode, Failure> {
    let reader = args.readings.reader(args.passwords, day_of(clock()));
    let reader = reader.weight_codes(args.weight_codes);
    if let Some(file) = &args.epcis {
        return epcis::run(file, &reader, args.passwords, args.format);
    }
    let mut out = output::stdout();
    let mut checker = Checker {
        args,
        reader,
        hosts: args.online.then(Hosts::default),
        out: &mut out,
        shown: 0,
        today: day_of(clock()),
    };
    let status = judge_each(&args.inputs, |input| checker.check(input))?;
    out.flush()?;
    Ok(status)
}

struct Checker<'o, W> {
    args: &'o Check,
    reader: Reader,
    /// The hosts that were asked.
    hosts: Option<Hosts>,
    out: &'o mut W,
    shown: u64,
    today: Date,
}

impl<W: Write> Checker<'_, W> {
    fn check(&mut self, input: &Typed<'_>) -> io::Result<bool> {
        let input = &input.clone().converted(ascii_form);
        let (passwords, is_text) = (self.args.passwords, self.args.format == ReportFormat::Text);
        let understood = self.reader.understand_to_check(input.text());
        let inspection = self.reader.inspect(input, &understood);
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
            write::text(&inspection, passwords, self.today, self.out)?;
            write::weight(&inspection, self.args.weight_codes, self.out)?;
            host.map_or(Ok(()), |host| online::write(host, self.out))?;
        } else {
            let mut value = self.reader.describe(input, &inspection);
            if let Some(host) = host {
                value["resolver"] = online::json(host);
            }
            writeln!(self.out, "{}", output::json_text(&value))?;
        }
        self.shown += 1;
        Ok(inspection.is_valid() && host.is_none_or(Result::is_ok))
    }
}
