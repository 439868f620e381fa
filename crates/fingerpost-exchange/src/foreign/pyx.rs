//! Link documents of the Pyx Identity Resolver, as its API takes them (`POST /resolver`): one, an
//! array, or one on each line.
//!
//! ```text
//! document  = {"namespace", "identificationKeyType", "identificationKey", "itemDescription",
//!              "qualifierPath", "active", "responses": [response, …]}
//! response  = {"linkType", "title", "targetUrl", "mimeType", "ianaLanguage", "context", "active",
//!              "defaultLinkType", "defaultIanaLanguage", "defaultContext", "defaultMimeType", …}
//! ```
//!
//! Inactive responses are not served, so they become no links. `xx` is the context of all.

use std::io;

use fingerpost_resolver::MAX_RECORD_BYTES;
use serde_json::{Map, Value, json};

use super::{Input, Items, cut, text};
use crate::pieces::{JsonValue, JsonValues};

/// Names of key types that are no Application Identifiers.
const KEY_TYPES: [(&str, &str); 12] = [
    ("gtin", "01"),
    ("sscc", "00"),
    ("gln", "414"),
    ("pgln", "417"),
    ("grai", "8003"),
    ("giai", "8004"),
    ("gsrn", "8018"),
    ("gsrnp", "8017"),
    ("gdti", "253"),
    ("gcn", "255"),
    ("ginc", "401"),
    ("gsin", "402"),
];

/// Whether a file begins with a document.
pub(crate) fn is(head: &[u8]) -> bool {
    let text = text(head).trim_start();
    let names = ["\"namespace\"", "\"identificationKeyType\"", "\"identificationKey\""];
    text.starts_with(['{', '[']) && names.iter().all(|name| text.contains(name))
}

/// Reads the documents.
pub(crate) fn read(input: Input<'_>) -> io::Result<Items<'_>> {
    Ok(Box::new(JsonValues::new(input, MAX_RECORD_BYTES).map(|value| {
        let JsonValue { line, text, .. } = value?;
        let document = text.map_err(|(problem, _)| problem).and_then(|text| {
            serde_json::from_slice::<Value>(&text).map_err(|error| error.to_string())
        });
        Ok((line, document.and_then(|document| record(&document))))
    })))
}

fn record(document: &Value) -> Result<Value, String> {
    let text = |name: &str| document[name].as_str().unwrap_or_default();
    if document["active"] == json!(false) {
        return Err("the document is not active".to_owned());
    }
    let name = text("identificationKeyType").to_ascii_lowercase();
    let known = KEY_TYPES.iter().find(|(known, _)| *known == name);
    let ai = known.map_or(name.as_str(), |(_, ai)| ai);
    if ai.is_empty() || !ai.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("expected the key type of a GS1 key, found `{}`", cut(&name)));
    }
    let path = text("qualifierPath").trim_matches('/');
    let slash = if path.is_empty() { "" } else { "/" };
    let anchor = format!("/{ai}/{}{slash}{path}", text("identificationKey"));
    let responses = document["responses"].as_array().into_iter().flatten();
    let active: Vec<_> = responses.filter(|it| it["active"] != json!(false)).collect();
    let mut links: Vec<Value> = default_link(&active).into_iter().collect();
    links.extend(active.iter().map(|response| link(response)));
    let mut record = json!({"anchor": anchor, "links": links});
    let description = [text("itemDescription"), text("description")];
    if let Some(text) = description.iter().find(|text| !text.is_empty()) {
        record["itemDescription"] = json!(text);
    }
    Ok(record)
}

/// Returns the default link: of the default responses, the one with most other defaults.
fn default_link(responses: &[&Value]) -> Option<Value> {
    let flags = ["defaultIanaLanguage", "defaultContext", "defaultMimeType"];
    let defaults = responses.iter().filter(|it| it["defaultLinkType"] == json!(true));
    let rank = |it: &&&Value| flags.iter().filter(|flag| it[**flag] == json!(true)).count();
    // Of equals, the first one.
    let response = defaults.rev().max_by_key(rank)?;
    Some(json!({
        "linkType": "gs1:defaultLink", "href": response["targetUrl"], "title": response["title"],
    }))
}

fn link(response: &Value) -> Value {
    let mut link = Map::new();
    for (name, member) in [("linkType", "linkType"), ("href", "targetUrl"), ("title", "title")] {
        link.insert(name.to_owned(), response[member].clone());
    }
    let text = |name: &str| response[name].as_str().filter(|it| !it.is_empty() && *it != "xx");
    if let Some(media_type) = text("mimeType") {
        link.insert("type".to_owned(), json!(media_type));
    }
    if let Some(language) = text("ianaLanguage") {
        link.insert("hreflang".to_owned(), json!([language]));
    }
    if let Some(context) = text("context") {
        link.insert("context".to_owned(), json!([context]));
    }
    Value::Object(link)
}
