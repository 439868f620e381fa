//! `fingerpost urn parse`: shows the parts of URNs, and whether they are valid in their namespaces
//! (URN-PRE-05).

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use fingerpost_identify::Finding;
use fingerpost_uri::urn::{Directive, Mode, NameKey, NamespaceRegistry, Urn, UrnLint};
use serde_json::{Value, json};

use super::UrnMode;
use crate::failure::Failure;
use crate::output::{ERROR, GOOD, STRONG, printable};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{finding_json, note, report_each, row, urn_finding, warn, write_finding};

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
        let judgement = Judgement::of(input.text(), mode);
        match args.format {
            ReportFormat::Json => {
                let mut answer = judgement.json();
                answer["notes"] = note(input).into();
                writeln!(out, "{answer}")?;
            }
            ReportFormat::Text => judgement.write(out)?,
        }
        Ok(judgement.fault.is_none())
    })
}

struct Judgement<'a> {
    input: &'a str,
    /// `None`: it is not a URN.
    urn: Option<Urn<'a>>,
    /// It is not a URN, or not valid in its namespace.
    fault: Option<Finding>,
}

impl<'a> Judgement<'a> {
    fn of(input: &'a str, mode: Mode) -> Self {
        match Urn::parse(input, mode) {
            Ok(urn) => Self { input, urn: Some(urn), fault: namespace_fault(urn) },
            Err(error) => Self { input, urn: None, fault: Some(urn_finding(input, mode, &error)) },
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        if let Some(fault) = &self.fault {
            write_finding(fault, self.input, "", Passwords::default(), out)?;
        }
        let Some(urn) = self.urn else {
            return writeln!(out, "{ERROR}invalid{ERROR:#} URN");
        };
        let by = match urn.mode() {
            Mode::Draft => "the draft of 2012",
            _ => "RFC 8141",
        };
        match self.fault {
            None => {
                let input = printable(self.input);
                writeln!(out, "{STRONG}{input}{STRONG:#}\n{GOOD}valid{GOOD:#} URN by {by}")?;
            }
            Some(_) => writeln!(out, "{ERROR}invalid{ERROR:#} in its namespace; URN by {by}")?,
        }
        write_parts(urn, out)
    }

    fn json(&self) -> Value {
        let faults: Vec<Value> = self.fault.iter().map(finding_json).collect();
        let mut value =
            json!({"input": self.input, "valid": self.fault.is_none(), "faults": faults});
        let Some(urn) = self.urn else { return value };
        let directives = urn.directives();
        let pair = |directive: Directive<'_>| json!([directive.keyword(), directive.value()]);
        let of_query = |list: Vec<Value>| urn.query().map(|_| list);
        let lint = |lint: UrnLint| json!({"code": lint.code(), "message": lint.to_string()});
        let mut lints: Vec<Value> = urn.lints().map(lint).collect();
        if has_open_fragment(urn) {
            lints.push(json!({"code": OPEN_FRAGMENT.0, "message": OPEN_FRAGMENT.1}));
        }
        let parts = json!({
            "mode": if urn.mode() == Mode::Draft { "draft" } else { "rfc8141" },
            "nid": urn.nid(),
            "nss": urn.nss().as_str(),
            "query": urn.query(),
            "directives": of_query(directives.iter().map(pair).collect()),
            "duplicate_keywords": directives.duplicate_keywords().collect::<Vec<_>>(),
            "effective": of_query(directives.iter_effective().map(pair).collect()),
            "r": urn.resolver_component().map(|r| r.as_str()),
            "q": urn.query_component().map(|q| q.as_str()),
            "fragment": urn.fragment().map(|fragment| fragment.as_str()),
            "namespace": namespace(urn),
            "name": NameKey::with_registry(urn, &NamespaceRegistry::builtin()).as_str(),
            "lints": lints,
        });
        if let (Value::Object(value), Value::Object(parts)) = (&mut value, parts) {
            value.extend(parts);
        }
        value
    }
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

/// The namespace's rules applied to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum NamespaceCheck {
    /// No rules are known.
    Unknown,
    Fits,
    Refuses,
}

impl NamespaceCheck {
    fn note(self) -> &'static str {
        match self {
            Self::Unknown => "rules of the namespace not known",
            Self::Fits => "the name fits the namespace",
            Self::Refuses => "the namespace refuses the name",
        }
    }
}

fn namespace(urn: Urn<'_>) -> NamespaceCheck {
    match NamespaceRegistry::builtin().namespace(urn.nid()) {
        None => NamespaceCheck::Unknown,
        Some(namespace) if namespace.validate_nss(urn.nss().as_str()).is_ok() => {
            NamespaceCheck::Fits
        }
        Some(_) => NamespaceCheck::Refuses,
    }
}

/// Returns the fault of a name, or of a fragment that its namespace does not admit (URN-FRG-01).
pub(super) fn namespace_fault(urn: Urn<'_>) -> Option<Finding> {
    let registry = NamespaceRegistry::builtin();
    let nss = urn.nss().as_str();
    let end = urn.name().len();
    if let Err(error) = registry.namespace(urn.nid())?.validate_nss(nss) {
        let message = format!("{error}, found \"{nss}\"");
        return Some(Finding::of_form("NAMESPACE", message, "", end - nss.len()..end));
    }
    let error = registry.check(urn).err()?;
    let fragment = urn.fragment()?.as_str();
    let message = format!("{error}, found \"#{fragment}\"");
    let hint = "remove the fragment, or use --mode rfc8141, which permits one";
    let end = urn.as_str().len();
    Some(Finding::of_form("FRAGMENT", message, hint, end - fragment.len() - 1..end))
}

/// Returns whether the draft admits the fragment of a name only if its namespace does, which is not
/// known.
fn has_open_fragment(urn: Urn<'_>) -> bool {
    let is_known = NamespaceRegistry::builtin().namespace(urn.nid()).is_some();
    urn.mode() == Mode::Draft && urn.fragment().is_some() && !is_known
}

const OPEN_FRAGMENT: (&str, &str) = (
    "FRAGMENT_UNKNOWN",
    "expected no fragment unless the namespace admits one (draft of 2012, section 2.4), and its rules are not known",
);
