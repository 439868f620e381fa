//! Recalls: scans of the recalled levels go to a notice.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_registry::{BatchReport, Caller, LevelKey, Registry, RegistryError};
use fingerpost_resolver::{Anchor, RecallNotice};
use http::Uri;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use utoipa::{IntoParams, ToSchema};

use super::batch;
use crate::body::{self, JSON};
use crate::conditions::{IdempotencyKey, RequestConditions};
use crate::credential::Who;
use crate::model::Recalls;
use crate::problem::AdminProblem;
use crate::query::{Limit, Number, Query};
use crate::response::{DefaultMissing, Invalid, Missing, page};
use crate::state::App;

/// A recall.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recall {
    /// The levels, as paths: a product, lots, items, or ranges such as
    /// `/01/09506000134352/-range/10/4/A100/A199`.
    #[schema(value_type = Vec<LevelKey>, min_items = 1, max_items = 1000)]
    keys: Vec<LevelRef>,
    /// The notices, for instance one for each language. Without them, or for a notice without
    /// `href`, requests get the page of the resolver about the level.
    #[serde(default = "own_page")]
    #[schema(required = false, min_items = 1, max_items = 64)]
    notices: Vec<RecallNotice>,
}

/// The notices of a recall that has none: the page of the resolver.
fn own_page() -> Vec<RecallNotice> {
    vec![RecallNotice::default()]
}

/// Recalls to end.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndOfRecall {
    /// The levels, as paths.
    #[schema(value_type = Vec<LevelKey>, min_items = 1, max_items = 1000)]
    keys: Vec<LevelRef>,
}

/// A level of a document, as a path or as a Digital Link URI.
#[derive(Debug)]
struct LevelRef(Anchor);

impl<'de> Deserialize<'de> for LevelRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let level = Anchor::parse(&text).map(Self);
        level.map_err(|error| D::Error::custom(format!("expected a level: {error}")))
    }
}

/// The recalls to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Running {
    /// `next` of the previous page.
    after: Option<String>,
    /// Maximum number of recalls to return.
    #[param(inline, required = false)]
    limit: Limit,
}

/// Lists the recalled levels that you can read, each with the beginning of its recall.
#[utoipa::path(
    get, path = "/v1/recalls", operation_id = "listRecalls", tag = "levels", params(Running),
    responses((status = 200, description = "A page of recalls.", body = Recalls))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(Running { after, limit }): Query<Running>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let found = registry.recalls(&caller, after.as_deref(), limit.items())?;
        let body = Recalls { recalls: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Options of a recall.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecallQuery {
    /// Whether to check everything and change nothing.
    #[param(required = false)]
    dry_run: bool,
    /// The change set of an earlier request of yours that the changes are added to; a new one by
    /// default.
    #[param(inline, required = false)]
    change_set: Option<Number>,
}

/// Recalls products, lots or items.
///
/// A request without a link type, for one of the levels or for anything below it, is redirected to
/// the notice that suits it best, or answered with the page of the resolver, which says what is
/// recalled and since when. The notices are links of type `gs1:recallStatus` of the records;
/// a level without a record gets one. All levels are changed, or none.
#[utoipa::path(
    post, path = "/v1/recalls", operation_id = "recall", tag = "levels",
    params(
        RecallQuery,
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    request_body(content = Recall, content_type = "application/json"),
    responses(
        (status = 200, description = "The report; `line` is the position of a level, from 1.", body = BatchReport),
        (status = 202, description = "Proposed: a second person has to approve the recall.", body = BatchReport),
        DefaultMissing,
        Missing,
        Invalid
    )
)]
pub(crate) async fn recall(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<RecallQuery>,
    request: Request,
) -> Result<Response, AdminProblem> {
    changed(app, caller, asked, request, |registry, caller, recall: Recall, conditions| {
        registry.recall(caller, &levels(recall.keys), &recall.notices, conditions)
    })
    .await
}

/// Ends recalls.
///
/// Removes the notices; requests are answered as before the recall. A record that has no other
/// links is deleted. A level that is not recalled stays as it is. All levels are changed, or none.
/// Other operations that would end a recall are refused.
#[utoipa::path(
    post, path = "/v1/recalls/end", operation_id = "endRecall", tag = "levels",
    params(
        RecallQuery,
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    request_body(content = EndOfRecall, content_type = "application/json"),
    responses(
        (status = 200, description = "The report; `line` is the position of a level, from 1.", body = BatchReport),
        (status = 202, description = "Proposed: a second person has to approve it.", body = BatchReport),
        DefaultMissing,
        Missing,
        Invalid
    )
)]
pub(crate) async fn end(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<RecallQuery>,
    request: Request,
) -> Result<Response, AdminProblem> {
    changed(app, caller, asked, request, |registry, caller, end: EndOfRecall, conditions| {
        registry.end_recall(caller, &levels(end.keys), conditions)
    })
    .await
}

fn levels(keys: Vec<LevelRef>) -> Vec<Anchor> {
    keys.into_iter().map(|LevelRef(level)| level).collect()
}

/// Reads the document and makes the changes.
async fn changed<T: DeserializeOwned + Send + 'static>(
    app: Arc<App>,
    caller: Caller,
    RecallQuery { dry_run, change_set }: RecallQuery,
    request: Request,
    change: impl FnOnce(
        &Registry,
        &Caller,
        T,
        fingerpost_registry::Conditions,
    ) -> Result<BatchReport, RegistryError>
    + Send
    + 'static,
) -> Result<Response, AdminProblem> {
    let (parts, body) = request.into_parts();
    let asked = RequestConditions::read(&parts, dry_run)?;
    if asked.has_precondition() {
        let detail = "a recall has no precondition: it changes whatever its levels hold";
        return Err(AdminProblem::bad_request("invalid-header", detail));
    }
    // The right comes before the body.
    let who = caller.clone();
    app.call(move |registry| registry.require_write(&who, None)).await?;
    let bytes = body::read(&parts.headers, body, JSON).await?;
    let is_dry_run = asked.is_dry_run();
    let conditions = asked.with_body(&bytes).change_set(change_set.map(Number::revision));
    let document: T = app.try_call(move |_| body::parse(&bytes)).await??;
    let report =
        app.exclusive(move |registry| change(registry, &caller, document, conditions)).await?;
    batch::answer(&report, !is_dry_run)
}
