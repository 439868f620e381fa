//! The OpenAPI 3.1 document, derived from the handlers.
//!
//! A handler describes its parameters, its documents and the problems specific to it. This module
//! adds the problems that depend on properties of an operation: whether it needs a credential,
//! takes parameters or a body, or writes.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, License, OpenApi, SecurityRequirement, Server,
};
use utoipa_axum::router::OpenApiRouter;

use crate::problem::ProblemBody;
use crate::response::PROBLEMS;
use crate::state::{App, Texts};
use crate::{manual, routes};

const DESCRIPTION: &str = "Registers links below GS1 identifiers. Requests carry an API key (`Authorization: Bearer fpk_…`) or a \
    session (a cookie, and `X-CSRF-Token` in changes). Problems are documents as in RFC 9457 with a stable `code`, and `errors` \
    with JSON pointers. Every response has `X-Request-Id`. Level keys in paths can be sent as segments \
    (`/v1/levels/01/09506000134352`) or percent-encoded as one segment (`/v1/levels/01%2F09506000134352`).";

/// Returns the document and its page, as served.
pub(crate) fn texts() -> Texts {
    let document = document();
    Texts {
        manual: Bytes::from(manual::page(&document)),
        documents: Bytes::from(manual::documents(&document)),
        description: Bytes::from(text(&document)),
    }
}

/// Returns the document as checked in.
pub(crate) fn text(document: &Value) -> String {
    // A tree of texts can always be serialized.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns the document. Paths that end in a level have `{key}` for all of its segments.
pub(crate) fn document() -> Value {
    // A tree of texts can always be serialized.
    let mut document = serde_json::to_value(derived()).unwrap_or_default();
    let problems = PROBLEMS.iter();
    let mut shared: Map<_, _> = problems
        .map(|(name, status, description)| ((*name).to_owned(), problem(status, description)))
        .collect();
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        // axum writes {*key} for a parameter with all remaining segments; OpenAPI has no notation
        // for it.
        let derived = std::mem::take(paths);
        for (path, mut item) in derived {
            for (method, operation) in item.as_object_mut().into_iter().flatten() {
                complete(&path, method, operation, &mut shared);
            }
            paths.insert(path.replace("{*", "{"), item);
        }
    }
    document["components"]["responses"] = Value::Object(shared);
    sort(&mut document);
    document
}

/// Returns the description of a problem.
fn problem(status: &str, description: &str) -> Value {
    let mut response = json!({ "description": description });
    // Requests that cannot be read are refused by the connection, without a document.
    if status != "431" {
        let schema = json!({ "$ref": "#/components/schemas/Problem" });
        response["content"] = json!({ "application/problem+json": { "schema": schema } });
    }
    add_headers(status, &mut response);
    response
}

/// Adds the header fields that responses with this status have.
fn add_headers(status: &str, response: &mut Value) {
    for (name, statuses, description) in HEADERS {
        if statuses.is_empty() || statuses.contains(&status) {
            let schema = json!({ "type": "string" });
            response["headers"][name] = json!({ "description": description, "schema": schema });
        }
    }
}

/// Returns the descriptions by the handlers.
fn derived() -> OpenApi {
    let all: OpenApiRouter<Arc<App>> = routes::open().merge(routes::protected());
    let mut document = all.into_openapi();
    let mut info = InfoBuilder::new()
        .title("fingerpost admin API")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .build();
    info.license = Some(License::new("MIT OR Apache-2.0"));
    document.info = info;
    // Clients that generate code need one: the server that sends the document.
    document.servers = Some(vec![Server::new("/")]);
    let mut key = Http::new(HttpAuthScheme::Bearer);
    key.description = Some("An API key, created with POST /v1/keys.".to_owned());
    let cookie = ApiKeyValue::with_description(
        "fingerpost-session",
        "The session of a user, created with POST /v1/session; `__Host-fingerpost-session` under TLS.",
    );
    let components = document.components.take().unwrap_or_default();
    document.components = Some(
        ComponentsBuilder::from(components)
            .schema_from::<ProblemBody>()
            .security_scheme("key", SecurityScheme::Http(key))
            .security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)))
            .build(),
    );
    let none: [&str; 0] = [];
    document.security = Some(vec![
        SecurityRequirement::new("key", none),
        SecurityRequirement::new("session", none),
    ]);
    document
}

/// Adds the problems that depend on properties of an operation, and the headers that responses
/// have. The problems themselves are added to `shared`, the responses that operations refer to.
fn complete(path: &str, method: &str, operation: &mut Value, shared: &mut Map<String, Value>) {
    let is_open = operation.get("security").is_some();
    let has_body = operation.get("requestBody").is_some();
    let writes = method != "get";
    let is_page = path.starts_with("/v1/oidc/")
        || matches!(path, "/health" | "/ready" | "/v1/docs" | "/v1/openapi.json");
    let problems = [
        (
            "BadRequest",
            "400",
            true,
            "The path, the query, a header field or the notation of the body is invalid.",
        ),
        ("Unauthenticated", "401", !is_open, "Missing or invalid credential."),
        (
            "Forbidden",
            "403",
            !is_open || writes,
            "You do not have permission, or a browser sent the request from another site.",
        ),
        (
            "Missing",
            "404",
            path.contains("{id}") || path.contains('{') && method != "put",
            "Not found.",
        ),
        ("SlowBody", "408", has_body, "The request body arrived too slowly."),
        ("LargeBody", "413", has_body, "The request body is too large."),
        ("OtherMediaType", "415", has_body, "The media type of the body is not supported."),
        ("InvalidDocument", "422", has_body, "The document is invalid; `errors` lists all faults."),
        (
            "TooManyRequests",
            "429",
            !is_open,
            "Too many requests in progress or per second; `Retry-After` is the time to wait.",
        ),
        ("LargeHead", "431", true, "The request target and header fields are too large."),
        ("InternalError", "500", !is_page, "The server failed to answer the request."),
        (
            "Unavailable",
            "503",
            !is_page,
            "The server is busy, or the storage is unavailable; `Retry-After` is the time to wait.",
        ),
        ("StorageFull", "507", writes, "The storage is full; nothing was changed."),
    ];
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        never_null(&mut parameter["schema"]);
    }
    let responses = &mut operation["responses"];
    for (name, status, _, description) in problems.into_iter().filter(|(_, _, applies, _)| *applies)
    {
        if responses.get(status).is_none() {
            responses[status] = json!({ "$ref": format!("#/components/responses/{name}") });
            shared.entry(name).or_insert_with(|| problem(status, description));
        }
    }
    for (status, response) in responses.as_object_mut().into_iter().flatten() {
        if response.get("$ref").is_none() {
            add_headers(status, response);
        }
    }
}

/// Removes `null` from the schema of a parameter, which can be absent but not null.
fn never_null(schema: &mut Value) {
    let is_null = |one: &Value| *one == json!({ "type": "null" });
    if let Some(types) = schema["type"].as_array() {
        schema["type"] = types[0].clone();
    } else if let Some(variants) = schema["oneOf"].as_array() {
        let other = variants.iter().find(|one| !is_null(one)).cloned();
        *schema = other.unwrap_or_default();
    }
}

/// Header fields of all responses, or of all responses with some statuses.
const HEADERS: [(&str, &[&str], &str); 5] = [
    ("X-Request-Id", &[], "The id of the request in the log of the server."),
    ("WWW-Authenticate", &["401"], "`Bearer`, where a credential is required (RFC 6750)."),
    ("ETag", &["412"], "The current revision of the level in quotes, if there is one."),
    ("Retry-After", &["429", "503"], "Seconds to wait."),
    ("Location", &["201", "202"], "The address of the new resource, or of the proposal."),
];

/// Sorts members, because crate features of the build determine the order in maps.
fn sort(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = std::mem::take(members).into_iter().collect();
            sorted.sort_by(|one, other| one.0.cmp(&other.0));
            sorted.iter_mut().for_each(|(_, member)| sort(member));
            *members = Map::from_iter(sorted);
        }
        Value::Array(items) => items.iter_mut().for_each(sort),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_operation_and_document() {
        let document = document();
        let page = manual::page(&document);
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                let id = operation["operationId"].as_str().expect("an id");
                assert!(page.contains(&format!("id=\"{id}\"")), "{method} {path}");
            }
        }
        // The targets of links exist.
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().expect("a quote");
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
        assert!(!page.contains("<script"));
    }
}
