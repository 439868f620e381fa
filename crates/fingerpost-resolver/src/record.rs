//! Records: the JSON document of a level for import, export and changes.
//!
//! ```text
//! record = { "anchor": "/01/09520123456788", "itemDescription"?: text,
//!            "itemDescriptions"?: { language: text, … }, "defaultLinkType"?: answer, "links": [ link, … ] }
//! answer = "linkset" / "gs1:defaultLink" / "gs1:recallStatus" / "successor-version"
//! link   = { "linkType": text, "href": text, "title": text, "type"?: text, "hreflang"?: [ text, … ],
//!            "context"?: [ text, … ], "access"?: [ role, … ], "validFrom"?: instant, "validUntil"?: instant,
//!            "default"?: true / "variant" }
//! instant = RFC 3339 date-time
//! ```
//!
//! A link with `default` is two links: of its own type, and `gs1:defaultLink` or
//! `gs1:defaultLinkMulti`. `fwqs` and `public` are dropped (ER-7, RES-2.5.7-1), `description` is an
//! alias of `itemDescription` (ER-4), any other member is refused. All input is bounded.

use crate::registration::{Accepted, Refused, Rules};

mod default_role;
mod draft;
mod instant;
mod keeping;
mod level;
mod link_fields;
mod node;
mod patch;
mod recall;
#[cfg(feature = "schema")]
pub mod schema;
mod write;

pub use instant::{LATEST_INSTANT, parse_instant};
pub use keeping::record_with_rest;
pub use patch::patch_record;
pub use recall::{RecallNotice, is_recall_page, recall_page, recall_record, record_without_recall};
pub use write::{write_each_link, write_record};

use draft::Draft;

pub(crate) use draft::Members;

/// Reads one record and checks it against all rules for one level; returns all faults at once.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, read_record};
///
/// let vocabulary = Vocabulary::builtin();
/// let record = br#"{"anchor": "/01/09520123456789", "links": [
///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": " "}]}"#;
/// let refused = read_record(record, &Rules::new(&vocabulary)).unwrap_err();
/// let found: Vec<_> = refused.faults.iter().map(|fault| (fault.pointer(), fault.id())).collect();
/// assert_eq!(
///     found,
///     [("/anchor", "RES-2.4-1"), ("/links/0/title", "RES-2.5.3-1"), ("/links/0", "RES-2.5.8-3")]
/// );
/// ```
pub fn read_record(json: &[u8], rules: &Rules<'_>) -> Result<Accepted, Refused> {
    read_document(json, Members::OfRecord, rules)
}

/// Returns the links of a record, valid or not.
#[cfg(test)]
pub(crate) fn contents_of(json: &[u8], rules: &Rules<'_>) -> crate::entry::Contents {
    let node = node::read(json).expect("JSON");
    Draft::read(&node, Members::OfRecord, rules).builder.finish()
}

/// Reads a level from either kind of document.
pub(crate) fn read_document(
    json: &[u8],
    members: Members,
    rules: &Rules<'_>,
) -> Result<Accepted, Refused> {
    match node::read(json) {
        Ok(node) => Draft::read(&node, members, rules).finish(),
        Err(fault) => Err(Refused { faults: vec![fault], warnings: Vec::new() }),
    }
}
