//! Requests, their answers, and the options of a run.

use std::fmt::Write as _;
use std::time::Duration;

use crate::check::Release;
use crate::escape::shell;

/// The name of this client in requests.
pub(crate) const USER_AGENT: &str = concat!("fingerpost-conform/", env!("CARGO_PKG_VERSION"));

/// How a resolver is examined.
#[derive(Clone, Debug)]
pub struct ConformOptions {
    /// The release of the standard; checks of later releases are left out.
    pub standard: Release,
    /// Maximum number of requests in a second; 0 for no limit.
    pub rate: u32,
    /// Connect to this `host:port` instead of the host of the URI.
    pub connect: Option<String>,
    /// Trust only the certificates in this PEM text instead of those of the machine.
    pub authorities: Option<Vec<u8>>,
    /// Header fields that are added to each request: name and value.
    pub headers: Vec<(String, String)>,
    /// Time limit for one answer.
    pub timeout: Duration,
    /// Time limit for the whole run.
    pub total: Duration,
}

impl Default for ConformOptions {
    fn default() -> Self {
        Self {
            standard: Release::V1_2,
            rate: 20,
            connect: None,
            authorities: None,
            headers: Vec::new(),
            timeout: Duration::from_secs(10),
            total: Duration::from_secs(300),
        }
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WebRequest {
    /// `GET`, `HEAD` or `OPTIONS`.
    pub method: &'static str,
    /// The URL, sent byte for byte.
    pub url: String,
    /// Names in lower case, and values.
    pub headers: Vec<(&'static str, String)>,
}

impl WebRequest {
    pub(crate) fn new(method: &'static str, url: impl Into<String>) -> Self {
        Self { method, url: url.into(), headers: Vec::new() }
    }

    pub(crate) fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Returns the request as a command for a POSIX shell.
    pub fn curl(&self) -> String {
        let mut command = "curl -i --path-as-is --globoff".to_owned();
        match self.method {
            "GET" => {}
            "HEAD" => command.push_str(" --head"),
            method => {
                let _ = write!(command, " -X {method}");
            }
        }
        for (name, value) in &self.headers {
            let _ = write!(command, " -H {}", shell(&format!("{name}: {value}")));
        }
        let _ = write!(command, " {}", shell(&self.url));
        command
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct WebResponse {
    /// The status code.
    pub status: u16,
    /// Whether the answer is HTTP/1.1 or later.
    pub is_http_1_1: bool,
    /// Names in lower case, and values; bytes that are not UTF-8 are replaced.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl WebResponse {
    /// Returns the first value of a header field.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Returns all values of a header field, joined by commas.
    pub(crate) fn joined(&self, name: &str) -> String {
        let values = self.headers.iter().filter(|(other, _)| other == name);
        values.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Whether a comma-separated header field has this member, ignoring ASCII case.
    pub(crate) fn lists(&self, name: &str, member: &str) -> bool {
        self.joined(name).split(',').any(|it| it.trim().eq_ignore_ascii_case(member))
    }

    /// Returns the media type, in lower case and without parameters.
    pub(crate) fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    pub(crate) fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }

    /// Returns `Location` of a redirect.
    pub(crate) fn location(&self) -> Option<&str> {
        self.header("location").filter(|_| self.is_redirect())
    }
}

/// A request with its answer, or the reason why there is none.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The request.
    pub request: WebRequest,
    /// The answer.
    pub response: Result<WebResponse, String>,
}
