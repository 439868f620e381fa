//! Many levels in one request: JSON Lines.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_registry::{BatchMode, BatchReport, Fault, RefusalCode};
use http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::admission::{Admission, Paced};
use crate::body::{self, JSON_LINES};
use crate::conditions::{IdempotencyKey, RequestConditions};
use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::query::{Number, Query};
use crate::response::{DefaultMissing, Invalid, Missing, located, ok, with_status};
use crate::state::App;

/// Options of a batch.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct BatchQuery {
    /// Whether all rows are written or none (`atomic`, the default), or each by itself (`each`).
    #[param(inline, required = false)]
    mode: BatchMode,
    /// Whether to check everything and change nothing.
    #[param(required = false)]
    dry_run: bool,
    /// The change set of an earlier request of yours that the changes are added to; a new one by
    /// default.
    #[param(inline, required = false)]
    change_set: Option<Number>,
}

/// Registers, replaces and deletes many levels.
///
/// Each line is a record, or `{"put": RECORD, "ifMatch": 7}`, or `{"delete": "/01/…"}`. An atomic
/// batch with refused rows is refused (422, `batch-refused`); pointers in `errors` begin with the
/// line. An atomic batch, or a dry run, has at most 5,000 rows with 8 MB of records (413,
/// `too-large`), or 100,000 rows for callers with a right in the whole installation.
#[utoipa::path(
    post, path = "/v1/batch", operation_id = "writeBatch", tag = "levels",
    params(
        BatchQuery,
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    request_body(content = String, content_type = "application/jsonl", description = "At most 64 MiB of JSON Lines."),
    responses(
        (status = 200, description = "The report.", body = BatchReport),
        (status = 202, description = "Proposed: a second person must approve all rows.", body = BatchReport),
        DefaultMissing,
        Missing,
        Invalid
    )
)]
pub(crate) async fn batch(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(BatchQuery { mode, dry_run, change_set }): Query<BatchQuery>,
    request: Request,
) -> Result<Response, AdminProblem> {
    let (parts, body) = request.into_parts();
    let asked = RequestConditions::read(&parts, dry_run)?;
    if asked.has_precondition() {
        let detail = "preconditions of a batch belong in its rows (ifMatch)";
        return Err(AdminProblem::bad_request("invalid-header", detail));
    }
    // The permission is checked before the body is read, and the body is complete before it
    // occupies a shared slot.
    let who = caller.clone();
    app.call(move |registry| registry.require_write(&who, None)).await?;
    let _arriving = Admission::arrive()?;
    let room = |bytes| app.admission().room(bytes);
    let (rows, _room) = body::read_within(&parts.headers, body, JSON_LINES, room).await?;
    let is_exclusive = dry_run || mode == BatchMode::Atomic;
    let batch = app.batch(is_exclusive, move |registry, turn| {
        let conditions = asked.with_body(&rows).change_set(change_set.map(Number::revision));
        let report = registry.batch(&caller, Paced::new(&rows, turn), mode, conditions)?;
        Ok(answer(&report, mode == BatchMode::Atomic && !dry_run))
    });
    batch.await?
}

/// Returns the answer to a batch that was written. `is_atomic`: whether a refused row refuses all.
pub(super) fn answer(report: &BatchReport, is_atomic: bool) -> Result<Response, AdminProblem> {
    if report.refused > 0 && is_atomic {
        return Err(refused(report));
    }
    Ok(match &report.proposals[..] {
        [proposal] if report.revision.is_none() => {
            located(with_status(StatusCode::ACCEPTED, report), &format!("/v1/proposals/{proposal}"))
        }
        _ => ok(report),
    })
}

/// Returns the problem of a batch that was refused.
fn refused(report: &BatchReport) -> AdminProblem {
    let mut errors = Vec::new();
    for item in &report.items {
        let Some(code) = item.code.map(RefusalCode::as_str) else { continue };
        let line = format!("/{}", item.line);
        errors.extend(item.errors.iter().map(|fault| fault.clone().within(&line)));
        if item.errors.is_empty() {
            errors.push(Fault::new(&line, code, format!("line {}: {code}", item.line)));
        }
    }
    let detail =
        format!("{} rows were refused and nothing was changed; see errors", report.refused);
    AdminProblem::new(StatusCode::UNPROCESSABLE_ENTITY, "batch-refused", detail).errors(errors)
}
