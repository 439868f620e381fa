//! `fingerpost uri resolve`: prints the target of a reference (RFC 3986, section 5), and nothing else.

use std::io::Write;
use std::process::ExitCode;

use fingerpost_uri::{ResolveOptions, Uri, UriRef};
use serde_json::json;

use crate::args::ReportFormat;
use crate::args::uri::Resolve;
use crate::failure::Failure;
use crate::output;
use crate::uri_report::{Refused, refuse, status, uri_finding};

pub(super) fn run(args: &Resolve) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let strict = !args.non_strict;
    let mut answer = json!({"base": args.base, "ref": args.reference, "strict": strict});
    let (base, reference) = match (Uri::parse(&args.base), UriRef::parse(&args.reference)) {
        (Ok(base), Ok(reference)) => (base, reference),
        (base, reference) => {
            let faults =
                [("base", &args.base, base.err()), ("ref", &args.reference, reference.err())];
            let refused = faults.iter().filter_map(|(argument, input, error)| {
                let finding = uri_finding(input, error.as_ref()?);
                Some(Refused { argument, input, finding })
            });
            return refuse(&refused.collect::<Vec<_>>(), args.format, answer, &mut out);
        }
    };
    let mut target = String::new();
    let underflow = reference.resolve_into(base, ResolveOptions::new().strict(strict), &mut target);
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
