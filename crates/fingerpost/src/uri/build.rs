//! `fingerpost uri build`: builds a URI from data (RFC 3986, sections 2.4 and 3).

use std::io::Write;
use std::net::IpAddr;
use std::process::ExitCode;

use fingerpost_resolver::ascii_host;
use fingerpost_uri::UriBuilder;
use serde_json::json;

use crate::args::ReportFormat;
use crate::args::uri::Build;
use crate::failure::Failure;
use crate::output;
use crate::uri_report::{Refused, refuse, status, uri_finding};

pub(super) fn run(args: &Build) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let mut builder = UriBuilder::new();
    if let Some(scheme) = &args.scheme {
        builder = match builder.scheme(scheme) {
            Ok(builder) => builder,
            Err(error) => {
                let finding = uri_finding(scheme, &error);
                let refused = [Refused { argument: "scheme", input: scheme, finding }];
                return refuse(&refused, args.passwords, args.format, json!({}), &mut out);
            }
        };
    }
    let uri = with_parts(builder, args).build();
    let uri = args.passwords.of(uri.as_str());
    match args.format {
        ReportFormat::Text => writeln!(out, "{uri}")?,
        ReportFormat::Json => writeln!(out, "{}", json!({"valid": true, "uri": uri}))?,
    }
    out.flush()?;
    Ok(status(true))
}

fn with_parts(mut builder: UriBuilder, args: &Build) -> UriBuilder {
    if let Some(userinfo) = &args.userinfo {
        builder = builder.userinfo(userinfo);
    }
    if let Some(host) = &args.host {
        builder = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => builder.address(address),
            Err(_) => builder.host(&ascii_host(host).unwrap_or_else(|| host.as_str().into())),
        };
    }
    if let Some(port) = args.port {
        builder = builder.port(port);
    }
    let segments = args.segment.iter().map(String::as_str);
    builder = if args.rootless { builder.rootless(segments) } else { builder.segments(segments) };
    if let Some(query) = &args.query {
        builder = builder.query(query);
    }
    for (name, value) in &args.pair {
        builder = builder.query_pair(name, value);
    }
    match &args.fragment {
        Some(fragment) => builder.fragment(fragment),
        None => builder,
    }
}
