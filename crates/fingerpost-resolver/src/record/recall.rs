//! The records of recalled levels: with a notice about the recall, and without it again.

use fingerpost_gs1::EntityKey;
use serde::{Deserialize, Serialize};

use super::write::{LinkDocument, RecordDocument, to_text};
use crate::entry::{DefaultAnswer, RECALL};
use crate::vocabulary::GS1_PREFIX;
use crate::{Anchor, Entry, ResolverRoot};

/// The query of the page of this resolver about a recalled level: that of its linkset, which a
/// browser gets as a page.
const PAGE_QUERY: &str = "?linkType=linkset";

/// A notice about a recall: a page that says what to do, in one language or in any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RecallNotice {
    /// The address of the page; without one, the page of this resolver about the level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = String, required = false))]
    pub href: Option<String>,
    /// What pages and linksets call it; by default "Recall".
    #[serde(default = "RecallNotice::default_title")]
    #[cfg_attr(feature = "schema", schema(required = false, default = "Recall"))]
    pub title: String,
    /// Languages of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub hreflang: Vec<String>,
}

impl RecallNotice {
    /// The title of a notice that has none of its own. Pages of this resolver say what it says in
    /// the reader's language.
    pub const TITLE: &'static str = "Recall";

    fn default_title() -> String {
        Self::TITLE.to_owned()
    }
}

impl Default for RecallNotice {
    /// A notice without an address, in no particular language.
    fn default() -> Self {
        Self { href: None, title: Self::default_title(), hreflang: Vec::new() }
    }
}

/// Returns the address of the page of this resolver about a recalled level; for a set of levels,
/// with a placeholder for the value that was requested. `None` for a company prefix, which covers
/// keys of all types.
///
/// A request that is led to this address gets the page itself, instead of a redirect to it. In a
/// linkset it is a link like any other, which leads to the page.
///
/// ```
/// use fingerpost_resolver::{Anchor, ResolverRoot, recall_page};
///
/// let root = ResolverRoot::parse("https://id.example.org")?;
/// let page = |anchor| Some(recall_page(&root, &Anchor::parse(anchor).ok()?)?);
/// let lot = page("/01/09520123456788/10/ABC");
/// assert_eq!(lot.as_deref(), Some("https://id.example.org/01/09520123456788/10/ABC?linkType=linkset"));
/// let lots = page("/01/09520123456788/-range/10/2/L1/L9");
/// assert_eq!(lots.as_deref(), Some("https://id.example.org/01/09520123456788/10/{10}?linkType=linkset"));
/// assert_eq!(page("/gcp/9520123"), None);
/// # Ok::<(), fingerpost_resolver::RootError>(())
/// ```
pub fn recall_page(root: &ResolverRoot, level: &Anchor) -> Option<String> {
    Some([root.as_str(), "/", &level.level_template()?, PAGE_QUERY].concat())
}

/// Returns whether the target of a notice, with its placeholders filled, is the page of this
/// resolver about an entity or a level above it.
pub fn is_recall_page(root: &ResolverRoot, entity: &EntityKey, href: &str) -> bool {
    let below = href.strip_prefix(root.as_str()).and_then(|below| below.strip_prefix('/'));
    let level = below.and_then(|below| below.strip_suffix(PAGE_QUERY));
    level.is_some_and(|level| entity.levels().any(|known| known == level))
}

/// Returns the record of a recalled level: that of `entry`, if there is one, with these notices
/// instead of earlier ones. A notice without an address leads to `page`, see [`recall_page`];
/// returns `None` if there is no page either. The record is not checked; use
/// [`read_record`](crate::read_record) for that.
pub fn recall_record(
    level: &Anchor,
    entry: Option<&Entry>,
    notices: &[RecallNotice],
    page: Option<&str>,
) -> Option<String> {
    let mut record = match entry {
        Some(entry) => RecordDocument::new(entry),
        None => RecordDocument::of(level),
    };
    record.links = other_links(entry);
    for notice in notices {
        record.links.push(LinkDocument {
            link_type: [GS1_PREFIX, RECALL].concat().into(),
            href: notice.href.as_deref().or(page)?,
            title: &notice.title,
            media_type: None,
            hreflang: notice.hreflang.iter().map(String::as_str).collect(),
            context: Vec::new(),
            access: Vec::new(),
            valid_from: None,
            valid_until: None,
            role: None,
        });
    }
    record.default_link_type = Some(DefaultAnswer::Recall.as_str());
    Some(to_text(&record))
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
///     href: Some("https://example.com/recall".to_owned()),
///     title: "Recall of lot ABC".to_owned(),
///     hreflang: Vec::new(),
/// };
/// let recalled = recall_record(&lot, None, &[notice], None).ok_or("an address")?;
/// let recalled = read_record(recalled.as_bytes(), &rules)?.entry;
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
