//! `fingerpost urn parse`: shows the parts of URNs, and whether they are valid in their namespaces
//! (URN-PRE-05).

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use fingerpost_report::urn::{OPEN_FRAGMENT, UrnReport, has_open_fragment, namespace};
use fingerpost_uri::urn::{Mode, NameKey, NamespaceRegistry, Urn};

use super::UrnMode;
use crate::failure::Failure;
use crate::output::{ERROR, GOOD, STRONG, json_text, printable};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{note, report_each, row, warn, write_finding};

#[derive(Debug, Args)]
#[command(after_help = "\
A keyword that occurs more than once in the directives is ignored by resolvers. Known namespaces are
isbn, issn, uuid, oid, ietf, epc, nbn and example; a name that violates the rules of its namespace is
invalid.

Examples:
  fingerpost urn parse urn:isbn:0-451-45052-3
  fingerpost urn parse 'urn:example:a?s=I2L&c=ToC' 'urn:example:a?+r?=q#f'
  fingerpost urn parse --mode rfc8141 urn:example:a/b")]
pub(crate) struct Parse {
    /// Definition of URNs to use
    #[arg(long, value_enum, default_value_t = UrnMode::Auto)]
    pub(crate) mode: UrnMode,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// URNs, or references to them; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

pub(super) fn run(args: &Parse) -> Result<ExitCode, Failure> {
    let mode = args.mode.into();
    report_each(&args.inputs, args.format, |input, out| {
        let judgement = UrnReport::of(input.text(), mode);
        match args.format {
            ReportFormat::Json => {
                let mut answer = judgement.json();
                answer["notes"] = note(input).into();
                writeln!(out, "{}", json_text(&answer))?;
            }
            ReportFormat::Text => write(&judgement, out)?,
        }
        Ok(judgement.fault.is_none())
    })
}

/// Writes text for people.
fn write(judgement: &UrnReport<'_>, out: &mut impl Write) -> io::Result<()> {
    if let Some(fault) = &judgement.fault {
        write_finding(fault, judgement.input, "", Passwords::default(), out)?;
    }
    let Some(urn) = judgement.urn else {
        return writeln!(out, "{ERROR}invalid{ERROR:#} URN");
    };
    let by = match urn.mode() {
        Mode::Draft => "the draft of 2012",
        _ => "RFC 8141",
    };
    match judgement.fault {
        None => {
            let input = printable(judgement.input);
            writeln!(out, "{STRONG}{input}{STRONG:#}\n{GOOD}valid{GOOD:#} URN by {by}")?;
        }
        Some(_) => writeln!(out, "{ERROR}invalid{ERROR:#} in its namespace; URN by {by}")?,
    }
    write_parts(urn, out)
}

fn write_parts(urn: Urn<'_>, out: &mut impl Write) -> io::Result<()> {
    for lint in urn.lints() {
        warn(lint.code(), &lint.to_string(), out)?;
    }
    if has_open_fragment(urn) {
        warn(OPEN_FRAGMENT.0, OPEN_FRAGMENT.1, out)?;
    }
    let directives = urn.directives();
    for keyword in directives.duplicate_keywords() {
        let message = format!("resolvers ignore {keyword}, which stands more than once");
        warn("DUPLICATE_KEYWORD", &message, out)?;
    }
    row(out, "NID", Some(urn.nid()), namespace(urn).note())?;
    row(out, "NSS", Some(urn.nss().as_str()), "")?;
    for directive in directives.iter() {
        let is_effective = directives.effective(directive.keyword()).is_some();
        let name = format!("directive {}", directive.keyword());
        row(out, &name, Some(directive.value()), if is_effective { "" } else { "ignored" })?;
    }
    row(out, "r-component", urn.resolver_component().map(|r| r.as_str()), "")?;
    row(out, "q-component", urn.query_component().map(|q| q.as_str()), "")?;
    let fragment = if urn.mode() == Mode::Draft { "fragment" } else { "f-component" };
    row(out, fragment, urn.fragment().map(|fragment| fragment.as_str()), "")?;
    let name = NameKey::with_registry(urn, &NamespaceRegistry::builtin());
    row(out, "name", Some(name.as_str()), "preferred spelling")
}
