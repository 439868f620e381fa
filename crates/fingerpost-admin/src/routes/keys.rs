//! API keys.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_registry::{ApiKey, Id, KeyRotation, NewKey, Operation};
use http::Uri;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::body;
use crate::credential::Who;
use crate::model::{Keys, MadeKey};
use crate::problem::AdminProblem;
use crate::query::{Limit, PathId, Query};
use crate::response::{Conflict, Missing, created, ok, page};
use crate::state::App;

/// The keys to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct KeyFilter {
    /// The organisation of the keys.
    #[param(inline, required = false)]
    organisation: Option<Id>,
    /// `next` of the previous page.
    #[param(inline, required = false)]
    after: Option<Id>,
    /// Maximum number of keys to return.
    #[param(inline, required = false)]
    limit: Limit,
}

/// Lists the keys that you can see, without their secrets.
#[utoipa::path(
    get, path = "/v1/keys", operation_id = "listKeys", tag = "keys", params(KeyFilter),
    responses((status = 200, description = "A page of keys.", body = Keys))
)]
pub(crate) async fn keys(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<KeyFilter>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let (organisation, after) = (asked.organisation.as_ref(), asked.after.as_ref());
        let found =
            registry.keys(&caller, organisation, after.map(Id::as_str), asked.limit.items())?;
        let body = Keys { keys: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Creates a key. Only this response shows its token.
#[utoipa::path(
    post, path = "/v1/keys", operation_id = "createKey", tag = "keys", request_body = NewKey,
    responses((status = 201, description = "Created.", body = MadeKey), Conflict, Missing)
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let new: NewKey = body::document(&app, &caller, Operation::CreateKey, request).await?;
    let made = app.call(move |registry| registry.create_key(&caller, new));
    let (key, token) = made.await?;
    let location = format!("/v1/keys/{}", key.id);
    let body = MadeKey { key, token: token.expose().to_owned() };
    Ok(created(&location, &body))
}

/// Returns a key, without its secret.
#[utoipa::path(
    get, path = "/v1/keys/{id}", operation_id = "readKey", tag = "keys",
    params(("id" = Id, Path, description = "The id of the key.")),
    responses((status = 200, description = "The key.", body = ApiKey))
)]
pub(crate) async fn key(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let found = app.call(move |registry| registry.key(&caller, &id));
    Ok(ok(&found.await?))
}

/// Revokes a key, immediately and permanently.
#[utoipa::path(
    delete, path = "/v1/keys/{id}", operation_id = "revokeKey", tag = "keys",
    params(("id" = Id, Path, description = "The id of the key.")),
    responses((status = 200, description = "The revoked key.", body = ApiKey))
)]
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let revoked = app.call(move |registry| registry.revoke_key(&caller, &id));
    Ok(ok(&revoked.await?))
}

/// Gives a key a new secret. Only this response shows its token. The current secret stays valid
/// until `previousUntil`; the one before it ends at once.
#[utoipa::path(
    post, path = "/v1/keys/{id}/rotate", operation_id = "rotateKey", tag = "keys",
    params(("id" = Id, Path, description = "The id of the key.")),
    request_body(content = Option<KeyRotation>, content_type = "application/json"),
    responses((status = 200, description = "Rotated.", body = MadeKey), Conflict)
)]
pub(crate) async fn rotate(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let rotation = body::optional(&app, &caller, Operation::RotateKey(id), request).await?;
    let rotation: KeyRotation = rotation.unwrap_or_default();
    let rotated = app.call(move |registry| registry.rotate_key(&caller, &id, &rotation));
    let (key, token) = rotated.await?;
    Ok(ok(&MadeKey { key, token: token.expose().to_owned() }))
}
