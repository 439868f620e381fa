//! Problem documents (RFC 9457). Only this module knows the status codes of errors.
//!
//! `type` is absent and so `about:blank` (RFC 9457, section 4.2.1); `code` distinguishes problems
//! of the same status.

mod codes;

use std::io::{self, ErrorKind};
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use fingerpost_engine::{EngineError, Unavailable};
use fingerpost_exchange::{ColumnMapping, ExportError, ImportError, SheetColumn, SheetError};
use fingerpost_registry::{Fault, RegistryError};
use fingerpost_store::StoreError;
use http::header::{self, HeaderValue};
use http::{HeaderName, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::limits::{BUSY_RETRY_AFTER, STORE_RETRY_AFTER};

/// The rule of faults in the syntax, as opposed to the content.
const NOTATION: &str = "RFC 8259";

/// A problem document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// The status code of the response.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// The status in words.
    title: &'static str,
    /// The error in words.
    detail: String,
    /// A stable name of the problem, which distinguishes problems of the same status.
    code: &'static str,
    /// All faults, if the request had a document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<Fault>,
    /// Warnings about the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<Fault>,
    /// The columns of a spreadsheet that is not understood.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    columns: Vec<ColumnBody>,
    /// The names that its columns can be mapped to, besides link types and `ignore`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    column_names: Vec<&'static str>,
    /// The id of the request in the log of the server.
    request_id: String,
}

/// A column of a spreadsheet.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Column)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ColumnBody {
    /// The name of the column as spreadsheet programs show it: `A`, `AA`.
    #[schema(example = "A")]
    letters: String,
    /// Its title.
    #[schema(example = "GTIN")]
    title: String,
    /// Its meaning: the name of a column, a link type with or without a language, or `ignore`.
    #[schema(example = "gtin")]
    column: String,
    /// Whether the meaning is guessed from the cells and the words of the title.
    is_guessed: bool,
    /// The first filled cell, as far as it is among the first rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "9506000134352")]
    sample: Option<String>,
    /// Whether the column is ignored although it holds web addresses.
    has_unused_addresses: bool,
}

impl From<&SheetColumn> for ColumnBody {
    fn from(column: &SheetColumn) -> Self {
        let SheetColumn { letters, title, column, is_guessed, sample, has_unused_addresses } =
            column.clone();
        Self { letters, title, column, is_guessed, sample, has_unused_addresses }
    }
}

/// A problem. `finish` in `lib.rs` writes it out, with the id of the request.
#[derive(Clone, Debug)]
pub struct AdminProblem(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<Fault>,
    warnings: Vec<Fault>,
    columns: Vec<ColumnBody>,
    fields: Vec<(HeaderName, HeaderValue)>,
}

impl AdminProblem {
    /// `code` is one of [`codes`], with this status.
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        debug_assert!(
            codes::has(status, code),
            "add {status} `{code}` to problem/codes.rs, which documents it"
        );
        Self(Box::new(Details {
            status,
            code,
            detail: detail.into(),
            errors: Vec::new(),
            warnings: Vec::new(),
            columns: Vec::new(),
            fields: Vec::new(),
        }))
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the detail with all faults, as one line.
    pub fn described(&self) -> String {
        let faults = self.0.errors.iter().map(Fault::to_string);
        std::iter::once(self.0.detail.clone()).chain(faults).collect::<Vec<_>>().join("; ")
    }

    pub(crate) fn unauthenticated() -> Self {
        let detail = "missing or invalid credential";
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", detail)
            .field(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", "not found")
    }

    pub(crate) fn internal() -> Self {
        let detail = "the server failed to answer the request";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal-error", detail)
    }

    /// Too many requests wait for the same work.
    pub(crate) fn busy() -> Self {
        let detail = "too many requests at a time; try again in a moment";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail).retry_after(BUSY_RETRY_AFTER)
    }

    pub(crate) fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// Creates the problem of a single fault of a request.
    pub(crate) fn fault(status: StatusCode, code: &'static str, fault: Fault) -> Self {
        Self::new(status, code, fault.detail()).errors(vec![fault])
    }

    pub(crate) fn errors(mut self, errors: Vec<Fault>) -> Self {
        self.0.errors = errors;
        self
    }

    pub(crate) fn field(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.fields.push((name, value));
        self
    }

    pub(crate) fn retry_after(self, period: Duration) -> Self {
        // Rounded up, because an earlier attempt would be refused again.
        let seconds = period.as_secs() + u64::from(period.subsec_nanos() > 0);
        self.field(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)))
    }

    /// Returns the document for a request.
    pub(crate) fn body(&self, request_id: &str) -> ProblemBody {
        let details = &*self.0;
        ProblemBody {
            status: details.status.as_u16(),
            title: details.status.canonical_reason().unwrap_or("Error"),
            detail: details.detail.clone(),
            code: details.code,
            errors: details.errors.clone(),
            warnings: details.warnings.clone(),
            columns: details.columns.clone(),
            column_names: match details.columns.is_empty() {
                true => Vec::new(),
                false => ColumnMapping::names().collect(),
            },
            request_id: request_id.to_owned(),
        }
    }
}

impl IntoResponse for AdminProblem {
    fn into_response(self) -> Response {
        let mut response = self.0.status.into_response();
        response.headers_mut().extend(self.0.fields.iter().cloned());
        response.extensions_mut().insert(self);
        response
    }
}

impl From<RegistryError> for AdminProblem {
    fn from(error: RegistryError) -> Self {
        let detail = error.to_string();
        match error {
            RegistryError::Unauthenticated => Self::unauthenticated(),
            RegistryError::CodeRequired => {
                Self::new(StatusCode::UNAUTHORIZED, "code-required", detail)
            }
            RegistryError::Forbidden(_) => Self::new(StatusCode::FORBIDDEN, "forbidden", detail),
            RegistryError::NotFound => Self::not_found(),
            RegistryError::PreconditionFailed { found, .. } => {
                let problem =
                    Self::new(StatusCode::PRECONDITION_FAILED, "precondition-failed", detail);
                match found.map(crate::etag::of) {
                    Some(etag) => problem.field(header::ETAG, etag),
                    None => problem,
                }
            }
            RegistryError::Conflict(faults) => {
                Self::of_faults(StatusCode::CONFLICT, "conflict", &faults)
            }
            RegistryError::Invalid { faults, warnings } => {
                let notation = faults.iter().all(|fault| fault.id() == NOTATION);
                let mut problem = if notation {
                    Self::of_faults(StatusCode::BAD_REQUEST, "malformed-json", &faults)
                } else {
                    Self::of_faults(StatusCode::UNPROCESSABLE_ENTITY, "invalid", &faults)
                };
                problem.0.warnings = warnings;
                problem
            }
            RegistryError::MissingDefault(faults) => {
                Self::of_faults(StatusCode::CONFLICT, "missing-default", &faults)
            }
            RegistryError::QuotaExceeded(faults) => {
                Self::of_faults(StatusCode::CONFLICT, "quota-exceeded", &faults)
            }
            RegistryError::IdempotencyReused => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency-reused", detail)
            }
            RegistryError::Throttled { retry_after } => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "throttled", detail)
                    .retry_after(retry_after)
            }
            RegistryError::TooLarge { .. } => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
            }
            RegistryError::Store(error) => Self::of_store(&error),
            error @ (RegistryError::NoRandomness | RegistryError::Damaged { .. }) => {
                tracing::error!(%error, "request failed");
                Self::internal()
            }
        }
    }
}

impl AdminProblem {
    fn of_faults(status: StatusCode, code: &'static str, faults: &[Fault]) -> Self {
        let detail = match faults {
            [one] => one.detail().to_owned(),
            many => format!("{} faults; see errors", many.len()),
        };
        Self::new(status, code, detail).errors(faults.to_vec())
    }

    /// Logs the details for the operator; clients learn that the fault is not theirs.
    pub(crate) fn of_store(error: &StoreError) -> Self {
        tracing::error!(%error, "store");
        let full = match error {
            StoreError::Engine(EngineError::DiskFull { .. } | EngineError::MapFull { .. }) => {
                Some("the storage is full; nothing was changed")
            }
            StoreError::Engine(EngineError::DatabaseFull { .. }) => {
                Some("the disk of the database server is full; nothing was changed")
            }
            _ => None,
        };
        if let Some(detail) = full {
            return Self::new(StatusCode::INSUFFICIENT_STORAGE, "storage-full", detail);
        }
        let detail = match error {
            StoreError::Engine(EngineError::Unavailable(Unavailable::OutcomeUnknown)) => {
                "the storage did not answer in time; the change may have been stored, so read before you repeat it"
            }
            _ => "the storage is unavailable; nothing was changed",
        };
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store-unavailable", detail)
            .retry_after(STORE_RETRY_AFTER)
    }
}

/// Imports and exports.
impl AdminProblem {
    /// A file could not be written or read.
    pub(crate) fn of_io(error: &io::Error) -> Self {
        tracing::error!(%error, "a temporary file");
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                let detail = "the storage is full; nothing was changed";
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "storage-full", detail)
            }
            _ => Self::internal(),
        }
    }

    /// A spreadsheet is not understood.
    pub(crate) fn of_sheet(error: &SheetError) -> Self {
        let detail = match error {
            SheetError::Io(error) if !is_content(error) => return Self::of_io(error),
            SheetError::SameColumn { first, second, .. } => {
                format!(
                    "columns {first} and {second} have the same meaning: map one of them to ignore"
                )
            }
            error => error.to_string(),
        };
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown-columns", detail);
        problem.0.columns = error.columns().iter().map(ColumnBody::from).collect();
        if problem.0.columns.is_empty() {
            problem.0.code = "unreadable-file";
        }
        problem
    }

    /// An import ended early; `stored` records were registered before, and stay.
    pub(crate) fn of_import(error: ImportError, stored: u64) -> Self {
        let mut problem = match error {
            ImportError::Unreadable { source, .. } if is_content(&source) => {
                let detail = format!("the file cannot be read to its end: {source}");
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unreadable-file", detail)
            }
            ImportError::Unreadable { source: error, .. } | ImportError::Temporary(error) => {
                Self::of_io(&error)
            }
            ImportError::Registry(error) => Self::from(error),
            ImportError::Store(error) => Self::of_store(&error),
            other => {
                tracing::error!(error = %other, "import failed");
                Self::internal()
            }
        };
        if stored > 0 {
            let detail = problem.0.detail.replace("; nothing was changed", "");
            problem.0.detail = format!(
                "{detail}; the first {stored} records were stored and are kept: import the file again for the rest"
            );
        }
        problem
    }

    /// An export ended early.
    pub(crate) fn of_export(error: ExportError) -> Self {
        match error {
            ExportError::Output(error) => Self::of_io(&error),
            ExportError::Store(error) => Self::of_store(&error),
            error @ (ExportError::TooManyRows { .. } | ExportError::TooLong { .. }) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "too-large", error.to_string())
            }
        }
    }
}

/// Returns whether an error is about what a file contains.
fn is_content(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof
    )
}
