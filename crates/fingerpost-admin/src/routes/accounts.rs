//! Organisations and users.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_registry::{
    Caller, Id, NewBrand, NewOrganisation, NewSuspension, NewUser, Operation, Organisation,
    OrganisationChange, Registry, Usage, User, UserChange,
};
use http::{StatusCode, Uri};

use crate::body;
use crate::credential::Who;
use crate::model::{Organisations, Users};
use crate::problem::AdminProblem;
use crate::query::{Paging, PathId, Query};
use crate::response::{Conflict, Missing, Throttled, created, ok, page};
use crate::state::App;

/// Lists the organisations that you can see.
#[utoipa::path(
    get, path = "/v1/organisations", operation_id = "listOrganisations", tag = "accounts", params(Paging),
    responses((status = 200, description = "A page of organisations.", body = Organisations))
)]
pub(crate) async fn organisations(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<Paging>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let found = registry.organisations(&caller, asked.after(), asked.limit.items())?;
        let body = Organisations { organisations: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Creates an organisation.
#[utoipa::path(
    post, path = "/v1/organisations", operation_id = "createOrganisation", tag = "accounts",
    request_body = NewOrganisation,
    responses((status = 201, description = "Created.", body = Organisation), Conflict)
)]
pub(crate) async fn create_organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let operation = Operation::CreateOrganisation;
    let new: NewOrganisation = body::document(&app, &caller, operation, request).await?;
    let made = app.call(move |registry| registry.create_organisation(&caller, new));
    let made = made.await?;
    Ok(created(&format!("/v1/organisations/{}", made.id), &made))
}

/// Returns an organisation.
#[utoipa::path(
    get, path = "/v1/organisations/{id}", operation_id = "readOrganisation", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    responses((status = 200, description = "The organisation.", body = Organisation))
)]
pub(crate) async fn organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let found = app.call(move |registry| registry.organisation(&caller, &id));
    Ok(ok(&found.await?))
}

/// Returns how much of its quotas an organisation uses.
#[utoipa::path(
    get, path = "/v1/organisations/{id}/usage", operation_id = "readUsage", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    responses((status = 200, description = "What is in use, and the quotas.", body = Usage))
)]
pub(crate) async fn usage(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let usage = app.call(move |registry| registry.organisation_usage(&caller, &id));
    Ok(ok(&usage.await?))
}

/// Changes an organisation. Absent members stay as they are.
#[utoipa::path(
    patch, path = "/v1/organisations/{id}", operation_id = "updateOrganisation", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    request_body = OrganisationChange,
    responses((status = 200, description = "The changed organisation.", body = Organisation), Conflict)
)]
pub(crate) async fn update_organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let operation = Operation::UpdateOrganisation(id);
    let change: OrganisationChange = body::document(&app, &caller, operation, request).await?;
    let changed = app.call(move |registry| registry.update_organisation(&caller, &id, change));
    Ok(ok(&changed.await?))
}

/// Deletes an organisation. Its levels stay.
#[utoipa::path(
    delete, path = "/v1/organisations/{id}", operation_id = "deleteOrganisation", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    responses((status = 204, description = "Deleted."))
)]
pub(crate) async fn delete_organisation(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    app.call(move |registry| registry.delete_organisation(&caller, &id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Suspends an organisation: its members cannot change anything, and its records answer, stop, or
/// show a notice. For administrators of the installation.
#[utoipa::path(
    put, path = "/v1/organisations/{id}/suspension", operation_id = "suspendOrganisation", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    request_body = NewSuspension,
    responses((status = 200, description = "The suspended organisation.", body = Organisation))
)]
pub(crate) async fn suspend(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let new: NewSuspension = body::document(&app, &caller, Operation::Suspend(id), request).await?;
    let suspended = app.exclusive(move |registry| registry.suspend(&caller, &id, new));
    Ok(ok(&suspended.await?))
}

/// Ends the suspension of an organisation.
#[utoipa::path(
    delete, path = "/v1/organisations/{id}/suspension", operation_id = "reinstateOrganisation", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    responses((status = 200, description = "The organisation.", body = Organisation))
)]
pub(crate) async fn reinstate(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let reinstated = app.exclusive(move |registry| registry.reinstate(&caller, &id));
    Ok(ok(&reinstated.await?))
}

/// Sets the brand of an organisation: the name, colour, logo and pictures of the public pages about
/// its keys. For its administrators.
#[utoipa::path(
    put, path = "/v1/organisations/{id}/brand", operation_id = "setBrand", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    request_body = NewBrand,
    responses((status = 200, description = "The organisation with its brand.", body = Organisation))
)]
pub(crate) async fn set_brand(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let operation = Operation::UpdateOrganisation(id);
    let new: NewBrand = body::document(&app, &caller, operation, request).await?;
    let branded = app.exclusive(move |registry| registry.set_brand(&caller, &id, new));
    Ok(ok(&branded.await?))
}

/// Removes the brand of an organisation: pages have that of the installation.
#[utoipa::path(
    delete, path = "/v1/organisations/{id}/brand", operation_id = "removeBrand", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the organisation.")),
    responses((status = 200, description = "The organisation.", body = Organisation))
)]
pub(crate) async fn remove_brand(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let plain = app.exclusive(move |registry| registry.remove_brand(&caller, &id));
    Ok(ok(&plain.await?))
}

/// Lists the users that you can see.
#[utoipa::path(
    get, path = "/v1/users", operation_id = "listUsers", tag = "accounts", params(Paging),
    responses((status = 200, description = "A page of users.", body = Users))
)]
pub(crate) async fn users(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<Paging>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let found = registry.users(&caller, asked.after(), asked.limit.items())?;
        let body = Users { users: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Creates a user.
#[utoipa::path(
    post, path = "/v1/users", operation_id = "createUser", tag = "accounts",
    request_body = NewUser,
    responses((status = 201, description = "Created.", body = User), Conflict, Missing, Throttled)
)]
pub(crate) async fn create_user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let new: NewUser = body::document(&app, &caller, Operation::CreateUser, request).await?;
    let has_password = new.password.is_some();
    let call = move |registry: &Registry, caller: &Caller| registry.create_user(caller, new);
    let made = match has_password {
        true => app.call_with_password(caller, call).await?,
        false => app.call(move |registry| call(registry, &caller)).await?,
    };
    Ok(created(&format!("/v1/users/{}", made.id), &made))
}

/// Returns a user.
#[utoipa::path(
    get, path = "/v1/users/{id}", operation_id = "readUser", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the user.")),
    responses((status = 200, description = "The user.", body = User))
)]
pub(crate) async fn user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let found = app.call(move |registry| registry.user(&caller, &id));
    Ok(ok(&found.await?))
}

/// Changes a user. Absent members stay as they are.
#[utoipa::path(
    patch, path = "/v1/users/{id}", operation_id = "updateUser", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the user.")),
    request_body = UserChange,
    responses((status = 200, description = "The changed user.", body = User), Throttled)
)]
pub(crate) async fn update_user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let change: UserChange =
        body::document(&app, &caller, Operation::UpdateUser(id), request).await?;
    let has_password = change.password.is_some();
    let call =
        move |registry: &Registry, caller: &Caller| registry.update_user(caller, &id, change);
    let changed = match has_password {
        true => app.call_with_password(caller, call).await?,
        false => app.call(move |registry| call(registry, &caller)).await?,
    };
    Ok(ok(&changed))
}

/// Erases a user: the account and the personal data in the audit log, which stays verifiable.
#[utoipa::path(
    delete, path = "/v1/users/{id}", operation_id = "eraseUser", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the user.")),
    responses((status = 204, description = "Erased."))
)]
pub(crate) async fn erase_user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    app.call(move |registry| registry.erase_person(&caller, &id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Confirms that a user is a separate person, although somebody else set the password: see
/// `setUpBy`. The user who set it cannot confirm it, and the user must have changed it before.
#[utoipa::path(
    post, path = "/v1/users/{id}/confirm", operation_id = "confirmUser", tag = "accounts",
    params(("id" = Id, Path, description = "The id of the user.")),
    responses((status = 200, description = "The confirmed user.", body = User), Conflict)
)]
pub(crate) async fn confirm_user(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let confirmed = app.call(move |registry| registry.confirm_user(&caller, &id));
    Ok(ok(&confirmed.await?))
}
