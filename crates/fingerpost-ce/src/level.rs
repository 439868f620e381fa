//! A record in the form of a document, with what a document cannot hold beside it, so that a change
//! by the data-entry API loses nothing.

use fingerpost_registry::{Caller, Level, Registry, RegistryError};
use fingerpost_resolver::{Anchor, Entry, write_each_link};
use fingerpost_store::Revision;
use serde_json::Value;

use crate::document::CeDocument;
use crate::export::{default_type, gs1_name, link_of};
use crate::outcome::OutcomeReason;
use crate::record::RecordDraft;

/// Reads a level; `None` if nothing is registered there.
pub(crate) fn find(
    registry: &Registry,
    caller: &Caller,
    anchor: &Anchor,
) -> Result<Option<Level>, RegistryError> {
    match registry.read(caller, anchor) {
        Ok(level) => Ok(Some(level)),
        Err(RegistryError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A level that is changed.
#[derive(Debug)]
pub(crate) struct Working {
    anchor: Anchor,
    /// Its links that a document can hold, with the placeholders of the record.
    pub(crate) document: CeDocument,
    /// Its revision; `None` if nothing is registered.
    pub(crate) revision: Option<Revision>,
    /// Links that a document cannot hold, and the answer without a link type.
    kept: Vec<Value>,
    default_answer: Option<Value>,
    context_source: Option<Value>,
    /// The description in other languages.
    descriptions: Option<Value>,
}

impl Working {
    /// Creates a level at which nothing is registered.
    pub(crate) fn new(anchor: Anchor, document: CeDocument) -> Working {
        Working {
            anchor,
            document,
            revision: None,
            kept: Vec::new(),
            default_answer: None,
            context_source: None,
            descriptions: None,
        }
    }

    /// Reads a level; `None` if nothing is registered there.
    pub(crate) fn read(
        registry: &Registry,
        caller: &Caller,
        anchor: &Anchor,
    ) -> Result<Option<Working>, RegistryError> {
        let level = find(registry, caller, anchor)?;
        Ok(level.map(|level| Working {
            revision: Some(level.revision),
            ..Working::of(&level.entry, registry.now())
        }))
    }

    fn of(entry: &Entry, now: jiff::Timestamp) -> Working {
        let mut record: Value = serde_json::from_str(&write_each_link(entry)).unwrap_or_default();
        let default_answer = record.get_mut("defaultLinkType").map(Value::take);
        let context_source = record.get_mut("contextFrom").map(Value::take);
        let descriptions = record.get_mut("itemDescriptions").map(Value::take);
        let mut written = record.get_mut("links").and_then(Value::as_array_mut).cloned();
        let (mut links, mut kept) = (Vec::new(), Vec::new());
        for link in entry.links() {
            let is_default = link.is_default() || link.is_default_variant();
            match gs1_name(link) {
                _ if is_default && !link.has_window() => {}
                // A document is for everyone.
                Some(name) if !is_default && !link.has_window() && !link.has_access() => {
                    links.push(link_of(link, name, link.href().to_owned()));
                }
                _ => {
                    let json = written.as_mut().and_then(|all| all.get_mut(link.index()));
                    kept.extend(json.map(Value::take));
                }
            }
        }
        let default = default_type(entry, now);
        let mut document = CeDocument {
            anchor: format!("/{}", entry.anchor()),
            item_description: entry.item_description().unwrap_or_default().to_owned(),
            default_link_type: default.map(|(name, _)| format!("gs1:{name}")).unwrap_or_default(),
            qualifiers: Vec::new(),
            links,
            active: true,
        };
        if let Some((name, href)) = default {
            document.make_default(|link| link.type_name() == name && link.href == href);
        }
        Working {
            anchor: entry.anchor().clone(),
            document,
            revision: None,
            kept,
            default_answer,
            context_source,
            descriptions,
        }
    }

    /// Returns the record, as JSON.
    pub(crate) fn record(&self) -> Result<Value, OutcomeReason> {
        let draft = RecordDraft::new(&self.document, &self.anchor, &mut Vec::new())?;
        let mut record = draft.to_value();
        if let Some(links) = record.get_mut("links").and_then(Value::as_array_mut) {
            links.extend(self.kept.iter().cloned());
        }
        if let Some(members) = record.as_object_mut() {
            let is_described = members.contains_key("itemDescription");
            for (name, value) in [
                ("itemDescriptions", self.descriptions.as_ref().filter(|_| is_described)),
                ("defaultLinkType", self.default_answer.as_ref()),
                ("contextFrom", self.context_source.as_ref()),
            ] {
                members.extend(value.cloned().map(|value| (name.to_owned(), value)));
            }
        }
        Ok(record)
    }

    /// Returns the record of a key that has none.
    pub(crate) fn of_key(&self, key: &Anchor) -> Option<Value> {
        let draft = RecordDraft::new(&self.document, &self.anchor, &mut Vec::new()).ok()?;
        draft.of_key(key.as_str()).map(|draft| draft.to_value())
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_resolver::{RoleParts, Roles, Rules, Vocabulary, read_record};
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::CeExporter;

    /// PE-15: a change by the data-entry API does not lose the description in other languages, for
    /// which documents have no member.
    #[test]
    fn descriptions_in_other_languages_are_kept_beside_the_document() {
        let vocabulary = Vocabulary::builtin();
        let rules = Rules::new(&vocabulary);
        let record = json!({"anchor": "/01/09520123456788", "itemDescription": "Tea",
            "itemDescriptions": {"fr": "Thé"},
            "links": [{"linkType": "gs1:pip", "href": "https://example.com/tea", "title": "Tea", "default": true}]});
        let entry = read_record(record.to_string().as_bytes(), &rules).expect("a record").entry;
        let working = Working::of(&entry, Timestamp::UNIX_EPOCH);
        assert_eq!(working.document.item_description, "Tea");
        let again = working.record().expect("a record");
        assert_eq!(again["itemDescriptions"], record["itemDescriptions"]);
    }

    /// 36.1: a change by the data-entry API neither publishes nor loses a link for some roles, and
    /// no document has it.
    #[test]
    fn links_for_some_roles_are_kept_beside_the_document() {
        let vocabulary = Vocabulary::builtin();
        let role = RoleParts { name: "recycler".into(), ..RoleParts::default() };
        let roles = Roles::new(vec![role]).expect("a role");
        let rules = Rules::new(&vocabulary).with_roles(&roles);
        let link = |link_type: &str, path: &str| json!({"linkType": link_type, "href": format!("https://example.com/{path}"), "title": "Tea"});
        let mut secret = link("gs1:safetyInfo", "secret");
        secret["access"] = json!(["recycler"]);
        let mut same = link("gs1:recipeInfo", "tea");
        same["access"] = json!(["recycler"]);
        let record = json!({"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
            link("gs1:defaultLink", "tea"), same, link("gs1:pip", "tea"), secret]});
        let entry = read_record(record.to_string().as_bytes(), &rules).expect("a record").entry;
        let now = Timestamp::UNIX_EPOCH;
        let working = Working::of(&entry, now);
        assert_eq!(working.document.links.len(), 1);
        let again = working.record().expect("a record");
        let again = read_record(again.to_string().as_bytes(), &rules).expect("a record").entry;
        let restricted = |entry: &Entry| {
            let links = entry.links().filter(|link| link.has_access());
            let mut hrefs: Vec<_> = links.map(|link| link.href().to_owned()).collect();
            hrefs.sort();
            hrefs
        };
        assert_eq!(restricted(&again), restricted(&entry));
        let document = CeExporter::new(now).convert(&entry).expect("a document");
        let text = serde_json::to_string(&document).expect("JSON");
        assert!(!text.contains("secret") && !text.contains("recipeInfo"), "{text}");
        assert_eq!(document.default_link_type, "gs1:pip");
    }
}
