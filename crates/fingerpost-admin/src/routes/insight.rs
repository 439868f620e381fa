//! Counts of scans.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_exchange::{CsvWriter, RowWriter};
use fingerpost_insight::{
    Dimension, Grain, Insight, InsightError, InsightQuery, InsightReport, InsightRow,
};
use fingerpost_registry::{Caller, CompanyPrefix, Filter, LevelKey, Registry, RegistryError};
use http::StatusCode;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::outlet::{self, Named, Outlet};
use crate::credential::Who;
use crate::model::InsightPage;
use crate::problem::{AdminProblem, ProblemBody};
use crate::query::{Limit, Query, level_key};
use crate::response::ok;
use crate::state::App;

/// Which counts.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct InsightParams {
    /// The scans of this level and those below it, as a path.
    #[param(value_type = Option<LevelKey>, inline, required = false, example = "/01/09506000134352")]
    under: Option<String>,
    /// The beginning of the GS1 Company Prefix.
    #[param(inline, required = false, example = "9506000")]
    company_prefix: Option<CompanyPrefix>,
    /// The earliest time; the hour, day or month that it lies in is counted.
    #[param(value_type = Option<String>, format = DateTime, required = false)]
    from: Option<Timestamp>,
    /// The end of the time.
    #[param(value_type = Option<String>, format = DateTime, required = false)]
    to: Option<Timestamp>,
    /// The length of the periods in UTC; without it, all times are added up. Counts by hour, and
    /// then by day, are kept for a limited time only.
    #[param(inline, required = false)]
    by: Option<Grain>,
    /// What rows are told apart by: some of `key`, `linkType`, `kind`, `language` and `country`,
    /// separated by commas.
    #[param(required = false, example = "key,linkType")]
    dimensions: String,
    /// Whether scans by programs are counted, in place of those by people.
    bots: bool,
    /// The layout.
    #[param(inline, required = false)]
    format: InsightLayout,
    /// Maximum number of rows of a page.
    #[param(inline, required = false)]
    limit: Limit,
}

/// The layout of counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InsightLayout {
    /// A page in JSON.
    #[default]
    Json,
    /// CSV with all rows.
    Csv,
    /// Parquet with all rows.
    Parquet,
}

/// Counts scans of the levels that you can read. Nothing is known about the visitors.
///
/// Rows are in the order of their period, and in it the greatest count first. Rows with a count
/// below `threshold` are left out; `hidden` is their number. Without `insight.enabled` there are no
/// rows.
#[utoipa::path(
    get, path = "/v1/insight", operation_id = "readInsight", tag = "levels", params(InsightParams),
    responses(
        (status = 200, description = "The counts, or a file.", content(
            (InsightPage = "application/json"), (String = "text/csv"),
            (Vec<u8> = "application/vnd.apache.parquet")
        )),
        (status = 422, description = "The query concerns too many counts.", body = ProblemBody)
    )
)]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<InsightParams>,
) -> Result<Response, AdminProblem> {
    let filter = Filter {
        under: asked.under.as_deref().map(level_key).transpose()?,
        company_prefix: asked.company_prefix,
        ..Filter::default()
    };
    let query = InsightQuery {
        ranges: Vec::new(),
        from: asked.from,
        to: asked.to,
        by: asked.by,
        dimensions: dimensions(&asked.dimensions)?,
        bots: asked.bots,
    };
    let insight = app.insight().cloned();
    let write = match asked.format {
        InsightLayout::Json => None,
        InsightLayout::Csv => Some((CSV, csv as fn(&_, &_) -> _)),
        InsightLayout::Parquet => Some((PARQUET, parquet as fn(&_, &_) -> _)),
    };
    if let Some((to, write)) = write {
        return outlet::send(&app, to, move |registry, out| {
            write(&report(registry, insight.as_ref(), &caller, &filter, query)?, out)
        })
        .await;
    }
    let enabled = insight.is_some();
    let limit = asked.limit.items();
    let found = app
        .list(move |registry| Ok(report(registry, insight.as_ref(), &caller, &filter, query)))
        .await??;
    let InsightReport { mut rows, hidden, threshold } = found;
    let more = rows.len() > limit;
    rows.truncate(limit);
    Ok(ok(&InsightPage { enabled, rows, more, hidden, threshold }))
}

fn dimensions(text: &str) -> Result<Vec<Dimension>, AdminProblem> {
    let names = text.split(',').filter(|name| !name.is_empty());
    names
        .map(|name| {
            Dimension::from_name(name).ok_or_else(|| {
                let detail = "dimensions: expected some of key, linkType, kind, language and country, separated by commas";
                AdminProblem::bad_request("invalid-query", detail)
            })
        })
        .collect()
}

/// Returns the counts of the levels that the caller can read.
fn report(
    registry: &Registry,
    insight: Option<&Insight>,
    caller: &Caller,
    filter: &Filter,
    query: InsightQuery,
) -> Result<InsightReport, AdminProblem> {
    let ranges = registry.readable_ranges(caller, filter)?;
    let Some(insight) = insight else {
        return Ok(InsightReport { rows: Vec::new(), hidden: 0, threshold: 0 });
    };
    let query = InsightQuery { ranges, ..query };
    insight.report(&query, |levels| registry.can_read(caller, filter, levels)).map_err(
        |error: InsightError<RegistryError>| match error {
            InsightError::Store(error) => AdminProblem::of_store(&error),
            InsightError::Permissions(error) => AdminProblem::from(error),
            InsightError::TooMuch => {
                AdminProblem::new(StatusCode::UNPROCESSABLE_ENTITY, "too-large", error.to_string())
            }
        },
    )
}

const CSV: Named = Named { media_type: "text/csv; charset=utf-8", name: "fingerpost-insight.csv" };
const PARQUET: Named =
    Named { media_type: "application/vnd.apache.parquet", name: "fingerpost-insight.parquet" };

fn csv(report: &InsightReport, out: &Outlet) -> Result<(), AdminProblem> {
    let write = || {
        let mut csv = CsvWriter::new(out.clone())?;
        csv.row(&InsightRow::TITLES.map(Cow::Borrowed))?;
        report.rows.iter().try_for_each(|row| csv.row(&row.fields().map(Cow::Owned)))
    };
    write().map_err(AdminProblem::of_export)
}

fn parquet(report: &InsightReport, out: &Outlet) -> Result<(), AdminProblem> {
    let file = report
        .to_parquet()
        .map_err(|error| AdminProblem::bad_request("invalid-query", format!("format: {error}")))?;
    out.clone().write_all(&file).map_err(|error| AdminProblem::of_export(error.into()))
}
