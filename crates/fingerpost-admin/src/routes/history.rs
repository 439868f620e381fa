//! Previous states of levels, and changes of the installation.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_registry::{
    ChangeCounts, ChangeDetails, ChangeFilter, ChangePage, Id, LevelKey as Key, LevelState,
    MAX_DAYS,
};
use fingerpost_store::Revision;
use http::Uri;
use http::request::Parts;
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema};

use super::levels::changed;
use crate::conditions::{IdempotencyKey, IfMatch, RequestConditions};
use crate::credential::Who;
use crate::model::{Change, Changes, Differences, History};
use crate::problem::AdminProblem;
use crate::query::{Instant, LevelKey, Limit, Number, Query, StateKey, level_key};
use crate::response::{Conflict, DefaultMissing, Invalid, Stale, ok, page};
use crate::state::App;

/// The states to list.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Before {
    /// `next` of the previous page; only states before this revision are returned.
    #[param(inline, required = false)]
    before: Option<Number>,
    /// Maximum number of states to return.
    #[param(inline, required = false)]
    limit: Limit,
}

/// Lists the states of a level, newest first, without their records.
#[utoipa::path(
    get, path = "/v1/history/{*key}", operation_id = "readHistory", tag = "history",
    params(("key" = Key, Path, description = "The level as a path."), Before),
    responses((status = 200, description = "A page of states.", body = History))
)]
pub(crate) async fn history(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    uri: Uri,
    Query(Before { before, limit }): Query<Before>,
) -> Result<Response, AdminProblem> {
    let listed = app.list(move |registry| {
        let before = before.map(Number::revision);
        let found = registry.revisions(&caller, &key, before, limit.items())?;
        let body = History { states: found.items, next: found.next };
        Ok(page(&uri, "before", body.next.as_deref(), &body))
    });
    listed.await
}

/// Returns the state of a level at a revision.
#[utoipa::path(
    get, path = "/v1/states/{revision}/{*key}", operation_id = "readState", tag = "history",
    params(
        ("revision" = inline(Number), Path, description = "Any revision; the state at that revision is returned."),
        ("key" = Key, Path, description = "The level as a path."),
    ),
    responses((status = 200, description = "The state.", body = LevelState))
)]
pub(crate) async fn state(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    StateKey(revision, key): StateKey,
) -> Result<Response, AdminProblem> {
    let state = app.call(move |registry| registry.state(&caller, &key, revision));
    Ok(ok(&state.await?))
}

/// The states to compare.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Between {
    /// The older revision.
    #[param(inline)]
    from: Number,
    /// The newer revision; the current state by default.
    #[serde(default)]
    #[param(inline, required = false)]
    to: Option<Number>,
}

/// Compares two states of a level.
#[utoipa::path(
    get, path = "/v1/differences/{*key}", operation_id = "compareStates", tag = "history",
    params(("key" = Key, Path, description = "The level as a path."), Between),
    responses((status = 200, description = "The differences.", body = Differences))
)]
pub(crate) async fn differences(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    Query(Between { from, to }): Query<Between>,
) -> Result<Response, AdminProblem> {
    let differences = app.call(move |registry| {
        registry.difference(&caller, &key, from.revision(), to.map(Number::revision))
    });
    Ok(ok(&Differences { differences: differences.await? }))
}

/// The state to restore.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Restore {
    /// The revision whose state to restore.
    #[param(inline)]
    revision: Number,
    /// Whether to check everything and change nothing.
    #[serde(default)]
    #[param(required = false)]
    dry_run: bool,
}

/// Restores the state of a level at a revision.
#[utoipa::path(
    post, path = "/v1/restore/{*key}", operation_id = "restoreState", tag = "history",
    params(
        ("key" = Key, Path, description = "The level as a path."),
        Restore,
        ("If-Match" = inline(Option<IfMatch>), Header, description = "The `ETag` of the level, or `*` for any."),
        ("Idempotency-Key" = inline(Option<IdempotencyKey>), Header, description = "Repeats within 24 hours are applied once."),
    ),
    responses(
        (status = 200, description = "Replaced, unchanged, or checked.", body = Change, headers(("ETag" = String, description = "The revision of the level in quotes."))),
        (status = 201, description = "Registered.", body = Change, headers(("ETag" = String, description = "The revision of the level in quotes."))),
        (status = 202, description = "Proposed: a second person has to approve it.", body = Change),
        (status = 204, description = "Deleted, as it was at that revision."),
        DefaultMissing,
        Stale,
        Invalid
    )
)]
pub(crate) async fn restore(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    Query(Restore { revision, dry_run }): Query<Restore>,
    parts: Parts,
) -> Result<Response, AdminProblem> {
    let conditions = RequestConditions::read(&parts, dry_run)?.with_body(b"");
    let level = key.as_str().to_owned();
    let revision = revision.revision();
    let restored = app.call(move |registry| registry.restore(&caller, &key, revision, conditions));
    Ok(changed(&level, &restored.await?))
}

/// The changes to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Since {
    /// A revision, or `next` of the previous page; by default the list begins with the first
    /// change.
    #[param(example = "12", pattern = "^[0-9]{1,15}(/.*)?$")]
    after: Option<String>,
    /// Maximum number of changes to return.
    #[param(inline, required = false)]
    limit: Limit,
    /// Whether to add the time and the author of each change.
    #[param(required = false)]
    author: bool,
    /// Whether to add the record that each change wrote, if it is still stored.
    #[param(required = false)]
    record: bool,
}

/// Lists changes of levels that you can read, oldest first. Use it to keep a copy up to date.
///
/// `next` is always where to continue: ask again with `after`, at once, or after a pause if
/// `isLast` is true. A position that the store does not have (409) means that it was restored from
/// a backup.
#[utoipa::path(
    get, path = "/v1/changes", operation_id = "listChanges", tag = "history", params(Since),
    responses((status = 200, description = "A page of changes.", body = Changes), Conflict)
)]
pub(crate) async fn changes(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(Since { after, limit, author, record }): Query<Since>,
) -> Result<Response, AdminProblem> {
    let cursor = after.unwrap_or_else(|| "0".to_owned());
    let revision = revision_of(&cursor)?;
    let listed = app.list(move |registry| {
        let cursor = Some(cursor.as_str()).filter(|cursor| cursor.contains('/'));
        let details = ChangeDetails { author, record };
        let found = registry.changes(&caller, revision, cursor, details, limit.items())?;
        let ChangePage { items: changes, next, is_last } = found;
        let body = Changes { changes, next, is_last };
        Ok(page(&uri, "after", Some(&body.next), &body))
    });
    listed.await
}

/// Returns the revision in a cursor of changes.
fn revision_of(cursor: &str) -> Result<Revision, AdminProblem> {
    let revision = cursor.split('/').next().unwrap_or_default();
    let digits = (1..=15).contains(&revision.len()) && revision.bytes().all(|b| b.is_ascii_digit());
    let detail = "after must be a revision, or next of the previous page";
    let invalid = || AdminProblem::bad_request("invalid-query", detail);
    revision.parse().ok().filter(|_| digits).map(Revision::new).ok_or_else(invalid)
}

/// The number of days to count.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "usize")]
struct Days(usize);

impl TryFrom<usize> for Days {
    type Error = String;

    fn try_from(days: usize) -> Result<Self, String> {
        let is_allowed = (1..=MAX_DAYS).contains(&days);
        if is_allowed { Ok(Self(days)) } else { Err(format!("days must be 1 to {MAX_DAYS}")) }
    }
}

impl PartialSchema for Days {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Integer);
        number.minimum(Some(1)).maximum(Some(MAX_DAYS)).default(Some(30.into())).into()
    }
}

/// The changes to count.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChangesToCount {
    /// When the first day begins (RFC 3339). All days have 24 hours.
    #[param(inline)]
    since: Instant,
    /// The number of days; 30 by default.
    #[serde(default)]
    #[param(inline, required = false)]
    days: Option<Days>,
    /// Only this level and those below it, as a path.
    #[param(value_type = Option<Key>, inline, required = false, example = "/01/09506000134352")]
    under: Option<String>,
    /// Only levels of this organisation.
    #[param(inline, required = false)]
    organisation: Option<Id>,
    /// `next` of the previous answer.
    #[param(example = "12", pattern = "^[0-9]{1,15}(/.*)?$")]
    after: Option<String>,
}

/// Counts changes of levels that you can read, by day.
///
/// A request looks at a limited number of changes, the oldest first. If there are more, `next` is
/// where to continue: add the counts of the answers.
#[utoipa::path(
    get, path = "/v1/change-count", operation_id = "countChanges", tag = "history", params(ChangesToCount),
    responses((status = 200, description = "The numbers.", body = ChangeCounts))
)]
pub(crate) async fn count(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<ChangesToCount>,
) -> Result<Response, AdminProblem> {
    let ChangesToCount { since, days, under, organisation, after } = asked;
    after.as_deref().map(revision_of).transpose()?;
    let under = under.as_deref().map(level_key).transpose()?;
    let days = days.map_or(30, |days| days.0);
    let filter = ChangeFilter { since: since.0, days, under, organisation };
    let counted =
        app.list(move |registry| registry.count_changes(&caller, &filter, after.as_deref()));
    Ok(ok(&counted.await?))
}
