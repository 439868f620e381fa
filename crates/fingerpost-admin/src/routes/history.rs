//! What was registered at a level before, and what changed in the installation.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_store::Revision;
use http::Uri;
use http::request::Parts;
use serde::Deserialize;
use utoipa::IntoParams;

use super::levels::changed;
use super::{Refused, Unchanged, ok, page};
use crate::app::App;
use crate::conditions::Asked;
use crate::credential::Who;
use crate::model::{
    ChangeBody, ChangesBody, DifferenceBody, DifferencesBody, HistoryBody, LevelChangeBody,
    StateBody, limit,
};
use crate::problem::Problem;
use crate::query::{LevelKey, Query, StateKey};

/// Lists the states that a level had, newest first.
#[utoipa::path(
    get, path = "/v1/history/{*key}", operation_id = "readHistory", tag = "history",
    params(("key" = String, Path, description = "The level as a path.")),
    responses((status = 200, description = "Its states.", body = HistoryBody), Refused)
)]
pub(crate) async fn history(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
) -> Result<Response, Problem> {
    let states = app.call(move |registry| {
        let states = registry.history(&caller, &key)?;
        Ok(states.iter().map(|state| StateBody::new(state, false)).collect())
    });
    Ok(ok(&HistoryBody { states: states.await? }))
}

/// Shows a level as it was at a revision.
#[utoipa::path(
    get, path = "/v1/states/{revision}/{*key}", operation_id = "readState", tag = "history",
    params(
        ("revision" = u64, Path, description = "Any revision; the state of then is shown."),
        ("key" = String, Path, description = "The level as a path."),
    ),
    responses((status = 200, description = "The state.", body = StateBody), Refused)
)]
pub(crate) async fn state(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    StateKey(revision, key): StateKey,
) -> Result<Response, Problem> {
    let state = app.call(move |registry| {
        registry.state(&caller, &key, revision).map(|state| StateBody::new(&state, true))
    });
    Ok(ok(&state.await?))
}

/// Which states to compare.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Between {
    /// The older revision.
    from: u64,
    /// The newer one; absent: as it is now.
    #[serde(default)]
    to: Option<u64>,
}

/// Compares two states of a level.
#[utoipa::path(
    get, path = "/v1/differences/{*key}", operation_id = "compareStates", tag = "history",
    params(("key" = String, Path, description = "The level as a path."), Between),
    responses((status = 200, description = "Where they differ.", body = DifferencesBody), Refused)
)]
pub(crate) async fn differences(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    Query(Between { from, to }): Query<Between>,
) -> Result<Response, Problem> {
    let differences = app.call(move |registry| {
        let (from, to) = (Revision::new(from), to.map(Revision::new));
        let found = registry.difference(&caller, &key, from, to)?;
        Ok(found.into_iter().map(DifferenceBody::from).collect())
    });
    Ok(ok(&DifferencesBody { differences: differences.await? }))
}

/// What to restore.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Restore {
    /// The revision as of which the level is to be again.
    revision: u64,
    /// `true`: everything is checked, nothing is changed.
    #[serde(default)]
    #[param(required = false)]
    dry_run: bool,
}

/// Registers a level again as it was at a revision.
#[utoipa::path(
    post, path = "/v1/restore/{*key}", operation_id = "restoreState", tag = "history",
    params(
        ("key" = String, Path, description = "The level as a path."),
        Restore,
        ("If-Match" = Option<String>, Header, description = "`ETag` of what you read; `*`: anything."),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated within a day, the request happens once."),
    ),
    responses(
        (status = 200, description = "Replaced, unchanged, or checked.", body = ChangeBody),
        (status = 201, description = "Registered anew.", body = ChangeBody),
        (status = 202, description = "A second person has to release it; `Location` says where.", body = ChangeBody),
        (status = 204, description = "Deleted, as it was then."),
        Unchanged
    )
)]
pub(crate) async fn restore(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    LevelKey(key): LevelKey,
    Query(Restore { revision, dry_run }): Query<Restore>,
    parts: Parts,
) -> Result<Response, Problem> {
    let conditions = Asked::read(&parts, dry_run)?.with_body(b"");
    let level = key.as_str().to_owned();
    let restored = app
        .call(move |registry| registry.restore(&caller, &key, Revision::new(revision), conditions));
    Ok(changed(&level, &restored.await?))
}

/// Which changes are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Since {
    /// Those after this revision; or `next` of the page before. Absent: all.
    #[param(example = "12")]
    after: Option<String>,
    /// Most changes wanted: 100 unless told, at most 1000.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Lists changes of levels that you may read, oldest first, for copies that follow.
#[utoipa::path(
    get, path = "/v1/changes", operation_id = "listChanges", tag = "history", params(Since),
    responses((status = 200, description = "A page of changes.", body = ChangesBody), Refused)
)]
pub(crate) async fn changes(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(Since { after, limit: asked }): Query<Since>,
) -> Result<Response, Problem> {
    let cursor = after.unwrap_or_default();
    let revision = cursor.split('/').next().unwrap_or_default();
    let expected = "after: expected a revision, or next of the page before";
    let invalid = || Problem::bad_request("invalid-query", expected);
    let revision = if revision.is_empty() { 0 } else { revision.parse().map_err(|_| invalid())? };
    let found = app.call(move |registry| {
        let cursor = Some(cursor.as_str()).filter(|cursor| cursor.contains('/'));
        let found = registry.changes(&caller, Revision::new(revision), cursor, limit(asked))?;
        let changes = found.items.iter().map(LevelChangeBody::from).collect();
        Ok(ChangesBody { changes, next: found.next })
    });
    let body = found.await?;
    Ok(page(&uri, "after", body.next.as_deref(), &body))
}
