//! A level as the API returns it.

use jiff::Unit;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::output::{STRONG, printable};

/// A level, or one of its states, as returned by the API.
#[derive(Debug, Deserialize)]
pub(super) struct Level {
    #[serde(default)]
    pub(super) key: String,
    pub(super) revision: u64,
    #[serde(default)]
    pub(super) at: Option<jiff::Timestamp>,
    #[serde(default)]
    pub(super) by: Option<Author>,
    #[serde(default)]
    pub(super) via: Option<String>,
    #[serde(default)]
    pub(super) deleted: bool,
    #[serde(default)]
    pub(super) record: Option<Box<RawValue>>,
}

/// The author of a state.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Author {
    actor: String,
    name: Option<String>,
    via: Option<String>,
}

impl Level {
    /// Returns `revision 7, 2026-05-01T10:00:00Z, Ada (user:…), console`.
    pub(super) fn provenance(&self) -> String {
        let mut text = format!("{STRONG}revision {}{STRONG:#}", self.revision);
        if let Some(at) = self.at {
            // To the second; JSON has the whole time.
            let at = at.round(Unit::Second).unwrap_or(at);
            text.push_str(&format!(", {at}"));
        }
        if let Some(by) = &self.by {
            let actor = printable(&by.actor);
            match by.name.as_deref().filter(|name| !name.is_empty()) {
                Some(name) => text.push_str(&format!(", {} ({actor})", printable(name))),
                None => text.push_str(&format!(", {actor}")),
            }
        }
        let via = self.via.as_deref().or_else(|| self.by.as_ref()?.via.as_deref());
        if let Some(via) = via {
            text.push_str(&format!(", {}", printable(via)));
        }
        text
    }
}
