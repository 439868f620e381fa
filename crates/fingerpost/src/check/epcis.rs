//! `fingerpost check --epcis`: the identifiers of an EPCIS document, each with its place.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_report::Reader;
use fingerpost_report::epcis::{EpcisError, EpcisIdentifier, EpcisPlace, read_identifiers};

use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, STRONG, WARNING, counted, json_text, printable};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{status, write_finding};

/// Checks the document in `file`.
pub(super) fn run(
    file: &Path,
    reader: &Reader,
    passwords: Passwords,
    format: ReportFormat,
) -> Result<ExitCode, Failure> {
    let is_standard_input = file == Path::new("-");
    let name = if is_standard_input { "standard input".into() } else { file.to_string_lossy() };
    let name = printable(&name);
    let input: Box<dyn Read> = if is_standard_input {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file).map_err(|error| unreadable(&name, &error))?)
    };
    let mut report = Report {
        name: &name,
        reader,
        passwords,
        format,
        out: output::stdout(),
        counts: Counts::default(),
    };
    let read = read_identifiers(input, &mut |place| report.identifier(place));
    // What was found before a fault of the document is reported first.
    report.out.flush()?;
    read.map_err(|error| match error {
        EpcisError::Input(error) => unreadable(&name, &error),
        EpcisError::Receiver(error) => error.into(),
        EpcisError::Syntax(message) => Failure::advise(
            format!("{name} is no EPCIS document in JSON: {message}"),
            "EPCIS 2.0 documents can be written as JSON: convert XML, or export JSON-LD",
        ),
    })?;
    report.end()
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::advise(format!("cannot read {name}: {error}"), "check the name and its permissions")
}

#[derive(Default)]
struct Counts {
    valid: u64,
    invalid: u64,
    other_uris: u64,
}

struct Report<'a> {
    name: &'a str,
    reader: &'a Reader,
    passwords: Passwords,
    format: ReportFormat,
    out: output::Stdout,
    counts: Counts,
}

impl Report<'_> {
    fn identifier(&mut self, place: &EpcisPlace<'_>) -> io::Result<()> {
        let checked = EpcisIdentifier::check(self.reader, place);
        let count = match checked.inspection.is_valid() {
            true if checked.is_other_uri => &mut self.counts.other_uris,
            true => &mut self.counts.valid,
            false => &mut self.counts.invalid,
        };
        *count += 1;
        match self.format {
            ReportFormat::Text => self.write(place, &checked),
            ReportFormat::Json => {
                writeln!(self.out, "{}", json_text(&checked.describe(self.reader, place)))
            }
        }
    }

    /// Writes an identifier with faults or warnings.
    fn write(&mut self, place: &EpcisPlace<'_>, checked: &EpcisIdentifier<'_>) -> io::Result<()> {
        let Self { name, passwords, out, .. } = self;
        let inspection = &checked.inspection;
        if inspection.is_valid() && inspection.warnings.is_empty() {
            return Ok(());
        }
        let pointer = printable(place.pointer);
        writeln!(out, "{STRONG}{name}:{}{STRONG:#}: {pointer}", place.line)?;
        for fault in &inspection.faults {
            write_finding(fault, place.text, "", *passwords, out)?;
        }
        if inspection.is_valid() {
            writeln!(out, "  {}", printable(&passwords.of(place.text)))?;
        }
        for warning in &inspection.warnings {
            let message = printable(&warning.message);
            writeln!(out, "{WARNING}warning[{}]{WARNING:#}: {message}", warning.code)?;
            if !warning.help.is_empty() {
                writeln!(out, "  {NOTE}help{NOTE:#}: {}", warning.help)?;
            }
        }
        writeln!(out)
    }

    /// Writes the counts. A document without identifiers is not taken for a good one.
    fn end(mut self) -> Result<ExitCode, Failure> {
        let Counts { valid, invalid, other_uris } = self.counts;
        let all = valid + invalid + other_uris;
        if all == 0 {
            return Err(Failure::advise(
                format!("{} has no identifiers", self.name),
                "expected an EPCIS 2.0 document with events, such as \
                 {\"type\": \"EPCISDocument\", \"epcisBody\": {\"eventList\": [{\"epcList\": […]}]}}",
            ));
        }
        if self.format == ReportFormat::Text {
            let faults = match invalid {
                0 => String::new(),
                invalid => format!(", {ERROR}{invalid} invalid{ERROR:#}"),
            };
            let others = match other_uris {
                0 => String::new(),
                others => format!(", {others} not of GS1"),
            };
            let all = counted(all, "identifier");
            let name = self.name;
            writeln!(self.out, "{name}: {all}: {GOOD}{valid} valid{GOOD:#}{faults}{others}")?;
            self.out.flush()?;
        }
        self.out.flush()?;
        Ok(status(invalid == 0))
    }
}
