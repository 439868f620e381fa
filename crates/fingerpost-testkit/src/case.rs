//! The case file, parsed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Ask;

/// One case: stored records, configuration, request and expected answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Short name, unique.
    pub id: String,
    /// Description of what it demonstrates; may be empty.
    pub title: String,
    /// Ids of the requirements it demonstrates.
    pub requirements: Vec<String>,
    /// `normative`, `recommended`, `official-suite` or `project`.
    pub basis: String,
    /// Settings that override the defaults; `fault` is an instruction to the test.
    #[serde(default)]
    pub config: Map<String, Value>,
    /// Records that are stored first.
    pub stored: Vec<Value>,
    /// The rule that the stored records break intentionally.
    pub stored_breaks: Option<String>,
    /// The request.
    pub request: Operation,
    /// The expectation.
    pub expected: Expected,
}

/// The action of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "operation", rename_all = "lowercase", deny_unknown_fields)]
pub enum Operation {
    /// Sends a request.
    Resolve {
        /// Method.
        method: String,
        /// Raw path.
        path: String,
        /// Raw query; `None` without a question mark.
        query: Option<String>,
        /// Exactly these headers.
        headers: BTreeMap<String, String>,
    },
    /// Offers a record for registration.
    Register {
        /// The record.
        record: Value,
    },
}

/// The expectation of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// For a registration.
    Registration {
        /// Whether the record is accepted.
        accepted: bool,
        /// The reason for a refusal, in words.
        reason: Option<String>,
    },
    /// For a request.
    Answer(Box<Outcome>),
}

/// The expected answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Status code.
    pub status: u16,
    /// `Location`, compared as text.
    pub location: Option<String>,
    /// Media type of the body.
    pub content_type: Option<String>,
    /// Contents of the linkset in the body.
    pub linkset: Option<ExpectedLinkset>,
    /// Expectations in words, by header.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Expectation of the body in words.
    pub body: Option<String>,
    /// Further expectations.
    #[serde(default)]
    pub checks: Checks,
}

/// Contents of a linkset.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedLinkset {
    /// Anchors of the context objects, in this order.
    pub anchors: Vec<String>,
    /// Every target in the body, with repeats.
    pub hrefs_in_any_order: Vec<String>,
    /// Whether the body may have another form.
    pub may_be_absent: bool,
}

/// Further expectations.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Checks {
    /// The target is another host.
    pub location_not_on_this_resolver: bool,
    /// There is no `Location`.
    pub no_location_header: bool,
    /// The status is one of these; the one expected above is the one that fingerpost sends.
    pub status_any_of: Option<Vec<u16>>,
}

impl Case {
    /// Returns the request to send; `None` for a registration.
    pub fn ask(&self) -> Option<Ask> {
        let Operation::Resolve { method, path, query, headers } = &self.request else {
            return None;
        };
        let target = query.as_ref().map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Some(Ask { method: method.clone(), target, headers })
    }

    /// Returns the expected answer; `None` for a registration.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.expected {
            Expected::Answer(outcome) => Some(outcome),
            Expected::Registration { .. } => None,
        }
    }

    /// Returns whether the store must fail.
    ///
    /// # Panics
    ///
    /// If the test does not know the instruction in `fault`.
    pub fn store_fails(&self) -> bool {
        match self.config.get("fault").and_then(Value::as_str) {
            None => false,
            Some("store_unavailable") => true,
            Some(other) => panic!("{}: unknown fault {other}", self.id),
        }
    }

    /// Returns the resolver root of the case.
    pub fn resolver_root(&self) -> &str {
        self.config.get("resolver_root").and_then(Value::as_str).unwrap_or(DEFAULT_ROOT)
    }

    /// Returns the configuration of the case as TOML: its settings over the defaults of the case
    /// file.
    ///
    /// # Panics
    ///
    /// If a setting cannot be written as TOML; no case has one.
    pub fn config_toml(&self) -> String {
        let mut settings = self.config.clone();
        settings.remove("fault");
        settings.retain(|_, value| !value.is_null());
        settings.entry("resolver_root").or_insert_with(|| DEFAULT_ROOT.into());
        let table = toml::Value::try_from(settings).expect("settings have a form in TOML");
        toml::to_string(&table).expect("a table has a form in TOML")
    }
}

/// `resolver_root` of the defaults of the case file.
const DEFAULT_ROOT: &str = "https://id.example.org";

/// Returns all cases of `testdata/resolver-examples.json`.
///
/// # Panics
///
/// If the file is missing or does not have the form described here.
pub fn all_cases() -> Vec<Case> {
    #[derive(Deserialize)]
    struct CaseFile {
        case_count: usize,
        cases: Vec<Case>,
    }
    let path = testdata("resolver-examples.json");
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file: CaseFile = serde_json::from_slice(&text).expect("the form of the case file");
    assert_eq!(file.cases.len(), file.case_count, "the case file says how many cases it holds");
    file.cases
}

pub(crate) fn testdata(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}
