//! JSON schemas of the documents that a resolver publishes (RES-2.10-3, RES-3-2), written from
//! `docs/requirements/resolver.md`.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::case::testdata;

static LINKSET: LazyLock<Validator> = LazyLock::new(|| restated("linkset-schema.json"));

static DESCRIPTION: LazyLock<Validator> =
    LazyLock::new(|| restated("description-file-schema.json"));

fn restated(name: &str) -> Validator {
    compiled(&std::fs::read(testdata(name)).expect("the schema is in testdata"))
}

fn compiled(text: &[u8]) -> Validator {
    let schema: Value = serde_json::from_slice(text).expect("a schema is JSON");
    jsonschema::draft7::new(&schema).expect("a schema of draft 7")
}

/// Returns the faults of a linkset in JSON.
pub fn linkset_faults(document: &Value) -> Vec<String> {
    faults(&LINKSET, document)
}

/// Returns the faults of a resolver description file.
pub fn description_faults(document: &Value) -> Vec<String> {
    faults(&DESCRIPTION, document)
}

/// Returns the faults that a schema of draft 7 finds.
///
/// # Panics
///
/// If the text is not such a schema.
pub fn faults_by(schema: &[u8], document: &Value) -> Vec<String> {
    faults(&compiled(schema), document)
}

fn faults(schema: &Validator, document: &Value) -> Vec<String> {
    schema
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut document = json!({"linkset": [{
            "anchor": "https://id.example.org/01/09520123456788",
            "itemDescription": "Tea",
            "https://ref.gs1.org/voc/pip": [{
                "href": "https://example.com/p?a=1#b", "title": "Tea", "type": "text/html",
                "hreflang": ["en", "pt-BR"], "context": ["CH"],
            }],
            "license": [{"href": "https://example.com", "title": "Licence"}],
        }]});
        change(&mut document);
        linkset_faults(&document)
    }

    /// RES-2.10-3, RES-2.10-9, RES-2.10-12, RES-2.10-13, RES-2.5.2-3, RES-2.5.7-1, RES-2.12-5
    #[test]
    fn the_schema_of_linksets_refuses_what_the_rows_refuse() {
        const PIP: &str = "https://ref.gs1.org/voc/pip";
        assert_eq!(of(|_| ()), Vec::<String>::new());
        for (member, wrong) in [
            ("href", json!("mailto:a@example.com")),
            ("href", json!("https://exämple.com")),
            ("title", json!(" ")),
            ("title", Value::Null),
            ("type", json!("html")),
            ("hreflang", json!("en")),
            ("hreflang", json!([])),
            ("hreflang", json!(["es-419"])),
            ("context", json!("CH")),
            ("fwqs", json!(true)),
            ("public", json!(true)),
            ("colour", json!("red")),
        ] {
            let found = of(|document| document["linkset"][0][PIP][0][member] = wrong.clone());
            assert!(!found.is_empty(), "{member} {wrong}");
        }
        for (member, wrong) in [
            ("anchor", json!("/01/09520123456788")),
            ("anchor", json!("https://id.example.org/01/09520123456788/")),
            ("anchor", json!("https://id.example.org/01/09520123456788?a=1")),
            ("itemDescription", Value::Null),
            ("description", json!("Tea")),
            (PIP, json!([])),
            (PIP, json!({"href": "https://example.com", "title": "Tea"})),
            ("https://example.net/link-types#recall", json!([])),
        ] {
            let found = of(|document| document["linkset"][0][member] = wrong.clone());
            assert!(!found.is_empty(), "{member} {wrong}");
        }
        assert!(!of(|document| document["context"] = json!({})).is_empty());
        assert!(!of(|document| document["linkset"] = json!([])).is_empty());
    }
}
