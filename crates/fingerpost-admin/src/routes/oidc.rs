//! Sign-in with an identity provider (OpenID Connect Core 1.0, section 3.1: the authorization code
//! flow).
//!
//! The routes exist in every build, and return 404 if there is no provider, so that one description
//! covers all builds.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use fingerpost_registry::{Caller, Federated, Registry, RegistryError, Secret, Via};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{StatusCode, Uri};

use super::session::with_cookie;
use crate::credential::{self, RequestClient};
use crate::notice::Notice;
use crate::problem::AdminProblem;
use crate::state::App;

/// Where the provider sends the browser back to.
const CALLBACK: &str = "/v1/oidc/callback";

/// As long as an attempt counts, in seconds.
const TICKET_AGE: u64 = 600;

const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// Redirects the browser to the OpenID Connect provider. Not found if no provider is configured, or
/// in builds without the feature `oidc`.
#[utoipa::path(
    get, path = "/v1/oidc/start", operation_id = "startFederatedSignIn", tag = "session", security(()),
    responses(
        (status = 303, description = "The address of the provider."),
        (status = 404, description = "No provider is configured.", body = crate::problem::ProblemBody, content_type = "application/problem+json"),
        (status = "4XX", description = "A page that says why sign-in failed.", body = String, content_type = "text/html"),
        (status = "5XX", description = "A page that says why sign-in failed.", body = String, content_type = "text/html"),
    )
)]
pub(crate) async fn start(
    State(app): State<Arc<App>>,
    client: RequestClient,
    fields: HeaderMap,
    uri: Uri,
) -> Response {
    let Some(provider) = app.oidc() else { return AdminProblem::not_found().into_response() };
    // HTTP/2 has an authority instead of `Host` (RFC 9113, section 8.3.1).
    let host = fields.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| uri.authority().map(http::uri::Authority::as_str));
    let callback = format!("{}{CALLBACK}", app.origin_of(host));
    match provider.begin(callback, client.with(Via::Console).network()).await {
        Ok(begun) => {
            let response = StatusCode::SEE_OTHER.into_response();
            let response = crate::response::located(response, &begun.location);
            with_ticket(&app, response, begun.ticket.expose(), TICKET_AGE)
        }
        Err(notice) => notice.into_response(),
    }
}

/// Signs the user in when the provider redirects the browser back. Not found if no provider is
/// configured, or in builds without the feature `oidc`.
#[utoipa::path(
    get, path = "/v1/oidc/callback", operation_id = "finishFederatedSignIn", tag = "session", security(()),
    responses(
        (status = 200, description = "Signed in; the page leads to the console.", body = String, content_type = "text/html"),
        (status = 404, description = "No provider is configured.", body = crate::problem::ProblemBody, content_type = "application/problem+json"),
        (status = "4XX", description = "A page that says why sign-in failed.", body = String, content_type = "text/html"),
        (status = "5XX", description = "A page that says why sign-in failed.", body = String, content_type = "text/html"),
    )
)]
pub(crate) async fn callback(
    State(app): State<Arc<App>>,
    client: RequestClient,
    fields: HeaderMap,
    uri: Uri,
) -> Response {
    let Some(provider) = app.oidc() else { return AdminProblem::not_found().into_response() };
    let ticket = credential::cookie(&fields, app.ticket_name());
    let signed_in = match provider.finish(ticket, uri.query().unwrap_or_default()).await {
        Ok(who) => sign_in(&app, who, client).await,
        Err(notice) => Err(notice),
    };
    let response = match signed_in {
        Ok(token) => with_cookie(&app, forward(), &token),
        Err(notice) => notice.into_response(),
    };
    with_ticket(&app, response, "", 0)
}

async fn sign_in(
    app: &Arc<App>,
    mut who: Federated,
    client: RequestClient,
) -> Result<Secret, Notice> {
    let client = client.with(Via::Console);
    let called = app.try_call(move |registry| {
        let counted = existing(registry, &mut who);
        let has_role = !who.memberships.is_empty();
        (has_role, counted.and_then(|()| registry.sign_in_federated(&who, &client)))
    });
    match called.await {
        Ok((_, Ok(signed_in))) => Ok(signed_in.token),
        Ok((has_role, Err(RegistryError::Unauthenticated))) => Err(refused(has_role)),
        Ok((_, Err(error))) => Err(failed().because(error.to_string())),
        Err(_) => Err(failed()),
    }
}

/// Leaves out roles in organisations that are gone: the others still count.
fn existing(registry: &Registry, who: &mut Federated) -> Result<(), RegistryError> {
    let local = Caller::local("sign-in");
    let mut kept = Vec::new();
    for membership in who.memberships.drain(..) {
        let found = membership.organisation.map(|id| registry.organisation(&local, &id));
        match found.transpose() {
            Ok(_) => kept.push(membership),
            Err(RegistryError::NotFound) => {
                let organisation = membership.organisation.map(|id| id.to_string());
                tracing::warn!(
                    ?organisation,
                    "admin.oidc.roles names no organisation of this registry"
                );
            }
            Err(other) => return Err(other),
        }
    }
    who.memberships = kept;
    Ok(())
}

fn refused(has_role: bool) -> Notice {
    let title = "You may not sign in here";
    if has_role {
        let text = "Your account is disabled. Contact the administrator of this service.";
        return Notice::new(StatusCode::FORBIDDEN, title, text).because("the account is disabled");
    }
    let text = "Your organisation knows you, but nothing that it says about you gives a role in this service. Ask the person who \
        administers it.";
    Notice::new(StatusCode::FORBIDDEN, title, text).because("no value of the claim gives a role")
}

fn failed() -> Notice {
    let text =
        "This is a fault of the server, not yours. Its administrator finds details in the log.";
    Notice::new(StatusCode::INTERNAL_SERVER_ERROR, "You could not be signed in", text)
}

/// A page of our own that leads on. Browsers would attribute a redirect to the provider, and
/// withhold a cookie that is `SameSite=Strict` then (RFC 6265bis, section 5.2).
fn forward() -> Response {
    let text = "The console opens in a moment.";
    let mut response = Notice::new(StatusCode::OK, "You are signed in", text).into_response();
    response.headers_mut().insert(REFRESH, HeaderValue::from_static("0; url=/console/"));
    response
}

/// `Lax`, because the browser comes back from another site; worth nothing without the state that
/// the provider sends along.
fn with_ticket(app: &App, mut response: Response, value: &str, age: u64) -> Response {
    let secure = if app.is_secure() { "; Secure" } else { "" };
    let name = app.ticket_name();
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}");
    if let Ok(mut value) = HeaderValue::from_str(&text) {
        value.set_sensitive(true);
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}
