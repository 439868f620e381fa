//! `fingerpost uri`: parse, resolve, normalise, compare and find URIs (RFC 3986).
//!
//! All knowledge is that of `fingerpost-uri`; here is how it is asked and how the answers are written.

mod compare;
mod extract;
mod normalise;
mod parse;
mod resolve;

use std::io::{self, Write};
use std::process::ExitCode;

use fingerpost_uri::UriRef;

use crate::args::uri::UriCommand;
use crate::failure::Failure;
use crate::uri_report::warn;

/// Carries out a command of `fingerpost uri`.
///
/// # Errors
/// That an input cannot be read or the output not be written.
pub(crate) fn run(command: &UriCommand) -> Result<ExitCode, Failure> {
    match command {
        UriCommand::Parse(args) => parse::run(args),
        UriCommand::Resolve(args) => resolve::run(args),
        UriCommand::Normalise(args) => normalise::run(args),
        UriCommand::Compare(args) => compare::run(args),
        UriCommand::Extract(args) => extract::run(args),
    }
}

/// Warns where the ladder of section 6 is the wrong means: it is made for URIs, not for relative references, and
/// URNs are never decoded when they are compared (URI-NRM-01, URN-EQV-02).
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
