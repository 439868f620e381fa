//! Keys for programs.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_registry::Id;
use http::Uri;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Refused, created, ok, page};
use crate::app::App;
use crate::body::Json;
use crate::credential::Who;
use crate::model::{KeyBody, KeysBody, MadeKeyBody, NewKeyBody, limit};
use crate::problem::Problem;
use crate::query::{PathId, Query};

/// Which keys are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct KeyFilter {
    /// Those of this organisation.
    #[param(value_type = Option<String>)]
    organisation: Option<Id>,
    /// `next` of the page before.
    after: Option<String>,
    /// Most keys wanted: 100 unless told, at most 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Lists keys that you may know of; never their secrets.
#[utoipa::path(
    get, path = "/v1/keys", operation_id = "listKeys", tag = "keys", params(KeyFilter),
    responses((status = 200, description = "A page of keys.", body = KeysBody), Refused)
)]
pub(crate) async fn keys(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<KeyFilter>,
) -> Result<Response, Problem> {
    let found = app.call(move |registry| {
        let (organisation, after) = (asked.organisation.as_ref(), asked.after.as_deref());
        registry.keys(&caller, organisation, after, limit(asked.limit))
    });
    let found = found.await?;
    let keys = found.items.into_iter().map(KeyBody::from).collect();
    let body = KeysBody { keys, next: found.next };
    Ok(page(&uri, "after", body.next.as_deref(), &body))
}

/// Makes a key. Its token is shown this once.
#[utoipa::path(
    post, path = "/v1/keys", operation_id = "createKey", tag = "keys", request_body = NewKeyBody,
    responses((status = 201, description = "Made.", body = MadeKeyBody), Refused)
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Json(new): Json<NewKeyBody>,
) -> Result<Response, Problem> {
    let made = app.call(move |registry| registry.create_key(&caller, new.into()));
    let (key, token) = made.await?;
    let location = format!("/v1/keys/{}", key.id);
    let body = MadeKeyBody { key: key.into(), token: token.expose().to_owned() };
    Ok(created(&location, &body))
}

/// Shows a key, without its secret.
#[utoipa::path(
    get, path = "/v1/keys/{id}", operation_id = "readKey", tag = "keys",
    params(("id" = String, Path, description = "Its id.")),
    responses((status = 200, description = "The key.", body = KeyBody), Refused)
)]
pub(crate) async fn key(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let found = app.call(move |registry| registry.key(&caller, &id));
    Ok(ok(&KeyBody::from(found.await?)))
}

/// Revokes a key: it no longer counts, at once.
#[utoipa::path(
    delete, path = "/v1/keys/{id}", operation_id = "revokeKey", tag = "keys",
    params(("id" = String, Path, description = "Its id.")),
    responses((status = 200, description = "The key, revoked.", body = KeyBody), Refused)
)]
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let revoked = app.call(move |registry| registry.revoke_key(&caller, &id));
    Ok(ok(&KeyBody::from(revoked.await?)))
}
