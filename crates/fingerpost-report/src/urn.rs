//! The parts of a name, and whether it is valid in its namespace (URN-PRE-05).

use fingerpost_identify::Finding;
use fingerpost_uri::urn::{Directive, Mode, NameKey, NamespaceRegistry, Urn, UrnLint};
use serde_json::{Value, json};

use crate::finding::{finding_json, urn_finding};

/// What is known about a name.
#[derive(Debug)]
pub struct UrnReport<'a> {
    /// The name.
    pub input: &'a str,
    /// Its parts; `None` if it is not a URN.
    pub urn: Option<Urn<'a>>,
    /// Why it is not a URN, or not valid in its namespace.
    pub fault: Option<Finding>,
}

impl<'a> UrnReport<'a> {
    /// Reads a name by the rules of `mode`.
    #[must_use]
    pub fn of(input: &'a str, mode: Mode) -> Self {
        match Urn::parse(input, mode) {
            Ok(urn) => Self { input, urn: Some(urn), fault: namespace_fault(urn) },
            Err(error) => Self { input, urn: None, fault: Some(urn_finding(input, mode, &error)) },
        }
    }

    /// Returns the report as a JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
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

/// The namespace's rules applied to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamespaceCheck {
    /// No rules are known.
    Unknown,
    /// The name is valid.
    Fits,
    /// The name is not valid.
    Refuses,
}

impl NamespaceCheck {
    /// Returns the result in words.
    #[must_use]
    pub fn note(self) -> &'static str {
        match self {
            Self::Unknown => "rules of the namespace not known",
            Self::Fits => "the name fits the namespace",
            Self::Refuses => "the namespace refuses the name",
        }
    }
}

/// Applies the rules of its namespace to a name.
#[must_use]
pub fn namespace(urn: Urn<'_>) -> NamespaceCheck {
    match NamespaceRegistry::builtin().namespace(urn.nid()) {
        None => NamespaceCheck::Unknown,
        Some(namespace) if namespace.validate_nss(urn.nss().as_str()).is_ok() => {
            NamespaceCheck::Fits
        }
        Some(_) => NamespaceCheck::Refuses,
    }
}

/// Returns the fault of a name, or of a fragment that its namespace does not admit (URN-FRG-01).
#[must_use]
pub fn namespace_fault(urn: Urn<'_>) -> Option<Finding> {
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
#[must_use]
pub fn has_open_fragment(urn: Urn<'_>) -> bool {
    let is_known = NamespaceRegistry::builtin().namespace(urn.nid()).is_some();
    urn.mode() == Mode::Draft && urn.fragment().is_some() && !is_known
}

/// The warning about such a fragment: its code and its message.
pub const OPEN_FRAGMENT: (&str, &str) = (
    "FRAGMENT_UNKNOWN",
    "expected no fragment unless the namespace admits one (draft of 2012, section 2.4), and its rules are not known",
);
