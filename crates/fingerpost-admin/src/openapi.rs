//! The description of the API (OpenAPI 3.1), derived from the handlers.

use serde_json::{Map, Value};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, License, OpenApi, SecurityRequirement};

use crate::app;
use crate::problem::{FaultBody, ProblemBody};

const DESCRIPTION: &str = "Registers links below GS1 identifiers. Credentials are keys (`Authorization: Bearer fpk_…`) or \
    sessions (a cookie, with `X-CSRF-Token` for changes). Problems are documents of RFC 9457 with `code`, and `errors` that \
    have JSON pointers. Every answer has `X-Request-Id`.";

/// The document. Paths that end in a level have `{key}` for all of its segments.
pub(crate) fn document() -> OpenApi {
    let mut document = app::description();
    let mut info = InfoBuilder::new()
        .title("fingerpost admin API")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .build();
    info.license = Some(License::new("MIT OR Apache-2.0"));
    document.info = info;
    let mut key = Http::new(HttpAuthScheme::Bearer);
    key.description = Some("A key for programs, made by POST /v1/keys.".to_owned());
    let cookie = ApiKeyValue::with_description(
        "fingerpost-session",
        "A person's session, made by POST /v1/session; `__Host-fingerpost-session` under TLS.",
    );
    let components = document.components.take().unwrap_or_default();
    document.components = Some(
        ComponentsBuilder::from(components)
            .schema_from::<ProblemBody>()
            .schema_from::<FaultBody>()
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

/// The document as it is checked in.
pub(crate) fn text(document: &OpenApi) -> String {
    // A tree of texts can always be written.
    let mut value = serde_json::to_value(document).unwrap_or_default();
    if let Some(paths) = value.get_mut("paths").and_then(Value::as_object_mut) {
        let named = std::mem::take(paths);
        // axum writes {*key} where a parameter takes all segments; OpenAPI has no notation for it.
        paths.extend(named.into_iter().map(|(path, item)| (path.replace("{*", "{"), item)));
    }
    sort(&mut value);
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    text
}

/// Members in one order, whatever crate of the build has maps keep theirs.
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
