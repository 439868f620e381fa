//! `fingerpost uri parse`: shows the components of references (RFC 3986, section 3), with warnings about suspicious parts
//! (section 7).

use std::io::{self, Write};
use std::process::ExitCode;

use fingerpost_identify::Finding;
use fingerpost_uri::{Authority, HostKind, ReferenceKind, UriRef};
use serde_json::{Value, json};

use crate::args::ReportFormat;
use crate::args::uri::Parse;
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, STRONG, printable};
use crate::uri_report::{finding_json, judge_each, row, uri_finding, warn, write_finding};

pub(super) fn run(args: &Parse) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let mut is_first = true;
    let status = judge_each(&args.inputs, |input| {
        let parsed = UriRef::parse(input).map_err(|error| uri_finding(input, &error));
        match args.format {
            ReportFormat::Json => writeln!(out, "{}", json(input, &parsed))?,
            ReportFormat::Text => {
                if !is_first {
                    writeln!(out)?;
                }
                match &parsed {
                    Ok(uri) => write_parts(*uri, &mut out)?,
                    Err(finding) => {
                        write_finding(finding, input, "", &mut out)?;
                        writeln!(out, "{ERROR}invalid{ERROR:#} URI reference")?;
                    }
                }
            }
        }
        is_first = false;
        Ok(parsed.is_ok())
    })?;
    out.flush()?;
    Ok(status)
}

fn write_parts(uri: UriRef<'_>, out: &mut impl Write) -> io::Result<()> {
    let (_, kind) = kind(uri);
    writeln!(out, "{STRONG}{}{STRONG:#}\n{GOOD}valid{GOOD:#} {kind}", printable(uri.as_str()))?;
    for lint in uri.lints() {
        warn(lint.code(), &lint.to_string(), out)?;
    }
    row(out, "scheme", uri.scheme(), "")?;
    if let Some(authority) = uri.authority() {
        row(out, "authority", Some(authority.as_str()), "")?;
        row(out, "  userinfo", authority.userinfo().map(|userinfo| userinfo.as_str()), "")?;
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

fn json(input: &str, parsed: &Result<UriRef<'_>, Finding>) -> Value {
    let uri = match parsed {
        Err(finding) => {
            return json!({"input": input, "valid": false, "faults": [finding_json(finding)]});
        }
        Ok(uri) => uri,
    };
    let authority = uri.authority();
    let lint =
        |lint: fingerpost_uri::UriLint| json!({"code": lint.code(), "message": lint.to_string()});
    json!({
        "input": input,
        "valid": true,
        "faults": [],
        "kind": kind(*uri).0,
        "scheme": uri.scheme(),
        "authority": authority.map(Authority::as_str),
        "userinfo": authority.and_then(Authority::userinfo).map(|userinfo| userinfo.as_str()),
        "host": authority.map(Authority::host_text),
        "host_kind": authority.map(|authority| host_kind(authority).0),
        "port": authority.and_then(Authority::port),
        "path": uri.path().as_str(),
        "path_form": uri.path().form().as_str(),
        "query": uri.query().map(|query| query.as_str()),
        "fragment": uri.fragment().map(|fragment| fragment.as_str()),
        "lints": uri.lints().map(lint).collect::<Vec<_>>(),
    })
}

/// Returns the names of the kind of reference, for JSON and for text.
fn kind(uri: UriRef<'_>) -> (&'static str, &'static str) {
    match uri.kind() {
        ReferenceKind::Uri => ("uri", "URI"),
        ReferenceKind::NetworkPath => ("network-path", "network-path reference"),
        ReferenceKind::AbsolutePath => ("absolute-path", "absolute-path reference"),
        ReferenceKind::RelativePath => ("relative-path", "relative-path reference"),
    }
}

/// Returns the names of the kind of host, for JSON and for text.
fn host_kind(authority: Authority<'_>) -> (&'static str, &'static str) {
    match authority.host_kind() {
        HostKind::Ipv4 => ("ipv4", "IPv4 address"),
        HostKind::Ipv6 => ("ipv6", "IPv6 address"),
        HostKind::IpvFuture => ("ipvfuture", "IP address of a version to come"),
        HostKind::RegName => ("reg-name", "registered name"),
    }
}
