//! Finishing of every response: a request id, the headers that protect browsers, and the text of
//! problems.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use fingerpost_http::{Route, headers};
use fingerpost_resolver::Freshness;
use http::HeaderName;
use http::header::{self, HeaderMap, HeaderValue};

use crate::notice::Notice;
use crate::problem::AdminProblem;
use crate::state::App;

/// Policy of data; the two HTML pages set their own.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Two years, which browsers' preload lists require.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=63072000");

/// Fields of every response, unless it sets its own.
static PROTECTION: [(HeaderName, HeaderValue); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// The id of a request, for problems that are reported in the middle of a response.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) String);

/// Finishes every response, as the outermost layer.
pub(crate) async fn finish(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = request_id();
    request.extensions_mut().insert(RequestId(id.clone()));
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    // Neither path nor query are logged: they may be long, and a path reveals the work of a user.
    tracing::debug!(request = id, %method, status = response.status().as_u16(), "answered");
    if let Some(route) = route {
        response.extensions_mut().insert(Route(route.into()));
    }
    if let Some(problem) = response.extensions_mut().remove::<AdminProblem>() {
        write(&problem, &id, &mut response);
    }
    if let Some(notice) = response.extensions_mut().remove::<Notice>() {
        notice.write(&id, &mut response);
    }
    protect(response.headers_mut(), app.is_tls());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(HeaderName::from_static("x-request-id"), value);
    }
    response
}

fn write(problem: &AdminProblem, id: &str, response: &mut Response) {
    let body = problem.body(id);
    if response.status().is_server_error() {
        tracing::warn!(
            request = id,
            status = response.status().as_u16(),
            "answered with a problem"
        );
    }
    // A document of texts and numbers can always be serialized.
    *response.body_mut() = Body::from(serde_json::to_vec(&body).unwrap_or_default());
    let media_type = HeaderValue::from_static("application/problem+json");
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response.headers_mut().remove(header::CONTENT_LENGTH);
}

fn protect(fields: &mut HeaderMap, tls: bool) {
    for (name, value) in &PROTECTION {
        fields.entry(name).or_insert_with(|| value.clone());
    }
    if !fields.contains_key(header::CACHE_CONTROL) {
        headers::cache(fields, Freshness::Never);
    }
    if tls {
        fields.insert(header::STRICT_TRANSPORT_SECURITY, HSTS);
    }
}

/// Returns an id that identifies a response in the log, without revealing the number of responses.
fn request_id() -> String {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}", SEED.hash_one(COUNT.fetch_add(1, Relaxed)))
}
