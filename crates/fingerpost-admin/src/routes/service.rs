//! The service itself: whether it is there, how it is configured, what it offers.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{self, HeaderValue};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Refused, ok};
use crate::app::App;
use crate::body::{MAX_BATCH, MAX_BODY};
use crate::credential::Who;
use crate::manual;
use crate::model::SignInWays;
use crate::problem::Problem;

/// Tells that the listener is there.
#[utoipa::path(
    get, path = "/health", operation_id = "readHealth", tag = "service", security(()),
    responses((status = 204, description = "It is there."))
)]
pub(crate) async fn health() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// This description (OpenAPI 3.1).
#[utoipa::path(
    get, path = "/v1/openapi.json", operation_id = "readDescription", tag = "service", security(()),
    responses((status = 200, description = "The description.", body = Object))
)]
pub(crate) async fn openapi(State(app): State<Arc<App>>) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], app.description()).into_response()
}

/// This description for people.
#[utoipa::path(
    get, path = "/v1/docs", operation_id = "readManual", tag = "service", security(()),
    responses((status = 200, description = "A page.", body = String, content_type = "text/html"))
)]
pub(crate) async fn docs(State(app): State<Arc<App>>) -> Response {
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, manual::policy()),
    ];
    (fields, app.manual()).into_response()
}

/// How the page for people looks; a part of the page, so not described.
pub(crate) async fn style() -> Response {
    let css = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, css)], manual::STYLE).into_response()
}

/// How this installation is configured.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Configuration)]
pub(crate) struct ConfigurationBody {
    /// Version of fingerpost.
    version: &'static str,
    /// Address below which its Digital Links live.
    resolver_root: String,
    /// Does that address only stand in, because none is configured?
    resolver_root_is_default: bool,
    name: Option<String>,
    /// Primary keys that it serves; null: all.
    primary_keys: Option<Vec<String>>,
    /// Declared context values; empty: any.
    context_values: Vec<String>,
    /// Longest body of a request, in bytes.
    max_body: usize,
    /// Longest batch, in bytes.
    max_batch: usize,
    /// Days for which replaced states are kept; null: for ever.
    history_days: Option<u32>,
    /// How long a session lasts at most, in seconds.
    session_lifetime: u64,
    /// How long it lasts without a request, in seconds.
    session_idle: u64,
    /// Does this listener speak TLS?
    tls: bool,
    sign_in: SignInWays,
}

/// Tells how this installation is configured; nothing in it is secret.
#[utoipa::path(
    get, path = "/v1/configuration", operation_id = "readConfiguration", tag = "service",
    responses((status = 200, description = "The configuration.", body = ConfigurationBody), Refused)
)]
pub(crate) async fn configuration(
    State(app): State<Arc<App>>,
    Who(_): Who,
) -> Result<Response, Problem> {
    let (config, settings, admin) = (app.config(), app.config().settings(), app.config().admin());
    let keys = settings.primary_keys();
    let served = keys.as_slice().iter().map(|ai| ai.as_str().to_owned());
    Ok(ok(&ConfigurationBody {
        version: env!("CARGO_PKG_VERSION"),
        resolver_root: settings.root().as_str().to_owned(),
        resolver_root_is_default: config.root_is_default(),
        name: settings.name().map(str::to_owned),
        primary_keys: Some(served.collect()),
        context_values: settings.context_values().to_vec(),
        max_body: MAX_BODY,
        max_batch: MAX_BATCH,
        history_days: admin.history_days(),
        session_lifetime: admin.session_lifetime().as_secs(),
        session_idle: admin.session_idle().as_secs(),
        tls: app.is_tls(),
        sign_in: app.sign_in_ways(),
    }))
}
