//! Many levels in one request: JSON Lines.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_registry::{BatchReport, Fault, Mode};
use http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::body::{self, JSON_LINES};
use crate::conditions::{Asked, IdempotencyKey};
use crate::credential::Who;
use crate::model::BatchDocument;
use crate::problem::AdminProblem;
use crate::query::Query;
use crate::response::{DefaultMissing, Invalid, located, ok, with_status};
use crate::state::App;

/// Options of a batch.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct BatchQuery {
    /// Whether all rows are written or none (`atomic`, the default), or each by itself (`each`).
    #[param(inline, required = false)]
    mode: Mode,
    /// Whether to check everything and change nothing.
    #[param(required = false)]
    dry_run: bool,
}

/// Registers, replaces and deletes many levels.
///
/// Each line is a record, or `{"put": RECORD, "ifMatch": 7}`, or `{"delete": "/01/…"}`. An atomic batch with refused rows
/// is refused (422, `batch-refused`); pointers in `errors` begin with the line.
#[utoipa::path(
    post, path = "/v1/batch", operation_id = "writeBatch", tag = "levels",
    params(
        BatchQuery,
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    request_body(content = String, content_type = "application/jsonl", description = "At most 64 MiB of JSON Lines."),
    responses(
        (status = 200, description = "The report.", body = BatchDocument),
        (status = 202, description = "Proposed: a second person has to approve all rows.", body = BatchDocument),
        DefaultMissing,
        Invalid
    )
)]
pub(crate) async fn batch(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(BatchQuery { mode, dry_run }): Query<BatchQuery>,
    request: Request,
) -> Result<Response, AdminProblem> {
    let (parts, body) = request.into_parts();
    let asked = Asked::read(&parts, dry_run)?;
    if asked.has_precondition() {
        let detail = "preconditions of a batch belong in its rows (ifMatch)";
        return Err(AdminProblem::bad_request("invalid-header", detail));
    }
    let place = app.batch_place().await?;
    let rows = body::read(&parts.headers, body, JSON_LINES).await?;
    let conditions = asked.with_body(&rows);
    let report = app.call(move |registry| {
        let _place = place;
        registry.batch(&caller, &rows[..], mode, conditions)
    });
    let report = report.await?;
    if report.refused > 0 && matches!(mode, Mode::Atomic) && !dry_run {
        return Err(refused(&report));
    }
    let body = BatchDocument::from(&report);
    Ok(match &report.proposals[..] {
        [proposal] if report.revision.is_none() => {
            located(with_status(StatusCode::ACCEPTED, &body), &format!("/v1/proposals/{proposal}"))
        }
        _ => ok(&body),
    })
}

/// Returns the problem of a batch that was refused.
fn refused(report: &BatchReport) -> AdminProblem {
    let mut errors = Vec::new();
    for item in &report.items {
        let Err(refusal) = &item.result else { continue };
        let line = format!("/{}", item.line);
        errors.extend(refusal.faults.iter().map(|fault| fault.clone().within(&line)));
        if refusal.faults.is_empty() {
            let detail = format!("line {}: {}", item.line, refusal.code.as_str());
            errors.push(Fault::new(line, refusal.code.as_str(), detail));
        }
    }
    let detail =
        format!("{} rows were refused and nothing was changed; see errors", report.refused);
    AdminProblem::new(StatusCode::UNPROCESSABLE_ENTITY, "batch-refused", detail).errors(errors)
}
