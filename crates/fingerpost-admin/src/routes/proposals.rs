//! Changes that wait for a second person.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::Uri;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Refused, Unchanged, ok, page};
use crate::app::App;
use crate::body::OptionalJson;
use crate::credential::Who;
use crate::model::{
    ApprovedBody, ProposalBody, ProposalStateBody, ProposalsBody, RejectionBody, limit,
};
use crate::problem::Problem;
use crate::query::{PathId, Query};

/// Which proposals are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProposalFilter {
    /// Those that have come so far.
    #[param(inline)]
    state: Option<ProposalStateBody>,
    /// `next` of the page before.
    after: Option<String>,
    /// Most proposals wanted: 100 unless told, at most 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Lists proposals that you may read.
#[utoipa::path(
    get, path = "/v1/proposals", operation_id = "listProposals", tag = "proposals", params(ProposalFilter),
    responses((status = 200, description = "A page of proposals.", body = ProposalsBody), Refused)
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<ProposalFilter>,
) -> Result<Response, Problem> {
    let found = app.call(move |registry| {
        let state = asked.state.map(Into::into);
        registry.proposals(&caller, state, asked.after.as_deref(), limit(asked.limit))
    });
    let found = found.await?;
    let proposals = found.items.into_iter().map(ProposalBody::from).collect();
    let body = ProposalsBody { proposals, next: found.next };
    Ok(page(&uri, "after", body.next.as_deref(), &body))
}

/// Shows a proposal.
#[utoipa::path(
    get, path = "/v1/proposals/{id}", operation_id = "readProposal", tag = "proposals",
    params(("id" = String, Path, description = "Its id.")),
    responses((status = 200, description = "The proposal.", body = ProposalBody), Refused)
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let found = app.call(move |registry| registry.proposal(&caller, &id));
    Ok(ok(&ProposalBody::from(found.await?)))
}

/// Releases a proposal of another person.
#[utoipa::path(
    post, path = "/v1/proposals/{id}/approve", operation_id = "approveProposal", tag = "proposals",
    params(("id" = String, Path, description = "Its id.")),
    responses((status = 200, description = "Written.", body = ApprovedBody), Unchanged)
)]
pub(crate) async fn approve(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, Problem> {
    let revision = app.call(move |registry| registry.approve(&caller, &id)).await?;
    Ok(ok(&ApprovedBody { revision: revision.number() }))
}

/// Rejects a proposal, or takes back one's own.
#[utoipa::path(
    post, path = "/v1/proposals/{id}/reject", operation_id = "rejectProposal", tag = "proposals",
    params(("id" = String, Path, description = "Its id.")),
    request_body(content = Option<RejectionBody>, content_type = "application/json"),
    responses((status = 200, description = "The proposal, rejected.", body = ProposalBody), Refused)
)]
pub(crate) async fn reject(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    OptionalJson(body): OptionalJson<RejectionBody>,
) -> Result<Response, Problem> {
    let reason = body.unwrap_or_default().reason;
    let rejected = app.call(move |registry| registry.reject(&caller, &id, reason.as_deref()));
    Ok(ok(&ProposalBody::from(rejected.await?)))
}
