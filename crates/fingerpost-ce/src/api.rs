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
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use fingerpost_admin::{AdminCalls, CallFailure, ExtraRoutes};
use fingerpost_http::conditional::unless_same;
use fingerpost_registry::{Caller, Registry};
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Extensions, HeaderMap, StatusCode};
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

async fn index(
    State(calls): State<AdminCalls>,
    extensions: Extensions,
) -> Result<Response, Failed> {
    let caller = caller(&extensions)?;
    let anchors = calls.list(move |registry| read::keys(registry, &caller)).await?;
    if anchors.is_empty() {
        return Err(Failed::new(StatusCode::NOT_FOUND, "No documents found"));
    }
    Ok(Json(json!({"response_status": 200, "data": anchors})).into_response())
}

async fn show(
    State(calls): State<AdminCalls>,
    Path((ai, value)): Path<(String, String)>,
    extensions: Extensions,
    fields: HeaderMap,
) -> Result<Response, Failed> {
    let (caller, anchor) = (caller(&extensions)?, format!("/{ai}/{value}"));
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

async fn create(
    State(calls): State<AdminCalls>,
    extensions: Extensions,
    request: Request,
) -> Result<Response, Failed> {
    let caller = caller(&extensions)?;
    let fields = request.headers().clone();
    let body: Value = json_body(&calls, request).await?;
    let is_list = body.is_array();
    let documents = match body {
        Value::Array(documents) => documents,
        document => vec![document],
    };
    let mut answers =
        write(&calls, caller, fields, move |writer| writer.create(&documents)).await?;
    if is_list {
        let answers: Vec<Value> = answers.into_iter().map(|(_, answer)| answer).collect();
        return Ok((StatusCode::CREATED, Json(answers)).into_response());
    }
    let (status, answer) = answers.pop().ok_or_else(|| Failed::invalid("no document"))?;
    Ok((status, Json(answer)).into_response())
}

async fn update(
    State(calls): State<AdminCalls>,
    Path((ai, value)): Path<(String, String)>,
    extensions: Extensions,
    request: Request,
) -> Result<Response, Failed> {
    let (caller, anchor) = (caller(&extensions)?, format!("/{ai}/{value}"));
    let fields = request.headers().clone();
    let part = json_body(&calls, request).await?;
    let answer = write(&calls, caller, fields, move |writer| writer.update(&anchor, &part));
    Ok(Json(answer.await?).into_response())
}

async fn remove(
    State(calls): State<AdminCalls>,
    Path((ai, value)): Path<(String, String)>,
    extensions: Extensions,
    request: Request,
) -> Result<Response, Failed> {
    let (caller, anchor) = (caller(&extensions)?, format!("/{ai}/{value}"));
    let fields = request.headers().clone();
    let part = match fields.contains_key(CONTENT_TYPE) {
        true => Some(json_body(&calls, request).await?),
        false => None,
    };
    let answer = write(&calls, caller, fields, move |writer| match part {
        Some(part) => writer.remove_links(&anchor, &part),
        None => writer.remove_key(&anchor),
    });
    Ok(Json(answer.await?).into_response())
}

async fn write<T: Send + 'static>(
    calls: &AdminCalls,
    caller: Caller,
    fields: HeaderMap,
    work: impl FnOnce(&Writer<'_>) -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    let work =
        move |registry: &Registry| Ok(work(&Writer { registry, caller: &caller, fields: &fields }));
    calls.call(work).await?
}

fn caller(extensions: &Extensions) -> Result<Caller, Failed> {
    let caller = AdminCalls::caller(extensions);
    caller.ok_or_else(|| Failed::new(StatusCode::FORBIDDEN, "Token is invalid"))
}

async fn json_body<T: DeserializeOwned>(
    calls: &AdminCalls,
    request: Request<Body>,
) -> Result<T, Failed> {
    let (parts, body) = request.into_parts();
    let body = calls.json(&parts.headers, body).await.map_err(|failure| match failure {
        CallFailure { status: StatusCode::UNSUPPORTED_MEDIA_TYPE, .. } => Failed::not_json(),
        failure => failure.into(),
    })?;
    serde_json::from_slice(&body).map_err(|error| Failed::invalid(error.to_string()))
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
