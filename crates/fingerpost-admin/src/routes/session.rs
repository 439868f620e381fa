//! Sign-in and sign-out of browsers. The token of the session is in a cookie that scripts cannot
//! read.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_registry::{NewPassword, Operation, RegistryError, Secret, SignedIn, Via};
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body;
use crate::credential::{self, RequestClient, Who};
use crate::model::Session;
use crate::problem::AdminProblem;
use crate::response::{Conflict, Throttled, ok};
use crate::state::App;

/// The login and password of a user.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignIn {
    /// The login.
    login: String,
    /// The password.
    #[schema(value_type = String, format = Password)]
    password: Secret,
    /// The code of the second factor, or a recovery code.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    code: Option<Secret>,
}

/// A change of one's own password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordChange {
    /// The current password.
    #[schema(value_type = String, format = Password)]
    old: Secret,
    /// The new password.
    #[schema(value_type = NewPassword)]
    new: Secret,
    /// Whether your API keys are revoked, too.
    #[serde(default, rename = "revokeKeys")]
    #[schema(required = false)]
    revoke_keys: bool,
}

/// The acceptance of terms.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TermsAcceptance {
    /// The version that was read.
    version: String,
}

/// Returns the current session, or the ways to sign in.
#[utoipa::path(
    get, path = "/v1/session", operation_id = "readSession", tag = "session",
    security((), ("session" = [])),
    responses((status = 200, description = "The session, if a user is signed in.", body = Session))
)]
pub(crate) async fn current(
    State(app): State<Arc<App>>,
    client: RequestClient,
    fields: HeaderMap,
) -> Result<Response, AdminProblem> {
    match credential::session(&app, &fields, client).await? {
        None => Ok(ok(&Session::nobody(app.sign_in_ways()))),
        Some((_, signed_in)) => shown(&app, signed_in).await,
    }
}

/// Signs in. Sets the cookie of the session; `csrf` is the value of `X-CSRF-Token` in changes.
/// Another cookie lets the user sign in from this browser while strangers try passwords.
#[utoipa::path(
    post, path = "/v1/session", operation_id = "signIn", tag = "session", security(()),
    request_body = SignIn,
    responses(
        (status = 200, description = "Signed in.", body = Session),
        (status = 401, description = "Wrong login, password or code (`sign-in-refused`); or a code of the second factor is missing (`code-required`).", body = crate::problem::ProblemBody, content_type = "application/problem+json"),
        Throttled
    )
)]
pub(crate) async fn sign_in(
    State(app): State<Arc<App>>,
    client: RequestClient,
    fields: HeaderMap,
    request: Request,
) -> Result<Response, AdminProblem> {
    // Another site must not sign users in under another account; checked before the body is read.
    credential::check_foreign(&app, &fields)?;
    let SignIn { login, password, code } = body::of_stranger(request).await?;
    let client = client.with(Via::Console);
    let source = format!("{:?}", client.network());
    // Counted before it waits, so that attempts beyond the rate occupy no slot.
    let counted = client.clone();
    let attempt = app.call(move |registry| registry.attempt(&login, &counted)).await?;
    let signed_in = app.sign_in(source, move |registry| {
        registry.finish_sign_in(attempt, &password, code.as_ref(), &client)
    });
    let signed_in = signed_in.await?.map_err(|error| match error {
        RegistryError::Unauthenticated => refused(),
        other => other.into(),
    })?;
    let (token, device) = (signed_in.token.clone(), signed_in.device.clone());
    let response = with_cookie(&app, shown(&app, signed_in).await?, &token);
    Ok(match device {
        Some(device) => with_device(&app, response, &device),
        None => response,
    })
}

/// Returns the problem of a refused sign-in, without the challenge of RFC 6750, which browsers do
/// not need.
fn refused() -> AdminProblem {
    let detail = "wrong login, password or code";
    AdminProblem::new(StatusCode::UNAUTHORIZED, "sign-in-refused", detail)
}

/// Signs out: ends the session and deletes its cookie.
#[utoipa::path(
    delete, path = "/v1/session", operation_id = "signOut", tag = "session",
    security((), ("session" = [])),
    responses((status = 204, description = "Signed out."))
)]
pub(crate) async fn sign_out(
    State(app): State<Arc<App>>,
    client: RequestClient,
    fields: HeaderMap,
) -> Result<Response, AdminProblem> {
    credential::check_foreign(&app, &fields)?;
    if let Some(token) = credential::cookie(&fields, app.cookie_name()) {
        let client = client.with(Via::Console);
        let ended = app.try_call(move |registry| registry.sign_out(&token, &client)).await?;
        match ended {
            Ok(()) | Err(RegistryError::Unauthenticated) => {}
            Err(other) => return Err(other.into()),
        }
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let gone = format!("{}; Max-Age=0", cookie(&app, ""));
    if let Ok(value) = HeaderValue::from_str(&gone) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    Ok(response)
}

/// Changes your own password. All other sessions end; your API keys stay valid unless `revokeKeys`
/// is true.
#[utoipa::path(
    put, path = "/v1/session/password", operation_id = "changePassword", tag = "session",
    request_body = PasswordChange,
    responses((status = 204, description = "Changed."), Throttled)
)]
pub(crate) async fn change_password(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let change = body::document(&app, &caller, Operation::OwnAccount, request).await?;
    let PasswordChange { old, new, revoke_keys } = change;
    let changed = app.call_with_password(caller, move |registry, caller| {
        registry.change_password(caller, &old, &new, revoke_keys)
    });
    changed.await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Accepts the terms of this installation, in the version that you read.
#[utoipa::path(
    put, path = "/v1/session/terms", operation_id = "acceptTerms", tag = "session",
    request_body = TermsAcceptance,
    responses((status = 204, description = "Accepted."), Conflict)
)]
pub(crate) async fn accept_terms(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let accepted = body::document(&app, &caller, Operation::OwnAccount, request).await?;
    let TermsAcceptance { version } = accepted;
    app.call(move |registry| registry.accept_terms(&caller, &version)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Returns the session as its page needs it.
async fn shown(app: &Arc<App>, signed_in: SignedIn) -> Result<Response, AdminProblem> {
    let token = signed_in.token.clone();
    let client = fingerpost_registry::ClientInfo::new(Via::Console);
    let abilities = app.call(move |registry| {
        let (caller, _) = registry.session(&token, &client)?;
        registry.abilities(&caller)
    });
    let terms = app.config().terms();
    Ok(ok(&Session::new(&signed_in, abilities.await?, app.sign_in_ways(), terms)))
}

/// Adds the cookie of a session to a response.
pub(crate) fn with_cookie(app: &App, mut response: Response, token: &Secret) -> Response {
    let age = app.config().options().session_lifetime.get().as_secs();
    let text = format!("{}; Max-Age={age}", cookie(app, token.expose()));
    if let Ok(mut value) = HeaderValue::from_str(&text) {
        value.set_sensitive(true);
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}

/// Adds the cookie by which the browser is recognised at the next sign-in.
fn with_device(app: &App, mut response: Response, token: &Secret) -> Response {
    let cookie = attributed(app, app.device_name(), token.expose());
    if let Ok(mut value) = HeaderValue::from_str(&format!("{cookie}; Max-Age={DEVICE_AGE}")) {
        value.set_sensitive(true);
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}

fn cookie(app: &App, value: &str) -> String {
    attributed(app, app.cookie_name(), value)
}

fn attributed(app: &App, name: &str, value: &str) -> String {
    let secure = if app.is_secure() { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}")
}

/// 365 days in seconds; browsers keep no cookie much longer.
const DEVICE_AGE: u64 = 365 * 24 * 60 * 60;
