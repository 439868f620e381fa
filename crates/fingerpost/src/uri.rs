//! `fingerpost uri`: parse, build, resolve, normalise, compare and find URIs (RFC 3986).
//!
//! `fingerpost-uri` does the work; this module reads the input and writes the results.

mod build;
mod compare;
mod extract;
mod normalise;
mod parse;
mod resolve;
mod www;

use std::io::{self, Write};
use std::process::ExitCode;

use fingerpost_uri::UriRef;

use crate::args::uri::UriCommand;
use crate::failure::Failure;
use crate::uri_report::warn;

/// Runs a command of `fingerpost uri`.
pub(crate) fn run(command: &UriCommand) -> Result<ExitCode, Failure> {
    match command {
        UriCommand::Parse(args) => parse::run(args),
        UriCommand::Resolve(args) => resolve::run(args),
        UriCommand::Normalise(args) => normalise::run(args),
        UriCommand::Compare(args) => compare::run(args),
        UriCommand::Extract(args) => extract::run(args),
        UriCommand::Build(args) => build::run(args),
        UriCommand::Www(args) => www::run(&args.command),
    }
}

/// Warns if the ladder of section 6 does not apply: it is for URIs, not for relative references, and URNs are never decoded for a
/// comparison (URI-NRM-01, URN-EQV-02).
fn warn_of_ladder(uri: UriRef<'_>, out: &mut impl Write) -> io::Result<()> {
    match uri.scheme() {
        None => warn(
            "RELATIVE_REFERENCE",
            "a relative reference means nothing without its base; resolve it first",
            out,
        ),
        Some(scheme) if scheme.eq_ignore_ascii_case("urn") => warn(
            "NAME",
            "as a name this may be another one than its normal form; use `fingerpost urn compare`",
            out,
        ),
        Some(_) => Ok(()),
    }
}
