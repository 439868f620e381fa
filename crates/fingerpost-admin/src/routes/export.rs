//! Export of all records that a caller may read, and workbooks to fill in.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use fingerpost_exchange::{ExportFormat, Exporter, SpreadsheetFormat, TitleLanguage};
use fingerpost_registry::{Caller, CompanyPrefix, Filter, MAX_PAGE, Registry};
use fingerpost_resolver::Anchor;
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::outlet::{self, Named, Outlet};
use super::selection::{self, Selection};
use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::query::{Instant, Query};
use crate::response::{Invalid, Missing};
use crate::state::App;

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The layout of an export.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Layout {
    /// JSON Lines: one record on each line.
    #[default]
    Jsonl,
    /// One JSON array.
    Json,
    /// CSV with a row for each link.
    Csv,
    /// The same as a workbook.
    Xlsx,
    /// A GS1 linkset of the links that the resolver publishes at the time.
    Linkset,
}

/// A linkset (RFC 9264).
#[derive(ToSchema)]
#[schema(as = Linkset)]
#[expect(dead_code, reason = "describes what the exporter writes")]
pub(crate) struct LinksetDocument {
    /// A context object for each key.
    #[schema(value_type = Vec<Object>)]
    linkset: (),
}

/// The language of titles.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Language(TitleLanguage);

impl TryFrom<String> for Language {
    type Error = String;

    fn try_from(tag: String) -> Result<Self, String> {
        let found = TitleLanguage::new(&tag).map(Self);
        found.ok_or_else(|| format!("language must be one of {}", TitleLanguage::tags().join(", ")))
    }
}

impl PartialSchema for Language {
    fn schema() -> RefOr<Schema> {
        let tags = TitleLanguage::tags().iter().copied();
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(tags)).into()
    }
}

/// What to export.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// The layout.
    #[param(inline, required = false)]
    format: Layout,
    /// The language of the titles of a spreadsheet; English by default.
    #[param(inline, required = false)]
    language: Language,
    /// The beginning of the GS1 Company Prefix.
    #[param(inline, required = false, example = "9506000")]
    company_prefix: Option<CompanyPrefix>,
    /// The earliest instant of the last change (RFC 3339).
    #[param(inline, required = false, example = "2026-01-01T00:00:00Z")]
    changed_since: Option<Instant>,
}

/// Exports every record that you can read, in the order of the keys: the records of `GET
/// /v1/levels` with the same filters.
///
/// Importing the file restores the same records; a linkset cannot contain dates, or records of many
/// keys. They are read in parts, so one that is changed meanwhile is exported as it was before or
/// after.
#[utoipa::path(
    get, path = "/v1/export", operation_id = "exportRecords", tag = "levels", params(ExportQuery),
    responses(
        (status = 200, description = "The file.", content(
            (String = "application/jsonl"),
            (Vec<fingerpost_resolver::schema::Record> = "application/json"),
            (LinksetDocument = "application/linkset+json"),
            (String = "text/csv"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
        ), headers(("Content-Disposition" = String, description = "The name of the file."))),
        (status = 422, description = "A workbook has no room for all links, or for one of them: export them as CSV.", body = crate::problem::ProblemBody, content_type = "application/problem+json")
    )
)]
pub(crate) async fn export(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<ExportQuery>,
) -> Result<Response, AdminProblem> {
    let Language(language) = asked.language;
    let filter = Filter {
        company_prefix: asked.company_prefix,
        changed_since: asked.changed_since.map(|instant| instant.0),
        ..Filter::default()
    };
    let (format, media_type, name) = layout(&app, asked.format, language);
    let to = Named { media_type, name };
    outlet::send(&app, to, move |registry, out| filtered(registry, &caller, format, &filter, out))
        .await
}

/// The layout and the language of an export of some levels.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct SelectionQuery {
    /// The layout.
    #[param(inline, required = false)]
    format: Layout,
    /// The language of the titles of a spreadsheet; English by default.
    #[param(inline, required = false)]
    language: Language,
}

/// Exports some records, in the order of your list.
///
/// The file is as that of `GET /v1/export`. Nothing is exported if one of the first levels is not
/// registered, or if you cannot read it.
#[utoipa::path(
    post, path = "/v1/export", operation_id = "exportSelection", tag = "levels", params(SelectionQuery),
    request_body(content = Selection, content_type = "application/json"),
    responses(
        (status = 200, description = "The file.", content(
            (String = "application/jsonl"),
            (Vec<fingerpost_resolver::schema::Record> = "application/json"),
            (LinksetDocument = "application/linkset+json"),
            (String = "text/csv"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
        ), headers(("Content-Disposition" = String, description = "The name of the file."))),
        Missing,
        Invalid
    )
)]
pub(crate) async fn export_selection(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(SelectionQuery { format, language: Language(language) }): Query<SelectionQuery>,
    request: Request,
) -> Result<Response, AdminProblem> {
    let levels = Selection::of_request(&app, &caller, request).await?;
    let (format, media_type, name) = layout(&app, format, language);
    let to = Named { media_type, name };
    outlet::send(&app, to, move |registry, out| selected(registry, &caller, format, &levels, out))
        .await
}

/// Returns a format, its media type and the name of its file.
fn layout(
    app: &App,
    layout: Layout,
    language: TitleLanguage,
) -> (ExportFormat, &'static str, &'static str) {
    match layout {
        Layout::Jsonl => (ExportFormat::JsonLines, "application/jsonl", "fingerpost.jsonl"),
        Layout::Json => (ExportFormat::Json, "application/json", "fingerpost.json"),
        Layout::Csv => (ExportFormat::Csv(language), "text/csv; charset=utf-8", "fingerpost.csv"),
        Layout::Xlsx => (ExportFormat::Xlsx(language), XLSX, "fingerpost.xlsx"),
        Layout::Linkset => {
            let root = app.config().site().settings.root().clone();
            let format = ExportFormat::Linkset(root, app.registry().now());
            (format, "application/linkset+json", "fingerpost.linkset.json")
        }
    }
}

/// What to fill in.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct TemplateQuery {
    /// Whether a row is a link, or a product.
    #[param(inline, required = false)]
    layout: TemplateLayout,
    /// The language of the titles; English by default.
    #[param(inline, required = false)]
    language: Language,
}

/// The layout of a template.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TemplateLayout {
    /// One link.
    Links,
    /// One product, with a column for each link type.
    #[default]
    Products,
}

/// Returns a workbook (XLSX) to fill in and import.
#[utoipa::path(
    get, path = "/v1/export/template", operation_id = "readTemplate", tag = "levels", params(TemplateQuery),
    responses(
        (status = 200, description = "The workbook.", body = String, content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            headers(("Content-Disposition" = String, description = "The name of the file.")))
    )
)]
pub(crate) async fn template(
    State(app): State<Arc<App>>,
    Who(_): Who,
    Query(TemplateQuery { layout, language: Language(language) }): Query<TemplateQuery>,
) -> Result<Response, AdminProblem> {
    let (layout, name) = match layout {
        TemplateLayout::Links => (SpreadsheetFormat::Links, "fingerpost-links.xlsx"),
        TemplateLayout::Products => (SpreadsheetFormat::Products, "fingerpost-products.xlsx"),
    };
    let written = app.try_call(move |_| {
        let mut file = Vec::new();
        fingerpost_exchange::template(layout, language, &mut file).map(|()| file)
    });
    let file = written.await?.map_err(AdminProblem::of_export)?;
    Ok((Named { media_type: XLSX, name }.fields(), file).into_response())
}

/// Begins an export of records of this registry.
fn begin(
    registry: &Registry,
    format: ExportFormat,
    out: &Outlet,
) -> Result<Exporter<Outlet>, AdminProblem> {
    let scratch = registry.store().scratch();
    Exporter::new(format, scratch, out.clone()).map_err(AdminProblem::of_export)
}

/// Exports the levels of a filter, page by page.
fn filtered(
    registry: &Registry,
    caller: &Caller,
    format: ExportFormat,
    filter: &Filter,
    out: &Outlet,
) -> Result<(), AdminProblem> {
    let mut exporter = begin(registry, format, out)?;
    let mut after = None;
    loop {
        let page = registry.list(caller, filter, after.as_deref(), MAX_PAGE)?;
        for level in page.items {
            exporter.write(level.entry).map_err(AdminProblem::of_export)?;
        }
        if !out.go_on()? {
            return Ok(());
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    exporter.finish().map(|_| ()).map_err(AdminProblem::of_export)
}

/// Exports levels by their keys. Those that are not registered, or that the caller cannot read, are
/// refused.
fn selected(
    registry: &Registry,
    caller: &Caller,
    format: ExportFormat,
    levels: &[Anchor],
    out: &Outlet,
) -> Result<(), AdminProblem> {
    let mut exporter = begin(registry, format, out)?;
    for (at, level) in levels.iter().enumerate() {
        let level = selection::read(registry, caller, at, level)?;
        exporter.write(level.entry).map_err(AdminProblem::of_export)?;
        if !out.go_on()? {
            return Ok(());
        }
    }
    exporter.finish().map(|_| ()).map_err(AdminProblem::of_export)
}
