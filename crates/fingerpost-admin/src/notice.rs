//! A plain page for people whose browser came here by a redirect, where a problem document would be no answer.
//!
//! Its words are ours alone: nothing of the request, or of another service, gets into it.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};

use crate::manual;

/// A page with a title and a sentence. Written out by [`crate::finish`], which knows the request id.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    status: StatusCode,
    title: &'static str,
    text: &'static str,
    /// For the log, not for the page. Never a secret.
    reason: Option<String>,
}

impl Notice {
    pub(crate) fn new(status: StatusCode, title: &'static str, text: &'static str) -> Self {
        Self { status, title, text, reason: None }
    }

    /// What the log says about it.
    pub(crate) fn because(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }

    /// The page, once the request has its id.
    pub(crate) fn write(&self, id: &str, response: &mut Response) {
        if let Some(reason) = &self.reason {
            // Escaped: it may hold words of another service.
            tracing::warn!(request = id, ?reason, "nobody was signed in");
        }
        let body = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <link rel=\"stylesheet\" href=\"/v1/docs/style.css\">\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
             <p>{text}</p>\n<p><a href=\"/console/\">Go to the console</a></p>\n\
             <p>Request <code>{id}</code></p>\n</main>\n</body>\n</html>\n",
            title = self.title,
            text = self.text,
        );
        *response.body_mut() = Body::from(body);
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
}

impl IntoResponse for Notice {
    fn into_response(self) -> Response {
        let fields: [(HeaderName, HeaderValue); 2] = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (header::CONTENT_SECURITY_POLICY, manual::policy()),
        ];
        let mut response = (self.status, fields).into_response();
        response.extensions_mut().insert(self);
        response
    }
}
