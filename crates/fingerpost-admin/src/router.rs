//! The router: all routes, and the layers that every request passes.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use fingerpost_http::HostFault;
use http::{StatusCode, header};

use crate::extra::{AdminCalls, ExtraRoutes};
use crate::problem::AdminProblem;
use crate::state::App;
use crate::{console, credential, finish, routes};

/// Returns the service that answers requests, with the routes of another crate.
pub(crate) fn router(app: &Arc<App>, extra: Option<&dyn ExtraRoutes>) -> Router {
    let authenticate = from_fn_with_state(Arc::clone(app), credential::authenticate);
    let protected = routes::protected().route_layer(authenticate);
    let (routes, _) = routes::open().merge(protected).split_for_parts();
    let extra = extra.map(|extra| extra.routes(&AdminCalls::new(app))).unwrap_or_default();
    routes
        .merge(console::routes())
        .merge(extra.with_state(()))
        .route("/v1/docs/style.css", get(routes::style))
        .route("/v1/docs/documents", get(routes::documents))
        .merge(guesses())
        .fallback(|| async { AdminProblem::not_found() })
        .method_not_allowed_fallback(|| async {
            let detail = "method not allowed; `Allow` lists the methods of this resource";
            AdminProblem::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", detail)
        })
        .layer(from_fn_with_state(Arc::clone(app), wait_for_copy))
        .layer(from_fn(refuse_ambiguous))
        .layer(from_fn_with_state(Arc::clone(app), finish::finish))
        .with_state(Arc::clone(app))
}

/// Returns redirects from where people look for the description of the API. They are relative, so
/// that they also work below a path of a proxy.
fn guesses() -> Router<Arc<App>> {
    let to = |target: &'static str| {
        get(move || async move { (StatusCode::FOUND, [(header::LOCATION, target)]) })
    };
    Router::new()
        .route("/docs", to("v1/docs"))
        .route("/v1", to("v1/docs"))
        .route("/v1/", to("docs"))
        .route("/openapi.json", to("v1/openapi.json"))
}

/// Answers a write when the copy that this node answers scans from has it, or after a limited time.
async fn wait_for_copy(
    State(app): State<Arc<App>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> axum::response::Response {
    let is_write = !request.method().is_safe();
    let response = next.run(request).await;
    if is_write && response.status().is_success() && !app.registry().is_copied() {
        let registry = app.registry().clone();
        // It does not panic, and the answer does not depend on it.
        let _ = tokio::task::spawn_blocking(move || registry.wait_for_copy()).await;
    }
    response
}

/// Refuses what clients, proxies and the server would interpret differently: paths with dot
/// segments, and a host that is not exactly one.
async fn refuse_ambiguous(
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Result<axum::response::Response, AdminProblem> {
    if let Some(fault) = request.extensions().get::<HostFault>() {
        return Err(AdminProblem::bad_request("invalid-header", fault.to_string()));
    }
    let dots = |segment: &str| matches!(segment, "." | "..");
    if request.uri().path().split('/').any(dots) {
        return Err(AdminProblem::bad_request("invalid-path", "the path contains a dot segment"));
    }
    Ok(next.run(request).await)
}
