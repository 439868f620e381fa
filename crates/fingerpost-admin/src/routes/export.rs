//! Export of all records that a caller may read, and workbooks to fill in.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use fingerpost_exchange::{ExportFormat, Exporter, SheetLayout, TitleLanguage};
use fingerpost_http::process::thread_time;
use fingerpost_registry::{Caller, CompanyPrefix, Filter, MAX_PAGE, Registry};
use http::header::{self, HeaderValue};
use serde::Deserialize;
use tokio::sync::mpsc::{self, Sender};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::admission::{Turn, Work};
use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::query::{Instant, Query};
use crate::state::App;
use crate::stream::{self, CutOff};

/// Size of the parts in which an export is sent.
const PART: usize = 64 << 10;

/// Parts that may wait for the client.
const WAITING: usize = 4;

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
    /// A GS1 linkset, with what the resolver publishes now.
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

/// Exports every record that you can read, in the order of the keys: the records of `GET /v1/levels` with the same filters.
///
/// Importing the file restores the same records; a linkset has no place for dates and for records of many keys. They are read in parts, so one that is changed meanwhile is exported as it was before or
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
    let (format, media_type, name) = match asked.format {
        Layout::Jsonl => (ExportFormat::JsonLines, "application/jsonl", "fingerpost.jsonl"),
        Layout::Json => (ExportFormat::Json, "application/json", "fingerpost.json"),
        Layout::Csv => (ExportFormat::Csv(language), "text/csv; charset=utf-8", "fingerpost.csv"),
        Layout::Xlsx => (ExportFormat::Xlsx(language), XLSX, "fingerpost.xlsx"),
        Layout::Linkset => {
            let root = app.config().site().settings.root().clone();
            let format = ExportFormat::Linkset(root, app.registry().now());
            (format, "application/linkset+json", "fingerpost.linkset.json")
        }
    };
    let places = app.admission().export()?;
    let turn = app.admission().turn(Work::Long).await?;
    let (send, mut parts) = mpsc::channel(WAITING);
    let registry = app.registry().clone();
    tokio::task::spawn_blocking(move || {
        run(&registry, &caller, (format, filter), turn, places, send);
    });
    let first = match parts.recv().await {
        Some(Err(problem)) => return Err(problem),
        Some(Ok(first)) => Ok(first),
        None => Ok(Bytes::new()), // nothing to export
    };
    let part = |part: Result<Bytes, AdminProblem>| {
        part.map_err(|problem| {
            tracing::error!(?problem, "an export ended early");
            CutOff
        })
    };
    Ok((named(media_type, name), stream::body(first, parts, part)).into_response())
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

/// What a row of a template is.
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
        TemplateLayout::Links => (SheetLayout::Links, "fingerpost-links.xlsx"),
        TemplateLayout::Products => (SheetLayout::Products, "fingerpost-products.xlsx"),
    };
    let written = app.try_call(move |_| {
        let mut file = Vec::new();
        fingerpost_exchange::template(layout, language, &mut file).map(|()| file)
    });
    let file = written.await?.map_err(AdminProblem::of_export)?;
    Ok((named(XLSX, name), file).into_response())
}

/// Returns the header fields of a file to save.
fn named(media_type: &'static str, name: &str) -> [(header::HeaderName, HeaderValue); 2] {
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (
            header::CONTENT_DISPOSITION,
            disposition.unwrap_or(HeaderValue::from_static("attachment")),
        ),
    ]
}

/// Parts of a file, or why there are no more.
type Parts = Sender<Result<Bytes, AdminProblem>>;

/// Exports, and gives `places` back before the end of the file, so that the next export can begin when this one has ended.
fn run<P>(
    registry: &Registry,
    caller: &Caller,
    what: (ExportFormat, Filter),
    turn: Turn,
    places: P,
    to: Parts,
) {
    let begin = thread_time();
    let out = Rc::new(RefCell::new(Outlet { to, turn, part: Vec::with_capacity(PART) }));
    let exported = try_run(registry, caller, what, &out);
    let Ok(out) = Rc::try_unwrap(out) else { return };
    let Outlet { to, turn, .. } = out.into_inner();
    turn.end(thread_time().saturating_sub(begin));
    drop(places);
    if let Err(problem) = exported {
        let _ = to.blocking_send(Err(problem)); // unless nobody waits for it
    }
}

fn try_run(
    registry: &Registry,
    caller: &Caller,
    (format, filter): (ExportFormat, Filter),
    out: &Rc<RefCell<Outlet>>,
) -> Result<(), AdminProblem> {
    let mut exporter =
        Exporter::new(format, Shared(Rc::clone(out))).map_err(AdminProblem::of_export)?;
    let mut after = None;
    loop {
        let page = registry.list(caller, &filter, after.as_deref(), MAX_PAGE)?;
        for level in page.items {
            exporter.write(level.entry).map_err(AdminProblem::of_export)?;
        }
        if out.borrow().to.is_closed() {
            return Ok(());
        }
        out.borrow_mut().turn.give_way()?;
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    exporter.finish().map(|_| ()).map_err(AdminProblem::of_export)
}

/// Collects bytes into parts, and sends them.
struct Outlet {
    to: Parts,
    turn: Turn,
    part: Vec<u8>,
}

impl Outlet {
    fn send(&mut self) -> io::Result<()> {
        if self.part.is_empty() {
            return Ok(());
        }
        let part = std::mem::replace(&mut self.part, Vec::with_capacity(PART));
        match stream::send(&self.to, &mut self.turn, Ok(Bytes::from(part))) {
            true => Ok(()),
            false => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

/// An outlet that the export writes to, while its turn is used between two pages.
struct Shared(Rc<RefCell<Outlet>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut outlet = self.0.borrow_mut();
        let taken = bytes.len().min(PART - outlet.part.len());
        outlet.part.extend_from_slice(&bytes[..taken]);
        if outlet.part.len() == PART {
            outlet.send()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().send()
    }
}
