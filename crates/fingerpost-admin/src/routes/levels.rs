//! One level, and lists of them.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_gs1::Ai;
use fingerpost_http::conditional;
use fingerpost_registry::{
    Caller, ChangeOutcome, ChangeStatus, CompanyPrefix, Filter, Level, LevelCount, LevelKey as Key,
};
use fingerpost_resolver::Anchor;
use fingerpost_resolver::schema::Record;
use http::header::{self, HeaderMap};
use http::{StatusCode, Uri};
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::body::{self, JSON, MERGE_PATCH};
use crate::conditions::{DryRun, IdempotencyKey, IfMatch, RequestConditions};
use crate::credential::Who;
use crate::etag;
use crate::limits::SMALL_BODY;
use crate::model::{Change, DeletedLevels, Levels};
use crate::problem::AdminProblem;
use crate::query::{Instant, LevelKey, Limit, Query, level_key};
use crate::response::{self, DefaultMissing, Invalid, Stale, located, ok, page, with_status};
use crate::state::App;

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// The order of the keys.
    #[default]
    Key,
    /// The last change comes first.
    Newest,
}

/// Defines the parameters of requests that select levels: members of their own, after those of
/// every filter. Flattened structures cannot refuse unknown parameters, so each has all members.
macro_rules! filters {
    ($($(#[$attribute:meta])* $name:ident { $($own:tt)* })*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, Deserialize, IntoParams)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        #[into_params(parameter_in = Query)]
        pub(crate) struct $name {
            /// The top of the list: this level and those below it, as a path.
            #[param(value_type = Option<Key>, inline, required = false, example = "/01/09506000134352")]
            under: Option<String>,
            /// The beginning of the GS1 Company Prefix.
            #[param(inline, required = false, example = "9506000")]
            company_prefix: Option<CompanyPrefix>,
            /// The Application Identifier of the primary key.
            #[param(inline, required = false, example = "01")]
            key_type: Option<KeyType>,
            /// The type of a link of the level.
            #[param(format = "link-type", example = "gs1:pip")]
            link_type: Option<String>,
            /// The host of a target.
            #[param(example = "example.com")]
            target_host: Option<String>,
            /// A text in the key, the description, a title or a target; upper and lower case and
            /// accents do not matter.
            text: Option<String>,
            /// Whether the level is recalled.
            recalled: Option<bool>,
            /// Only levels that had a broken link when the targets of links were last checked.
            broken: bool,
            /// The actor of the last change.
            #[param(example = "user:01jd3x5p7q9r1s3t5v7w9x1y3z")]
            author: Option<String>,
            /// The earliest instant of the last change (RFC 3339).
            #[param(inline, required = false, example = "2026-01-01T00:00:00Z")]
            changed_since: Option<Instant>,
            $($own)*
        }

        impl $name {
            fn read(&self) -> Result<Filter, AdminProblem> {
                Ok(Filter {
                    under: self.under.as_deref().map(level_key).transpose()?,
                    company_prefix: self.company_prefix.clone(),
                    key_type: self.key_type.map(|key_type| key_type.0),
                    link_type: self.link_type.clone(),
                    target_host: self.target_host.clone(),
                    text: self.text.clone(),
                    recalled: self.recalled,
                    broken: self.broken,
                    author: self.author.clone(),
                    changed_since: self.changed_since.map(|instant| instant.0),
                })
            }
        }
    )*};
}

filters! {
    /// Which levels.
    LevelFilter {
        /// The order; a cursor belongs to one of them.
        #[param(inline, required = false)]
        order: Order,
        /// `next` of the previous page.
        after: Option<String>,
        /// Maximum number of levels to return.
        #[param(inline, required = false)]
        limit: Limit,
    }

    /// Which deleted levels.
    DeletedFilter {
        /// `next` of the previous page.
        after: Option<String>,
        /// Maximum number of levels to return.
        #[param(inline, required = false)]
        limit: Limit,
    }

    /// The levels to count.
    CountFilter {
        /// `next` of the previous answer.
        after: Option<String>,
    }
}

/// The Application Identifier of a primary key.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
struct KeyType(Ai);

impl TryFrom<String> for KeyType {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let ai = Ai::new(&text).filter(|ai| ai.is_primary_key());
        ai.map(Self).ok_or("not the Application Identifier of a primary key")
    }
}

impl PartialSchema for KeyType {
    fn schema() -> RefOr<Schema> {
        let all = Ai::PRIMARY_KEYS.iter().map(|ai| ai.as_str().to_owned());
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(all)).into()
    }
}

/// Lists the levels that you can read, in the order of their keys or of their last changes.
#[utoipa::path(
    get, path = "/v1/levels", operation_id = "listLevels", tag = "levels", params(LevelFilter),
    responses((status = 200, description = "A page of levels.", body = Levels), Invalid)
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<LevelFilter>,
) -> Result<Response, AdminProblem> {
    let filter = asked.read()?;
    let (order, after, limit) = (asked.order, asked.after, asked.limit.items());
    let listed = app.list(move |registry| {
        let found = match order {
            Order::Key => registry.list(&caller, &filter, after.as_deref(), limit)?,
            Order::Newest => registry.list_newest(&caller, &filter, after.as_deref(), limit)?,
        };
        let body = Levels { levels: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Lists deleted levels that you can read, those deleted last first.
///
/// The filter looks at the record that a level held last, and at the deletion. A level that was
/// registered again is not listed.
#[utoipa::path(
    get, path = "/v1/deleted", operation_id = "listDeleted", tag = "levels", params(DeletedFilter),
    responses((status = 200, description = "A page of levels.", body = DeletedLevels), Invalid)
)]
pub(crate) async fn deleted(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<DeletedFilter>,
) -> Result<Response, AdminProblem> {
    let filter = asked.read()?;
    let listed = app.list(move |registry| {
        let after = asked.after.as_deref();
        let found = registry.list_deleted(&caller, &filter, after, asked.limit.items())?;
        let body = DeletedLevels { levels: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

/// Counts the levels that you can read.
///
/// A request looks at a limited number of levels: the first of them. If there are more, `next` is
/// where to continue.
#[utoipa::path(
    get, path = "/v1/level-count", operation_id = "countLevels", tag = "levels", params(CountFilter),
    responses((status = 200, description = "The number.", body = LevelCount), Invalid)
)]
pub(crate) async fn count(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<CountFilter>,
) -> Result<Response, AdminProblem> {
    let filter = asked.read()?;
    let counted =
        app.list(move |registry| registry.count(&caller, &filter, asked.after.as_deref()));
    Ok(ok(&counted.await?))
}

/// Returns a level.
#[utoipa::path(
    get, path = "/v1/levels/{*key}", operation_id = "readLevel", tag = "levels",
    params(
        ("key" = Key, Path, description = "The level as a path.", example = "01/09506000134352/10/ABC"),
        ("If-None-Match" = Option<String>, Header, description = "The `ETag` of the copy that you have."),
    ),
    responses(
        (status = 200, description = "The level.", body = Level,
            headers(("ETag" = String, description = "The revision of the level in quotes."))),
        (status = 304, description = "Your copy is current.")
    )
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    fields: HeaderMap,
) -> Result<Response, AdminProblem> {
    let level = app.call(move |registry| registry.read(&caller, &key)).await?;
    let tag = etag::of(level.revision);
    let mut response = if conditional::is_known(&fields, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ok(&level)
    };
    response.headers_mut().insert(header::ETAG, tag);
    Ok(response)
}

/// Registers or replaces a level.
///
/// Without `If-Match` the last writer wins; with it no change is lost.
#[utoipa::path(
    put, path = "/v1/levels/{*key}", operation_id = "putLevel", tag = "levels",
    params(
        ("key" = Key, Path, description = "The level as a path; the anchor of the record must be the same."),
        DryRun,
        ("If-Match" = inline(Option<IfMatch>), Header, description = "The `ETag` of the level, or `*` for any."),
        ("If-None-Match" = Option<String>, Header, description = "`*` to write only if nothing is registered.", pattern = r"^\*$"),
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    request_body(content = Record, content_type = "application/json"),
    responses(
        (status = 200, description = "Replaced, unchanged, or checked.", body = Change, headers(("ETag" = String, description = "The revision of the level in quotes."))),
        (status = 201, description = "Registered.", body = Change, headers(("ETag" = String, description = "The revision of the level in quotes."))),
        (status = 202, description = "Proposed: a second person has to approve it.", body = Change),
        DefaultMissing,
        Stale,
        Invalid
    )
)]
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    asked: RequestConditions,
    request: Request,
) -> Result<Response, AdminProblem> {
    let record = read_body(&app, &caller, &key, request, JSON).await?;
    let level = key.as_str().to_owned();
    let put = app.call(move |registry| {
        let conditions = asked.with_body(&record);
        registry.put(&caller, Some(&key), &record, conditions)
    });
    Ok(changed(&level, &put.await?))
}

/// Changes parts of a record (JSON merge patch, RFC 7396).
#[utoipa::path(
    patch, path = "/v1/levels/{*key}", operation_id = "patchLevel", tag = "levels",
    params(
        ("key" = Key, Path, description = "The level as a path."),
        DryRun,
        ("If-Match" = inline(Option<IfMatch>), Header, description = "The `ETag` of the level, or `*` for any."),
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    request_body(
        content = Object, content_type = "application/merge-patch+json",
        description = "The members to replace; `null` removes a member."
    ),
    responses(
        (status = 200, description = "Replaced, unchanged, or checked.", body = Change, headers(("ETag" = String, description = "The revision of the level in quotes."))),
        (status = 202, description = "Proposed: a second person has to approve it.", body = Change),
        DefaultMissing,
        Stale,
        Invalid
    )
)]
pub(crate) async fn patch(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    asked: RequestConditions,
    request: Request,
) -> Result<Response, AdminProblem> {
    let merge = read_body(&app, &caller, &key, request, MERGE_PATCH).await?;
    let level = key.as_str().to_owned();
    let patched = app.call(move |registry| {
        let conditions = asked.with_body(&merge);
        registry.patch(&caller, &key, &merge, conditions)
    });
    Ok(changed(&level, &patched.await?))
}

/// Deletes a level. Its history stays. A recall has to be ended first.
#[utoipa::path(
    delete, path = "/v1/levels/{*key}", operation_id = "deleteLevel", tag = "levels",
    params(
        ("key" = Key, Path, description = "The level as a path."),
        DryRun,
        ("If-Match" = inline(Option<IfMatch>), Header, description = "The `ETag` of the level, or `*` for any."),
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    responses(
        (status = 200, description = "Checked.", body = Change),
        (status = 202, description = "Proposed: a second person has to approve it.", body = Change),
        (status = 204, description = "Deleted."),
        DefaultMissing,
        Stale,
        Invalid
    )
)]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    asked: RequestConditions,
) -> Result<Response, AdminProblem> {
    let conditions = asked.with_body(b"");
    let level = key.as_str().to_owned();
    let deleted = app.call(move |registry| registry.delete(&caller, &key, conditions));
    Ok(changed(&level, &deleted.await?))
}

/// Reads the body of a change from callers with write permission for the level. A small body is
/// read first, because its change asks for the permission again: over a database, that is one round
/// trip less. Faults of the body are shown only to callers with permission.
async fn read_body(
    app: &App,
    caller: &Caller,
    key: &Anchor,
    request: Request<Body>,
    accepts: body::Accepts,
) -> Result<bytes::Bytes, AdminProblem> {
    let (caller, key) = (caller.clone(), key.clone());
    let permitted = app.call(move |registry| registry.require_write(&caller, Some(&key)));
    let (parts, body) = request.into_parts();
    if body.size_hint().upper().is_some_and(|size| size <= SMALL_BODY) {
        match body::read(&parts.headers, body, accepts).await {
            Ok(record) => return Ok(record),
            Err(fault) => return permitted.await.and(Err(fault)),
        }
    }
    permitted.await?;
    body::read(&parts.headers, body, accepts).await
}

/// Returns the response to a change of one level.
pub(super) fn changed(level: &str, outcome: &ChangeOutcome) -> Response {
    let body = Change { key: level, outcome };
    let mut response = match (outcome.status, outcome.proposal) {
        (ChangeStatus::Created, _) => response::created(&format!("/v1/levels/{level}"), &body),
        (ChangeStatus::Deleted, _) => return StatusCode::NO_CONTENT.into_response(),
        (_, Some(id)) => {
            located(with_status(StatusCode::ACCEPTED, &body), &format!("/v1/proposals/{id}"))
        }
        _ => ok(&body),
    };
    if let Some(revision) = outcome.revision {
        response.headers_mut().insert(header::ETAG, etag::of(revision));
    }
    response
}
