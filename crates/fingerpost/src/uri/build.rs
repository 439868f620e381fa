//! `fingerpost uri build`: builds a URI from data (RFC 3986, sections 2.4 and 3).

use std::io::Write;
use std::net::{IpAddr, Ipv6Addr};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_identify::Finding;
use fingerpost_resolver::ascii_host;
use fingerpost_uri::UriBuilder;
use serde_json::json;

use crate::failure::Failure;
use crate::output;
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{Refused, refuse, status, uri_finding};

#[derive(Debug, Args)]
#[command(after_help = "\
Every argument is data: characters that would delimit something are percent-encoded, also % itself. User
and port are written only with a host. An IPv6 address with a zone, such as fe80::1%eth0, is refused. Without --scheme the result is a relative reference.

Examples:
  fingerpost uri build --scheme https --host id.example.org --segment 01 --segment 09520123456788
  fingerpost uri build --scheme mailto --rootless --segment me@example.org
  fingerpost uri build --segment 'a/b' --pair 'name=R & D' --fragment top")]
pub(crate) struct Build {
    /// Scheme
    #[arg(long)]
    pub(crate) scheme: Option<String>,
    /// User information
    #[arg(long, value_name = "TEXT", requires = "host")]
    pub(crate) userinfo: Option<String>,
    /// Host: a name or an IP address
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Hostname)]
    pub(crate) host: Option<String>,
    /// Port
    #[arg(long, requires = "host")]
    pub(crate) port: Option<u16>,
    /// Path segment; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) segment: Vec<String>,
    /// Begin the path without a slash
    #[arg(long)]
    pub(crate) rootless: bool,
    /// Query as a whole
    #[arg(long, value_name = "TEXT", conflicts_with = "pair")]
    pub(crate) query: Option<String>,
    /// Pair of the query; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) pair: Vec<(String, String)>,
    /// Fragment
    #[arg(long, value_name = "TEXT")]
    pub(crate) fragment: Option<String>,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected a name, = and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}

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
    if let Some(finding) = args.host.as_deref().and_then(zone_finding) {
        let input = args.host.as_deref().unwrap_or_default();
        let refused = [Refused { argument: "host", input, finding }];
        return refuse(&refused, args.passwords, args.format, json!({}), &mut out);
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

/// Returns why an IPv6 address with a zone, such as `fe80::1%eth0`, is no host: the zone means
/// something on one machine only (RFC 4007, section 11.2), and RFC 3986 has no place for it.
fn zone_finding(host: &str) -> Option<Finding> {
    let (address, _) = host.trim_matches(['[', ']']).split_once('%')?;
    address.parse::<Ipv6Addr>().ok()?;
    let start = host.find('%')?;
    Some(Finding::of_form(
        "ZONE",
        "expected a host, found an IPv6 address with a zone, which no URI can hold",
        format!("leave out the zone: {address}"),
        start..host.trim_end_matches(']').len(),
    ))
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
