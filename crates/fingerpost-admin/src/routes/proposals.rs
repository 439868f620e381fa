//! Proposals: changes that wait for a second person's approval.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_registry::{
    Id, LevelKey as Key, Operation, Proposal, ProposalFilter, ProposalState,
};
use http::Uri;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::body;
use crate::credential::Who;
use crate::model::{Approved, Proposals, Rejection};
use crate::problem::AdminProblem;
use crate::query::{Limit, PathId, Query, level_key};
use crate::response::{Conflict, Invalid, ok, page};
use crate::state::App;

/// The proposals to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProposalQuery {
    /// The state of the proposals.
    #[param(inline, required = false)]
    state: Option<ProposalState>,
    /// A level that they change, as a path.
    #[param(value_type = Option<Key>, inline, required = false, example = "/01/09506000134352")]
    key: Option<String>,
    /// Whether to return those only that you proposed.
    #[param(inline, required = false)]
    own: bool,
    /// `next` of the previous page.
    #[param(inline, required = false)]
    after: Option<Id>,
    /// Maximum number of proposals to return.
    #[param(inline, required = false)]
    limit: Limit,
}

/// Lists the proposals that you can read.
#[utoipa::path(
    get, path = "/v1/proposals", operation_id = "listProposals", tag = "proposals", params(ProposalQuery),
    responses((status = 200, description = "A page of proposals.", body = Proposals))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<ProposalQuery>,
) -> Result<Response, AdminProblem> {
    let key = asked.key.as_deref().map(level_key).transpose()?;
    let by = asked.own.then(|| caller.actor().to_string());
    let filter = ProposalFilter { state: asked.state, key, by };
    let listed = app.list(move |registry| {
        let after = asked.after.as_ref().map(Id::as_str);
        let found = registry.proposals(&caller, &filter, after, asked.limit.items())?;
        let body = Proposals { proposals: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Returns a proposal.
#[utoipa::path(
    get, path = "/v1/proposals/{id}", operation_id = "readProposal", tag = "proposals",
    params(("id" = Id, Path, description = "The id of the proposal.")),
    responses((status = 200, description = "The proposal.", body = Proposal))
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let found = app.list(move |registry| Ok(ok(&registry.proposal(&caller, &id)?)));
    found.await
}

/// Approves a proposal of another person, and writes its changes.
#[utoipa::path(
    post, path = "/v1/proposals/{id}/approve", operation_id = "approveProposal", tag = "proposals",
    params(("id" = Id, Path, description = "The id of the proposal.")),
    responses((status = 200, description = "Written.", body = Approved), Conflict, Invalid)
)]
pub(crate) async fn approve(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
) -> Result<Response, AdminProblem> {
    let revision = app.exclusive(move |registry| registry.approve(&caller, &id)).await?;
    Ok(ok(&Approved { revision: revision.number() }))
}

/// Rejects a proposal, or withdraws your own.
#[utoipa::path(
    post, path = "/v1/proposals/{id}/reject", operation_id = "rejectProposal", tag = "proposals",
    params(("id" = Id, Path, description = "The id of the proposal.")),
    request_body(content = Option<Rejection>, content_type = "application/json"),
    responses((status = 200, description = "The rejected proposal.", body = Proposal), Conflict)
)]
pub(crate) async fn reject(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    PathId(id): PathId,
    request: Request,
) -> Result<Response, AdminProblem> {
    let rejection = body::optional(&app, &caller, Operation::Reject(id), request).await?;
    let reason = rejection.unwrap_or(Rejection::default()).reason;
    let rejected = app.call(move |registry| registry.reject(&caller, &id, reason.as_deref()));
    Ok(ok(&rejected.await?))
}
