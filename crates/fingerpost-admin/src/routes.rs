//! The routes. Their descriptions stand at the handlers; together they are the API's description.

#![allow(unused_qualifications, reason = "utoipa's attribute qualifies the types that it is given")]

mod accounts;
mod audit;
mod batch;
mod check;
mod explain;
mod history;
mod keys;
mod levels;
mod oidc;
mod proposals;
mod service;
mod session;
mod vocabulary;

pub(crate) use service::style;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderValue};
use http::{StatusCode, Uri};
use serde::Serialize;
use utoipa::openapi::response::{Response as Described, ResponseBuilder};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

/// What everybody may ask.
pub(crate) fn open() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(service::health))
        .routes(routes!(service::openapi))
        .routes(routes!(service::docs))
        .routes(routes!(session::current, session::sign_in, session::sign_out))
        .routes(routes!(oidc::start))
        .routes(routes!(oidc::callback))
}

/// What needs a credential.
pub(crate) fn protected() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(levels::list))
        .routes(routes!(levels::read, levels::put, levels::patch, levels::delete))
        .routes(routes!(history::history))
        .routes(routes!(history::state))
        .routes(routes!(history::differences))
        .routes(routes!(history::restore))
        .routes(routes!(history::changes))
        .routes(routes!(batch::batch))
        .routes(routes!(explain::explain))
        .routes(routes!(check::check))
        .routes(routes!(vocabulary::vocabulary))
        .routes(routes!(service::configuration))
        .routes(routes!(accounts::organisations, accounts::create_organisation))
        .routes(routes!(
            accounts::organisation,
            accounts::update_organisation,
            accounts::delete_organisation
        ))
        .routes(routes!(keys::keys, keys::create))
        .routes(routes!(keys::key, keys::revoke))
        .routes(routes!(accounts::users, accounts::create_user))
        .routes(routes!(accounts::user, accounts::update_user, accounts::erase_user))
        .routes(routes!(proposals::list))
        .routes(routes!(proposals::read))
        .routes(routes!(proposals::approve))
        .routes(routes!(proposals::reject))
        .routes(routes!(audit::records))
        .routes(routes!(audit::verify))
        .routes(routes!(session::change_password))
}

/// 200 with a document.
pub(crate) fn ok(body: &impl Serialize) -> Response {
    with_status(StatusCode::OK, body)
}

/// Another status with a document.
pub(crate) fn with_status(status: StatusCode, body: &impl Serialize) -> Response {
    // Documents are texts, numbers and lists of them: they can always be written.
    let json = serde_json::to_vec(body).unwrap_or_default();
    let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (status, content_type, json).into_response()
}

/// 201 with a document and its address.
pub(crate) fn created(location: &str, body: &impl Serialize) -> Response {
    located(with_status(StatusCode::CREATED, body), location)
}

/// Adds where the thing is.
pub(crate) fn located(mut response: Response, location: &str) -> Response {
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// A page of a list: the address of the next one goes into `Link` too (RFC 8288).
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
    let mut value = String::new();
    for byte in next.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                value.push(char::from(byte));
            }
            other => value.push_str(&format!("%{other:02X}")),
        }
    }
    let mut query: Vec<_> = kept.map(str::to_owned).collect();
    query.push(format!("{parameter}={value}"));
    format!("<{}?{}>; rel=\"next\"", uri.path(), query.join("&"))
}

/// The problems of every route that needs a credential.
pub(crate) struct Refused;

impl utoipa::IntoResponses for Refused {
    fn responses() -> std::collections::BTreeMap<String, RefOr<Described>> {
        let described = [
            ("401", "No credential that counts."),
            ("default", "Another problem; `code` says which."),
        ];
        described.map(|(status, text)| (status.to_owned(), problem(text).into())).into()
    }
}

/// The problems of routes that change levels.
pub(crate) struct Unchanged;

impl utoipa::IntoResponses for Unchanged {
    fn responses() -> std::collections::BTreeMap<String, RefOr<Described>> {
        let described = [
            ("400", "The request cannot be read."),
            ("401", "No credential that counts."),
            ("403", "Not within your rights, whatever is there."),
            ("409", "It contradicts what is there, or a default link would be missing."),
            ("412", "The level has changed since; `ETag` has the revision of now."),
            ("422", "Rules are broken; `errors` has all of them."),
            ("default", "Another problem; `code` says which."),
        ];
        described.map(|(status, text)| (status.to_owned(), problem(text).into())).into()
    }
}

fn problem(description: &str) -> Described {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build()
}
