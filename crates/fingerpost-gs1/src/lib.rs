//! GS1 Application Identifiers, element strings and GS1 Digital Link URIs: parse, validate, canonicalise, build.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod ai;
mod associations;
mod code_lists;
mod component;
mod digital_link;
mod element;
mod element_string;
mod entity_key;
mod error;
mod findings;
mod linters;
mod lookups;
mod options;
pub mod percent;
mod plausibility;
mod scan;
mod unknown_ai;
mod value;

pub use ai::{
    Ai, AiEntry, AiPattern, DICTIONARY_RELEASE, NotAnAi, ai_length_for_prefix, all_entries,
};
pub use component::{CharacterSet, Component};
pub use digital_link::{DigitalLink, Warning, WarningKind};
pub use element::{Element, Elements};
pub use element_string::{ElementString, Order};
pub use entity_key::{EntityKey, NotRegistrable};
pub use error::{Error, ErrorKind, LintError, Requirement, Span};
pub use findings::Findings;
pub use linters::{LintFault, Linter};
pub use lookups::{CodeList, CompanyPrefix, Lookups};
pub use options::Options;
pub use plausibility::{Plausibility, plausibility, re1, re2};
pub use scan::{Scan, Symbology};
pub use value::{check_value, check_value_with};
