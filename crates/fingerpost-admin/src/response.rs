//! Successful responses, and descriptions of problems.

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderValue};
use http::{StatusCode, Uri};
use serde::Serialize;
use utoipa::openapi::{Ref, RefOr, Response as Described};

/// Returns 200 with a document.
pub(crate) fn ok(body: &impl Serialize) -> Response {
    with_status(StatusCode::OK, body)
}

/// Returns a document with any status.
pub(crate) fn with_status(status: StatusCode, body: &impl Serialize) -> Response {
    // Documents consist of texts, numbers and lists, which can always be serialized.
    let json = serde_json::to_vec(body).unwrap_or_default();
    let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (status, content_type, json).into_response()
}

/// Returns 201 with a document and the address of the new resource.
pub(crate) fn created(location: &str, body: &impl Serialize) -> Response {
    located(with_status(StatusCode::CREATED, body), location)
}

/// Adds the address of a resource to a response.
pub(crate) fn located(mut response: Response, location: &str) -> Response {
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// Returns a page of a list; `Link` carries the address of the next page (RFC 8288).
pub(crate) fn page(
    uri: &Uri,
    parameter: &str,
    next: Option<&str>,
    body: &impl Serialize,
) -> Response {
    let mut response = ok(body);
    let link = next.and_then(|next| HeaderValue::from_str(&next_link(uri, parameter, next)).ok());
    if let Some(link) = link {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

fn next_link(uri: &Uri, parameter: &str, next: &str) -> String {
    let pairs = uri.query().unwrap_or("").split('&');
    let kept = pairs.filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(parameter));
    let mut query: Vec<_> = kept.map(str::to_owned).collect();
    query.push(format!("{parameter}={}", fingerpost_uri::encode(next)));
    format!("<{}?{}>; rel=\"next\"", uri.path(), query.join("&"))
}

/// Problems that an operation has beside those that follow from its shape (see [`crate::openapi`]).
macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = $status:literal, $description:literal;)*) => {
        /// Name, status and description of each.
        pub(crate) const PROBLEMS: &[(&str, &str, &str)] =
            &[$((stringify!($name), $status, $description)),*];

        $(
            $(#[$doc])*
            pub(crate) struct $name;

            impl utoipa::IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Described>> {
                    let response = Ref::from_response_name(stringify!($name));
                    [($status.to_owned(), RefOr::Ref(response))].into()
                }
            }
        )*
    };
}

problems! {
    /// The request contradicts the current state.
    Conflict = "409", "The request conflicts with the current state; `errors` lists the conflicts.";
    /// A quota does not allow the change, or it would leave a level without a default link.
    DefaultMissing = "409", "A level would have no default link, or a quota would be exceeded; `errors` lists the faults.";
    /// The position of a copy is none of the store.
    NoCommonHistory = "409", "The store does not have the position (`unknown-position`), or has pruned history after it (`history-pruned`): compare the copy by digests.";
    /// The precondition does not hold.
    Stale = "412", "The level does not match `If-Match` or `If-None-Match`; `ETag` carries its current revision.";
    /// Rules are broken.
    Invalid = "422", "Rules are broken; `errors` lists all faults.";
    /// Passwords are hashed by few at a time, and sign-in is limited.
    Throttled = "429", "Too many attempts; `Retry-After` is the time to wait.";
    /// There is nothing there.
    Missing = "404", "Not found.";
}
