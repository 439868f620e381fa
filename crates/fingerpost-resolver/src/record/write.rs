//! Writes the record of an entry; reading it gives the same entry.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::Anchor;
use crate::entry::{ContextSource, DefaultAnswer, DefaultRole, Entry, Link};
use crate::vocabulary::{GS1_NAMESPACE, GS1_PREFIX};

/// Writes the record of an entry, as one line of JSON. The order of its members never varies. A
/// page that is the default link and descriptive is one link with the member `default`, as
/// [`Entry::lines`] returns them.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, read_record, write_record};
///
/// let vocabulary = Vocabulary::builtin();
/// let rules = Rules::new(&vocabulary);
/// let record = concat!(
///     r#"{"anchor":"/01/09520123456788","itemDescription":"Tea","links":["#,
///     r#"{"linkType":"gs1:pip","href":"https://example.com/p","title":"Tea","hreflang":["en"]}]}"#,
/// );
/// let entry = read_record(record.as_bytes(), &rules)?.entry;
/// assert_eq!(write_record(&entry), record);
/// # Ok::<(), fingerpost_resolver::Refused>(())
/// ```
pub fn write_record(entry: &Entry) -> String {
    to_text(&RecordDocument::of_lines(entry))
}

/// Writes the record of an entry as [`write_record`] does, but with each of its links by itself, in
/// the order of [`Entry::links`].
pub fn write_each_link(entry: &Entry) -> String {
    to_text(&RecordDocument::new(entry))
}

/// Writes the document. All members are texts or lists of them, so writing them to memory cannot
/// fail.
pub(super) fn to_text(record: &RecordDocument<'_>) -> String {
    serde_json::to_string(record).expect("texts only")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordDocument<'e> {
    anchor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item_description: Option<&'e str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) item_descriptions: BTreeMap<&'e str, &'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default_link_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_from: Option<&'static str>,
    pub(super) links: Vec<LinkDocument<'e>>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkDocument<'e> {
    pub(super) link_type: Cow<'e, str>,
    pub(super) href: &'e str,
    pub(super) title: &'e str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) media_type: Option<&'e str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) hreflang: Vec<&'e str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) context: Vec<&'e str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) access: Vec<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid_from: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid_until: Option<Timestamp>,
    #[serde(rename = "default", skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<RoleDocument>,
}

/// The member `default`: `true` or `"variant"`.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub(super) enum RoleDocument {
    Default(bool),
    Variant(&'static str),
}

impl<'e> RecordDocument<'e> {
    /// The record of a level without links.
    pub(super) fn of(level: &Anchor) -> Self {
        Self {
            anchor: ["/", level.as_str()].concat(),
            item_description: None,
            item_descriptions: BTreeMap::new(),
            default_link_type: None,
            context_from: None,
            links: Vec::new(),
        }
    }

    /// The record of an entry with one link for each page.
    fn of_lines(entry: &'e Entry) -> Self {
        let lines = entry.lines().map(|(link, role)| LinkDocument {
            role: role.map(|role| match role {
                DefaultRole::Default => RoleDocument::Default(true),
                DefaultRole::Variant => RoleDocument::Variant("variant"),
            }),
            ..LinkDocument::new(link)
        });
        Self { links: lines.collect(), ..Self::of_texts(entry) }
    }

    /// The record of an entry with each of its links.
    pub(super) fn new(entry: &'e Entry) -> Self {
        let links = entry.links().map(LinkDocument::new).collect();
        Self { links, ..Self::of_texts(entry) }
    }

    /// The record of an entry without its links.
    fn of_texts(entry: &'e Entry) -> Self {
        Self {
            anchor: ["/", entry.anchor().as_str()].concat(),
            item_description: entry.item_description(),
            item_descriptions: entry.item_descriptions().collect(),
            default_link_type: entry.default_answer().map(DefaultAnswer::as_str),
            context_from: entry.context_source().map(ContextSource::as_str),
            links: Vec::new(),
        }
    }
}

impl<'e> LinkDocument<'e> {
    pub(super) fn new(link: Link<'e>) -> Self {
        Self {
            link_type: match link.term() {
                Some(term) => Cow::Owned([GS1_PREFIX, term.name()].concat()),
                // Types that were added by `link_types_file` are written like those that are built
                // in.
                None => match link.link_type().strip_prefix(GS1_NAMESPACE) {
                    Some(name) => Cow::Owned([GS1_PREFIX, name].concat()),
                    None => Cow::Borrowed(link.link_type()),
                },
            },
            href: link.href(),
            title: link.title(),
            media_type: link.media_type(),
            hreflang: link.languages().collect(),
            context: link.contexts().collect(),
            access: link.access().collect(),
            valid_from: link.valid_from(),
            valid_until: link.valid_until(),
            role: None,
        }
    }
}
