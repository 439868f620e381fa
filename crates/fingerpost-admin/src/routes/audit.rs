//! The audit log.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_registry::{AuditFilter, RegistryError};
use fingerpost_store::AuditHead;
use http::Uri;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{Refused, ok, page};
use crate::app::App;
use crate::credential::Who;
use crate::model::{AuditBody, AuditRecordsBody, AuditReportBody, limit};
use crate::problem::Problem;
use crate::query::Query;

/// Which way a list goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// Oldest first.
    #[default]
    Oldest,
    /// Newest first.
    Newest,
}

/// Which records are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditQuery {
    /// Oldest first unless told.
    #[param(inline, required = false)]
    order: Order,
    /// The number of the first one; absent: 1, or the last one where the newest come first.
    from: Option<u64>,
    /// Most records wanted: 100 unless told, at most 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Those of this action, such as `links.write`.
    action: Option<String>,
    /// Those of this actor, such as `local:import`.
    actor: Option<String>,
    /// Those about this.
    subject: Option<String>,
    /// Those of this instant or later (RFC 3339).
    #[param(value_type = Option<String>)]
    since: Option<jiff::Timestamp>,
    /// Those before this instant (RFC 3339).
    #[param(value_type = Option<String>)]
    until: Option<jiff::Timestamp>,
}

/// Lists what happened.
#[utoipa::path(
    get, path = "/v1/audit", operation_id = "listAudit", tag = "audit", params(AuditQuery),
    responses((status = 200, description = "A page of records.", body = AuditRecordsBody), Refused)
)]
pub(crate) async fn records(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<AuditQuery>,
) -> Result<Response, Problem> {
    let AuditQuery { order, from, limit: items, action, actor, subject, since, until } = asked;
    let newest_first = order == Order::Newest;
    let filter = AuditFilter { action, actor, subject, since, until, newest_first };
    let from = from.unwrap_or(u64::from(!newest_first));
    let found = app.call(move |registry| registry.audit(&caller, from, limit(items), &filter));
    let found = found.await?;
    let records = found.items.iter().map(AuditBody::from).collect();
    let body = AuditRecordsBody { records, next: found.next };
    Ok(page(&uri, "from", body.next.as_deref(), &body))
}

/// What is known from elsewhere.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct VerifyQuery {
    /// `head` of an earlier report: has to be a part of the chain.
    head: Option<String>,
}

/// Verifies the audit log and everything that it commits to. Reads all of it.
#[utoipa::path(
    get, path = "/v1/audit/verify", operation_id = "verifyAudit", tag = "audit", params(VerifyQuery),
    responses((status = 200, description = "What was found.", body = AuditReportBody), Refused)
)]
pub(crate) async fn verify(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(VerifyQuery { head }): Query<VerifyQuery>,
) -> Result<Response, Problem> {
    let head = head.as_deref().map(str::parse::<AuditHead>).transpose();
    let head =
        head.map_err(|error| Problem::bad_request("invalid-query", format!("head: {error}")))?;
    let place = app.batch_place().await?;
    let report = app.call(move |registry| {
        let _place = place;
        registry.require_installation_admin(&caller)?;
        registry.store().verify(head).map_err(RegistryError::from)
    });
    Ok(ok(&AuditReportBody::from(&report.await?)))
}
