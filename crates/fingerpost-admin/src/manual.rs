//! The reference page of the API: the OpenAPI document as HTML, without scripts.

use askama::Template;
use serde_json::Value;

/// Returns the page for an OpenAPI document.
pub(crate) fn page(document: &Value) -> String {
    let page = Page {
        title: text(&document["info"]["title"]),
        version: text(&document["info"]["version"]),
        description: text(&document["info"]["description"]),
        operations: operations(document),
        schemas: members(&document["components"]["schemas"]).map(Schema::of).collect(),
    };
    // Writing to memory does not fail.
    page.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "manual.html")]
struct Page<'d> {
    title: &'d str,
    version: &'d str,
    description: &'d str,
    operations: Vec<Operation<'d>>,
    schemas: Vec<Schema<'d>>,
}

struct Operation<'d> {
    tag: &'d str,
    /// Whether it is the first operation of its tag.
    opens_group: bool,
    id: &'d str,
    method: String,
    path: &'d str,
    summary: &'d str,
    description: Option<&'d str>,
    is_open: bool,
    parameters: Vec<Parameter<'d>>,
    bodies: Vec<Content<'d>>,
    responses: Vec<Response<'d>>,
}

struct Parameter<'d> {
    name: &'d str,
    place: &'d str,
    is_required: bool,
    description: &'d str,
}

struct Content<'d> {
    media_type: &'d str,
    kind: Vec<Word<'d>>,
}

struct Response<'d> {
    status: &'d str,
    description: &'d str,
    kind: Vec<Word<'d>>,
}

struct Schema<'d> {
    name: &'d str,
    description: &'d str,
    members: Vec<Member<'d>>,
    kind: Vec<Word<'d>>,
}

struct Member<'d> {
    name: &'d str,
    is_required: bool,
    kind: Vec<Word<'d>>,
    description: &'d str,
}

/// A part of the description of a type.
enum Word<'d> {
    Text(&'d str),
    Code(String),
    /// The name of a schema of the document.
    Schema(&'d str),
}

/// Returns the operations, grouped by tag.
fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut operations: Vec<_> = members(&document["paths"])
        .flat_map(|(path, item)| {
            members(item).map(move |(method, value)| Operation::of(document, path, method, value))
        })
        .collect();
    operations.sort_by_key(|operation| (operation.tag, operation.path));
    let mut tag = "";
    for operation in &mut operations {
        operation.opens_group = operation.tag != tag;
        tag = operation.tag;
    }
    operations
}

impl<'d> Operation<'d> {
    fn of(document: &'d Value, path: &'d str, method: &str, value: &'d Value) -> Self {
        let content = |content: &'d Value| {
            members(content)
                .map(|(media_type, content)| Content { media_type, kind: kind(&content["schema"]) })
        };
        Self {
            tag: text(&value["tags"][0]),
            opens_group: false,
            id: text(&value["operationId"]),
            method: method.to_uppercase(),
            path,
            summary: text(&value["summary"]),
            description: value["description"].as_str(),
            is_open: items(&value["security"])
                .any(|one| one.as_object().is_some_and(serde_json::Map::is_empty)),
            parameters: items(&value["parameters"]).map(Parameter::of).collect(),
            bodies: content(&value["requestBody"]["content"]).collect(),
            responses: members(&value["responses"])
                .map(|(status, response)| (status, shared(document, response)))
                .map(|(status, response)| Response {
                    status,
                    description: text(&response["description"]),
                    kind: content(&response["content"])
                        .next()
                        .map_or_else(Vec::new, |one| one.kind),
                })
                .collect(),
        }
    }
}

impl<'d> Parameter<'d> {
    fn of(value: &'d Value) -> Self {
        Self {
            name: text(&value["name"]),
            place: text(&value["in"]),
            is_required: value["required"] == true,
            description: text(&value["description"]),
        }
    }
}

impl<'d> Schema<'d> {
    fn of((name, value): (&'d str, &'d Value)) -> Self {
        let is_required = |member: &str| items(&value["required"]).any(|one| one == member);
        Self {
            name,
            description: text(&value["description"]),
            members: members(&value["properties"])
                .map(|(name, value)| Member {
                    name,
                    is_required: is_required(name),
                    kind: kind(value),
                    description: text(&value["description"]),
                })
                .collect(),
            kind: kind(value),
        }
    }
}

/// Describes a schema in a few words.
fn kind(schema: &Value) -> Vec<Word<'_>> {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return vec![Word::Schema(name)];
    }
    let variants = ["oneOf", "anyOf", "allOf"].into_iter().find_map(|key| schema[key].as_array());
    if let Some(variants) = variants {
        return alternatives(variants.iter().map(kind));
    }
    if let Some(values) = schema["enum"].as_array() {
        return alternatives(values.iter().map(|value| vec![Word::Code(value.to_string())]));
    }
    let named = |name| match name {
        "array" => {
            let mut words = vec![Word::Text("array of ")];
            words.extend(kind(&schema["items"]));
            words
        }
        name => vec![Word::Text(name)],
    };
    match &schema["type"] {
        Value::String(name) => named(name),
        Value::Array(names) => alternatives(names.iter().filter_map(Value::as_str).map(named)),
        _ => vec![Word::Text("any value")],
    }
}

fn alternatives<'d>(variants: impl Iterator<Item = Vec<Word<'d>>>) -> Vec<Word<'d>> {
    let mut words = Vec::new();
    for variant in variants {
        if !words.is_empty() {
            words.push(Word::Text(" or "));
        }
        words.extend(variant);
    }
    words
}

/// Returns the response itself where an operation refers to a shared one.
fn shared<'d>(document: &'d Value, response: &'d Value) -> &'d Value {
    let pointer = response["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(response)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        let page = page(&json!({ "info": { "title": "<i>", "description": "a `<b>` & \"c\"" } }));
        assert!(!page.contains("<i>") && !page.contains("<b>"), "{page}");
        assert!(page.contains("a <code>&#60;b&#62;</code> &#38; &#34;c&#34;"), "{page}");
    }
}
