//! `fingerpost uri parse`: shows the components of references (RFC 3986, section 3), with warnings
//! about suspicious parts (section 7).

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use fingerpost_report::{host_kind, kind, uri_json};
use fingerpost_uri::UriRef;

use crate::failure::Failure;
use crate::output::{ERROR, GOOD, NOTE, STRONG, json_text, printable};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{report_each, row, uri_finding, warn, write_finding};

#[derive(Debug, Args)]
#[command(after_help = "\
Undefined components are left out (in JSON: null); an empty component is shown as <empty>. Warnings
do not make a reference invalid.

Examples:
  fingerpost uri parse 'https://[2001:db8::1]:8443/a/b?x=1#top'
  fingerpost uri parse http://bank.example@203.0.113.9/ //example.org ../a
  fingerpost uri parse --format json - < links.txt")]
pub(crate) struct Parse {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// URIs or relative references; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

pub(super) fn run(args: &Parse) -> Result<ExitCode, Failure> {
    let passwords = args.passwords;
    report_each(&args.inputs, args.format, |typed, out| {
        let input = typed.text();
        let parsed = UriRef::parse(input).map_err(|error| uri_finding(input, &error));
        match (args.format, &parsed) {
            (ReportFormat::Json, _) => {
                let value = uri_json(typed, &parsed, passwords.are_shown());
                writeln!(out, "{}", json_text(&value))?;
            }
            (ReportFormat::Text, Ok(uri)) => write_parts(*uri, passwords, out)?,
            (ReportFormat::Text, Err(finding)) => {
                write_finding(finding, input, "", passwords, out)?;
                writeln!(out, "{ERROR}invalid{ERROR:#} URI reference")?;
            }
        }
        Ok(parsed.is_ok())
    })
}

fn write_parts(uri: UriRef<'_>, passwords: Passwords, out: &mut impl Write) -> io::Result<()> {
    let (_, kind) = kind(uri);
    let text = printable(&passwords.of(uri.as_str()));
    writeln!(out, "{STRONG}{text}{STRONG:#}\n{GOOD}valid{GOOD:#} {kind}")?;
    for lint in uri.lints() {
        warn(lint.code(), &lint.to_string(), out)?;
    }
    row(out, "scheme", uri.scheme(), "")?;
    if let Some(authority) = uri.authority() {
        row(out, "authority", Some(&passwords.of_authority(authority.as_str())), "")?;
        let userinfo = authority.userinfo().map(|text| passwords.of_userinfo(text.as_str()));
        row(out, "  userinfo", userinfo.as_deref(), "")?;
        row(out, "  host", Some(authority.host_text()), host_kind(authority).1)?;
        row(out, "  port", authority.port(), "")?;
    }
    let form = format!("path-{}", uri.path().form().as_str());
    row(out, "path", Some(uri.path().as_str()), &form)?;
    row(out, "query", uri.query().map(|query| query.as_str()), "")?;
    row(out, "fragment", uri.fragment().map(|fragment| fragment.as_str()), "")?;
    if uri.scheme().is_some_and(|scheme| scheme.eq_ignore_ascii_case("urn")) {
        writeln!(out, "  {NOTE}help{NOTE:#}: `fingerpost urn parse` knows more about names")?;
    }
    Ok(())
}
