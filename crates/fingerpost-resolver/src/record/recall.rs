//! The records of recalled levels: with a notice about the recall, and without it again.

use serde::{Deserialize, Serialize};

use super::write::{LinkDocument, RecordDocument, to_text};
use crate::entry::{DefaultAnswer, RECALL};
use crate::vocabulary::GS1_PREFIX;
use crate::{Anchor, Entry};

/// A notice about a recall: a page that says what to do, in one language or in any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecallNotice {
    /// The address of the page.
    pub href: String,
    /// What pages and linksets call it.
    pub title: String,
    /// Languages of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub hreflang: Vec<String>,
}

/// Returns the record of a recalled level: that of `entry`, if there is one, with these notices
/// instead of earlier ones. It is not checked; use [`read_record`](crate::read_record) for that.
pub fn recall_record(level: &Anchor, entry: Option<&Entry>, notices: &[RecallNotice]) -> String {
    let mut record = match entry {
        Some(entry) => RecordDocument::new(entry),
        None => RecordDocument::of(level),
    };
    record.links = other_links(entry);
    record.links.extend(notices.iter().map(|notice| LinkDocument {
        link_type: [GS1_PREFIX, RECALL].concat().into(),
        href: &notice.href,
        title: &notice.title,
        media_type: None,
        hreflang: notice.hreflang.iter().map(String::as_str).collect(),
        context: Vec::new(),
        access: Vec::new(),
        valid_from: None,
        valid_until: None,
        role: None,
    }));
    record.default_link_type = Some(DefaultAnswer::Recall.as_str());
    to_text(&record)
}

/// Returns the record of a level whose recall has ended: without notices, and with the default
/// answer that it had before. Returns `None` if no link is left.
///
/// ```
/// use fingerpost_resolver::{
///     RecallNotice, Rules, Vocabulary, read_record, recall_record, record_without_recall,
/// };
///
/// let vocabulary = Vocabulary::builtin();
/// let rules = Rules::new(&vocabulary);
/// let lot = "/01/09520123456788/10/ABC".parse()?;
/// let notice = RecallNotice {
///     href: "https://example.com/recall".to_owned(),
///     title: "Recall of lot ABC".to_owned(),
///     hreflang: Vec::new(),
/// };
/// let recalled = read_record(recall_record(&lot, None, &[notice]).as_bytes(), &rules)?.entry;
/// assert!(recalled.is_recalled());
/// assert_eq!(record_without_recall(&recalled, None), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn record_without_recall(entry: &Entry, before: Option<DefaultAnswer>) -> Option<String> {
    let mut record = RecordDocument::new(entry);
    record.links = other_links(Some(entry));
    record.default_link_type =
        before.filter(|before| *before != DefaultAnswer::Recall).map(DefaultAnswer::as_str);
    (!record.links.is_empty()).then(|| to_text(&record))
}

/// Returns the links besides notices about recalls.
fn other_links(entry: Option<&Entry>) -> Vec<LinkDocument<'_>> {
    let links = entry.into_iter().flat_map(Entry::links);
    links.filter(|link| !link.is_recall()).map(LinkDocument::new).collect()
}
