//! A plain page for browsers that arrived by a redirect, which would not understand a problem
//! document.
//!
//! It shows nothing from the request or from another service.

use askama::Template;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};

use crate::page;

/// A page with a title and a sentence. [`crate::finish`] writes it out, with the id of the request.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    status: StatusCode,
    title: &'static str,
    text: &'static str,
    /// The reason for the log, which is not shown to users. Never a secret.
    reason: Option<String>,
}

impl Notice {
    pub(crate) fn new(status: StatusCode, title: &'static str, text: &'static str) -> Self {
        Self { status, title, text, reason: None }
    }

    /// Sets the reason for the log.
    pub(crate) fn because(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// Renders the page.
    pub(crate) fn write(&self, id: &str, response: &mut Response) {
        if let Some(reason) = &self.reason {
            // Escaped, because it may contain text from another service.
            tracing::warn!(request = id, ?reason, "sign-in failed");
        }
        // Writing to memory does not fail.
        let body = Page { title: self.title, text: self.text, id }.render().unwrap_or_default();
        *response.body_mut() = Body::from(body);
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
}

#[derive(Template)]
#[template(path = "notice.html")]
struct Page<'n> {
    title: &'n str,
    text: &'n str,
    id: &'n str,
}

impl IntoResponse for Notice {
    fn into_response(self) -> Response {
        let fields: [(HeaderName, HeaderValue); 2] = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (header::CONTENT_SECURITY_POLICY, page::POLICY),
        ];
        let mut response = (self.status, fields).into_response();
        response.extensions_mut().insert(self);
        response
    }
}
