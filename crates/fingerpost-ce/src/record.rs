//! The record that a document becomes.
//!
//! The default link stands before the links of its type, of which it is the last one: by that an
//! export knows the link type of the default. When there are several links of that type that differ
//! in media type, language or context, each is a variant of the default too.

use fingerpost_resolver::Anchor;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::document::{CeDocument, CeLink, distinct};
use crate::outcome::{OutcomeReason, Repair};

/// The end of the validity of an inactive link.
pub(crate) const INACTIVE: &str = "1970-01-02T00:00:00Z";

const DEFAULT_LINK: &str = "gs1:defaultLink";
const DEFAULT_VARIANT: &str = "gs1:defaultLinkMulti";

/// A record, to be written as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordDraft {
    anchor: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    item_description: String,
    #[serde(serialize_with = "record_links")]
    links: Vec<CeLink>,
}

impl RecordDraft {
    /// Creates the record of a document whose targets have the placeholders of the record; adds
    /// what was repaired.
    pub(crate) fn new(
        document: &CeDocument,
        anchor: &Anchor,
        repairs: &mut Vec<Repair>,
    ) -> Result<RecordDraft, OutcomeReason> {
        if !document.active {
            let message = "the document is inactive: remove \"active\" to import it";
            return Err(OutcomeReason::new("inactive", message));
        }
        let Some(default) = document.default_index() else {
            let message = format!(
                "expected an active link of the default link type {:?}, found none",
                document.default_link_type
            );
            return Err(OutcomeReason::new("default-link", message));
        };
        if document.links.iter().any(|link| !link.active) {
            repairs.push(Repair::InactiveLink);
        }
        let drafts: Vec<_> = document.links.iter().map(normal).collect();
        let of_default_type =
            |at: &usize| drafts[*at].active && drafts[*at].link_type == drafts[default].link_type;
        let same_type: Vec<usize> = (0..drafts.len()).filter(of_default_type).collect();
        let mut links: Vec<CeLink> = Vec::with_capacity(drafts.len() + 1);
        for (at, draft) in drafts.iter().enumerate() {
            if same_type.first() == Some(&at) {
                links.push(as_default(&drafts[default]));
                links.extend(variants(&same_type, &drafts));
            }
            links.push(draft.clone());
        }
        let item_description = document.item_description.clone();
        Ok(RecordDraft { anchor: format!("/{anchor}"), item_description, links })
    }

    /// Returns the record of a key that has no document: the default link of one below it, and the
    /// link of its type with the same target.
    pub(crate) fn of_key(&self, key: &str) -> Option<RecordDraft> {
        let default = self.links.iter().find(|link| link.link_type == DEFAULT_LINK)?;
        let described = self.links.iter().find(|link| {
            link.href == default.href
                && link.active
                && !matches!(link.link_type.as_str(), DEFAULT_LINK | DEFAULT_VARIANT)
        })?;
        Some(RecordDraft {
            anchor: format!("/{key}"),
            item_description: self.item_description.clone(),
            links: vec![default.clone(), described.clone()],
        })
    }

    /// Returns the record as a JSON value.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("texts and lists only")
    }

    /// Returns the record as JSON on one line.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and lists only")
    }
}

/// Returns the variants of the default link, if its links differ; of those that do not, the last
/// one, which Resolver CE takes as the default.
fn variants(same_type: &[usize], drafts: &[CeLink]) -> Vec<CeLink> {
    let mut variants: Vec<CeLink> = Vec::new();
    for link in same_type.iter().map(|at| &drafts[*at]) {
        if attributes(link) == attributes(&as_default(link)) {
            continue;
        }
        variants.retain(|known| attributes(known) != attributes(link));
        variants.push(CeLink { link_type: DEFAULT_VARIANT.to_owned(), ..link.clone() });
    }
    if variants.len() > 1 { variants } else { Vec::new() }
}

/// Returns a link as a record has it: nothing empty, nothing twice.
fn normal(link: &CeLink) -> CeLink {
    let filled =
        |values: &[String]| distinct(values.iter().filter(|value| !value.is_empty()).cloned());
    CeLink {
        link_type: format!("gs1:{}", link.type_name()),
        media_type: link.media_type.clone().filter(|text| !text.is_empty()),
        hreflang: filled(&link.hreflang),
        context: filled(&link.context),
        ..link.clone()
    }
}

/// Returns a link as the default, which has no attributes.
fn as_default(link: &CeLink) -> CeLink {
    let (link_type, hreflang, context) = (DEFAULT_LINK.to_owned(), Vec::new(), Vec::new());
    CeLink { link_type, media_type: None, hreflang, context, ..link.clone() }
}

/// Returns the members by which links of a type are chosen.
fn attributes(link: &CeLink) -> (&Option<String>, [Vec<String>; 2]) {
    let lists = [&link.hreflang, &link.context].map(|values| {
        let mut values: Vec<_> = values.iter().map(|text| text.to_ascii_lowercase()).collect();
        values.sort_unstable();
        values
    });
    (&link.media_type, lists)
}

/// Writes links with the members of a record.
fn record_links<S: Serializer>(links: &[CeLink], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(links.iter().map(|link| {
        let mut members = json!(link);
        members["linkType"] = members["linktype"].take();
        if !link.active {
            members["validUntil"] = json!(INACTIVE);
        }
        let members = members.as_object_mut().map(std::mem::take).unwrap_or_default();
        let is_of_record = |name: &str| !matches!(name, "linktype" | "active");
        members.into_iter().filter(|(name, _)| is_of_record(name)).collect::<Map<_, _>>()
    }))
}
