//! One level, and lists of them.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_gs1::Ai;
use fingerpost_registry::{CompanyPrefix, Filter, Outcome};
use http::header::{self, HeaderMap, HeaderValue};
use http::{StatusCode, Uri};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Refused, Unchanged, located, ok, page, with_status};
use crate::app::App;
use crate::body::{self, JSON, MERGE_PATCH};
use crate::conditions::{Asked, DryRun, etag};
use crate::credential::Who;
use crate::model::{ChangeBody, LevelBody, LevelsBody, RecordBody, limit};
use crate::problem::Problem;
use crate::query::{LevelKey, Query, level_key};

/// Which levels are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct LevelFilter {
    /// This level and those below it, as a path.
    #[param(example = "/01/09506000134352")]
    under: Option<String>,
    /// Those whose GS1 Company Prefix begins so.
    #[param(example = "9506000")]
    company_prefix: Option<String>,
    /// Those of this Application Identifier.
    #[param(example = "01")]
    key_type: Option<String>,
    /// Those that have a link of this type.
    #[param(example = "gs1:pip")]
    link_type: Option<String>,
    /// Those that have a link to this host.
    #[param(example = "example.com")]
    target_host: Option<String>,
    /// Those whose key, description or titles hold this text.
    text: Option<String>,
    /// Those that were changed last by this actor.
    #[param(example = "user:01jd3x5p7q9r1s3t5v7w9x1y3z")]
    author: Option<String>,
    /// Those that were changed at this instant or later (RFC 3339).
    #[param(value_type = Option<String>, example = "2026-01-01T00:00:00Z")]
    changed_since: Option<jiff::Timestamp>,
    /// `next` of the page before.
    after: Option<String>,
    /// Most levels wanted: 100 unless told, at most 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

impl LevelFilter {
    fn read(&self) -> Result<Filter, Problem> {
        let invalid = |name: &str, expected: String| {
            Problem::bad_request("invalid-query", format!("{name}: {expected}"))
        };
        let company_prefix = self.company_prefix.as_deref().map(CompanyPrefix::parse).transpose();
        let key_type = self.key_type.as_deref().map(|text| {
            let expected = "expected the Application Identifier of a primary key, such as 01";
            let ai = Ai::new(text).filter(|ai| ai.is_primary_key());
            ai.ok_or_else(|| invalid("keyType", expected.into()))
        });
        Ok(Filter {
            under: self.under.as_deref().map(level_key).transpose()?,
            company_prefix: company_prefix
                .map_err(|error| invalid("companyPrefix", error.to_string()))?,
            key_type: key_type.transpose()?,
            link_type: self.link_type.clone(),
            target_host: self.target_host.clone(),
            text: self.text.clone(),
            author: self.author.clone(),
            changed_since: self.changed_since,
        })
    }
}

/// Lists levels that you may read, in the order of their keys.
#[utoipa::path(
    get, path = "/v1/levels", operation_id = "listLevels", tag = "levels", params(LevelFilter),
    responses((status = 200, description = "A page of levels.", body = LevelsBody), Refused)
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<LevelFilter>,
) -> Result<Response, Problem> {
    let filter = asked.read()?;
    let (after, limit) = (asked.after, limit(asked.limit));
    let found = app.call(move |registry| {
        let found = registry.list(&caller, &filter, after.as_deref(), limit)?;
        let levels = found.items.iter().map(LevelBody::from).collect();
        Ok(LevelsBody { levels, next: found.next })
    });
    let body = found.await?;
    Ok(page(&uri, "after", body.next.as_deref(), &body))
}

/// Shows one level.
#[utoipa::path(
    get, path = "/v1/levels/{*key}", operation_id = "readLevel", tag = "levels",
    params(
        ("key" = String, Path, description = "The level as a path.", example = "01/09506000134352/10/ABC"),
        ("If-None-Match" = Option<String>, Header, description = "`ETag` of what you have."),
    ),
    responses(
        (status = 200, description = "The level.", body = LevelBody,
            headers(("ETag" = String, description = "Its revision in quotes."))),
        (status = 304, description = "You have it."),
        Refused
    )
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    fields: HeaderMap,
) -> Result<Response, Problem> {
    let read = app.call(move |registry| {
        let level = registry.read(&caller, &key)?;
        Ok((level.revision, LevelBody::from(&level)))
    });
    let (revision, body) = read.await?;
    let tag = etag(revision);
    let mut response =
        if has(&fields, &tag) { StatusCode::NOT_MODIFIED.into_response() } else { ok(&body) };
    response.headers_mut().insert(header::ETAG, tag);
    Ok(response)
}

/// Whether `If-None-Match` covers the validator (RFC 9110 section 13.1.2).
fn has(fields: &HeaderMap, tag: &HeaderValue) -> bool {
    let lists = fields.get_all(header::IF_NONE_MATCH).iter();
    lists.flat_map(|list| list.as_bytes().split(|byte| *byte == b',')).any(|member| {
        let member = member.trim_ascii();
        member == b"*" || member.strip_prefix(b"W/").unwrap_or(member) == tag.as_bytes()
    })
}

/// Registers a level, or replaces what is registered there.
///
/// Without `If-Match` the last writer wins. With it nobody's change is lost.
#[utoipa::path(
    put, path = "/v1/levels/{*key}", operation_id = "putLevel", tag = "levels",
    params(
        ("key" = String, Path, description = "The level as a path; the record's anchor is the same."),
        DryRun,
        ("If-Match" = Option<String>, Header, description = "`ETag` of what you read; `*`: anything."),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only if nothing is there."),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated within a day, the request happens once."),
    ),
    request_body(content = RecordBody, content_type = "application/json"),
    responses(
        (status = 200, description = "Replaced, unchanged, or checked.", body = ChangeBody),
        (status = 201, description = "Registered anew.", body = ChangeBody),
        (status = 202, description = "A second person has to release it; `Location` says where.", body = ChangeBody),
        Unchanged
    )
)]
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    asked: Asked,
    request: Request,
) -> Result<Response, Problem> {
    let record = read_body(request, JSON).await?;
    let conditions = asked.with_body(&record);
    let level = key.as_str().to_owned();
    let put = app.call(move |registry| registry.put(&caller, Some(&key), &record, conditions));
    Ok(changed(&level, &put.await?))
}

/// Changes parts of a record (RFC 7396).
#[utoipa::path(
    patch, path = "/v1/levels/{*key}", operation_id = "patchLevel", tag = "levels",
    params(
        ("key" = String, Path, description = "The level as a path."),
        DryRun,
        ("If-Match" = Option<String>, Header, description = "`ETag` of what you read; `*`: anything."),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated within a day, the request happens once."),
    ),
    request_body(
        content = Object, content_type = "application/merge-patch+json",
        description = "Members to replace; `null` removes one."
    ),
    responses(
        (status = 200, description = "Replaced, unchanged, or checked.", body = ChangeBody),
        (status = 202, description = "A second person has to release it; `Location` says where.", body = ChangeBody),
        (status = 404, description = "Nothing is registered there."),
        Unchanged
    )
)]
pub(crate) async fn patch(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    asked: Asked,
    request: Request,
) -> Result<Response, Problem> {
    let merge = read_body(request, MERGE_PATCH).await?;
    let conditions = asked.with_body(&merge);
    let level = key.as_str().to_owned();
    let patched = app.call(move |registry| registry.patch(&caller, &key, &merge, conditions));
    Ok(changed(&level, &patched.await?))
}

/// Deletes what is registered at a level. Its history stays.
#[utoipa::path(
    delete, path = "/v1/levels/{*key}", operation_id = "deleteLevel", tag = "levels",
    params(
        ("key" = String, Path, description = "The level as a path."),
        DryRun,
        ("If-Match" = Option<String>, Header, description = "`ETag` of what you read; `*`: anything."),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated within a day, the request happens once."),
    ),
    responses(
        (status = 200, description = "Checked.", body = ChangeBody),
        (status = 202, description = "A second person has to release it; `Location` says where.", body = ChangeBody),
        (status = 204, description = "Deleted."),
        (status = 404, description = "Nothing is registered there."),
        Unchanged
    )
)]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    asked: Asked,
) -> Result<Response, Problem> {
    let conditions = asked.with_body(b"");
    let level = key.as_str().to_owned();
    let deleted = app.call(move |registry| registry.delete(&caller, &key, conditions));
    Ok(changed(&level, &deleted.await?))
}

async fn read_body(
    request: Request<Body>,
    accepts: body::Accepts,
) -> Result<bytes::Bytes, Problem> {
    let (parts, body) = request.into_parts();
    body::read(&parts.headers, body, accepts).await
}

/// What became of a change of one level.
pub(super) fn changed(level: &str, outcome: &Outcome) -> Response {
    let body = ChangeBody::new(level, outcome);
    let mut response = match outcome {
        Outcome::Written { created: true, .. } => {
            super::created(&format!("/v1/levels/{level}"), &body)
        }
        Outcome::Deleted { .. } => StatusCode::NO_CONTENT.into_response(),
        Outcome::Proposed { id, .. } => {
            located(with_status(StatusCode::ACCEPTED, &body), &format!("/v1/proposals/{id}"))
        }
        _ => ok(&body),
    };
    if let Outcome::Written { revision, .. } | Outcome::Unchanged { revision, .. } = outcome {
        response.headers_mut().insert(header::ETAG, etag(*revision));
    }
    response
}
