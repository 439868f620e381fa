//! The stored form of Resolver CE 3: one object per key, with its qualifier sets, as a dump of the
//! collection `gs1resolver` has it.
//!
//! ```text
//! stored  = _id defaultLinktype data                 ; _id = AI "_" value
//! data    = *( qualifiers linkset )
//! linkset = *( anchor itemDescription *( link type IRI: link or links ) )
//! ```
//!
//! Of several linksets of one qualifier set, Resolver CE serves only the first. The links of the
//! others are added where the first has none with the same type, languages and contexts.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::document::{CeDocument, CeLink, CeQualifier};
use crate::merge::{Wins, merge};
use crate::outcome::Repair;
use crate::records::Incoming;

const DEFAULT_LINK: &str = "https://gs1.org/voc/defaultLink";
const DEFAULT_VARIANT: &str = "https://gs1.org/voc/defaultLinkMulti";
const VOCABULARY: &str = "https://gs1.org/voc/";

/// A key with all its qualifier sets.
#[derive(Debug, Deserialize)]
pub(crate) struct StoredKey {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "defaultLinktype")]
    default_link_type: String,
    data: Vec<StoredSet>,
}

#[derive(Debug, Deserialize)]
struct StoredSet {
    qualifiers: Option<Vec<CeQualifier>>,
    linkset: Vec<Map<String, Value>>,
}

impl StoredKey {
    /// Returns a document for each qualifier set, or why there is none.
    pub(crate) fn into_documents(self) -> Vec<Result<Incoming, String>> {
        let StoredKey { id, default_link_type, data } = self;
        let anchor = format!("/{}", id.replacen('_', "/", 1));
        let read = |set: StoredSet| {
            let qualifiers = set.qualifiers.unwrap_or_default();
            let mut linksets = set.linkset.into_iter();
            let first = linksets.next().ok_or("expected a linkset, found none")?;
            let read = |linkset: &Map<String, Value>| {
                read_linkset(&anchor, &default_link_type, &qualifiers, linkset)
            };
            let (mut document, repairs) = read(&first)?;
            let mut is_merged = false;
            for linkset in linksets {
                let (later, _) = read(&linkset)?;
                merge(&mut document, later, Wins::First);
                is_merged = true;
            }
            Ok(Incoming { document, repairs, is_merged, is_stored: true })
        };
        data.into_iter().map(read).collect()
    }
}

fn read_linkset(
    anchor: &str,
    default_link_type: &str,
    qualifiers: &[CeQualifier],
    linkset: &Map<String, Value>,
) -> Result<(CeDocument, Vec<Repair>), String> {
    let mut links = Vec::new();
    for (name, value) in linkset {
        let Some(name_of_type) = name.strip_prefix(VOCABULARY) else { continue };
        if matches!(name.as_str(), DEFAULT_LINK | DEFAULT_VARIANT) {
            continue;
        }
        for link in items(value) {
            links.push(read_link(&format!("gs1:{name_of_type}"), link)?);
        }
    }
    let description = linkset.get("itemDescription").and_then(Value::as_str).unwrap_or_default();
    let mut document = CeDocument {
        anchor: anchor.to_owned(),
        item_description: description.to_owned(),
        default_link_type: default_link_type.to_owned(),
        qualifiers: qualifiers.to_vec(),
        links,
        active: true,
    };
    let repairs = match linkset.get(DEFAULT_LINK).and_then(|value| items(value).first()) {
        Some(default) => move_default(&mut document, default)?,
        None => Vec::new(),
    };
    Ok((document, repairs))
}

/// Moves the link that is the default to the end of those of its type, where the default is in a
/// document; adds it if it is not there.
fn move_default(document: &mut CeDocument, default: &Value) -> Result<Vec<Repair>, String> {
    let default = read_link(&document.default_link_type, default)?;
    let name = default.type_name().to_owned();
    let is_it = |link: &CeLink| {
        link.type_name() == name && link.href == default.href && link.title == default.title
    };
    if document.make_default(is_it) {
        return Ok(Vec::new());
    }
    document.links.push(default);
    Ok(vec![Repair::StoredDefault])
}

fn read_link(link_type: &str, value: &Value) -> Result<CeLink, String> {
    let mut object = value.as_object().ok_or("expected a link, found another value")?.clone();
    object.insert("linktype".to_owned(), link_type.into());
    serde_json::from_value(Value::Object(object)).map_err(|error| error.to_string())
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        other => std::slice::from_ref(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn linkset(default: &str, hrefs: &[(&str, &str)]) -> Value {
        let links = hrefs.iter().map(|(href, language)| {
            json!({"href": href, "title": "Page", "type": null, "hreflang": [language]})
        });
        json!({
            "anchor": "/01/09506000134352", "itemDescription": "Rice",
            DEFAULT_LINK: {"href": default, "title": "Page"},
            "https://gs1.org/voc/pip": links.collect::<Vec<_>>(),
        })
    }

    fn read(linksets: &[Value]) -> Incoming {
        let key = json!({"_id": "01_09506000134352", "defaultLinktype": "gs1:pip",
            "data": [{"qualifiers": [], "linkset": linksets}]});
        let key: StoredKey = serde_json::from_value(key).unwrap();
        key.into_documents().remove(0).unwrap()
    }

    fn hrefs(document: &CeDocument) -> Vec<&str> {
        document.links.iter().map(|link| link.href.as_str()).collect()
    }

    #[test]
    fn the_default_is_the_last_link_of_its_type() {
        let found = read(&[linkset("https://a", &[("https://a", "en"), ("https://b", "ja")])]);
        assert_eq!(hrefs(&found.document), ["https://b", "https://a"]);
        assert_eq!(found.document.anchor, "/01/09506000134352");
        assert!(found.repairs.is_empty() && !found.is_merged);
        let added = read(&[linkset("https://c", &[("https://a", "en")])]);
        assert_eq!(hrefs(&added.document), ["https://a", "https://c"]);
        assert_eq!(added.repairs, [Repair::StoredDefault]);
    }

    #[test]
    fn what_is_served_wins_over_what_was_posted_later() {
        let first = linkset("https://a", &[("https://a", "en")]);
        let later = linkset("https://x", &[("https://x", "en"), ("https://y", "ja")]);
        let found = read(&[first, later]);
        assert_eq!(hrefs(&found.document), ["https://y", "https://a"]);
        assert!(found.is_merged);
    }
}
