//! Writes of the data-entry API: documents are merged into the records of their levels, and all
//! levels of a request are written in one transaction, which is repeated if they have changed
//! meanwhile.

use std::collections::BTreeMap;

use fingerpost_http::conditional::is_expected;
use fingerpost_registry::{BatchMode, Caller, Conditions, Fault, Level, RefusalCode, Registry};
use fingerpost_resolver::{Anchor, read_record};
use http::header::{IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::Failed;
use super::read;
use crate::anchor::{self, RecordAnchor};
use crate::document::{CeDocument, CeLink, CeQualifier, or_null, shown_anchor};
use crate::level::{Working, find};
use crate::limits::WRITE_ATTEMPTS;
use crate::merge::{Wins, merge, overwrite};
use crate::reading::document_of;

/// A part of a document, in `PUT` and `DELETE`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    item_description: Option<String>,
    #[serde(rename = "defaultLinktype")]
    default_link_type: Option<String>,
    #[serde(default, deserialize_with = "or_null")]
    qualifiers: Vec<CeQualifier>,
    #[serde(default, deserialize_with = "or_null")]
    links: Vec<Value>,
}

/// An answer with its status.
type Answered = (StatusCode, Value);

/// A request that writes: who sent it, and its preconditions.
pub(super) struct Writer<'r> {
    pub(super) registry: &'r Registry,
    pub(super) caller: &'r Caller,
    pub(super) fields: &'r HeaderMap,
}

impl Writer<'_> {
    /// Registers documents in one transaction; returns an answer for each key.
    pub(super) fn create(&self, documents: &[Value]) -> Result<Vec<Answered>, Failed> {
        let mut keys: Vec<(Anchor, Vec<(CeDocument, RecordAnchor)>)> = Vec::new();
        for document in documents {
            let (document, _) = document_of(document).map_err(Failed::invalid)?;
            let located =
                anchor::locate(&document).map_err(|fault| Failed::invalid(fault.message))?;
            let key = Anchor::from_canonical(located.anchor.key_level())
                .ok_or_else(|| Failed::no_document(&document.shown_anchor()))?;
            match keys.iter_mut().find(|(known, _)| *known == key) {
                Some((_, documents)) => documents.push((document, located)),
                None => keys.push((key, vec![(document, located)])),
            }
        }
        let is_only_new = self.fields.get(IF_NONE_MATCH).is_some_and(|value| value == "*");
        let mut is_new = Vec::new();
        self.write(|| {
            is_new.clear();
            let mut rows = Vec::new();
            for (key, documents) in &keys {
                let (more, is_new_key) = self.merged(key, documents)?;
                if is_only_new && !is_new_key {
                    let detail = format!("/{key} has documents already (If-None-Match)");
                    return Err(Failed::new(StatusCode::PRECONDITION_FAILED, detail));
                }
                rows.extend(more);
                is_new.push(is_new_key);
            }
            Ok(rows)
        })?;
        let answer = |((_, documents), is_new): (&(_, Vec<(CeDocument, _)>), _)| {
            let entry = documents.first().map(|(document, _)| entry(&document.anchor));
            let entry = entry.unwrap_or_default();
            if is_new {
                let data = format!("Document with _id {entry} created");
                let result = json!({"response_status": 201, "data": data});
                (StatusCode::CREATED, json!({"entry": entry, "result": result}))
            } else {
                let qualifiers = documents.last().map(|(document, _)| &document.qualifiers);
                let mut answer = updated(&entry);
                answer["qualifiers"] = json!(qualifiers);
                (StatusCode::OK, answer)
            }
        };
        Ok(keys.iter().zip(is_new).map(answer).collect())
    }

    /// Merges a part into a qualifier set, which must exist.
    pub(super) fn update(&self, anchor: &str, part: &Part) -> Result<Value, Failed> {
        let located = part.locate(anchor)?;
        let links = read_links(part.links.iter().cloned())?;
        let links: Vec<_> = links.into_iter().map(|link| located.filled_link(link)).collect();
        self.change(anchor, part, &located, |document| {
            if let Some(description) = &part.item_description {
                document.item_description.clone_from(description);
            }
            overwrite(&mut document.links, links.clone());
            Ok(())
        })?;
        Ok(updated(&entry(anchor)))
    }

    /// Removes links by their identity; at least one must be there.
    pub(super) fn remove_links(&self, anchor: &str, part: &Part) -> Result<Value, Failed> {
        let located = part.locate(anchor)?;
        let identity = |link: &Value| {
            let [link_type, hreflang, context] =
                ["linktype", "hreflang", "context"].map(|name| &link[name]);
            json!({"linktype": link_type, "hreflang": hreflang, "context": context, "href": "", "title": ""})
        };
        let identities = read_links(part.links.iter().map(identity))?;
        let mut removed = 0;
        self.change(anchor, part, &located, |document| {
            let before = document.links.len();
            document.links.retain(|link| !identities.iter().any(|id| id.is_same_as(link)));
            removed = before - document.links.len();
            match removed {
                0 => Err(Failed::new(StatusCode::NOT_FOUND, "No matching links found")),
                _ => Ok(()),
            }
        })?;
        let mut answer = updated(&entry(anchor));
        answer["removed"] = json!(removed);
        Ok(answer)
    }

    /// Deletes a key with all its levels.
    pub(super) fn remove_key(&self, anchor: &str) -> Result<Value, Failed> {
        self.write(|| {
            self.require(anchor)?;
            let levels = read::levels(self.registry, self.caller, anchor)?;
            if levels.is_empty() {
                return Err(Failed::no_document(anchor));
            }
            let delete = |level: Level| json!({"delete": format!("/{}", level.key), "ifMatch": level.revision.number()});
            Ok(levels.into_iter().map(delete).collect())
        })?;
        let data = format!("Document with _id {} deleted", entry(anchor));
        Ok(json!({"response_status": 200, "data": data}))
    }

    /// Changes the document of a qualifier set, which must exist, and its default link type if the
    /// part has one.
    fn change(
        &self,
        anchor: &str,
        part: &Part,
        located: &RecordAnchor,
        mut change: impl FnMut(&mut CeDocument) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        self.write(|| {
            self.require(anchor)?;
            let mut working = Working::read(self.registry, self.caller, &located.anchor)?
                .ok_or_else(|| Failed::no_document(&shown_anchor(anchor, &part.qualifiers)))?;
            change(&mut working.document)?;
            if let Some(link_type) = &part.default_link_type {
                working.document.default_link_type.clone_from(link_type);
            }
            Ok(vec![self.row(&working)?])
        })
    }

    /// Refuses to change a key that is not as the client has read it (`If-Match`, RFC 9110, section
    /// 13.1.1). What changes between this and the write has its own precondition in each row.
    fn require(&self, anchor: &str) -> Result<(), Failed> {
        let is_expected = || -> Result<bool, Failed> {
            let etag = read::etag(&read::levels(self.registry, self.caller, anchor)?);
            Ok(is_expected(self.fields, &etag))
        };
        if !self.fields.contains_key(IF_MATCH) || is_expected()? {
            return Ok(());
        }
        let detail = "the key has changed since it was read (If-Match); read it again";
        Err(Failed::new(StatusCode::PRECONDITION_FAILED, detail))
    }

    /// Returns the rows that register documents of one key, merged into what is registered, and
    /// whether the key is new.
    fn merged(
        &self,
        key: &Anchor,
        documents: &[(CeDocument, RecordAnchor)],
    ) -> Result<(Vec<Value>, bool), Failed> {
        let mut levels: BTreeMap<Anchor, Working> = BTreeMap::new();
        for (document, located) in documents {
            let document = located.filled(document);
            let working = match levels.remove(&located.anchor) {
                None => Working::read(self.registry, self.caller, &located.anchor)?,
                known => known,
            };
            let working = match working {
                Some(mut working) => {
                    merge(&mut working.document, document, Wins::Later);
                    working
                }
                None => Working::new(located.anchor.clone(), document),
            };
            levels.insert(located.anchor.clone(), working);
        }
        let mut rows = Vec::new();
        let is_new = match levels.get(key) {
            Some(working) => working.revision.is_none(),
            None => find(self.registry, self.caller, key)?.is_none(),
        };
        if is_new && !levels.contains_key(key) {
            let first = levels.values().next();
            let of_key = first.and_then(|working| working.of_key(key)).ok_or_else(|| {
                Failed::invalid(format!(
                    "expected a document of /{key} itself (RES-2.5.9-1), found none"
                ))
            })?;
            rows.push(json!({"put": of_key, "ifNoneMatch": "*"}));
        }
        for working in levels.values() {
            rows.push(self.row(working)?);
        }
        Ok((rows, is_new))
    }

    /// Returns the row of a level, if its record follows all rules.
    fn row(&self, working: &Working) -> Result<Value, Failed> {
        let record = working.record().map_err(|fault| {
            let advice = "name the link type of another default link in `defaultLinktype`";
            match fault.id.as_str() {
                "default-link" => Failed::invalid(format!("{}: {advice}", fault.message)),
                _ => Failed::invalid(fault.message),
            }
        })?;
        let text =
            serde_json::to_vec(&record).map_err(|error| Failed::invalid(error.to_string()))?;
        if let Err(refused) = read_record(&text, &self.registry.rules()) {
            let faults: Vec<_> = refused.faults.iter().map(ToString::to_string).collect();
            return Err(Failed::invalid(faults.join("; ")));
        }
        Ok(match working.revision {
            Some(revision) => json!({"put": record, "ifMatch": revision.number()}),
            None => json!({"put": record, "ifNoneMatch": "*"}),
        })
    }

    /// Writes rows in one transaction, and makes them again if a level has changed meanwhile.
    fn write(&self, mut rows: impl FnMut() -> Result<Vec<Value>, Failed>) -> Result<(), Failed> {
        for _ in 0..WRITE_ATTEMPTS {
            let lines: String = rows()?.iter().map(|row| format!("{row}\n")).collect();
            let (body, conditions) = (lines.as_bytes(), Conditions::none());
            let report = self.registry.batch(self.caller, body, BatchMode::Atomic, conditions)?;
            let Some(refused) = report.items.iter().find(|item| item.code.is_some()) else {
                return Ok(());
            };
            match refused.code {
                Some(RefusalCode::PreconditionFailed) => {}
                Some(RefusalCode::Forbidden) => {
                    let details: Vec<_> = refused.errors.iter().map(Fault::detail).collect();
                    return Err(Failed::new(StatusCode::FORBIDDEN, details.join("; ")));
                }
                _ => return Err(Failed::of_faults(&refused.errors)),
            }
        }
        let detail = "others write the same keys; try again";
        Err(Failed::new(StatusCode::CONFLICT, detail))
    }
}

/// Reads links as they are in documents.
fn read_links(links: impl Iterator<Item = Value>) -> Result<Vec<CeLink>, Failed> {
    let read = |link| serde_json::from_value(link).map_err(|e| Failed::invalid(e.to_string()));
    links.map(read).collect()
}

/// Returns the answer for a key that has changed.
fn updated(entry: &str) -> Value {
    let data = format!("Document with _id {entry} updated");
    json!({"entry": entry, "result": {"response_status": 200, "data": data}})
}

/// Returns the id of a key in the database of Resolver CE.
fn entry(anchor: &str) -> String {
    anchor.trim_start_matches('/').replacen('/', "_", 1)
}

impl Part {
    /// Returns the level that the part is about.
    fn locate(&self, anchor: &str) -> Result<RecordAnchor, Failed> {
        let document = CeDocument {
            anchor: anchor.to_owned(),
            item_description: String::new(),
            default_link_type: String::new(),
            qualifiers: self.qualifiers.clone(),
            links: Vec::new(),
            active: true,
        };
        anchor::locate(&document).map_err(|_| Failed::no_document(&document.shown_anchor()))
    }
}
