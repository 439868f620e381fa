//! The index of records with broken links, which rounds of checks write (`link_health/round.rs`)
//! and lists read.

use std::collections::BTreeSet;
use std::ops::Bound;

use fingerpost_resolver::Entry;
use fingerpost_store::View;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::RegistryError;
use crate::documents::{Document, load, load_page};
use crate::limits::LINK_PAGE;

/// The record of an anchor with broken links; its id is the canonical text of the anchor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BrokenLevel {
    /// Since when the link is broken that is broken for longest.
    pub(crate) since: Timestamp,
    /// The broken targets, by the ids of their states, to know new ones.
    #[serde(default)]
    pub(crate) targets: BTreeSet<String>,
}

impl Document for BrokenLevel {
    const COLLECTION: &'static str = "brokenLinks";
}

/// Returns the next records of the index of broken links that begin with `range`, from `from` on.
/// They may have changed since the last round.
pub(crate) fn broken_levels(
    view: &View<'_>,
    range: &str,
    from: Bound<&str>,
) -> Result<Vec<String>, RegistryError> {
    // Documents are read after an id, so an id that is included is read by itself.
    let (after, included) = match from {
        Bound::Excluded(after) if after >= range => (after, None),
        Bound::Included(first) if first >= range => (first, Some(first)),
        _ => (range, Some(range)),
    };
    let mut ids = Vec::new();
    if let Some(first) = included.filter(|first| !first.is_empty() && first.starts_with(range))
        && load::<BrokenLevel>(view, first)?.is_some()
    {
        ids.push(first.to_owned());
    }
    let page = load_page::<BrokenLevel>(view, Some(after), LINK_PAGE)?;
    ids.extend(page.into_iter().map(|(id, _)| id).take_while(|id| id.starts_with(range)));
    Ok(ids)
}

/// Returns whether a record is in the index of broken links.
pub(crate) fn is_broken(view: &View<'_>, entry: &Entry) -> Result<bool, RegistryError> {
    Ok(load::<BrokenLevel>(view, entry.anchor().as_str())?.is_some())
}
