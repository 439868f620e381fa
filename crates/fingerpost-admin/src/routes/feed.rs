//! What another fingerpost needs to keep a copy of all records: changes, pages, digests. The rows
//! are as they are stored ([`fingerpost_follow::wire`]).

#![allow(unused_qualifications, reason = "utoipa's derive qualifies the types that it is given")]

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use fingerpost_follow::{FeedAnswer, wire};
use fingerpost_registry::{Caller, CompanyPrefix, RegistryError, copied_ranges};
use fingerpost_store::copy::{CopyLimit, ENTRY_FORMAT, LevelRange, Position, Selection};
use fingerpost_store::{StoreError, View};
use http::StatusCode;
use http::header::{self, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::credential::Who;
use crate::limits::{MAX_FEED_PREFIXES, MAX_FEED_WAIT};
use crate::problem::AdminProblem;
use crate::query::{Number, Query};
use crate::response::{NoCommonHistory, ok};
use crate::state::App;

/// A position of the store: a revision with the head of the audit log that covers it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct At(Position);

impl TryFrom<String> for At {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map(Self).map_err(|error| format!("{error}"))
    }
}

impl PartialSchema for At {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.pattern(Some("^[0-9]{1,19}:[0-9]{1,19}:[0-9a-f]{64}$")).into()
    }
}

/// GS1 Company Prefixes, separated by commas; everything if there are none.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Prefixes(Vec<CompanyPrefix>);

impl TryFrom<String> for Prefixes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.len() > MAX_FEED_PREFIXES {
            return Err(format!(
                "companyPrefixes must have at most {MAX_FEED_PREFIXES} characters"
            ));
        }
        let prefixes = text.split(',').filter(|digits| !digits.is_empty());
        let prefixes = prefixes.map(CompanyPrefix::parse).collect::<Result<_, _>>();
        prefixes.map(Self).map_err(|error| error.to_string())
    }
}

impl PartialSchema for Prefixes {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.pattern(Some("^[0-9,]*$")).max_length(Some(MAX_FEED_PREFIXES)).into()
    }
}

impl Prefixes {
    fn selection(&self) -> Selection {
        Selection::of(copied_ranges(&self.0))
    }
}

/// The state of the store.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeedHead)]
pub(crate) struct HeadBody {
    /// The storage format of the rows of this feed; a copy must have the same.
    format: u32,
    /// The position: the revision, and the head of the audit log that covers it.
    position: String,
    /// The hash of the first audit record, which identifies this store; null while there is none.
    origin: Option<String>,
}

/// Until when to wait.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct HeadQuery {
    /// The revision that the client knows; the answer waits for another one.
    #[param(inline, required = false)]
    seen: Option<Number>,
    /// How long to wait, in seconds; at most 30.
    #[param(inline, required = false)]
    wait: Option<Number>,
}

/// Returns the position of the store; with `seen` and `wait`, as soon as it has another revision.
///
/// The feed is for copies of all records, as other nodes of fingerpost keep them. It needs the
/// permission to read in the whole installation.
#[utoipa::path(
    get, path = "/v1/feed/head", operation_id = "readFeedHead", tag = "feed", params(HeadQuery),
    responses((status = 200, description = "The position.", body = HeadBody))
)]
pub(crate) async fn head(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(HeadQuery { seen, wait }): Query<HeadQuery>,
) -> Result<Response, AdminProblem> {
    let first = read(&app, &caller, fingerpost_follow::head).await?;
    let revision = first.position.revision();
    let wait = Duration::from_secs(wait.map_or(0, |seconds| seconds.0).min(MAX_FEED_WAIT));
    let found = match seen.map(Number::revision) {
        Some(seen) if seen == revision && !wait.is_zero() => {
            app.commits().wait(app.registry().store(), seen, wait).await;
            read(&app, &caller, fingerpost_follow::head).await?
        }
        _ => first,
    };
    let (position, origin) = (found.position.to_string(), found.origin);
    Ok(ok(&HeadBody { format: ENTRY_FORMAT, position, origin }))
}

/// The changes to return.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChangesQuery {
    /// The position of the copy.
    #[param(inline)]
    after: At,
    /// The last position that the client saw, which must exist; by default `after`.
    #[serde(default)]
    #[param(inline, required = false)]
    seen: Option<At>,
    /// GS1 Company Prefixes, separated by commas; everything by default.
    #[serde(default)]
    #[param(inline, required = false)]
    company_prefixes: Prefixes,
}

/// Returns the levels that changed after a position, as they were at a later revision.
#[utoipa::path(
    get, path = "/v1/feed/changes", operation_id = "readFeedChanges", tag = "feed", params(ChangesQuery),
    responses(
        (status = 200, description = "Rows as they are stored, after a line of JSON.", body = String, content_type = "application/vnd.fingerpost.rows"),
        NoCommonHistory
    )
)]
pub(crate) async fn changes(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(ChangesQuery { after, seen, company_prefixes }): Query<ChangesQuery>,
) -> Result<Response, AdminProblem> {
    let answer = read(&app, &caller, move |view| {
        let seen = seen.unwrap_or(after).0;
        let selection = company_prefixes.selection();
        fingerpost_follow::changes(view, &selection, &after.0, &seen, CopyLimit::BATCH)
    });
    let (at, changes) = found(answer.await?)?;
    let head = wire::RowsHead { upto: Some(changes.upto), ..wire::head_of(at, &changes.rows) };
    Ok(rows(wire::encode(&head, &changes.rows)))
}

/// The part of the records to return.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SpanQuery {
    /// The text before the first level; from the first level on by default.
    #[serde(default)]
    #[param(required = false, max_length = 600)]
    from: String,
    /// The last level; up to the last one by default.
    #[serde(default)]
    #[param(required = false, max_length = 600)]
    until: Option<String>,
    /// The last position that the client saw, which must exist.
    #[param(inline)]
    seen: At,
    /// GS1 Company Prefixes, separated by commas; everything by default.
    #[serde(default)]
    #[param(inline, required = false)]
    company_prefixes: Prefixes,
}

impl SpanQuery {
    fn parts(self) -> (Selection, LevelRange, Position) {
        let span = LevelRange { after: self.from, until: self.until };
        (self.company_prefixes.selection(), span, self.seen.0)
    }
}

/// Returns the first records of a span of levels, up to some thousand.
#[utoipa::path(
    get, path = "/v1/feed/records", operation_id = "readFeedRecords", tag = "feed", params(SpanQuery),
    responses(
        (status = 200, description = "Rows as they are stored, after a line of JSON.", body = String, content_type = "application/vnd.fingerpost.rows"),
        NoCommonHistory
    )
)]
pub(crate) async fn records(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<SpanQuery>,
) -> Result<Response, AdminProblem> {
    let (selection, span, seen) = asked.parts();
    let answer = read(&app, &caller, move |view| {
        fingerpost_follow::page(view, &selection, &span, &seen, CopyLimit::BATCH)
    });
    let (at, page) = found(answer.await?)?;
    let head = wire::RowsHead { until: page.until, ..wire::head_of(at, &page.rows) };
    Ok(rows(wire::encode(&head, &page.rows)))
}

/// A digest of some rows.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FeedDigest)]
pub(crate) struct DigestBody {
    /// The position of the store.
    at: String,
    /// The number of rows.
    rows: u64,
    /// SHA-256 over the rows.
    digest: String,
    /// The level up to which the digest covers the span; null if it covers all of it.
    until: Option<String>,
}

/// Returns a digest of the first records of a span of levels, to compare with a copy.
#[utoipa::path(
    get, path = "/v1/feed/digest", operation_id = "readFeedDigest", tag = "feed", params(SpanQuery),
    responses((status = 200, description = "The digest.", body = DigestBody), NoCommonHistory)
)]
pub(crate) async fn digest(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<SpanQuery>,
) -> Result<Response, AdminProblem> {
    let (selection, span, seen) = asked.parts();
    let answer = read(&app, &caller, move |view| {
        fingerpost_follow::digest(view, &selection, &span, &seen, CopyLimit::DIGEST)
    });
    let (at, found) = found(answer.await?)?;
    let (at, rows, digest, until) = (at.to_string(), found.rows, found.digest, found.until);
    Ok(ok(&DigestBody { at, rows, digest, until }))
}

/// Reads one snapshot, if the caller can read everything.
async fn read<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    read: impl FnOnce(&View<'_>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, AdminProblem> {
    let caller = caller.clone();
    app.call(move |registry| -> Result<T, RegistryError> {
        registry.read_everything(&caller, read)
    })
    .await
}

/// Returns the data; a copy must be compared otherwise.
fn found<T>(answer: FeedAnswer<T>) -> Result<(Position, T), AdminProblem> {
    let (code, detail) = match answer {
        FeedAnswer::Found { at, data } => return Ok((at, data)),
        FeedAnswer::WentBack => (wire::UNKNOWN_POSITION, "the store does not have this position"),
        FeedAnswer::Pruned => (wire::HISTORY_PRUNED, "the history that this needs was pruned"),
    };
    Err(AdminProblem::new(StatusCode::CONFLICT, code, detail))
}

fn rows(body: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(wire::MEDIA_TYPE))], body).into_response()
}
