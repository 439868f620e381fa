//! The arguments of `fingerpost convert`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use fingerpost_epc::{Hostname, Scheme};
use fingerpost_identify::OutputForm;

use super::check::{Passwords, Readings};

#[derive(Debug, Args)]
#[command(after_help = "\
INPUT is anything that `fingerpost check` recognises: a GS1 Digital Link URI (also with EPC bits, or
compressed as in Digital Link 1.1), an element string, scan data, a GTIN, an SSCC, an EPC URN, an EPC
Tag URI, and EPC bits as hexadecimal digits or base64url.

URNs and most tags separate company prefix and reference, element strings do not: give the length of the
prefix with --gcp-length or --gcp-table. It is never guessed. Schemes with + do not need it.

With - as INPUT there is exactly one output line per input line, empty if the input is refused.
Exit status: 0 all converted, 1 some refused, 2 wrong usage.

Examples:
  fingerpost convert 3066c4409047e14000001a85 --to digital-link
  fingerpost convert 'http://example.com/01/09520123456788?3103=000195&15=261231' --to canonical
  fingerpost convert '(01)09506000134352(21)6789' --to epc-hex --gcp-length 11 --filter 3
  fingerpost convert '(01)09506000134352(21)6789' --to epc-link --scheme SGTIN+
  fingerpost convert https://example.com/DBHKVAdpQgowOQ --to json
  fingerpost convert - --to digital-link < tags.txt > links.txt")]
pub(crate) struct Convert {
    /// Read, scanned or typed input; `-` reads lines from standard input
    #[arg(value_name = "INPUT", allow_hyphen_values = true)]
    pub(crate) input: String,
    /// Form to convert to
    #[arg(long, value_parser = forms(), value_name = "FORM")]
    pub(crate) to: WrittenForm,
    /// Number of digits of the company prefix
    #[arg(long, value_name = "N", conflicts_with = "gcp_table")]
    #[arg(value_parser = clap::value_parser!(u8).range(4..=12))]
    pub(crate) gcp_length: Option<u8>,
    /// Lengths of company prefixes: the GCPPrefixFormatList (JSON) published by GS1
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) gcp_table: Option<PathBuf>,
    /// Filter value of the EPC [default: from the input, or 0]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=63))]
    pub(crate) filter: Option<u8>,
    /// EPC scheme, such as SGTIN-96 or SGTIN+ [default: from the input, or the shortest classic one]
    #[arg(long, value_parser = scheme)]
    pub(crate) scheme: Option<Scheme>,
    /// Beginning of Digital Link URIs [default: from the input, or https://id.gs1.org]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) stem: Option<String>,
    /// Host name of the brand, for schemes with ++
    #[arg(long, value_name = "NAME", value_parser = hostname, value_hint = ValueHint::Hostname)]
    pub(crate) hostname: Option<Hostname>,
    #[command(flatten)]
    pub(crate) readings: Readings,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Leave out elements that an EPC cannot hold instead of refusing them
    #[arg(long)]
    pub(crate) lossy: bool,
}

/// A form to write, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenForm {
    One(OutputForm),
    Json,
}

/// Returns the parser of `--to`.
fn forms() -> impl TypedValueParser<Value = WrittenForm> {
    let forms = OutputForm::ALL.iter();
    let values = forms.map(|form| PossibleValue::new(form.code()).help(form.description()));
    let json = PossibleValue::new("json").help("All forms, as one JSON object");
    PossibleValuesParser::new(values.chain([json])).map(|name| {
        let form = OutputForm::ALL.iter().find(|form| form.code() == name);
        form.map_or(WrittenForm::Json, |form| WrittenForm::One(*form))
    })
}

fn scheme(name: &str) -> Result<Scheme, String> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = Scheme::all().map(Scheme::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn hostname(name: &str) -> Result<Hostname, String> {
    name.parse().map_err(|error: fingerpost_epc::Error| error.to_string())
}
