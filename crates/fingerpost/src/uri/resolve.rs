//! `fingerpost uri resolve`: prints the target of a reference (RFC 3986, section 5), and nothing
//! else.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_uri::{ResolveOptions, Typed, Uri, UriRef};
use serde_json::json;

use crate::failure::Failure;
use crate::output;
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{both, refuse, status, uri_finding, write_notes};

#[derive(Debug, Args)]
#[command(after_help = "\
Errors go to standard error; standard output holds the target or nothing.

Examples:
  fingerpost uri resolve 'http://a/b/c/d;p?q' ../g         prints http://a/b/g
  fingerpost uri resolve --non-strict http://a/b/c http:g  prints http://a/b/g")]
pub(crate) struct Resolve {
    /// Ignore the scheme of a reference if it is that of the base, as in old data
    #[arg(long)]
    pub(crate) non_strict: bool,
    /// Treat %2e as a dot when dot-segments are removed
    #[arg(long)]
    pub(crate) decode_dots: bool,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// The base URI; its fragment is ignored
    #[arg(value_name = "BASE")]
    pub(crate) base: String,
    /// The reference to resolve
    #[arg(value_name = "REFERENCE")]
    pub(crate) reference: String,
}

pub(super) fn run(args: &Resolve) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let strict = !args.non_strict;
    let typed = [Typed::new(&args.base), Typed::new(&args.reference)];
    let [base, reference] = typed.each_ref().map(Typed::text);
    let shown = |text| args.passwords.of(text);
    let mut answer = json!({"base": shown(base), "ref": shown(reference), "strict": strict});
    write_notes(&typed.each_ref(), args.format, &mut answer);
    let read = (Uri::parse(base), UriRef::parse(reference));
    let (base, reference) = match both([("base", base), ("ref", reference)], read, uri_finding) {
        Ok(read) => read,
        Err(refused) => return refuse(&refused, args.passwords, args.format, answer, &mut out),
    };
    let mut target = String::new();
    let options = ResolveOptions::new().strict(strict).decode_dots(args.decode_dots);
    let underflow = reference.resolve_into(base, options, &mut target);
    let target = args.passwords.of(&target);
    match args.format {
        ReportFormat::Text => writeln!(out, "{target}")?,
        ReportFormat::Json => {
            answer["valid"] = true.into();
            answer["target"] = target.into();
            // Number of `..` that led above the root (URI-RES-16).
            answer["underflow"] = underflow.into();
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()?;
    Ok(status(true))
}
