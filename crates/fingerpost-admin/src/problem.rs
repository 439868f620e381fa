//! Errors as answers: the only place that knows the status codes of errors (RFC 9457 for their form).
//!
//! `type` is left to be `about:blank`, as RFC 9457 section 4.2.1 has it where the status says it all; `code` tells
//! apart what has the same status.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use fingerpost_registry::{Fault, RegistryError};
use fingerpost_store::StoreError;
use http::header::{self, HeaderValue};
use http::{HeaderName, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Seconds after which a client may try again when the store does not answer.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Faults that are about the notation, not about what it says.
const NOTATION: &str = "RFC 8259";

/// What is wrong, or worth a warning, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Fault)]
pub(crate) struct FaultBody {
    /// Place in the document that was sent, as a JSON pointer (RFC 6901); empty for the whole of it.
    pub(crate) pointer: String,
    /// The requirement of the standard that is broken, such as `RES-2.5.8-2`, or a word for a rule of the registry.
    pub(crate) id: String,
    /// What was expected and what was found.
    pub(crate) detail: String,
}

impl From<&Fault> for FaultBody {
    fn from(fault: &Fault) -> Self {
        Self {
            pointer: fault.pointer().to_owned(),
            id: fault.id().to_owned(),
            detail: fault.detail().to_owned(),
        }
    }
}

/// A problem document.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// Status code of the answer.
    status: u16,
    /// The status in words.
    title: &'static str,
    /// What exactly is wrong.
    detail: String,
    /// Tells apart what has the same status; does not change.
    code: &'static str,
    /// Everything that is wrong, where a document was sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<FaultBody>,
    /// What else the registrant should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FaultBody>,
    /// Names this answer in the log of the server.
    request_id: String,
}

/// Something that cannot be answered as asked. Written out by [`crate::finish`], which knows the request id.
#[derive(Clone, Debug)]
pub(crate) struct Problem(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<FaultBody>,
    warnings: Vec<FaultBody>,
    fields: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self(Box::new(Details {
            status,
            code,
            detail: detail.into(),
            errors: Vec::new(),
            warnings: Vec::new(),
            fields: Vec::new(),
        }))
    }

    pub(crate) fn unauthenticated() -> Self {
        let detail = "expected a valid credential, found none";
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", detail)
            .field(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    pub(crate) fn not_found() -> Self {
        let detail = "expected something that exists, found nothing that you may see";
        Self::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    pub(crate) fn internal() -> Self {
        let detail = "this is a fault of the server, not of your request";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal-error", detail)
    }

    pub(crate) fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// One fault of a body: of its notation (400), or of what it says (422).
    pub(crate) fn fault(status: StatusCode, code: &'static str, fault: FaultBody) -> Self {
        Self::new(status, code, fault.detail.clone()).errors(vec![fault])
    }

    pub(crate) fn errors(mut self, errors: Vec<FaultBody>) -> Self {
        self.0.errors = errors;
        self
    }

    pub(crate) fn field(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.fields.push((name, value));
        self
    }

    fn retry_after(self, period: Duration) -> Self {
        // Rounded up: who comes early is refused again.
        let seconds = period.as_secs() + u64::from(period.subsec_nanos() > 0);
        self.field(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)))
    }

    /// The document, once the request has its id.
    pub(crate) fn body(&self, request_id: &str) -> ProblemBody {
        let details = &*self.0;
        ProblemBody {
            status: details.status.as_u16(),
            title: details.status.canonical_reason().unwrap_or("Error"),
            detail: details.detail.clone(),
            code: details.code,
            errors: details.errors.clone(),
            warnings: details.warnings.clone(),
            request_id: request_id.to_owned(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.0.status.into_response();
        response.headers_mut().extend(self.0.fields.iter().cloned());
        response.extensions_mut().insert(self);
        response
    }
}

impl From<RegistryError> for Problem {
    fn from(error: RegistryError) -> Self {
        let detail = error.to_string();
        match error {
            RegistryError::Unauthenticated => Self::unauthenticated(),
            RegistryError::Forbidden(_) => Self::new(StatusCode::FORBIDDEN, "forbidden", detail),
            RegistryError::NotFound => Self::not_found(),
            RegistryError::PreconditionFailed { found, .. } => {
                let problem =
                    Self::new(StatusCode::PRECONDITION_FAILED, "precondition-failed", detail);
                match found.map(crate::conditions::etag) {
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
                problem.0.warnings = warnings.iter().map(FaultBody::from).collect();
                problem
            }
            RegistryError::MissingDefault(faults) => {
                Self::of_faults(StatusCode::CONFLICT, "missing-default", &faults)
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
            other => {
                tracing::error!(error = %other, "request not answered");
                Self::internal()
            }
        }
    }
}

impl Problem {
    fn of_faults(status: StatusCode, code: &'static str, faults: &[Fault]) -> Self {
        let detail = match faults {
            [one] => one.detail().to_owned(),
            many => format!("{} things are wrong, see errors", many.len()),
        };
        Self::new(status, code, detail).errors(faults.iter().map(FaultBody::from).collect())
    }

    /// What the operator has to mend is told to the log; clients learn that it is not theirs.
    fn of_store(error: &StoreError) -> Self {
        tracing::error!(%error, "store");
        let full = matches!(error, StoreError::DiskFull { .. } | StoreError::MapFull { .. });
        if full {
            let detail = "the storage is full: nothing was changed";
            return Self::new(StatusCode::INSUFFICIENT_STORAGE, "storage-full", detail);
        }
        let detail = "the storage cannot be reached at the moment: nothing was changed";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "store-unavailable", detail)
            .retry_after(RETRY_AFTER)
    }
}
