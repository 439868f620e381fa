//! The document of Resolver CE 2, in its two variants: that of the Community Edition, and that of
//! the Global Office (`language`, `public`, `defaultLanguage`).
//!
//! Responses with the same link type, target, title, media type and context are one link with
//! several languages. The default link type is that of the last response that is marked as the
//! default; Resolver CE 3 takes the last one that has the member, even if it is `false`.

use serde::Deserialize;

use crate::document::{CeDocument, CeLink, CeQualifier, distinct, one_or_many};
use crate::outcome::Repair;

/// A document of Resolver CE 2.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct V2Document {
    identification_key_type: String,
    identification_key: String,
    item_description: Option<String>,
    qualifier_path: Option<String>,
    active: Option<bool>,
    responses: Vec<V2Response>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct V2Response {
    link_type: String,
    #[serde(default, alias = "language", deserialize_with = "one_or_many")]
    iana_language: Vec<String>,
    #[serde(default, deserialize_with = "one_or_many")]
    context: Vec<String>,
    mime_type: Option<String>,
    link_title: String,
    target_url: String,
    #[serde(alias = "public")]
    active: Option<bool>,
    default_link_type: Option<bool>,
}

impl V2Document {
    /// Converts the document to version 3; returns what was repaired.
    pub(crate) fn into_document(self) -> (CeDocument, Vec<Repair>) {
        let mut repairs = Vec::new();
        let default = self.responses.iter().rev().find(|r| r.default_link_type == Some(true));
        let default = default.or_else(|| {
            repairs.push(Repair::NoDefaultFlag);
            self.responses.last()
        });
        let default_link_type = default.map(|r| r.link_type.clone()).unwrap_or_default();
        let anchor = format!("/{}/{}", self.identification_key_type, self.identification_key);
        let path = self.qualifier_path.unwrap_or_default();
        let mut links: Vec<CeLink> = Vec::new();
        for response in self.responses {
            let link = response.into_link();
            match links.iter_mut().find(|known| differs_in_language(known, &link)) {
                Some(known) => {
                    known.hreflang = distinct(known.hreflang.drain(..).chain(link.hreflang));
                    repairs.push(Repair::Languages);
                }
                None => links.push(link),
            }
        }
        repairs.dedup();
        let document = CeDocument {
            anchor,
            item_description: self.item_description.unwrap_or_default(),
            default_link_type,
            qualifiers: qualifiers(&path),
            links,
            active: self.active.unwrap_or(true),
        };
        (document, repairs)
    }
}

impl V2Response {
    fn into_link(self) -> CeLink {
        CeLink {
            link_type: self.link_type,
            href: self.target_url,
            title: self.link_title,
            media_type: self.mime_type.filter(|text| !text.is_empty()),
            hreflang: self.iana_language,
            context: self.context,
            active: self.active.unwrap_or(true),
        }
    }
}

/// Returns whether two links differ in nothing but their languages, of which both have some.
fn differs_in_language(one: &CeLink, other: &CeLink) -> bool {
    let has_languages = !one.hreflang.is_empty() && !other.hreflang.is_empty();
    has_languages && CeLink { hreflang: one.hreflang.clone(), ..other.clone() } == *one
}

/// Reads `/10/L1/21/S1`; a part without a value becomes a qualifier without one, which is refused
/// later.
pub(crate) fn qualifiers(path: &str) -> Vec<CeQualifier> {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let mut qualifiers = Vec::new();
    while let Some(ai) = parts.next() {
        let value = parts.next().unwrap_or_default().to_owned();
        qualifiers.push(CeQualifier { ai: ai.to_owned(), value });
    }
    qualifiers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(responses: &str) -> (CeDocument, Vec<Repair>) {
        let text = format!(
            r#"{{"identificationKeyType":"01","identificationKey":"09506000134352",
            "itemDescription":"Rice","qualifierPath":"/10/L1/21/S1","active":true,
            "responses":[{responses}]}}"#
        );
        serde_json::from_str::<V2Document>(&text).unwrap().into_document()
    }

    fn response(link_type: &str, language: &str, default: &str) -> String {
        format!(
            r#"{{"linkType":"{link_type}","{language}":"en","context":"us","linkTitle":"Page",
            "targetUrl":"https://example.com/","mimeType":"text/html","defaultLinkType":{default}}}"#
        )
    }

    #[test]
    fn both_variants_are_read_and_the_flag_counts_by_its_value() {
        for language in ["ianaLanguage", "language"] {
            let (pip, epil) =
                (response("gs1:pip", language, "true"), response("gs1:epil", language, "false"));
            let (document, repairs) = read(&[pip, epil].join(","));
            assert_eq!(document.default_link_type, "gs1:pip");
            assert_eq!(document.links[0].hreflang, ["en"]);
            assert_eq!(document.links[0].context, ["us"], "kept as a list of one");
            assert_eq!(document.qualifiers.len(), 2);
            assert!(repairs.is_empty());
        }
    }

    #[test]
    fn languages_of_one_target_are_one_link() {
        let english = response("gs1:pip", "language", "false");
        let irish = english.replace("\"en\"", "\"ga\"");
        let (document, repairs) = read(&[english, irish].join(","));
        assert_eq!(document.links.len(), 1);
        assert_eq!(document.links[0].hreflang, ["en", "ga"]);
        assert_eq!(repairs, [Repair::NoDefaultFlag, Repair::Languages]);
    }

    #[test]
    fn inactive_responses_stay_inactive() {
        let text = response("gs1:pip", "language", "true").replace("{\"l", "{\"public\":false,\"l");
        let (document, _) = read(&text);
        assert!(document.active && !document.links[0].active);
    }
}
