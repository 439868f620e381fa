//! The audit log.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_registry::AuditFilter;
use fingerpost_store::{AuditHead, AuditReport};
use http::Uri;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::credential::Who;
use crate::model::AuditRecords;
use crate::problem::AdminProblem;
use crate::query::{Instant, Limit, Number, Query};
use crate::response::{ok, page};
use crate::state::App;

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
}

/// The records to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditQuery {
    /// The order; oldest first by default.
    #[param(inline, required = false)]
    order: Order,
    /// The number of the first record; by default the oldest, or the newest where these come
    /// first.
    #[param(inline, required = false)]
    from: Option<Number>,
    /// Maximum number of records to return.
    #[param(inline, required = false)]
    limit: Limit,
    /// The beginning of the action, such as `links` or `key.created`.
    action: Option<String>,
    /// The actor, such as `local:import`.
    actor: Option<String>,
    /// The subject of the action.
    subject: Option<String>,
    /// The earliest instant (RFC 3339).
    #[param(inline, required = false)]
    since: Option<Instant>,
    /// The end: only records before this instant (RFC 3339).
    #[param(inline, required = false)]
    until: Option<Instant>,
}

/// Lists records of the audit log.
#[utoipa::path(
    get, path = "/v1/audit", operation_id = "listAudit", tag = "audit", params(AuditQuery),
    responses((status = 200, description = "A page of records.", body = AuditRecords))
)]
pub(crate) async fn records(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<AuditQuery>,
) -> Result<Response, AdminProblem> {
    let AuditQuery { order, from, limit, action, actor, subject, since, until } = asked;
    let newest_first = order == Order::Newest;
    let (since, until) = (since.map(|at| at.0), until.map(|at| at.0));
    let filter = AuditFilter { action, actor, subject, since, until, newest_first };
    let from = from.map_or(u64::from(!newest_first), |from| from.0);
    let listed = app.list(move |registry| {
        let found = registry.audit(&caller, from, limit.items(), &filter)?;
        let body = AuditRecords { records: found.items, next: found.next };
        Ok(page(&uri, "from", body.next.as_deref(), &body))
    });
    listed.await
}

/// What to compare with.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct VerifyQuery {
    /// `head` of an earlier report, which must be a part of the chain.
    #[param(pattern = "^[0-9]{1,16}:[0-9a-f]{64}$")]
    head: Option<String>,
}

/// Verifies the audit log, history and levels. Reads all of them.
#[utoipa::path(
    get, path = "/v1/audit/verify", operation_id = "verifyAudit", tag = "audit", params(VerifyQuery),
    responses((status = 200, description = "The result.", body = AuditReport))
)]
pub(crate) async fn verify(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(VerifyQuery { head }): Query<VerifyQuery>,
) -> Result<Response, AdminProblem> {
    let head = head.as_deref().map(str::parse::<AuditHead>).transpose();
    let head =
        head.map_err(|error| AdminProblem::bad_request("invalid-query", format!("head: {error}")))?;
    // The permission is checked before a slot is taken.
    let who = caller.clone();
    app.call(move |registry| registry.require_installation_admin(&who)).await?;
    let report = app.list(move |registry| registry.verify_audit(&caller, head));
    Ok(ok(&report.await?))
}
