//! API keys.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_registry::{ApiKey, Id, NewKey};
use http::Uri;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::body::Json;
use crate::credential::Who;
use crate::model::{Keys, MadeKey};
use crate::problem::AdminProblem;
use crate::query::{Limit, PathId, Query};
use crate::response::{Missing, created, ok, page};
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
    /// Most keys to return.
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
    let found = app.call(move |registry| {
        let (organisation, after) = (asked.organisation.as_ref(), asked.after.as_ref());
        registry.keys(&caller, organisation, after.map(Id::as_str), asked.limit.items())
    });
    let found = found.await?;
    let body = Keys { keys: found.items, next: found.next };
    Ok(page(&uri, "after", body.next.as_deref(), &body))
}

/// Creates a key. Only this response shows its token.
#[utoipa::path(
    post, path = "/v1/keys", operation_id = "createKey", tag = "keys", request_body = NewKey,
    responses((status = 201, description = "Created.", body = MadeKey), Missing)
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Json(new): Json<NewKey>,
) -> Result<Response, AdminProblem> {
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

/// Revokes a key. It is invalid at once, and for good.
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
