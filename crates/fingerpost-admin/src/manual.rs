//! The reference page of the API: the OpenAPI document as HTML, without scripts.

mod curl;
mod example;

use askama::Template;
use serde_json::Value;

use curl::Example;

/// The groups of operations in the order of the page; others follow.
const GROUPS: [&str; 9] =
    ["levels", "history", "proposals", "audit", "keys", "accounts", "session", "service", "feed"];

/// Returns the page for an OpenAPI document.
pub(crate) fn page(document: &Value) -> String {
    let page = Page {
        title: text(&document["info"]["title"]),
        version: text(&document["info"]["version"]),
        description: text(&document["info"]["description"]),
        operations: operations(document),
        problems: members(&document["components"]["responses"])
            .map(|(name, response)| (name, text(&response["description"])))
            .collect(),
        common: Vec::new(),
    };
    // Writing to memory does not fail.
    page.without_common_problems().render().unwrap_or_default()
}

/// Returns the page with the documents that the operations take and return.
pub(crate) fn documents(document: &Value) -> String {
    let page = Documents {
        title: text(&document["info"]["title"]),
        schemas: members(&document["components"]["schemas"])
            .map(|(name, value)| Schema::of(document, name, value))
            .collect(),
    };
    page.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "manual.html")]
struct Page<'d> {
    title: &'d str,
    version: &'d str,
    description: &'d str,
    operations: Vec<Operation<'d>>,
    /// The problems that many operations have, with their meaning.
    problems: Vec<(&'d str, &'d str)>,
    /// Statuses and names of the problems of most operations, which are listed once.
    common: Vec<(&'d str, &'d str)>,
}

impl Page<'_> {
    fn without_common_problems(mut self) -> Self {
        let of = |problem: &(&str, &str)| {
            self.operations.iter().filter(|one| one.problems.contains(problem)).count()
        };
        let all = self.operations.iter().flat_map(|operation| operation.problems.iter());
        let mut common: Vec<_> =
            all.filter(|problem| of(problem) * 4 > self.operations.len() * 3).copied().collect();
        common.sort_unstable();
        common.dedup();
        for operation in &mut self.operations {
            operation.problems.retain(|problem| !common.contains(problem));
        }
        self.common = common;
        self
    }
}

#[derive(Template)]
#[template(path = "documents.html")]
struct Documents<'d> {
    title: &'d str,
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
    /// A request to try.
    curl: String,
    responses: Vec<Response<'d>>,
    /// Statuses of problems that many operations have, with their names.
    problems: Vec<(&'d str, &'d str)>,
}

struct Parameter<'d> {
    name: &'d str,
    location: &'d str,
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
    /// An example as JSON.
    example: Option<String>,
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
            members(item).map(move |(method, value)| Operation::of(path, method, value))
        })
        .collect();
    let group = |tag| GROUPS.iter().position(|group| *group == tag).unwrap_or(GROUPS.len());
    operations.sort_by_key(|operation| (group(operation.tag), operation.tag, operation.path));
    let mut tag = "";
    for operation in &mut operations {
        operation.opens_group = operation.tag != tag;
        tag = operation.tag;
    }
    operations
}

impl<'d> Operation<'d> {
    fn of(path: &'d str, method: &str, value: &'d Value) -> Self {
        let content = |content: &'d Value| {
            members(content)
                .map(|(media_type, content)| Content { media_type, kind: kind(&content["schema"]) })
        };
        let is_open = items(&value["security"])
            .any(|one| one.as_object().is_some_and(serde_json::Map::is_empty));
        let parameters: Vec<_> = items(&value["parameters"]).map(Parameter::of).collect();
        let bodies: Vec<_> = content(&value["requestBody"]["content"]).collect();
        let method = method.to_uppercase();
        let example = Example {
            operation: text(&value["operationId"]),
            method: &method,
            path,
            media_type: bodies.first().map(|body| body.media_type),
            needs_credential: !is_open,
        };
        let required = parameters.iter().filter(|one| one.is_required && one.location == "query");
        let (problems, own): (Vec<_>, Vec<_>) =
            members(&value["responses"]).partition(|(_, response)| response["$ref"].is_string());
        Self {
            tag: text(&value["tags"][0]),
            opens_group: false,
            id: text(&value["operationId"]),
            path,
            summary: text(&value["summary"]),
            description: value["description"].as_str(),
            is_open,
            curl: curl::command(&example, required.map(|one| one.name)),
            parameters,
            bodies,
            responses: own
                .into_iter()
                .map(|(status, response)| Response {
                    status,
                    description: text(&response["description"]),
                    kind: content(&response["content"])
                        .next()
                        .map_or_else(Vec::new, |one| one.kind),
                })
                .collect(),
            problems: problems
                .into_iter()
                .map(|(status, response)| (status, last(text(&response["$ref"]))))
                .collect(),
            method,
        }
    }
}

impl<'d> Parameter<'d> {
    fn of(value: &'d Value) -> Self {
        Self {
            name: text(&value["name"]),
            location: text(&value["in"]),
            is_required: value["required"] == true,
            description: text(&value["description"]),
        }
    }
}

impl<'d> Schema<'d> {
    fn of(document: &Value, name: &'d str, value: &'d Value) -> Self {
        // A value that is not an object says it all by its kind.
        let example = example::of(document, name);
        let example = example.is_object().then(|| format!("{example:#}"));
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
            example,
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

/// Returns the name at the end of a reference.
fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or_default()
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

    /// The largest page, in bytes; the whole of it is sent at once.
    const BUDGET: usize = 97_500;

    /// The same for the documents, which have examples.
    const DOCUMENTS_BUDGET: usize = 160_000;

    #[test]
    fn the_page_begins_with_contents_and_levels_and_stays_small() {
        let page = page(&crate::openapi::document());
        let position = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
        let order = [
            "<nav",
            "href=\"#putLevel\"",
            "id=\"levels\"",
            "id=\"putLevel\"",
            "id=\"feed\"",
            "id=\"problems\"",
        ];
        assert!(order.map(position).is_sorted(), "{:?}", order.map(position));
        assert!(page.contains("curl -sH &#34;$AUTH&#34; -X PUT"), "{page}");
        // Every link within the page leads somewhere.
        let documents = documents(&crate::openapi::document());
        for name in page.split("docs/documents#").skip(1).filter_map(|rest| rest.split('"').next())
        {
            assert!(documents.contains(&format!("id=\"{name}\"")), "{name}");
        }
        assert!(documents.len() < DOCUMENTS_BUDGET, "{} bytes", documents.len());
        for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
        }
        assert!(page.len() < BUDGET, "{} bytes", page.len());
    }

    #[test]
    fn text_never_becomes_markup() {
        let page = page(&json!({ "info": { "title": "<i>", "description": "a `<b>` & \"c\"" } }));
        assert!(!page.contains("<i>") && !page.contains("<b>"), "{page}");
        assert!(page.contains("a <code>&#60;b&#62;</code> &#38; &#34;c&#34;"), "{page}");
    }
}
