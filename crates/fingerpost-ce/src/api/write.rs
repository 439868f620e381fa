//! Writes of the data-entry API: documents are merged into the records of their levels, and all
//! levels of a request are written in one transaction, which is repeated if they have changed
//! meanwhile.

use std::collections::BTreeMap;

use fingerpost_http::conditional::is_expected;
use fingerpost_registry::{BatchMode, Caller, Conditions, Fault, RefusalCode, Registry};
use fingerpost_resolver::{Anchor, read_record};
use http::header::{IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::Failed;
use super::read;
use crate::anchor::{self, RecordAnchor};
use crate::document::{CeDocument, CeLink, CeQualifier, shown_anchor};
use crate::level::{Working, is_registered};
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
    qualifiers: Option<Vec<CeQualifier>>,
    links: Option<Vec<Value>>,
}

/// An answer with its status.
type Answered = (StatusCode, Value);

/// Registers documents in one transaction; returns an answer for each key.
pub(super) fn create(
    registry: &Registry,
    caller: &Caller,
    fields: &HeaderMap,
    documents: &[Value],
) -> Result<Vec<Answered>, Failed> {
    let mut keys: Vec<(Anchor, Vec<(CeDocument, RecordAnchor)>)> = Vec::new();
    for document in documents {
        let (document, _) = document_of(document).map_err(Failed::invalid)?;
        let located = anchor::locate(&document).map_err(|fault| Failed::invalid(fault.message))?;
        let key = Anchor::from_canonical(located.anchor.key_level())
            .ok_or_else(|| Failed::no_document(&document.shown_anchor()))?;
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, documents)) => documents.push((document, located)),
            None => keys.push((key, vec![(document, located)])),
        }
    }
    let is_only_new = fields.get(IF_NONE_MATCH).is_some_and(|value| value == "*");
    let mut is_new = Vec::new();
    write(registry, caller, || {
        is_new.clear();
        let mut rows = Vec::new();
        for (key, documents) in &keys {
            let (more, is_new_key) = merged(registry, caller, key, documents)?;
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
pub(super) fn update(
    registry: &Registry,
    caller: &Caller,
    fields: &HeaderMap,
    (anchor, part): (&str, &Part),
) -> Result<Value, Failed> {
    let located = part.locate(anchor)?;
    let links = part.links(&located)?;
    write(registry, caller, || {
        require(registry, caller, fields, anchor)?;
        let mut working = Working::read(registry, caller, &located.anchor)?
            .ok_or_else(|| Failed::no_document(&part.shown(anchor)))?;
        if let Some(description) = &part.item_description {
            working.document.item_description.clone_from(description);
        }
        if let Some(link_type) = &part.default_link_type {
            working.document.default_link_type.clone_from(link_type);
        }
        overwrite(&mut working.document.links, links.clone());
        Ok(vec![row(registry, &working)?])
    })?;
    Ok(updated(&entry(anchor)))
}

/// Deletes a key with all its levels.
pub(super) fn remove_key(
    registry: &Registry,
    caller: &Caller,
    fields: &HeaderMap,
    anchor: &str,
) -> Result<Value, Failed> {
    write(registry, caller, || {
        require(registry, caller, fields, anchor)?;
        let levels = read::levels(registry, caller, anchor)?;
        if levels.is_empty() {
            return Err(Failed::no_document(anchor));
        }
        let delete = |level: fingerpost_registry::Level| json!({"delete": format!("/{}", level.key), "ifMatch": level.revision.number()});
        Ok(levels.into_iter().map(delete).collect())
    })?;
    let data = format!("Document with _id {} deleted", entry(anchor));
    Ok(json!({"response_status": 200, "data": data}))
}

/// Removes links by their identity; at least one must be there.
pub(super) fn remove_links(
    registry: &Registry,
    caller: &Caller,
    fields: &HeaderMap,
    (anchor, part): (&str, &Part),
) -> Result<Value, Failed> {
    #[derive(Deserialize)]
    struct Identity {
        linktype: String,
        #[serde(default, deserialize_with = "crate::document::one_or_many")]
        hreflang: Vec<String>,
        #[serde(default, deserialize_with = "crate::document::one_or_many")]
        context: Vec<String>,
    }
    let located = part.locate(anchor)?;
    let mut identities = Vec::new();
    for link in part.links.iter().flatten() {
        let Identity { linktype, hreflang, context } =
            serde_json::from_value(link.clone()).map_err(|e| Failed::invalid(e.to_string()))?;
        identities.push(CeLink::of_identity(linktype, hreflang, context));
    }
    let mut removed = 0;
    write(registry, caller, || {
        require(registry, caller, fields, anchor)?;
        let mut working = Working::read(registry, caller, &located.anchor)?
            .ok_or_else(|| Failed::no_document(&part.shown(anchor)))?;
        let before = working.document.links.len();
        working.document.links.retain(|link| !identities.iter().any(|id| id.is_same_as(link)));
        removed = before - working.document.links.len();
        if removed == 0 {
            return Err(Failed::new(StatusCode::NOT_FOUND, "No matching links found"));
        }
        if let Some(link_type) = &part.default_link_type {
            working.document.default_link_type.clone_from(link_type);
        }
        Ok(vec![row(registry, &working)?])
    })?;
    let mut answer = updated(&entry(anchor));
    answer["removed"] = json!(removed);
    Ok(answer)
}

/// Returns the answer for a key that has changed.
fn updated(entry: &str) -> Value {
    let data = format!("Document with _id {entry} updated");
    json!({"entry": entry, "result": {"response_status": 200, "data": data}})
}

/// Refuses to change a key that is not as the client has read it (`If-Match`, RFC 9110, section
/// 13.1.1). What changes between this and the write has its own precondition in each row.
fn require(
    registry: &Registry,
    caller: &Caller,
    fields: &HeaderMap,
    anchor: &str,
) -> Result<(), Failed> {
    if !fields.contains_key(IF_MATCH) {
        return Ok(());
    }
    let etag = read::etag(&read::levels(registry, caller, anchor)?);
    if is_expected(fields, &etag) {
        return Ok(());
    }
    let detail = "the key has changed since it was read (If-Match); read it again";
    Err(Failed::new(StatusCode::PRECONDITION_FAILED, detail))
}

/// Returns the rows that register documents of one key, merged into what is registered, and whether
/// the key is new.
fn merged(
    registry: &Registry,
    caller: &Caller,
    key: &Anchor,
    documents: &[(CeDocument, RecordAnchor)],
) -> Result<(Vec<Value>, bool), Failed> {
    let mut levels: BTreeMap<Anchor, Working> = BTreeMap::new();
    for (document, located) in documents {
        let document = located.filled(document);
        match levels.get_mut(&located.anchor) {
            Some(working) => merge(&mut working.document, document, Wins::Later),
            None => {
                let working = match Working::read(registry, caller, &located.anchor)? {
                    Some(mut working) => {
                        merge(&mut working.document, document, Wins::Later);
                        working
                    }
                    None => Working::new(located.anchor.clone(), document),
                };
                levels.insert(located.anchor.clone(), working);
            }
        }
    }
    let mut rows = Vec::new();
    let is_new = match levels.get(key) {
        Some(working) => working.revision.is_none(),
        None => !is_registered(registry, caller, key)?,
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
        rows.push(row(registry, working)?);
    }
    Ok((rows, is_new))
}

/// Returns the row of a level, if its record follows all rules.
fn row(registry: &Registry, working: &Working) -> Result<Value, Failed> {
    let record = working.record().map_err(|fault| {
        let advice = "name the link type of another default link in `defaultLinktype`";
        match fault.id.as_str() {
            "default-link" => Failed::invalid(format!("{}: {advice}", fault.message)),
            _ => Failed::invalid(fault.message),
        }
    })?;
    let text = serde_json::to_vec(&record).map_err(|error| Failed::invalid(error.to_string()))?;
    if let Err(refused) = read_record(&text, &registry.rules()) {
        let faults: Vec<_> = refused.faults.iter().map(ToString::to_string).collect();
        return Err(Failed::invalid(faults.join("; ")));
    }
    Ok(match working.revision {
        Some(revision) => json!({"put": record, "ifMatch": revision.number()}),
        None => json!({"put": record, "ifNoneMatch": "*"}),
    })
}

/// Writes rows in one transaction, and makes them again if a level has changed meanwhile.
fn write(
    registry: &Registry,
    caller: &Caller,
    mut rows: impl FnMut() -> Result<Vec<Value>, Failed>,
) -> Result<(), Failed> {
    for _ in 0..WRITE_ATTEMPTS {
        let lines: String = rows()?.iter().map(|row| format!("{row}\n")).collect();
        let conditions = Conditions::none();
        let report = registry.batch(caller, lines.as_bytes(), BatchMode::Atomic, conditions)?;
        let Some(refused) = report.items.iter().find(|item| item.code.is_some()) else {
            return Ok(());
        };
        match refused.code {
            Some(RefusalCode::PreconditionFailed) => {}
            Some(RefusalCode::Forbidden) => {
                return Err(Failed::new(StatusCode::FORBIDDEN, details(&refused.errors)));
            }
            _ => return Err(Failed::of_faults(&refused.errors)),
        }
    }
    let detail = "others write the same keys; try again";
    Err(Failed::new(StatusCode::CONFLICT, detail))
}

fn details(faults: &[Fault]) -> String {
    faults.iter().map(Fault::detail).collect::<Vec<_>>().join("; ")
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
            qualifiers: self.qualifiers.clone().unwrap_or_default(),
            links: Vec::new(),
            active: true,
        };
        anchor::locate(&document).map_err(|_| Failed::no_document(&document.shown_anchor()))
    }

    fn shown(&self, anchor: &str) -> String {
        shown_anchor(anchor, self.qualifiers.as_deref().unwrap_or_default())
    }

    fn links(&self, located: &RecordAnchor) -> Result<Vec<CeLink>, Failed> {
        let mut links = Vec::new();
        for link in self.links.iter().flatten() {
            let link: CeLink =
                serde_json::from_value(link.clone()).map_err(|e| Failed::invalid(e.to_string()))?;
            links.push(located.filled_link(link));
        }
        Ok(links)
    }
}
