//! Reads one context object of a GS1 linkset in JSON (RFC 9264 section 4.2, restricted by the GS1 linkset schema) as the
//! record of one level.
//!
//! ```text
//! context = { "anchor": path / Digital Link URI, "itemDescription"?: text, link-type: [ link, … ], … }
//! link    = { "href": text, "title": text, "type"?, "hreflang"?, "context"? }
//! ```

use crate::record::{Members, read_document};
use crate::registration::{Accepted, Refused, Rules};

/// Reads one member of the array `linkset` and checks it like a record. Links keep their order; pointers are
/// relative to this object.
///
/// # Errors
///
/// The faults, each with its place and requirement.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, read_linkset_context};
///
/// let vocabulary = Vocabulary::builtin();
/// let context = br#"{"anchor": "https://id.gs1.org/01/09520123456788", "itemDescription": "Tea",
///     "https://gs1.org/voc/pip": [{"href": "https://example.com/p", "title": "Tea"}]}"#;
/// let entry = read_linkset_context(context, &Rules::new(&vocabulary))?.entry;
/// assert_eq!(entry.anchor().as_str(), "01/09520123456788");
/// assert_eq!(entry.link(0).map(|link| link.link_type()), Some("https://ref.gs1.org/voc/pip"));
/// # Ok::<(), fingerpost_resolver::Refused>(())
/// ```
pub fn read_linkset_context(json: &[u8], rules: &Rules<'_>) -> Result<Accepted, Refused> {
    read_document(json, Members::OfLinkset, rules)
}
