//! `fingerpost conform`: checks from outside whether a server is a GS1-Conformant Resolver.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use fingerpost_conform::{ConformOptions, Obligation, Release, examine};

use crate::failure::Failure;
use crate::output::{self, printable};

#[derive(Debug, Args)]
#[command(after_help = "\
Sends GET, HEAD and OPTIONS requests only. Give URIs that have links; one with several languages, and one with
a lot or serial number, let more checks run. Checks that the data do not allow are listed with the reason.
`depends` marks requirements that can be read in two ways; it is never a failure.

Exit status: 0 no failure, 1 a requirement failed (see --fail-on), 2 wrong usage.

Examples:
  fingerpost conform https://id.example.org/01/09520123456788
  fingerpost conform --fail-on should https://id.example.org/01/09520123456788/10/LOT7
  fingerpost conform --format junit https://id.example.org/01/09520123456788 > conform.xml
  fingerpost conform --format html https://id.example.org/01/09520123456788 > conform.html
  fingerpost conform --connect 127.0.0.1:8443 --cacert ca.pem https://id.example.org/01/09520123456788")]
pub(crate) struct Conform {
    /// GS1 Digital Link URIs of the resolver under test
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Release of the resolver standard
    #[arg(long, value_enum, default_value_t = Standard::V1_2)]
    pub(crate) standard: Standard,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ConformFormat::Text)]
    pub(crate) format: ConformFormat,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Requirements whose failure sets exit status 1
    #[arg(long, value_enum, default_value_t = FailOn::Shall)]
    pub(crate) fail_on: FailOn,
    /// Show request and answer of every check, not only of failures
    #[arg(long)]
    pub(crate) details: bool,
    /// Connect to this address instead of the host of the URLs
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    #[command(flatten)]
    pub(crate) requests: Requests,
}

/// How requests are sent to a resolver.
#[derive(Debug, Args)]
pub(crate) struct Requests {
    /// Trust only certificates of this authority (PEM)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    cacert: Option<PathBuf>,
    /// Header field for each request, as for curl; can be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Maximum number of requests in a second to each resolver; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 20)]
    rate: u32,
    /// Time limit for one answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
}

impl Requests {
    /// Returns the options of a client that connects to this address, if there is one.
    pub(crate) fn options(&self, connect: Option<&String>) -> Result<ConformOptions, Failure> {
        Ok(ConformOptions {
            rate: self.rate,
            connect: connect.cloned(),
            authorities: self.cacert.as_deref().map(read_authorities).transpose()?,
            headers: header_fields(&self.headers)?,
            timeout: Duration::from_secs(self.timeout),
            ..ConformOptions::default()
        })
    }
}

/// A release of the resolver standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Standard {
    /// February 2024
    #[value(name = "1.0")]
    V1_0,
    /// February 2025
    #[value(name = "1.1")]
    V1_1,
    /// January 2026
    #[value(name = "1.2")]
    V1_2,
}

/// The format of a conformance report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConformFormat {
    /// Human-readable
    Text,
    /// One JSON object
    Json,
    /// JUnit XML, for continuous integration
    Junit,
    /// A self-contained HTML page
    Html,
}

/// The least obligation whose failure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Required
    Shall,
    /// Required or recommended
    Should,
}

/// Runs `fingerpost conform`.
pub(crate) fn run(args: &Conform) -> Result<ExitCode, Failure> {
    let report = examine(&args.urls, options(args)?)
        .map_err(|error| Failure::advise(error, "see `fingerpost conform --help` for examples"))?;
    let fail_on = match args.fail_on {
        FailOn::Shall => Obligation::Shall,
        FailOn::Should => Obligation::Should,
    };
    let mut out = output::stdout();
    match if args.json { ConformFormat::Json } else { args.format } {
        ConformFormat::Text => report.write_text(args.details, &mut out)?,
        ConformFormat::Json => report.write_json(&mut out)?,
        ConformFormat::Junit => report.write_junit(fail_on, &mut out)?,
        ConformFormat::Html => report.write_html(&mut out)?,
    }
    out.flush()?;
    Ok(if report.has_failures(fail_on) { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn options(args: &Conform) -> Result<ConformOptions, Failure> {
    Ok(ConformOptions {
        standard: match args.standard {
            Standard::V1_0 => Release::V1_0,
            Standard::V1_1 => Release::V1_1,
            Standard::V1_2 => Release::V1_2,
        },
        ..args.requests.options(args.connect.as_ref())?
    })
}

/// Reads a file with certificates.
fn read_authorities(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        let path = printable(&path.to_string_lossy());
        let what = format!("cannot read `{path}`: {error}");
        Failure::advise(what, "give a file with certificates in PEM")
    })
}

/// Reads header fields that are written as for curl.
fn header_fields(headers: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let fields = headers.iter().map(|header| {
        let (name, value) = header.split_once(':').ok_or_else(|| {
            let what = format!("expected `NAME: VALUE` as --header, found `{}`", printable(header));
            Failure::advise(what, "write it as for curl, such as 'Authorization: Bearer …'")
        })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    fields.collect()
}
