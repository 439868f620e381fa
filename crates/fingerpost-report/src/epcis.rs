//! Identifiers of an EPCIS document in JSON or JSON-LD (EPCIS 2.0, section 10): where they are, and
//! their check.
//!
//! The document is read as a stream, so its size does not matter. Members are recognised by name
//! wherever they are: capture documents, query results, bare events and lists of events are read
//! alike. Whether the rest of the document is as EPCIS demands is for its JSON Schema.

mod reading;

use std::fmt;
use std::io;

use fingerpost_identify::{Finding, InputForm, Inspection, Item, inspect_with};
use fingerpost_uri::Uri;
use serde_json::Value;

use crate::check;
use crate::finding::uri_finding;
use crate::reader::Reader;

pub use self::reading::read_identifiers;

/// What an identifier names in an EPCIS event (EPCIS 2.0, section 7.3; CBV 2.0, section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpcisRole {
    /// A single object: `epcList`, `childEPCs`, `inputEPCList`, `outputEPCList`, `parentID`.
    Instance,
    /// A class of objects: `epcClass` of a quantity list.
    Class,
    /// A place: the `id` of `readPoint` and `bizLocation`.
    Location,
    /// Anything else that can have a GS1 key: parties, documents, devices, master data.
    Other,
}

impl EpcisRole {
    /// Returns the role of a string in the member `name` of an object that is in the member
    /// `within`, perhaps in a list; `None` if it is not an identifier.
    fn of(within: &str, name: &str) -> Option<Self> {
        Some(match (within, name) {
            (_, "epcList" | "childEPCs" | "inputEPCList" | "outputEPCList" | "parentID") => {
                Self::Instance
            }
            (
                "quantityList" | "childQuantityList" | "inputQuantityList" | "outputQuantityList",
                "epcClass",
            ) => Self::Class,
            ("readPoint" | "bizLocation", "id" | "@id") => Self::Location,
            ("sourceList", "source")
            | ("destinationList", "destination")
            | ("bizTransactionList", "bizTransaction")
            | (_, "transformationID")
            | ("sensorMetadata" | "sensorReport", "deviceID")
            | ("sensorMetadata", "rawData")
            | ("vocabularyElementList", "id" | "@id" | "children") => Self::Other,
            _ => return None,
        })
    }

    /// Returns the machine-readable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Instance => "instance",
            Self::Class => "class",
            Self::Location => "location",
            Self::Other => "other",
        }
    }
}

/// A place in an EPCIS document that holds an identifier.
#[derive(Clone, Copy, Debug)]
pub struct EpcisPlace<'a> {
    /// JSON pointer to the identifier (RFC 6901).
    pub pointer: &'a str,
    /// The line on which it ends, from 1.
    pub line: u64,
    /// What it names.
    pub role: EpcisRole,
    /// The identifier as written.
    pub text: &'a str,
}

/// The reason why a document cannot be read to its end.
#[derive(Debug)]
pub enum EpcisError {
    /// The input cannot be read.
    Input(io::Error),
    /// The input is not JSON, or a token is too long; with line and column.
    Syntax(String),
    /// What receives the identifiers failed.
    Receiver(io::Error),
}

impl fmt::Display for EpcisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) | Self::Receiver(error) => error.fmt(f),
            Self::Syntax(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for EpcisError {}

/// The check of an identifier of an EPCIS document.
#[derive(Debug)]
pub struct EpcisIdentifier<'a> {
    /// What was found. Its input is the text as written.
    pub inspection: Inspection<'a>,
    /// Whether it is a URI that GS1 rules do not apply to, such as `geo:…` or `urn:uuid:…`, which
    /// EPCIS allows.
    pub is_other_uri: bool,
}

impl<'a> EpcisIdentifier<'a> {
    /// Checks an identifier: a URI that follows the rules of its form, and names what its role
    /// demands.
    #[must_use]
    pub fn check(reader: &Reader, place: &EpcisPlace<'a>) -> Self {
        let text = place.text;
        let mut inspection = Inspection { input: text, ..inspect_with(text, reader.options()) };
        let is_other_uri = match Uri::parse(text) {
            Ok(_) => is_other(&inspection),
            Err(error) => {
                inspection.faults = vec![no_uri(&inspection, || uri_finding(text, &error))];
                false
            }
        };
        if is_other_uri {
            inspection.faults.clear();
            inspection.warnings.clear();
        } else if inspection.is_valid() {
            let item = inspection.item.as_ref();
            inspection.warnings.extend(item.and_then(|item| wrong_role(place, item)));
        }
        Self { inspection, is_other_uri }
    }

    /// Returns the check as a JSON object: that of [`Reader::describe`], with the place.
    #[must_use]
    pub fn describe(&self, reader: &Reader, place: &EpcisPlace<'_>) -> Value {
        let mut value = check::json(&self.inspection, reader.show_passwords, reader.today);
        if self.is_other_uri {
            value["kind"] = "other-uri".into();
        }
        value["pointer"] = place.pointer.into();
        value["line"] = place.line.into();
        value["role"] = place.role.code().into();
        value
    }
}

/// Returns whether a URI is outside of GS1's schemes, rather than one of theirs with faults.
fn is_other(inspection: &Inspection<'_>) -> bool {
    let has = |list: &[Finding], code: &str| list.iter().any(|finding| finding.code == code);
    has(&inspection.faults, "NOT_RECOGNISED") || has(&inspection.warnings, "WEB_ADDRESS")
}

/// Returns the fault of an identifier that is not a URI.
fn no_uri(inspection: &Inspection<'_>, syntax: impl Fn() -> Finding) -> Finding {
    let Some(item) = inspection.item.as_ref().filter(|_| inspection.is_valid()) else {
        let is_known = inspection.form != InputForm::Unknown;
        return inspection.faults.first().filter(|_| is_known).cloned().unwrap_or_else(syntax);
    };
    let uri = item.canonical_uri.as_ref();
    Finding::of_form(
        "NO_URI",
        format!("expected a URI, found another form: {}", inspection.form.name()),
        uri.map(|uri| format!("as a URI it is {uri}")).unwrap_or_default(),
        0..inspection.input.len(),
    )
}

/// Returns the warning that a valid identifier names something else than its role demands.
fn wrong_role(place: &EpcisPlace<'_>, item: &Item) -> Option<Finding> {
    let has = |ai: &str| item.rows.iter().any(|row| row.ai.as_str() == ai);
    let is_class = has("01") && !has("21") && !has("235");
    let (message, help) = match place.role {
        EpcisRole::Instance if is_class => (
            "expected a single object, found a class of objects: a GTIN without serial number",
            "use a quantity list with epcClass and quantity for objects without serial number",
        ),
        EpcisRole::Class if has("01") && !is_class || has("00") => (
            "expected a class of objects, found a single one",
            "use an EPC list for objects with serial number",
        ),
        EpcisRole::Location if !has("414") => (
            "expected a place, found a key that is no location number (414)",
            "name the place by its GLN: /414/… or urn:epc:id:sgln:…",
        ),
        _ => return None,
    };
    Some(Finding::of_form("EPCIS_ROLE", message, help, 0..place.text.len()))
}
