//! `fingerpost urn key`: converts a URN to its GS1 key (GS1 EPC Tag Data Standard, sections 6 and
//! 7; ISBN and ISSN by their GTINs).

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_gs1::{DigitalLink, EntityKey};
use fingerpost_identify::Finding;
use fingerpost_resolver::{UrnKeyError, urn_key};
use fingerpost_uri::Typed;
use fingerpost_uri::urn::{Mode, Urn};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output;
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{Refused, refuse, row, status, urn_finding, write_notes};

#[derive(Debug, Args)]
#[command(after_help = "\
Books (urn:isbn:), serials (urn:issn:) and Electronic Product Codes (urn:epc:id:…,
urn:epc:class:lgtin:…, urn:epc:idpat:sgtin:….*) have GS1 keys. Errors go to standard error.

Examples:
  fingerpost urn key urn:isbn:978-0-451-45052-4
  fingerpost urn key urn:epc:id:sgtin:0614141.112345.400")]
pub(crate) struct Key {
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// The URN
    #[arg(value_name = "URN")]
    pub(crate) urn: String,
}

pub(super) fn run(args: &Key) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let typed = Typed::new(&args.urn);
    let input = typed.text();
    let mut answer = json!({"input": input});
    write_notes(&[&typed], args.format, &mut answer);
    let key = match key_of(input) {
        Ok(key) => key,
        Err(finding) => {
            let refused = [Refused { argument: "", input, finding }];
            return refuse(&refused, Passwords::default(), args.format, answer, &mut out);
        }
    };
    let uri = format!("{}/{key}", DigitalLink::REFERENCE_STEM);
    let element_string = key.to_element_string_text();
    match args.format {
        ReportFormat::Text => {
            row(&mut out, "canonical URI", Some(&uri), "")?;
            row(&mut out, "element string", Some(&element_string), "")?;
        }
        ReportFormat::Json => {
            answer["valid"] = true.into();
            answer["canonical_uri"] = uri.into();
            answer["element_string"] = element_string.into();
            answer["elements"] = elements(&key).into();
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()?;
    Ok(status(true))
}

fn elements(key: &EntityKey) -> Vec<Value> {
    key.pairs().map(|(ai, _)| json!({"ai": ai.as_str(), "value": key.value(ai)})).collect()
}

fn key_of(input: &str) -> Result<EntityKey, Finding> {
    let urn =
        Urn::parse(input, Mode::Auto).map_err(|error| urn_finding(input, Mode::Auto, &error))?;
    urn_key(urn).map_err(|error| why_not(urn, &error))
}

/// Returns why a URN has no key, because of its namespace or its name.
fn why_not(urn: Urn<'_>, error: &UrnKeyError) -> Finding {
    let nss = urn.nss().as_str();
    let end = urn.name().len();
    let of_name = |code, message: String, help: &str| {
        Finding::of_form(code, message, help, end - nss.len()..end)
    };
    let known = "urn:isbn:, urn:issn: and the pure identities urn:epc:id:… have GS1 keys";
    match error {
        UrnKeyError::NoKey if urn.nid().eq_ignore_ascii_case("epc") => of_name(
            "NO_KEY",
            format!("expected an EPC scheme that carries a GS1 key, found \"{nss}\""),
            known,
        ),
        UrnKeyError::NoKey => {
            let start = "urn:".len();
            let nid = urn.nid();
            let message = format!("expected a namespace whose names have GS1 keys, found {nid}");
            Finding::of_form("NO_KEY", message, known, start..start + nid.len())
        }
        UrnKeyError::Invalid(error) => {
            of_name("NAMESPACE", format!("{error}, found \"{nss}\""), "")
        }
        UrnKeyError::InvalidEpc(error) => {
            let span = match error.span() {
                Some(span) if span.end <= urn.name().len() => span.range(),
                _ => end - nss.len()..end,
            };
            Finding::of_epc(error, span)
        }
        UrnKeyError::InvalidKey(error) => of_name(error.code(), error.to_string(), error.hint()),
    }
}
