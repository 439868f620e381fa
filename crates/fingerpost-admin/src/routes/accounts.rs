//! Organisations and people.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};

use super::{Refused, created, ok, page};
use crate::app::App;
use crate::body::Json;
use crate::credential::Who;
use crate::model::{
    NewOrganisationBody, NewUserBody, OrganisationBody, OrganisationChangeBody, OrganisationsBody,
    Paging, UserBody, UserChangeBody, UsersBody,
};
use crate::problem::Problem;
use crate::query::{PathId, Query};

/// Lists organisations that you may know of.
#[utoipa::path(
    get, path = "/v1/organisations", operation_id = "listOrganisations", tag = "accounts", params(Paging),
    responses((status = 200, description = "A page of organisations.", body = OrganisationsBody), Refused)
)]
pub(crate) async fn organisations(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<Paging>,
) -> Result<Response, Problem> {
    let found = app.call(move |registry| {
        registry.organisations(&caller, asked.after.as_deref(), asked.limit())
    });
    let found = found.await?;
    let organisations = found.items.into_iter().map(OrganisationBody::from).collect();
    let body = OrganisationsBody { organisations, next: found.next };
    Ok(page(&uri, "after", body.next.as_deref(), &body))
}

/// Makes an organisation.
#[utoipa::path(
    post, path = "/v1/organisations", operation_id = "createOrganisation", tag = "accounts",
    request_body = NewOrganisationBody,
    responses((status = 201, description = "Made.", body = OrganisationBody), Refused)
)]
pub(crate) async fn create_organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Json(new): Json<NewOrganisationBody>,
) -> Result<Response, Problem> {
    let made = app.call(move |registry| registry.create_organisation(&caller, new.into()));
    let made = made.await?;
    Ok(created(&format!("/v1/organisations/{}", made.id), &OrganisationBody::from(made)))
}

/// Shows an organisation.
#[utoipa::path(
    get, path = "/v1/organisations/{id}", operation_id = "readOrganisation", tag = "accounts",
    params(("id" = String, Path, description = "Its id.")),
    responses((status = 200, description = "The organisation.", body = OrganisationBody), Refused)
)]
pub(crate) async fn organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let found = app.call(move |registry| registry.organisation(&caller, &id));
    Ok(ok(&OrganisationBody::from(found.await?)))
}

/// Changes an organisation; what is absent stays.
#[utoipa::path(
    patch, path = "/v1/organisations/{id}", operation_id = "updateOrganisation", tag = "accounts",
    params(("id" = String, Path, description = "Its id.")),
    request_body = OrganisationChangeBody,
    responses((status = 200, description = "As it is now.", body = OrganisationBody), Refused)
)]
pub(crate) async fn update_organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    Json(change): Json<OrganisationChangeBody>,
) -> Result<Response, Problem> {
    let changed =
        app.call(move |registry| registry.update_organisation(&caller, &id, change.into()));
    Ok(ok(&OrganisationBody::from(changed.await?)))
}

/// Deletes an organisation. What it registered stays.
#[utoipa::path(
    delete, path = "/v1/organisations/{id}", operation_id = "deleteOrganisation", tag = "accounts",
    params(("id" = String, Path, description = "Its id.")),
    responses((status = 204, description = "Deleted."), Refused)
)]
pub(crate) async fn delete_organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    app.call(move |registry| registry.delete_organisation(&caller, &id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Lists people that you may know of.
#[utoipa::path(
    get, path = "/v1/users", operation_id = "listUsers", tag = "accounts", params(Paging),
    responses((status = 200, description = "A page of people.", body = UsersBody), Refused)
)]
pub(crate) async fn users(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<Paging>,
) -> Result<Response, Problem> {
    let found =
        app.call(move |registry| registry.users(&caller, asked.after.as_deref(), asked.limit()));
    let found = found.await?;
    let users = found.items.into_iter().map(UserBody::from).collect();
    let body = UsersBody { users, next: found.next };
    Ok(page(&uri, "after", body.next.as_deref(), &body))
}

/// Makes an account for a person.
#[utoipa::path(
    post, path = "/v1/users", operation_id = "createUser", tag = "accounts",
    request_body = NewUserBody,
    responses((status = 201, description = "Made.", body = UserBody), Refused)
)]
pub(crate) async fn create_user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Json(new): Json<NewUserBody>,
) -> Result<Response, Problem> {
    let made = app.call(move |registry| registry.create_user(&caller, new.into())).await?;
    Ok(created(&format!("/v1/users/{}", made.id), &UserBody::from(made)))
}

/// Shows a person.
#[utoipa::path(
    get, path = "/v1/users/{id}", operation_id = "readUser", tag = "accounts",
    params(("id" = String, Path, description = "Their id.")),
    responses((status = 200, description = "The person.", body = UserBody), Refused)
)]
pub(crate) async fn user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let found = app.call(move |registry| registry.user(&caller, &id));
    Ok(ok(&UserBody::from(found.await?)))
}

/// Changes a person's account; what is absent stays.
#[utoipa::path(
    patch, path = "/v1/users/{id}", operation_id = "updateUser", tag = "accounts",
    params(("id" = String, Path, description = "Their id.")),
    request_body = UserChangeBody,
    responses((status = 200, description = "As it is now.", body = UserBody), Refused)
)]
pub(crate) async fn update_user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    Json(change): Json<UserChangeBody>,
) -> Result<Response, Problem> {
    let changed = app.call(move |registry| registry.update_user(&caller, &id, change.into()));
    Ok(ok(&UserBody::from(changed.await?)))
}

/// Erases a person: name, login and password, and what the audit log holds about them. It stays verifiable.
#[utoipa::path(
    delete, path = "/v1/users/{id}", operation_id = "eraseUser", tag = "accounts",
    params(("id" = String, Path, description = "Their id.")),
    responses((status = 204, description = "Erased."), Refused)
)]
pub(crate) async fn erase_user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    app.call(move |registry| registry.erase_person(&caller, &id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
