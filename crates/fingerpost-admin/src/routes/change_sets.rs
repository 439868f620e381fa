//! Change sets: what an import, a batch or a recall changed, as one entry that can be taken back.

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::response::Response;
use fingerpost_registry::{BatchMode, BatchReport, ChangeSet};
use fingerpost_store::Revision;
use http::Uri;
use http::request::Parts;
use serde::Deserialize;
use utoipa::IntoParams;

use super::batch;
use crate::conditions::{IdempotencyKey, RequestConditions};
use crate::credential::Who;
use crate::model::ChangeSets;
use crate::problem::AdminProblem;
use crate::query::{Limit, Number, PathText, Query};
use crate::response::{DefaultMissing, Invalid, ok, page};
use crate::state::App;

/// The change sets to list.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Older {
    /// `next` of the previous page.
    #[param(inline, required = false)]
    after: Option<Number>,
    /// Maximum number of change sets to return.
    #[param(inline, required = false)]
    limit: Limit,
}

/// The number in `/v1/change-sets/{id}`. Another text is answered like a set that does not exist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetId(Revision);

impl<S: Send + Sync> FromRequestParts<S> for SetId {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AdminProblem> {
        let PathText(text) = PathText::from_request_parts(parts, state).await?;
        let text = text.split('/').next().unwrap_or_default();
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        let number = number.and_then(|number: u64| Number::try_from(number).ok());
        number.map(|number| Self(number.revision())).ok_or_else(AdminProblem::not_found)
    }
}

/// Lists change sets, newest first: what imports, batches and recalls changed.
///
/// You see your own, and those whose levels all belong to organisations that you can read. They are
/// kept for 90 days.
#[utoipa::path(
    get, path = "/v1/change-sets", operation_id = "listChangeSets", tag = "history", params(Older),
    responses((status = 200, description = "A page of change sets.", body = ChangeSets))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(Older { after, limit }): Query<Older>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let after = after.map(Number::revision);
        let found = registry.change_sets(&caller, after, limit.items())?;
        let body = ChangeSets { change_sets: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Returns a change set.
#[utoipa::path(
    get, path = "/v1/change-sets/{id}", operation_id = "readChangeSet", tag = "history",
    params(("id" = inline(Number), Path, description = "The number of the change set.")),
    responses((status = 200, description = "The change set.", body = ChangeSet))
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    SetId(id): SetId,
) -> Result<Response, AdminProblem> {
    Ok(ok(&app.call(move |registry| registry.change_set(&caller, id)).await?))
}

/// Options of taking back.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct UndoQuery {
    /// Whether all levels are taken back or none (`atomic`, the default), or each by itself
    /// (`each`).
    #[param(inline, required = false)]
    mode: BatchMode,
    /// Whether to check everything and change nothing.
    #[param(required = false)]
    dry_run: bool,
}

/// Takes a change set back: each of its levels returns to its state before.
///
/// A level that was changed later is refused (`precondition-failed`), because the later change
/// would be lost; with `mode=each`, the others are taken back. The result is a change set, too,
/// which can be taken back itself. Limits are those of a batch.
#[utoipa::path(
    post, path = "/v1/change-sets/{id}/undo", operation_id = "undoChangeSet", tag = "history",
    params(
        ("id" = inline(Number), Path, description = "The number of the change set."),
        UndoQuery,
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    responses(
        (status = 200, description = "The report; `line` is the position of a level, from 1.", body = BatchReport),
        (status = 202, description = "Proposed: a second person has to approve it.", body = BatchReport),
        DefaultMissing,
        Invalid
    )
)]
pub(crate) async fn undo(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    SetId(id): SetId,
    Query(UndoQuery { mode, dry_run }): Query<UndoQuery>,
    parts: Parts,
) -> Result<Response, AdminProblem> {
    let conditions = RequestConditions::read(&parts, dry_run)?.with_body(b"");
    let is_exclusive = dry_run || mode == BatchMode::Atomic;
    let undone = app.batch(is_exclusive, move |registry, _| {
        let report = registry.undo(&caller, id, mode, conditions)?;
        Ok(batch::answer(&report, mode == BatchMode::Atomic && !dry_run))
    });
    undone.await?
}
