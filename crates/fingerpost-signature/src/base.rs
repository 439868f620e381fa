//! The text that is signed (RFC 9421 section 2.5).

use std::fmt::Write;

use http::HeaderValue;
use sha2::{Digest, Sha256};

/// The path and query of a request, as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestTarget<'a> {
    /// The path, with its percent-encoding.
    pub path: &'a str,
    /// The query without its question mark.
    pub query: Option<&'a str>,
}

impl<'a> RequestTarget<'a> {
    /// Splits a path with a query.
    pub fn new(path_and_query: &'a str) -> Self {
        match path_and_query.split_once('?') {
            Some((path, query)) => Self { path, query: Some(query) },
            None => Self { path: path_and_query, query: None },
        }
    }

    /// The value of `@path` (section 2.2.6).
    pub(crate) fn path_component(&self) -> &'a str {
        if self.path.is_empty() { "/" } else { self.path }
    }

    /// The value of `@query` (section 2.2.7): a question mark alone stands for no query, too.
    pub(crate) fn query_component(&self) -> String {
        format!("?{}", self.query.unwrap_or_default())
    }
}

/// The list of components that a redirect is signed with.
pub(crate) const REDIRECT: &str = r#"("@status" "location" "@path";req "@query";req)"#;

/// The list of components that an answer with content is signed with.
pub(crate) const CONTENT: &str =
    r#"("@status" "content-type" "content-digest" "@path";req "@query";req)"#;

/// Returns the lines of components, each with its end of line.
pub(crate) fn lines(target: RequestTarget<'_>, status: u16, fields: &[(&str, &str)]) -> String {
    let (path, query) = (target.path_component(), target.query.unwrap_or_default());
    let mut lines = String::with_capacity(512); // one allocation for most
    let _ = writeln!(lines, "\"@status\": {status}");
    lines.extend(fields.iter().flat_map(|(name, value)| ["\"", name, "\": ", value, "\n"]));
    lines.extend(["\"@path\";req: ", path, "\n\"@query\";req: ?", query, "\n"]);
    lines
}

/// Returns the text that is signed: the lines of components, and that of the parameters.
pub(crate) fn with_parameters(lines: &str, parameters: &str) -> String {
    format!("{lines}\"@signature-params\": {parameters}")
}

/// Returns the value of `Content-Digest` for a body (RFC 9530 section 2).
pub(crate) fn content_digest(body: &[u8]) -> String {
    format!("sha-256=:{}:", data_encoding::BASE64.encode(&Sha256::digest(body)))
}

/// Returns a field value; `None` if it has bytes that no field has.
pub(crate) fn value(text: String) -> Option<HeaderValue> {
    HeaderValue::try_from(text).ok()
}
