//! The data-entry API of Resolver CE 3 on the admin listener, under `/api`.
//!
//! ```text
//! GET    /api/heartbeat          no token
//! GET    /api/docs               this description as a page, and /api/openapi.json; no token
//! GET    /api/index              the anchors of all keys that the token may read
//! POST   /api/new                one document, or a list of documents, of version 2 or 3
//! GET    /api/{ai}/{value}       the documents of a key
//! PUT    /api/{ai}/{value}       merges into one qualifier set
//! DELETE /api/{ai}/{value}       the key with all qualifier sets, or the links of a body
//! ```
//!
//! The token is an API key, with its permissions, quotas and audit. Where Resolver CE loses data,
//! this API does not: see `docs/reference/ce-api.md`.

mod answer;
mod options;
mod read;
mod write;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Path, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use fingerpost_admin::{AdminCalls, ExtraRoutes};
use fingerpost_http::conditional::unless_same;
use fingerpost_registry::{Caller, Registry};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use answer::Failed;
pub use options::CeApiOptions;
use write::Writer;

/// The routes of the data-entry API.
#[derive(Debug)]
struct CeApi;

/// Returns the routes of the data-entry API, if the configuration enables it.
pub fn routes(options: &CeApiOptions) -> Option<Arc<dyn ExtraRoutes>> {
    options.enabled.then(|| Arc::new(CeApi) as Arc<dyn ExtraRoutes>)
}

impl ExtraRoutes for CeApi {
    fn routes(&self, calls: &AdminCalls) -> Router {
        let with_token = routes_with_token()
            .into_iter()
            .fold(Router::new(), |all, (path, route)| all.route(path, route));
        let with_token = calls.authenticated(with_token.with_state(calls.clone()));
        Router::new()
            .route("/api/heartbeat", get(heartbeat))
            .merge(AdminCalls::description("/api", &description()))
            .merge(with_token.route_layer(from_fn(token)))
    }
}

/// Returns the paths that need a token.
fn routes_with_token() -> [(&'static str, MethodRouter<AdminCalls>); 4] {
    [
        ("/api/index", get(index)),
        ("/api/new", post(create)),
        ("/api/{ai}/{value}", get(show).put(update).delete(remove)),
        ("/api/{ai}/{value}/{*more}", get(qualified)),
    ]
}

/// Returns the description of the API (OpenAPI 3.1).
fn description() -> Value {
    let text = include_str!("api/openapi.json");
    let mut description: Value = serde_json::from_str(text).expect("it has a test");
    description["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    description
}

/// Accepts a token with and without `Bearer`, and answers as Resolver CE without a valid one.
async fn token(mut request: Request, next: Next) -> Response {
    let Some(found) = request.headers().get(AUTHORIZATION) else {
        return (StatusCode::UNAUTHORIZED, Json("Missing Authorization Header")).into_response();
    };
    let bare = found.to_str().unwrap_or_default();
    let bare = bare.strip_prefix("Bearer ").unwrap_or(bare).trim();
    if let Ok(value) = HeaderValue::from_str(&format!("Bearer {bare}")) {
        request.headers_mut().insert(AUTHORIZATION, value);
    }
    let response = next.run(request).await;
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            (StatusCode::FORBIDDEN, Json("Token is invalid")).into_response()
        }
        _ => response,
    }
}

async fn heartbeat() -> Json<Value> {
    Json(json!({"response_message": "Server is running!"}))
}

/// A request with a valid token.
struct Call {
    calls: AdminCalls,
    caller: Caller,
    fields: HeaderMap,
}

impl FromRequestParts<AdminCalls> for Call {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, calls: &AdminCalls) -> Result<Call, Failed> {
        let caller = AdminCalls::caller(&parts.extensions);
        let caller =
            caller.ok_or_else(|| Failed::new(StatusCode::FORBIDDEN, "Token is invalid"))?;
        Ok(Call { calls: calls.clone(), caller, fields: parts.headers.clone() })
    }
}

impl Call {
    async fn json<T: DeserializeOwned>(&self, body: Body) -> Result<T, Failed> {
        let body = self.calls.json(&self.fields, body).await?;
        serde_json::from_slice(&body).map_err(|error| Failed::invalid(error.to_string()))
    }

    async fn write<T: Send + 'static>(
        self,
        work: impl FnOnce(&Writer<'_>) -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Failed> {
        let Call { calls, caller, fields } = self;
        let work = move |registry: &Registry| {
            Ok(work(&Writer { registry, caller: &caller, fields: &fields }))
        };
        calls.call(work).await?
    }
}

async fn index(Call { calls, caller, .. }: Call) -> Result<Json<Value>, Failed> {
    let anchors = calls.list(move |registry| read::keys(registry, &caller)).await?;
    if anchors.is_empty() {
        return Err(Failed::new(StatusCode::NOT_FOUND, "No documents found"));
    }
    Ok(Json(json!({"response_status": 200, "data": anchors})))
}

async fn show(
    Call { calls, caller, fields }: Call,
    Path((ai, value)): Path<(String, String)>,
) -> Result<Response, Failed> {
    let anchor = format!("/{ai}/{value}");
    let asked = anchor.clone();
    let read = calls.list(move |registry| read::documents(registry, &caller, &asked));
    let (documents, etag) = read.await?;
    if documents.is_empty() {
        return Err(Failed::no_document(&anchor));
    }
    let answer = Json(json!({"response_status": 200, "data": documents})).into_response();
    Ok(unless_same(answer, etag, &fields))
}

/// Only documents with a qualified anchor are found here, and none is stored like that.
async fn qualified(Path((ai, value, more)): Path<(String, String, String)>) -> Failed {
    Failed::no_document(&format!("/{ai}/{value}/{more}"))
}

async fn create(call: Call, body: Body) -> Result<(StatusCode, Json<Value>), Failed> {
    let body: Value = call.json(body).await?;
    let is_list = body.is_array();
    let documents = match body {
        Value::Array(documents) => documents,
        document => vec![document],
    };
    let mut answers = call.write(move |writer| writer.create(&documents)).await?;
    if is_list {
        let answers = answers.into_iter().map(|(_, answer)| answer).collect();
        return Ok((StatusCode::CREATED, Json(answers)));
    }
    let (status, answer) = answers.pop().ok_or_else(|| Failed::invalid("no document"))?;
    Ok((status, Json(answer)))
}

async fn update(
    call: Call,
    Path((ai, value)): Path<(String, String)>,
    body: Body,
) -> Result<Json<Value>, Failed> {
    let part = call.json(body).await?;
    let updated = call.write(move |writer| writer.update(&format!("/{ai}/{value}"), &part));
    updated.await.map(Json)
}

async fn remove(
    call: Call,
    Path((ai, value)): Path<(String, String)>,
    body: Body,
) -> Result<Json<Value>, Failed> {
    let anchor = format!("/{ai}/{value}");
    let part = match call.fields.contains_key(CONTENT_TYPE) {
        true => Some(call.json(body).await?),
        false => None,
    };
    let removed = call.write(move |writer| match part {
        Some(part) => writer.remove_links(&anchor, &part),
        None => writer.remove_key(&anchor),
    });
    removed.await.map(Json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_described() {
        let described = description();
        let described: Vec<_> = described["paths"].as_object().unwrap().keys().cloned().collect();
        let mut described: Vec<_> = described.iter().map(String::as_str).collect();
        described.sort_unstable();
        let open = ["/api/heartbeat", "/api/openapi.json", "/api/docs"];
        let paths = routes_with_token().map(|(path, _)| path.replace("{*", "{"));
        let mut paths: Vec<_> = paths.iter().map(String::as_str).chain(open).collect();
        paths.sort_unstable();
        assert_eq!(described, paths);
    }
}
