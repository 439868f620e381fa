//! Answers to requests that failed: a problem document (RFC 9457) with the members of Resolver CE.

use axum::Json;
use axum::response::{IntoResponse, Response};
use fingerpost_admin::AdminProblem;
use fingerpost_registry::{Fault, RegistryError};
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};
use serde_json::json;

/// A failed request.
#[derive(Debug)]
pub(super) struct Failed {
    status: StatusCode,
    detail: String,
}

impl Failed {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Failed {
        Failed { status, detail: detail.into() }
    }

    pub(super) fn invalid(detail: impl Into<String>) -> Failed {
        Failed::new(StatusCode::BAD_REQUEST, detail)
    }

    pub(super) fn no_document(anchor: &str) -> Failed {
        Failed::new(StatusCode::NOT_FOUND, format!("No document found for anchor: {anchor}"))
    }

    pub(super) fn of_faults(faults: &[Fault]) -> Failed {
        let texts: Vec<_> = faults
            .iter()
            .map(|fault| format!("{}: {} ({})", fault.pointer(), fault.detail(), fault.id()))
            .collect();
        Failed::invalid(texts.join("; "))
    }
}

impl From<AdminProblem> for Failed {
    fn from(problem: AdminProblem) -> Failed {
        Failed::new(problem.status(), problem.described())
    }
}

impl From<RegistryError> for Failed {
    fn from(error: RegistryError) -> Failed {
        match &error {
            RegistryError::Invalid { faults, .. } => Failed::of_faults(faults),
            _ => AdminProblem::from(error).into(),
        }
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        if self.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return (self.status, Json("Request must be in JSON format")).into_response();
        }
        let body = json!({
            "status": self.status.as_u16(),
            "title": self.status.canonical_reason().unwrap_or_default(),
            "detail": self.detail,
            "response_status": self.status.as_u16(),
            "error": self.detail,
        });
        let mut response = (self.status, Json(body)).into_response();
        let problem = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, problem);
        response
    }
}
