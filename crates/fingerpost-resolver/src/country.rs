//! The country of the client as context of a request that names none (GS1-Conformant Resolver
//! 1.2.0 section 2.5.6).
//!
//! It counts only where the operator has configured its origin, the request has no `context`, a
//! link that the request may get has contexts, and the most granular record that says something
//! (`contextFrom`), else the organisation, says so. Nobody is asked for the country before all of
//! that is known.

use std::sync::Arc;

use crate::Entry;
use crate::request::{EntityRequest, Parameter};

/// The country that is the context of a request.
#[derive(Clone, Debug)]
pub(crate) struct CountryContext {
    /// The anchor of the record that says so; `None`: the organisation.
    pub(crate) record: Option<String>,
    /// The code; `None` if it is not known.
    pub(crate) country: Option<String>,
}

impl CountryContext {
    /// Describes it for an explanation.
    pub(crate) fn describe(&self) -> String {
        let by = match &self.record {
            Some(anchor) => format!("contextFrom at {anchor}"),
            None => "the organisation of the key".to_owned(),
        };
        match &self.country {
            Some(country) => {
                format!("no context asked; {by} takes the country of the client: {country}")
            }
            None => format!(
                "no context asked; {by} takes the country of the client, which is not known"
            ),
        }
    }
}

/// Returns whether the context can make a difference: the request names none, and a link that it
/// may get has contexts.
pub(crate) fn may_differ(request: &EntityRequest<'_>, levels: &[Arc<Entry>]) -> bool {
    let is_typed = match request.link_type_parameter() {
        Parameter::Absent => false,
        Parameter::Text(_) => true,
        Parameter::Unreadable => return false,
    };
    request.context_parameter().is_absent()
        && levels.iter().any(|entry| {
            entry.links().any(|link| {
                let is_candidate = is_typed || link.is_default_variant() || link.is_recall();
                is_candidate && link.has_contexts()
            })
        })
}
