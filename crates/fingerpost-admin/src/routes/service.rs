//! The service itself: health, configuration and description.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::credential::Who;
use crate::exposition::{Exposition, Status, StatusPeriod};
use crate::limits::{MAX_BATCH_BODY, MAX_BODY};
use crate::page;
use crate::problem::{AdminProblem, ProblemBody};
use crate::query::Query;
use crate::response::ok;
use crate::state::{App, SignInWays};

/// Returns 204 while the listener runs.
#[utoipa::path(
    get, path = "/health", operation_id = "readHealth", tag = "service", security(()),
    responses((status = 204, description = "The listener runs."))
)]
pub(crate) async fn health() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// Returns 204 while the store can be read and written: the disk has space, and the directory can
/// be changed. The result is kept for some seconds.
#[utoipa::path(
    get, path = "/ready", operation_id = "readReadiness", tag = "service", security(()),
    responses(
        (status = 204, description = "The store can be read and written."),
        (status = 503, description = "The store cannot be read or written, for a reason that is in the log, or the server is being stopped.", body = ProblemBody)
    )
)]
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<Response, AdminProblem> {
    if app.commits().is_stopping() {
        let detail = "the server is being stopped";
        return Err(AdminProblem::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", detail));
    }
    if app.is_writable().await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let detail = "the store cannot be read or written";
    Err(AdminProblem::new(StatusCode::SERVICE_UNAVAILABLE, "store-unavailable", detail))
}

/// Returns the metrics of the process in the text format of Prometheus. It needs the permission to
/// read in the whole installation.
#[utoipa::path(
    get, path = "/metrics", operation_id = "readMetrics", tag = "service",
    responses((status = 200, description = "The metrics.", body = String, content_type = "text/plain"))
)]
pub(crate) async fn metrics(
    State(app): State<Arc<App>>,
    Who(caller): Who,
) -> Result<Response, AdminProblem> {
    let exposition = app.exposition().cloned();
    let text = app.call(move |registry| {
        registry.read_everything(&caller, |_| Ok(()))?;
        Ok(exposition.map(|exposition| exposition.text()))
    });
    let text = text.await?.ok_or_else(AdminProblem::not_found)?;
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static(Exposition::MEDIA_TYPE)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((fields, text).into_response())
}

/// The time to show.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct StatusQuery {
    /// How far back; a day by default.
    #[param(inline, required = false)]
    span: StatusPeriod,
}

/// Returns the most important metrics of the process over a time: requests, latency, connections,
/// store, cache, copy, backup and certificate. The process keeps them in memory, so they begin with
/// its start. It needs the permission to read in the whole installation.
#[utoipa::path(
    get, path = "/v1/status", operation_id = "readStatus", tag = "service", params(StatusQuery),
    responses((status = 200, description = "The metrics over a time.", body = Status))
)]
pub(crate) async fn status(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(StatusQuery { span }): Query<StatusQuery>,
) -> Result<Response, AdminProblem> {
    let exposition = app.exposition().cloned();
    let status = app.call(move |registry| {
        registry.read_everything(&caller, |_| Ok(()))?;
        Ok(exposition.map(|exposition| exposition.status(span)))
    });
    Ok(ok(&status.await?.ok_or_else(AdminProblem::not_found)?))
}

/// Returns this description (OpenAPI 3.1).
#[utoipa::path(
    get, path = "/v1/openapi.json", operation_id = "readDescription", tag = "service", security(()),
    responses((status = 200, description = "The description.", body = Object))
)]
pub(crate) async fn openapi(State(app): State<Arc<App>>) -> Response {
    json(app.description())
}

/// Returns this description as a page.
#[utoipa::path(
    get, path = "/v1/docs", operation_id = "readManual", tag = "service", security(()),
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
)]
pub(crate) async fn docs(State(app): State<Arc<App>>) -> Response {
    html(app.manual())
}

/// Returns the documents of the operations as a page. It is a part of the page, so it is not
/// described.
pub(crate) async fn documents(State(app): State<Arc<App>>) -> Response {
    html(app.documents())
}

/// Returns a document in JSON.
pub(crate) fn json(document: Bytes) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], document).into_response()
}

/// Returns a page.
pub(crate) fn html(page: Bytes) -> Response {
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, page::POLICY),
    ];
    (fields, page).into_response()
}

/// Returns the style sheet of the page. It is a part of the page, so it is not described.
pub(crate) async fn style() -> Response {
    let css = HeaderValue::from_static("text/css; charset=utf-8");
    ([(header::CONTENT_TYPE, css)], page::STYLE).into_response()
}

/// The configuration of the installation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Configuration)]
pub(crate) struct ConfigurationBody {
    /// The version of fingerpost.
    version: &'static str,
    /// The address below which the resolver answers.
    resolver_root: String,
    /// Whether the address is a default, because none is configured.
    resolver_root_is_default: bool,
    /// The name of the installation.
    name: Option<String>,
    /// The primary keys that the resolver serves; null for all.
    primary_keys: Option<Vec<String>>,
    /// The declared context values; empty if any value is allowed.
    context_values: Vec<String>,
    /// Maximum size of a request body, in bytes.
    max_body: usize,
    /// Maximum size of a batch, in bytes.
    max_batch: usize,
    /// Maximum size of a file to import, in bytes.
    max_import: usize,
    /// Days for which replaced states are kept; null without limit.
    history_days: Option<u32>,
    /// Maximum lifetime of a session, in seconds.
    session_lifetime: u64,
    /// Maximum time between requests of a session, in seconds.
    session_idle: u64,
    /// Whether this listener uses TLS.
    tls: bool,
    /// The ways to sign in.
    sign_in: SignInWays,
}

/// Returns the configuration, without secrets.
#[utoipa::path(
    get, path = "/v1/configuration", operation_id = "readConfiguration", tag = "service",
    responses((status = 200, description = "The configuration.", body = ConfigurationBody))
)]
pub(crate) async fn configuration(
    State(app): State<Arc<App>>,
    Who(_): Who,
) -> Result<Response, AdminProblem> {
    let (site, options) = (app.config().site(), app.config().options());
    let settings = &site.settings;
    let keys = settings.primary_keys();
    let served = keys.as_slice().iter().map(|ai| ai.as_str().to_owned());
    Ok(ok(&ConfigurationBody {
        version: env!("CARGO_PKG_VERSION"),
        resolver_root: settings.root().as_str().to_owned(),
        resolver_root_is_default: site.root_is_default,
        name: settings.name().map(str::to_owned),
        primary_keys: Some(served.collect()),
        context_values: settings.context_values().to_vec(),
        max_body: MAX_BODY,
        max_batch: MAX_BATCH_BODY,
        max_import: options.max_import_bytes.get(),
        history_days: app.config().history_days(),
        session_lifetime: options.session_lifetime.get().as_secs(),
        session_idle: options.session_idle.get().as_secs(),
        tls: app.is_tls(),
        sign_in: app.sign_in_ways(),
    }))
}
