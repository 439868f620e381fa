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

use clap::{Args, Subcommand};
use fingerpost_uri::UriRef;

use crate::failure::Failure;
use crate::uri_report::warn;

#[derive(Debug, Args)]
#[command(after_help = "\
The rules are those of RFC 3986; `uri www` has those of the first web syntax. Quotes, angle brackets, URL:
and white space around a URI are left out. An input that begins with a hyphen follows `--`.
Exit status: 0 valid (or equal), 1 invalid (or not equal), 2 wrong usage.")]
pub(crate) struct Uri {
    #[command(subcommand)]
    pub(crate) command: UriCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UriCommand {
    /// Parse URI references, and warn about suspicious parts
    Parse(parse::Parse),
    /// Print the target of a reference
    Resolve(resolve::Resolve),
    /// Normalise step by step; the last line is the result
    Normalise(normalise::Normalise),
    /// Compare two URIs, and show which normalisation makes them equal
    Compare(compare::Compare),
    /// Find URIs in text
    Extract(extract::Extract),
    /// Build a URI from data
    Build(build::Build),
    /// Parse, resolve and compare URIs of the first web syntax (1994)
    Www(www::Www),
}

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

/// Warns if the ladder of section 6 does not apply: it is for URIs, not for relative references,
/// and URNs are never decoded for a comparison (URI-NRM-01, URN-EQV-02).
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
