//! `fingerpost urn build`: builds a URN from data (URN draft of 2012, sections 2.2, 2.5 and 3).

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_uri::urn::{Mode, NamespaceRegistry, UrnBuf, UrnErrorKind};
use serde_json::json;

use crate::failure::Failure;
use crate::output;
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{Refused, refuse, status, urn_finding};
use fingerpost_report::urn::namespace_fault;

#[derive(Debug, Args)]
#[command(after_help = "\
NAME is data: characters that a name cannot contain, and those to which the namespace gives a meaning, are
percent-encoded, also % itself. A name that violates the rules of a known namespace is refused.

Examples:
  fingerpost urn build example 'café 50%'
  fingerpost urn build isbn 0-451-45052-3")]
pub(crate) struct Build {
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// Namespace identifier
    #[arg(value_name = "NID")]
    pub(crate) nid: String,
    /// The name within the namespace
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

pub(super) fn run(args: &Build) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let answer = json!({"nid": args.nid, "name": args.name});
    let urn = match UrnBuf::build(&args.nid, &args.name, &NamespaceRegistry::builtin()) {
        Ok(urn) => urn,
        Err(error) => {
            let text = format!("urn:{}:{}", args.nid, args.name);
            let argument = match error.kind() {
                UrnErrorKind::Nid | UrnErrorKind::ReservedNid => "nid",
                _ => "name",
            };
            let finding = urn_finding(&text, Mode::Rfc8141, &error);
            return refuse(
                &[Refused { argument, input: &text, finding }],
                Passwords::default(),
                args.format,
                answer,
                &mut out,
            );
        }
    };
    let fault = namespace_fault(urn.as_urn());
    if let Some(finding) = fault {
        return refuse(
            &[Refused { argument: "name", input: urn.as_str(), finding }],
            Passwords::default(),
            args.format,
            answer,
            &mut out,
        );
    }
    match args.format {
        ReportFormat::Text => writeln!(out, "{urn}")?,
        ReportFormat::Json => writeln!(out, "{}", json!({"valid": true, "urn": urn.as_str()}))?,
    }
    out.flush()?;
    Ok(status(true))
}
