//! The sessions of the user, and the second factor.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_registry::{Id, Operation, Secret, SessionChoice, User};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body;
use crate::credential::Who;
use crate::model::{SessionDocument, Sessions};
use crate::problem::AdminProblem;
use crate::query::{PathId, PathText};
use crate::response::{Conflict, Throttled, ok};
use crate::state::App;

/// Lists your sessions, oldest first. A key has none.
#[utoipa::path(
    get, path = "/v1/sessions", operation_id = "listSessions", tag = "session",
    responses((status = 200, description = "Your sessions.", body = Sessions))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
) -> Result<Response, AdminProblem> {
    let own = caller.session_id().map(str::to_owned);
    let found = app.call(move |registry| registry.sessions(&caller)).await?;
    let sessions = found.into_iter().map(|one| SessionDocument::new(one, own.as_deref())).collect();
    Ok(ok(&Sessions { sessions }))
}

/// Ends one of your sessions.
#[utoipa::path(
    delete, path = "/v1/sessions/{id}", operation_id = "endSession", tag = "session",
    params(("id" = String, Path, description = "The id of the session.")),
    responses((status = 204, description = "Ended."))
)]
pub(crate) async fn end(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathText(id): PathText,
) -> Result<Response, AdminProblem> {
    app.call(move |registry| registry.end_sessions(&caller, SessionChoice::One(id))).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Ends all of your sessions except this one.
#[utoipa::path(
    delete, path = "/v1/sessions", operation_id = "endOtherSessions", tag = "session",
    responses((status = 204, description = "Ended."), (status = 404, description = "A key has no sessions.", body = crate::problem::ProblemBody, content_type = "application/problem+json"))
)]
pub(crate) async fn end_others(
    State(app): State<Arc<App>>,
    Who(caller): Who,
) -> Result<Response, AdminProblem> {
    app.call(move |registry| registry.end_sessions(&caller, SessionChoice::Others)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Your password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnPassword {
    /// The password.
    #[schema(value_type = String, format = Password)]
    password: Secret,
}

/// A code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnCode {
    /// The code that the application shows.
    #[schema(value_type = String)]
    code: Secret,
}

/// Your password and a code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordAndCode {
    /// The password.
    #[schema(value_type = String, format = Password)]
    password: Secret,
    /// The code that the application shows, or a recovery code.
    #[schema(value_type = String)]
    code: Secret,
}

/// A secret for an authenticator application.
#[derive(Serialize, ToSchema)]
pub(crate) struct Enrolment {
    /// The secret in base 32, to be typed into the application.
    secret: String,
    /// The same as an `otpauth:` URI.
    uri: String,
    /// The URI as a QR code: the number of modules on a side, and the dark ones as an SVG path of
    /// that size.
    qr: Qr,
}

/// A QR code.
#[derive(Serialize, ToSchema)]
pub(crate) struct Qr {
    /// The number of modules on a side, without a margin.
    size: i32,
    /// The dark modules as the data of an SVG path, one unit each.
    path: String,
}

/// Recovery codes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecoveryCodes {
    /// Codes that replace a code of the application, each once. They cannot be shown again.
    recovery_codes: Vec<String>,
}

/// Begins to set up a second factor (RFC 6238: SHA-1, 6 digits, 30 seconds) for your account. It
/// has no effect until it is confirmed.
#[utoipa::path(
    post, path = "/v1/session/totp", operation_id = "beginTotp", tag = "session", request_body = OwnPassword,
    responses((status = 200, description = "The secret, which only this response shows.", body = Enrolment), Conflict, Throttled)
)]
pub(crate) async fn begin_totp(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let OwnPassword { password } =
        body::document(&app, &caller, Operation::OwnAccount, request).await?;
    let begun = app
        .call_with_password(caller, move |registry, caller| registry.begin_totp(caller, &password))
        .await?;
    let (secret, uri) = (begun.secret.expose().to_owned(), begun.uri.expose().to_owned());
    let qr = qr(&uri).ok_or_else(AdminProblem::internal)?;
    Ok(ok(&Enrolment { secret, uri, qr }))
}

/// Sets up the second factor that was begun, if the code is right. Your other sessions end.
#[utoipa::path(
    put, path = "/v1/session/totp", operation_id = "confirmTotp", tag = "session", request_body = OwnCode,
    responses((status = 200, description = "Set up. Only this response shows the recovery codes.", body = RecoveryCodes), Conflict, Throttled)
)]
pub(crate) async fn confirm_totp(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let OwnCode { code } = body::document(&app, &caller, Operation::OwnAccount, request).await?;
    let codes = app.call(move |registry| registry.confirm_totp(&caller, &code)).await?;
    let recovery_codes = codes.iter().map(|code| code.expose().to_owned()).collect();
    Ok(ok(&RecoveryCodes { recovery_codes }))
}

/// Turns your second factor off.
#[utoipa::path(
    post, path = "/v1/session/totp/remove", operation_id = "removeTotp", tag = "session", request_body = PasswordAndCode,
    responses((status = 204, description = "Turned off."), Conflict, Throttled)
)]
pub(crate) async fn remove_totp(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let PasswordAndCode { password, code } =
        body::document(&app, &caller, Operation::OwnAccount, request).await?;
    app.call_with_password(caller, move |registry, caller| {
        registry.remove_totp(caller, &password, &code)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Removes the second factor of another user, for example after the loss of the device and the
/// recovery codes. The user's sessions end.
#[utoipa::path(
    delete, path = "/v1/users/{id}/totp", operation_id = "resetTotp", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the user.")),
    responses((status = 200, description = "The user, without a second factor.", body = User))
)]
pub(crate) async fn reset_totp(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let reset = app.call(move |registry| registry.reset_totp(&caller, &id));
    Ok(ok(&reset.await?))
}

/// Draws a text as a QR code (ISO/IEC 18004).
fn qr(text: &str) -> Option<Qr> {
    use qrcodegen::{QrCode, QrCodeEcc};
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            path.push_str(&format!("M{x} {y}h1v1h-1z"));
        }
    }
    Some(Qr { size: code.size(), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qr_code_has_its_finder_patterns() {
        let Some(Qr { size, path }) = qr("otpauth://totp/a:b?secret=GEZDGNBVGY3TQOJQ") else {
            panic!("no code");
        };
        let is_dark = |x: i32, y: i32| path.contains(&format!("M{x} {y}h1v1h-1z"));
        assert!(size >= 21 && size % 4 == 1);
        for (left, top) in [(0, 0), (size - 7, 0), (0, size - 7)] {
            for offset in 0..7 {
                assert!(is_dark(left + offset, top) && is_dark(left, top + offset));
            }
            assert!(!is_dark(left + 1, top + 1) && is_dark(left + 3, top + 3));
        }
    }
}
