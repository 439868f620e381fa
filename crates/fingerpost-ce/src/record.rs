//! The record that a document becomes.
//!
//! The default link stands before the links of its type, of which it is the last one: by that an
//! export knows the link type of the default. When there are several links of that type that differ
//! in media type, language or context, each is a variant of the default too.

use fingerpost_resolver::Anchor;
use serde::Serialize;
use serde_json::Value;

use crate::document::{CeDocument, CeLink};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    item_description: Option<String>,
    links: Vec<LinkDraft>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkDraft {
    link_type: String,
    href: String,
    title: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hreflang: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    context: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<&'static str>,
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
        let drafts: Vec<_> = document.links.iter().map(LinkDraft::new).collect();
        let of_default_type = |at: &usize| {
            document.links[*at].active && drafts[*at].link_type == drafts[default].link_type
        };
        let same_type: Vec<usize> = (0..drafts.len()).filter(of_default_type).collect();
        let mut links: Vec<LinkDraft> = Vec::with_capacity(drafts.len() + 1);
        for (at, draft) in drafts.iter().enumerate() {
            if same_type.first() == Some(&at) {
                links.push(drafts[default].as_default());
                links.extend(variants(&same_type, &drafts));
            }
            links.push(draft.clone());
        }
        let description = Some(&document.item_description).filter(|text| !text.is_empty());
        Ok(RecordDraft {
            anchor: format!("/{anchor}"),
            item_description: description.cloned(),
            links,
        })
    }

    /// Returns the record of a key that has no document: the default link of one below it, and the
    /// link of its type with the same target.
    pub(crate) fn of_key(&self, key: &str) -> Option<RecordDraft> {
        let default = self.links.iter().find(|link| link.link_type == DEFAULT_LINK)?;
        let described = self.links.iter().find(|link| {
            link.href == default.href
                && link.valid_until.is_none()
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
fn variants(same_type: &[usize], drafts: &[LinkDraft]) -> Vec<LinkDraft> {
    let mut variants: Vec<LinkDraft> = Vec::new();
    for link in same_type.iter().map(|at| &drafts[*at]).filter(|link| link.has_attributes()) {
        variants.retain(|known| !known.has_same_attributes(link));
        variants.push(LinkDraft { link_type: DEFAULT_VARIANT.to_owned(), ..link.clone() });
    }
    if variants.len() > 1 { variants } else { Vec::new() }
}

impl LinkDraft {
    fn new(link: &CeLink) -> LinkDraft {
        LinkDraft {
            link_type: format!("gs1:{}", link.type_name()),
            href: link.href.clone(),
            title: link.title.clone(),
            media_type: link.media_type.clone().filter(|text| !text.is_empty()),
            hreflang: distinct(&link.hreflang),
            context: distinct(&link.context),
            valid_until: (!link.active).then_some(INACTIVE),
        }
    }

    fn as_default(&self) -> LinkDraft {
        LinkDraft {
            link_type: DEFAULT_LINK.to_owned(),
            media_type: None,
            hreflang: Vec::new(),
            context: Vec::new(),
            ..self.clone()
        }
    }

    fn has_attributes(&self) -> bool {
        self.media_type.is_some() || !self.hreflang.is_empty() || !self.context.is_empty()
    }

    fn has_same_attributes(&self, other: &LinkDraft) -> bool {
        let sorted = |values: &[String]| {
            let mut values: Vec<_> = values.iter().map(|text| text.to_ascii_lowercase()).collect();
            values.sort_unstable();
            values
        };
        self.media_type == other.media_type
            && sorted(&self.hreflang) == sorted(&other.hreflang)
            && sorted(&self.context) == sorted(&other.context)
    }
}

fn distinct(values: &[String]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for value in values.iter().filter(|value| !value.is_empty()) {
        if !distinct.contains(value) {
            distinct.push(value.clone());
        }
    }
    distinct
}
