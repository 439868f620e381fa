//! Examples of documents, made from their schemas, so that none differs from what is returned.

use serde_json::{Map, Value, json};

use super::{items, last, members};
use crate::limits::MAX_EXAMPLE_DEPTH;

/// Texts of which the schema says no more than a pattern.
const SAMPLES: [(&str, &str); 5] = [
    ("Actor", "user:01hqzw5r8x3c9k2m7n4p6t0vab"),
    ("CompanyPrefix", "9506000"),
    ("Id", "01hqzw5r8x3c9k2m7n4p6t0vab"),
    ("KeyPrefix", "9506000"),
    ("LevelKey", "/01/09506000134352"),
];

/// Returns an example of the document with a name.
pub(super) fn of(document: &Value, name: &str) -> Value {
    Examples { schemas: &document["components"]["schemas"] }.named(name, 0)
}

struct Examples<'d> {
    schemas: &'d Value,
}

impl Examples<'_> {
    fn named(&self, name: &str, depth: usize) -> Value {
        match SAMPLES.iter().find(|(own, _)| *own == name) {
            Some((_, text)) => (*text).into(),
            None => self.of(&self.schemas[name], depth),
        }
    }

    fn of(&self, schema: &Value, depth: usize) -> Value {
        let given = [&schema["example"], &schema["examples"][0], &schema["const"]];
        if let Some(given) = given.into_iter().find(|given| !given.is_null()) {
            return given.clone();
        }
        if let Some(name) = schema["$ref"].as_str().map(last) {
            return self.named(name, depth);
        }
        if let Some(first) = items(&schema["enum"]).find(|value| !value.is_null()) {
            return first.clone();
        }
        let is_null = |one: &&Value| one["type"] == "null";
        let variants = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
        if let Some(one) = variants.and_then(|all| all.iter().find(|one| !is_null(one))) {
            return self.of(one, depth);
        }
        if schema["allOf"].is_array() {
            let parts = items(&schema["allOf"]).map(|part| self.of(part, depth));
            let objects = parts.filter_map(|part| part.as_object().cloned());
            let whole: Map<_, _> = objects.flatten().collect();
            return whole.into_iter().chain(self.object(schema, depth)).collect();
        }
        let kind = match &schema["type"] {
            Value::Array(_) => items(&schema["type"]).find(|name| *name != "null"),
            name => Some(name),
        };
        match kind.and_then(Value::as_str).unwrap_or_default() {
            "object" => Value::Object(self.object(schema, depth)),
            "array" if depth >= MAX_EXAMPLE_DEPTH && schema["minItems"].is_null() => json!([]),
            "array" => json!([self.of(&schema["items"], depth + 1)]),
            "string" => string(schema).into(),
            "integer" => schema["minimum"].as_u64().unwrap_or(1).into(),
            "number" => schema["minimum"].as_f64().unwrap_or(0.5).into(),
            "boolean" => true.into(),
            _ => Value::Null,
        }
    }

    /// Returns the members of an object; those that can be absent only near the top.
    fn object(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let is_required = |name: &str| items(&schema["required"]).any(|one| one == name);
        let shown = members(&schema["properties"])
            .filter(|(name, _)| depth < MAX_EXAMPLE_DEPTH || is_required(name));
        shown.map(|(name, value)| (name.to_owned(), self.of(value, depth + 1))).collect()
    }
}

fn string(schema: &Value) -> &str {
    if let Some(example) = schema["example"].as_str() {
        return example;
    }
    match schema["format"].as_str().unwrap_or_default() {
        "date-time" => "2026-05-01T12:00:00Z",
        "date" => "2026-05-01",
        "uri" | "link-target" => "https://brand.example/tea",
        "link-type" => "gs1:pip",
        "gs1-anchor" => "/01/09506000134352",
        "password" => "correct horse battery staple",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PE-27: each document has an example, and its schema accepts it.
    #[test]
    fn examples_are_valid() {
        let document = crate::openapi::document();
        let schemas = &document["components"]["schemas"];
        let mut count = 0;
        for (name, _) in members(schemas) {
            // Joins two objects of which each forbids the members of the other.
            if name.starts_with("Invitation") {
                continue;
            }
            let example = of(&document, name);
            let whole = json!({
                "$ref": format!("#/components/schemas/{name}"),
                "components": { "schemas": schemas },
            });
            let validator = jsonschema::validator_for(&whole).expect("a schema");
            let faults: Vec<_> =
                validator.iter_errors(&example).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{name}: {faults:?} in {example}");
            count += 1;
        }
        assert!(count > 50, "{count}");
    }
}
