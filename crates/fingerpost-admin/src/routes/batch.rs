//! Many levels in one request: JSON Lines.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_registry::{BatchReport, Mode};
use http::StatusCode;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{Unchanged, located, ok, with_status};
use crate::app::App;
use crate::body::{self, JSON_LINES};
use crate::conditions::Asked;
use crate::credential::Who;
use crate::model::BatchBody;
use crate::problem::{FaultBody, Problem};
use crate::query::Query;

/// How rows belong together.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BatchMode {
    /// All rows or none.
    #[default]
    Atomic,
    /// Each row for itself; the report tells which were refused.
    Each,
}

/// How a batch is done.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct BatchQuery {
    /// `atomic` unless told.
    #[param(inline, required = false)]
    mode: BatchMode,
    /// `true`: everything is checked, nothing is changed.
    #[param(required = false)]
    dry_run: bool,
}

/// Registers, replaces and deletes many levels.
///
/// Each line is a record, or `{"put": RECORD, "ifMatch": 7}`, or `{"delete": "/01/…"}`. Refused rows of an atomic batch
/// are told as a problem (422, `batch-refused`), with pointers that begin with the line.
#[utoipa::path(
    post, path = "/v1/batch", operation_id = "writeBatch", tag = "levels",
    params(
        BatchQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated within a day, the request happens once."),
    ),
    request_body(content = String, content_type = "application/jsonl", description = "At most 64 MiB."),
    responses(
        (status = 200, description = "What became of the rows.", body = BatchBody),
        (status = 202, description = "A second person has to release all of it; `Location` says where.", body = BatchBody),
        Unchanged
    )
)]
pub(crate) async fn batch(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(BatchQuery { mode, dry_run }): Query<BatchQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let asked = Asked::read(&parts, dry_run)?;
    if asked.has_precondition() {
        let expected =
            "expected preconditions in the rows of a batch (ifMatch), found a header field";
        return Err(Problem::bad_request("invalid-header", expected));
    }
    let place = app.batch_place().await?;
    let rows = body::read(&parts.headers, body, JSON_LINES).await?;
    let conditions = asked.with_body(&rows);
    let mode = match mode {
        BatchMode::Atomic => Mode::Atomic,
        BatchMode::Each => Mode::Each,
    };
    let report = app.call(move |registry| {
        let _place = place;
        registry.batch(&caller, &rows[..], mode, conditions)
    });
    let report = report.await?;
    if report.refused > 0 && matches!(mode, Mode::Atomic) && !dry_run {
        return Err(refused(&report));
    }
    let body = BatchBody::from(&report);
    Ok(match &report.proposals[..] {
        [proposal] if report.revision.is_none() => {
            located(with_status(StatusCode::ACCEPTED, &body), &format!("/v1/proposals/{proposal}"))
        }
        _ => ok(&body),
    })
}

/// Nothing of the batch happened.
fn refused(report: &BatchReport) -> Problem {
    let mut errors = Vec::new();
    for item in &report.items {
        let Err(refusal) = &item.result else { continue };
        errors.extend(refusal.faults.iter().map(|fault| FaultBody {
            pointer: format!("/{}{}", item.line, fault.pointer()),
            ..FaultBody::from(fault)
        }));
        if refusal.faults.is_empty() {
            let detail = format!("line {}: {}", item.line, refusal.code.as_str());
            let id = refusal.code.as_str().to_owned();
            errors.push(FaultBody { pointer: format!("/{}", item.line), id, detail });
        }
    }
    let detail = format!("{} rows are refused, so nothing was changed: see errors", report.refused);
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "batch-refused", detail).errors(errors)
}
