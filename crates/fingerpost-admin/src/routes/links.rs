//! Links with the states of their targets, as the checks found them.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_exchange::{CsvWriter, RowWriter};
use fingerpost_registry::{
    Caller, CheckedLink, CompanyPrefix, LevelKey, LevelLinks, LinkFault, LinkQuery, MAX_PAGE,
    Mismatch, Registry,
};
use http::Uri;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::outlet::{self, Named, Outlet};
use crate::credential::Who;
use crate::model::Links;
use crate::problem::AdminProblem;
use crate::query::{Limit, Query, level_key};
use crate::response::page;
use crate::state::App;

/// Which links.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct LinksQuery {
    /// The top of the list: this level and those below it, as a path.
    #[param(value_type = Option<LevelKey>, inline, required = false, example = "/01/09506000134352")]
    under: Option<String>,
    /// The beginning of the GS1 Company Prefix.
    #[param(inline, required = false, example = "9506000")]
    company_prefix: Option<CompanyPrefix>,
    /// Only broken links.
    broken: bool,
    /// The layout: a page, or a file of all links.
    #[param(inline, required = false)]
    format: LinksLayout,
    /// `next` of the previous page.
    after: Option<String>,
    /// Maximum number of levels to return.
    #[param(inline, required = false)]
    limit: Limit,
}

/// The layout of a list of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LinksLayout {
    /// A page in JSON.
    #[default]
    Json,
    /// CSV with a row for each link, of all pages.
    Csv,
}

/// Lists links with the states of their targets, for the levels that you can read, in the order of
/// their keys.
///
/// Targets are checked if `links.check` is on, or by `fingerpost links check`. A link is `broken`
/// after two failed checks in a row.
#[utoipa::path(
    get, path = "/v1/links", operation_id = "listLinks", tag = "levels", params(LinksQuery),
    responses((status = 200, description = "A page of levels with their links, or a file.", content(
        (Links = "application/json"), (String = "text/csv")
    )))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    uri: Uri,
    Query(asked): Query<LinksQuery>,
) -> Result<Response, AdminProblem> {
    let under = asked.under.as_deref().map(level_key).transpose()?;
    let query = LinkQuery { under, company_prefix: asked.company_prefix, broken: asked.broken };
    if asked.format == LinksLayout::Csv {
        let to = Named { media_type: "text/csv; charset=utf-8", name: "fingerpost-links.csv" };
        return outlet::send(&app, to, move |registry, out| csv(registry, &caller, &query, out))
            .await;
    }
    let listed = app.list(move |registry| {
        let limit = asked.limit.items();
        let found = registry.checked_links(&caller, &query, asked.after.as_deref(), limit)?;
        let body = Links { levels: found.items, next: found.next };
        Ok(page(&uri, "after", body.next.as_deref(), &body))
    });
    listed.await
}

const TITLES: [&str; 16] = [
    "key",
    "description",
    "linkType",
    "href",
    "title",
    "state",
    "since",
    "checked",
    "fault",
    "detail",
    "status",
    "redirects",
    "target",
    "finalTarget",
    "mismatches",
    "certificateEnds",
];

fn csv(
    registry: &Registry,
    caller: &Caller,
    query: &LinkQuery,
    out: &Outlet,
) -> Result<(), AdminProblem> {
    let failed = |error| AdminProblem::of_export(error);
    let mut csv = CsvWriter::new(out.clone()).map_err(|error| failed(error.into()))?;
    csv.row(&TITLES.map(Cow::Borrowed)).map_err(failed)?;
    let mut after = None;
    loop {
        let page = registry.checked_links(caller, query, after.as_deref(), MAX_PAGE)?;
        for level in &page.items {
            for link in &level.links {
                csv.row(&row(level, link)).map_err(failed)?;
            }
        }
        after = page.next;
        if after.is_none() || !out.go_on()? {
            return Ok(());
        }
    }
}

fn row<'l>(level: &LevelLinks, link: &'l CheckedLink) -> [Cow<'l, str>; 16] {
    let health = link.health.as_ref();
    let answer = health.map(|health| &health.answer);
    let instant = |at: Option<Timestamp>| at.map_or(String::new(), |at| at.to_string());
    let text = |text: Option<&'l String>| Cow::Borrowed(text.map_or("", String::as_str));
    let mismatches = link.mismatches.iter().map(|mismatch| match mismatch {
        Mismatch::MediaType => "mediaType",
        Mismatch::Language => "language",
    });
    [
        ["/", level.key.as_str()].concat().into(),
        level.item_description.clone().unwrap_or_default().into(),
        link.link_type.as_str().into(),
        link.href.as_str().into(),
        link.title.as_str().into(),
        health.map_or("", |health| health.state.as_str()).into(),
        instant(health.map(|health| health.since)).into(),
        instant(health.map(|health| health.checked)).into(),
        answer.and_then(|answer| answer.fault).map_or("", LinkFault::as_str).into(),
        text(answer.and_then(|answer| answer.detail.as_ref())),
        answer.and_then(|answer| answer.status).map_or(String::new(), |it| it.to_string()).into(),
        answer.map_or(String::new(), |answer| answer.redirects.to_string()).into(),
        text(health.map(|health| &health.target)),
        text(answer.and_then(|answer| answer.final_url.as_ref())),
        mismatches.collect::<Vec<_>>().join(", ").into(),
        instant(answer.and_then(|answer| answer.certificate_ends)).into(),
    ]
}
