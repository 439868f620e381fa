//! The router: all routes, and the layers that every request passes.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use http::StatusCode;

use crate::problem::AdminProblem;
use crate::state::App;
use crate::{console, credential, finish, routes};

/// Returns the service that answers requests.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let authenticate = from_fn_with_state(Arc::clone(app), credential::authenticate);
    let protected = routes::protected().route_layer(authenticate);
    let (routes, _) = routes::open().merge(protected).split_for_parts();
    routes
        .merge(console::routes())
        .route("/v1/docs/style.css", get(routes::style))
        .route("/v1/docs/documents", get(routes::documents))
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

/// Answers a write when the copy that this node answers scans from has it, or after a limited time.
async fn wait_for_copy(
    State(app): State<Arc<App>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> axum::response::Response {
    let is_write = !request.method().is_safe();
    let response = next.run(request).await;
    if is_write && app.registry().has_copy() && response.status().is_success() {
        let registry = app.registry().clone();
        // It does not panic, and the answer does not depend on it.
        let _ = tokio::task::spawn_blocking(move || registry.wait_for_copy()).await;
    }
    response
}

/// Refuses paths with dot segments, which clients and the server would interpret differently.
async fn refuse_ambiguous(
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Result<axum::response::Response, AdminProblem> {
    let dots = |segment: &str| matches!(segment, "." | "..");
    if request.uri().path().split('/').any(dots) {
        return Err(AdminProblem::bad_request("invalid-path", "the path contains a dot segment"));
    }
    Ok(next.run(request).await)
}
