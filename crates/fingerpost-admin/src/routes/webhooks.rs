//! Webhooks.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_registry::{
    Id, KeyRotation, NewWebhook, Operation, Webhook, WebhookChange, WebhookLog,
};
use http::{StatusCode, Uri};

use crate::body;
use crate::credential::Who;
use crate::model::{MadeWebhook, Replayed, Webhooks};
use crate::problem::AdminProblem;
use crate::query::{Paging, PathId, Query};
use crate::response::{Conflict, Missing, created, ok, page};
use crate::state::App;

/// Lists the webhooks that you administer, without their secrets.
#[utoipa::path(
    get, path = "/v1/webhooks", operation_id = "listWebhooks", tag = "webhooks", params(Paging),
    responses((status = 200, description = "A page of webhooks.", body = Webhooks))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<Paging>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let found = registry.webhooks(&caller, asked.after(), asked.limit.items())?;
        let body = Webhooks { webhooks: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Creates a webhook, which hears of events from now on. Only this response shows its secret.
///
/// Events are sent as CloudEvents 1.0, signed as in Standard Webhooks. They need the option
/// `webhooks.deliver`; without it, the answer is 409.
#[utoipa::path(
    post, path = "/v1/webhooks", operation_id = "createWebhook", tag = "webhooks",
    request_body = NewWebhook,
    responses((status = 201, description = "Created.", body = MadeWebhook), Conflict, Missing)
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    request: Request,
) -> Result<Response, AdminProblem> {
    let new: NewWebhook = body::document(&app, &caller, Operation::Webhook, request).await?;
    let made = app.call(move |registry| registry.create_webhook(&caller, new));
    let (webhook, secret) = made.await?;
    let location = format!("/v1/webhooks/{}", webhook.id);
    Ok(created(&location, &MadeWebhook { webhook, secret: secret.expose().to_owned() }))
}

/// Returns a webhook, without its secret.
#[utoipa::path(
    get, path = "/v1/webhooks/{id}", operation_id = "readWebhook", tag = "webhooks",
    params(("id" = Id, Path, description = "The id of the webhook.")),
    responses((status = 200, description = "The webhook.", body = Webhook))
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    Ok(ok(&app.call(move |registry| registry.webhook(&caller, &id)).await?))
}

/// Changes a webhook. The next attempt to deliver is made at once.
#[utoipa::path(
    patch, path = "/v1/webhooks/{id}", operation_id = "updateWebhook", tag = "webhooks",
    params(("id" = Id, Path, description = "The id of the webhook.")), request_body = WebhookChange,
    responses((status = 200, description = "Changed.", body = Webhook))
)]
pub(crate) async fn update(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let change: WebhookChange = body::document(&app, &caller, Operation::Webhook, request).await?;
    Ok(ok(&app.call(move |registry| registry.update_webhook(&caller, &id, change)).await?))
}

/// Deletes a webhook, with the events that wait for it and its dead letters.
#[utoipa::path(
    delete, path = "/v1/webhooks/{id}", operation_id = "deleteWebhook", tag = "webhooks",
    params(("id" = Id, Path, description = "The id of the webhook.")),
    responses((status = 204, description = "Deleted."))
)]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    app.call(move |registry| registry.delete_webhook(&caller, &id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Gives a webhook a new secret. Only this response shows it. Until `previousUntil`, requests carry
/// a signature with the current secret, too.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/rotate", operation_id = "rotateWebhook", tag = "webhooks",
    params(("id" = Id, Path, description = "The id of the webhook.")),
    request_body(content = Option<KeyRotation>, content_type = "application/json"),
    responses((status = 200, description = "Rotated.", body = MadeWebhook))
)]
pub(crate) async fn rotate(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let rotation = body::optional(&app, &caller, Operation::Webhook, request).await?;
    let rotation: KeyRotation = rotation.unwrap_or_default();
    let rotated = app.call(move |registry| registry.rotate_webhook(&caller, &id, &rotation));
    let (webhook, secret) = rotated.await?;
    Ok(ok(&MadeWebhook { webhook, secret: secret.expose().to_owned() }))
}

/// Sends an event of the kind `test`.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/test", operation_id = "testWebhook", tag = "webhooks",
    params(("id" = Id, Path, description = "The id of the webhook.")),
    responses((status = 202, description = "The event is sent; `/v1/webhooks/{id}/deliveries` shows the answer."))
)]
pub(crate) async fn test(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    app.call(move |registry| registry.test_webhook(&caller, &id)).await?;
    Ok(StatusCode::ACCEPTED.into_response())
}

/// Delivers the dead letters of a webhook again.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/replay", operation_id = "replayWebhook", tag = "webhooks",
    params(("id" = Id, Path, description = "The id of the webhook.")),
    responses((status = 200, description = "The number of dead letters.", body = Replayed))
)]
pub(crate) async fn replay(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let replayed = app.call(move |registry| registry.replay_webhook(&caller, &id)).await?;
    Ok(ok(&Replayed { replayed }))
}

/// Returns the last deliveries of a webhook and its dead letters.
#[utoipa::path(
    get, path = "/v1/webhooks/{id}/deliveries", operation_id = "listDeliveries", tag = "webhooks",
    params(("id" = Id, Path, description = "The id of the webhook.")),
    responses((status = 200, description = "The deliveries.", body = WebhookLog))
)]
pub(crate) async fn deliveries(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    Ok(ok(&app.call(move |registry| registry.webhook_log(&caller, &id)).await?))
}
