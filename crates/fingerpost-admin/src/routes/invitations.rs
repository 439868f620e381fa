//! Invitations and password resets by mail.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_registry::{
    Acceptance, ClientInfo, Id, Invitation, NewInvitation, NewPassword, Operation, Registry,
    RegistryError, Secret, User, Via,
};
use http::header::{self, HeaderMap};
use http::{StatusCode, Uri};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::body;
use crate::credential::{self, RequestClient, Who};
use crate::model::Invitations;
use crate::problem::AdminProblem;
use crate::query::{Paging, PathId, Query};
use crate::response::{Conflict, Missing, Throttled, created, ok, page};
use crate::state::App;

/// A request for a mail with a link to a new password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetRequest {
    /// The address, which is the login.
    address: String,
    /// The language of the mail, as a tag; English if there are no texts in it.
    #[serde(default)]
    #[schema(required = false)]
    language: String,
}

/// A new password in place of a forgotten one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordReset {
    /// The token in the link of the mail.
    #[schema(value_type = String)]
    token: Secret,
    /// The new password.
    #[schema(value_type = NewPassword)]
    password: Secret,
}

/// Lists the invitations that wait for acceptance, to roles that you administer.
#[utoipa::path(
    get, path = "/v1/invitations", operation_id = "listInvitations", tag = "accounts", params(Paging),
    responses((status = 200, description = "A page of invitations.", body = Invitations))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<Paging>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let found = registry.invitations(&caller, asked.after(), asked.limit.items())?;
        let body = Invitations { invitations: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Invites somebody by mail to a role. The link in the mail leads to the console, where the reader
/// chooses a name and a password.
#[utoipa::path(
    post, path = "/v1/invitations", operation_id = "invite", tag = "accounts",
    request_body = NewInvitation,
    responses((status = 201, description = "Invited.", body = Invitation), Conflict, Missing, Throttled)
)]
pub(crate) async fn invite(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let origin = origin(&app, request.headers());
    let new: NewInvitation = body::document(&app, &caller, Operation::CreateUser, request).await?;
    let made = app.call(move |registry| registry.invite(&caller, new, &origin)).await?;
    Ok(created(&format!("/v1/invitations/{}", made.id), &made))
}

/// Sends an invitation again, with a new link and a new end. The link before is not valid any more.
#[utoipa::path(
    post, path = "/v1/invitations/{id}/resend", operation_id = "resendInvitation", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the invitation.")),
    responses((status = 200, description = "The invitation.", body = Invitation), Throttled)
)]
pub(crate) async fn resend(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    fields: HeaderMap,
) -> Result<Response, AdminProblem> {
    let origin = origin(&app, &fields);
    let sent = app.call(move |registry| registry.resend_invitation(&caller, &id, &origin));
    Ok(ok(&sent.await?))
}

/// Revokes an invitation: the link in its mail is not valid any more.
#[utoipa::path(
    delete, path = "/v1/invitations/{id}", operation_id = "revokeInvitation", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the invitation.")),
    responses((status = 204, description = "Revoked."))
)]
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    app.call(move |registry| registry.revoke_invitation(&caller, &id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Accepts an invitation: creates the account with this name and password. Its login is the
/// address.
#[utoipa::path(
    post, path = "/v1/invitations/accept", operation_id = "acceptInvitation", tag = "session",
    security(()), request_body = Acceptance,
    responses((status = 200, description = "The new user.", body = User), Conflict, Throttled)
)]
pub(crate) async fn accept(
    State(app): State<Arc<App>>,
    client: RequestClient,
    request: Request,
) -> Result<Response, AdminProblem> {
    let user = with_token(&app, client, request, |registry, acceptance: Acceptance, client| {
        registry.accept_invitation(acceptance, client)
    });
    Ok(ok(&user.await?))
}

/// Asks for a mail with a link to a new password. The answer is the same whether or not there is a
/// user with this address.
#[utoipa::path(
    post, path = "/v1/password-resets", operation_id = "requestPasswordReset", tag = "session",
    security(()), request_body = ResetRequest,
    responses((status = 202, description = "If the address is that of a user, a mail follows."), Throttled)
)]
pub(crate) async fn request_reset(
    State(app): State<Arc<App>>,
    client: RequestClient,
    request: Request,
) -> Result<Response, AdminProblem> {
    credential::check_foreign(&app, request.headers())?;
    let origin = origin(&app, request.headers());
    let ResetRequest { address, language } = body::of_stranger(request).await?;
    let client = client.with(Via::Console);
    let asked = app.call(move |registry| {
        registry.request_password_reset(&address, &language, &origin, &client)
    });
    asked.await?;
    Ok(StatusCode::ACCEPTED.into_response())
}

/// Sets a new password with the token of a mail. All sessions of the user end, and the user's API
/// keys are revoked.
#[utoipa::path(
    post, path = "/v1/password-resets/finish", operation_id = "resetPassword", tag = "session",
    security(()), request_body = PasswordReset,
    responses((status = 204, description = "The password is set."), Throttled)
)]
pub(crate) async fn finish_reset(
    State(app): State<Arc<App>>,
    client: RequestClient,
    request: Request,
) -> Result<Response, AdminProblem> {
    let set = with_token(&app, client, request, |registry, reset: PasswordReset, client| {
        registry.reset_password(&reset.token, &reset.password, client)
    });
    set.await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Makes a call with a token that hashes a password: in the slots of sign-in.
async fn with_token<D: DeserializeOwned + Send + 'static, T: Send + 'static>(
    app: &App,
    client: RequestClient,
    request: Request,
    call: impl FnOnce(&Registry, D, &ClientInfo) -> Result<T, RegistryError> + Send + 'static,
) -> Result<T, AdminProblem> {
    credential::check_foreign(app, request.headers())?;
    let document = body::of_stranger(request).await?;
    let client = client.with(Via::Console);
    let source = format!("{:?}", client.network());
    let called = app.sign_in(source, move |registry| call(registry, document, &client));
    called.await?.map_err(AdminProblem::from)
}

/// Returns the origin of the console for the link in a mail: one of ours, whatever the client
/// sends.
fn origin(app: &App, fields: &HeaderMap) -> String {
    let host = fields.get(header::HOST).and_then(|host| host.to_str().ok());
    app.origin_of(host).to_owned()
}
