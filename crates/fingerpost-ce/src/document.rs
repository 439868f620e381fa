//! The document of Resolver CE 3: one qualifier set of a key, with its links.
//!
//! ```text
//! document  = anchor itemDescription defaultLinktype [ qualifiers ] links [ active ]
//! qualifier = { AI: value }                          ; a value in braces is a variable
//! link      = linktype href title [ type ] [ hreflang ] [ context ] [ active ]
//! ```
//!
//! A member that is `null` is absent. Resolver CE drops `active`; here, `false` marks what it does
//! not serve, so that a corrected file keeps it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};

/// A document of Resolver CE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CeDocument {
    /// The path of a key, such as `/01/09506000134376`.
    pub anchor: String,
    /// What the item is.
    pub item_description: String,
    /// The link type of the default link, such as `gs1:pip`.
    #[serde(rename = "defaultLinktype")]
    pub default_link_type: String,
    /// The qualifiers, in any order.
    #[serde(default, deserialize_with = "or_null", skip_serializing_if = "Vec::is_empty")]
    pub qualifiers: Vec<CeQualifier>,
    /// The links, in the order in which they were given.
    pub links: Vec<CeLink>,
    /// Whether the document is served.
    #[serde(default = "yes", deserialize_with = "yes_or_null", skip_serializing_if = "is_yes")]
    pub active: bool,
}

/// A link of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CeLink {
    /// The link type; Resolver CE ignores what stands before the colon.
    #[serde(rename = "linktype")]
    pub link_type: String,
    /// The target, with variables in braces.
    pub href: String,
    /// The title.
    pub title: String,
    /// The media type.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Languages.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub hreflang: Vec<String>,
    /// Contexts.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
    /// Whether the link is served.
    #[serde(default = "yes", deserialize_with = "yes_or_null", skip_serializing_if = "is_yes")]
    pub active: bool,
}

/// A qualifier: an object with one member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct CeQualifier {
    /// The Application Identifier.
    pub ai: String,
    /// The value, or a variable in braces.
    pub value: String,
}

impl CeDocument {
    /// Returns the qualifiers in an order that does not depend on the document.
    pub(crate) fn qualifier_set(&self) -> Vec<CeQualifier> {
        let mut set = self.qualifiers.clone();
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Returns the anchor with the qualifiers, for people.
    pub(crate) fn shown_anchor(&self) -> String {
        shown_anchor(&self.anchor, &self.qualifiers)
    }

    /// Returns the index of the default link: the last active one of the default link type.
    pub(crate) fn default_index(&self) -> Option<usize> {
        let name = type_name(&self.default_link_type);
        self.links.iter().rposition(|link| link.active && link.type_name() == name)
    }

    /// Moves the last link that `is_it` to the end of those of its type, where the default link is;
    /// returns whether there is one.
    pub(crate) fn make_default(&mut self, is_it: impl Fn(&CeLink) -> bool) -> bool {
        let Some(at) = self.links.iter().rposition(is_it) else { return false };
        let link = self.links.remove(at);
        let last = self.links.iter().rposition(|other| other.type_name() == link.type_name());
        self.links.insert(last.map_or(at, |last| at.max(last + 1)), link);
        true
    }
}

impl CeLink {
    /// Returns the name of the link type, without a prefix or namespace.
    pub(crate) fn type_name(&self) -> &str {
        type_name(&self.link_type)
    }

    /// Returns whether two links are one link of a record: the type, the set of languages and the
    /// set of contexts are the same.
    pub(crate) fn is_same_as(&self, other: &CeLink) -> bool {
        fn set(values: &[String]) -> BTreeSet<&str> {
            values.iter().map(String::as_str).collect()
        }
        self.type_name() == other.type_name()
            && set(&self.hreflang) == set(&other.hreflang)
            && set(&self.context) == set(&other.context)
    }
}

impl CeQualifier {
    /// Returns the name of the variable, with its braces, if the value is one.
    pub(crate) fn variable(&self) -> Option<&str> {
        let is_variable =
            self.value.len() > 2 && self.value.starts_with('{') && self.value.ends_with('}');
        is_variable.then_some(self.value.as_str())
    }
}

/// Returns an anchor with qualifiers, for people.
pub(crate) fn shown_anchor(anchor: &str, qualifiers: &[CeQualifier]) -> String {
    qualifiers
        .iter()
        .fold(anchor.to_owned(), |shown, CeQualifier { ai, value }| format!("{shown}/{ai}/{value}"))
}

/// Returns values without those that are there already.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Returns the name of a link type without a prefix or namespace.
pub(crate) fn type_name(link_type: &str) -> &str {
    link_type.rsplit([':', '/']).next().unwrap_or(link_type)
}

impl TryFrom<BTreeMap<String, String>> for CeQualifier {
    type Error = &'static str;

    fn try_from(members: BTreeMap<String, String>) -> Result<CeQualifier, &'static str> {
        let mut members = members.into_iter();
        match (members.next(), members.next()) {
            (Some((ai, value)), None) => Ok(CeQualifier { ai, value }),
            _ => Err("expected a qualifier with one member, such as {\"10\": \"L1\"}"),
        }
    }
}

impl From<CeQualifier> for BTreeMap<String, String> {
    fn from(CeQualifier { ai, value }: CeQualifier) -> Self {
        BTreeMap::from([(ai, value)])
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_yes(active: &bool) -> bool {
    *active
}

fn yes_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<bool>::deserialize(deserializer)?.unwrap_or(true))
}

/// Reads a list, which `null` leaves empty.
pub(crate) fn or_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a list, or one text as a list of one.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Option::<Texts>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(Texts::One(text)) => vec![text],
        Some(Texts::Many(texts)) => texts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"anchor":"/01/09506000134376","itemDescription":"Compound",
        "defaultLinktype":"gs1:pip","qualifiers":[{"21":"{serialnumber}"}],"links":[
        {"linktype":"gs1:pip","href":"https://example.com/{serialnumber}","title":"Page",
         "type":null,"hreflang":["en"],"context":null,"fwqs":true}]}"#;

    #[test]
    fn null_is_absent_and_unknown_members_are_dropped() {
        let document: CeDocument = serde_json::from_str(DOCUMENT).unwrap();
        assert_eq!(document.qualifiers[0].variable(), Some("{serialnumber}"));
        assert_eq!(document.links[0].media_type, None);
        assert!(document.active && document.links[0].active);
        let text = serde_json::to_string(&document).unwrap();
        assert!(!text.contains("null") && !text.contains("fwqs") && !text.contains("active"));
        assert_eq!(serde_json::from_str::<CeDocument>(&text).unwrap(), document);
    }

    #[test]
    fn qualifiers_have_one_member() {
        for wrong in [r#"[{}]"#, r#"[{"10":"A","21":"B"}]"#, r#"["10"]"#] {
            let text = DOCUMENT.replace(r#"[{"21":"{serialnumber}"}]"#, wrong);
            assert!(serde_json::from_str::<CeDocument>(&text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_identity_of_a_link_is_its_type_and_sets() {
        let link = |link_type: &str, languages: &[&str]| CeLink {
            link_type: link_type.to_owned(),
            href: "https://example.com/".to_owned(),
            title: "Page".to_owned(),
            media_type: None,
            hreflang: languages.iter().map(|&tag| tag.to_owned()).collect(),
            context: Vec::new(),
            active: true,
        };
        let one = link("gs1:pip", &["en", "fr"]);
        assert!(one.is_same_as(&link("x:pip", &["fr", "en", "en"])));
        assert!(!one.is_same_as(&link("gs1:pip", &["en"])));
        assert!(!one.is_same_as(&link("gs1:epil", &["en", "fr"])));
    }
}
