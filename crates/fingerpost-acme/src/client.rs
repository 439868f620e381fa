//! The HTTP client for the authority: over TLS only, by threads that may wait, with limits on time
//! and size.

use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::{BodyExt, Full};
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use ureq::Agent;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

use crate::error::AcmeError;
use crate::limits::{MAX_ANSWER_BYTES, REQUEST_TIME};

const USER_AGENT: &str = concat!("fingerpost/", env!("CARGO_PKG_VERSION"));

/// When the authority wants to be asked again, by its last refusal.
#[derive(Clone, Debug, Default)]
pub(crate) struct RetryAt(Arc<Mutex<Option<Timestamp>>>);

impl RetryAt {
    pub(crate) fn take(&self) -> Option<Timestamp> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, at: Option<Timestamp>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

/// What sends a request, and waits for the answer.
type Sender = dyn Fn(Request<Bytes>) -> Result<Response<Vec<u8>>, String> + Send + Sync;

/// A client for one authority. Clones share their connections.
#[derive(Clone)]
pub(crate) struct Client {
    sender: Arc<Sender>,
    retry_at: RetryAt,
    clock: fn() -> Timestamp,
}

impl Client {
    /// Creates a client that trusts the authority of this file, or those that this machine trusts.
    pub(crate) fn new(root: Option<&Path>, clock: fn() -> Timestamp) -> Result<Self, AcmeError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(provider)
            .root_certs(roots(root)?)
            .build();
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(true)
            .max_redirects(0)
            .user_agent(USER_AGENT)
            .timeout_global(Some(REQUEST_TIME))
            .tls_config(tls)
            .build()
            .new_agent();
        Ok(Self::over(
            move |request| send(&agent, request).map_err(|error| error.to_string()),
            clock,
        ))
    }

    /// Creates a client over a function that sends requests.
    pub(crate) fn over(
        sender: impl Fn(Request<Bytes>) -> Result<Response<Vec<u8>>, String> + Send + Sync + 'static,
        clock: fn() -> Timestamp,
    ) -> Self {
        Self { sender: Arc::new(sender), retry_at: RetryAt::default(), clock }
    }

    pub(crate) fn retry_at(&self) -> &RetryAt {
        &self.retry_at
    }

    /// Sends a request. An answer that is no document of an authority is an error in words.
    fn send(&self, request: Request<Bytes>) -> Result<Response<Full<Bytes>>, Error> {
        let uri = request.uri().clone();
        let answer = (self.sender)(request).map_err(|error| other(format!("{uri}: {error}")))?;
        let (parts, body) = answer.into_parts();
        if parts.status.is_client_error() || parts.status.is_server_error() {
            let after = parts.headers.get(header::RETRY_AFTER);
            let after = after.and_then(|after| after.to_str().ok());
            self.retry_at.set(after.and_then(|after| instant(after, (self.clock)())));
            // What stands in front of an authority answers with pages for people.
            if serde_json::from_slice::<serde_json::Map<_, _>>(&body).is_err() {
                return Err(other(format!("{uri} answered {}", parts.status)));
            }
        }
        Ok(Response::from_parts(parts, Full::from(body)))
    }
}

fn send(agent: &Agent, request: Request<Bytes>) -> Result<Response<Vec<u8>>, ureq::Error> {
    let (mut parts, body) = request.into_parts();
    parts.headers.remove(header::USER_AGENT);
    let answer = if body.is_empty() {
        agent.run(Request::from_parts(parts, ()))?
    } else {
        agent.run(Request::from_parts(parts, body.to_vec()))?
    };
    let (parts, mut body) = answer.into_parts();
    let body = body.with_config().limit(MAX_ANSWER_BYTES).read_to_vec()?;
    Ok(Response::from_parts(parts, body))
}

impl HttpClient for Client {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let client = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let request = Request::from_parts(parts, body.to_bytes());
            let sent = tokio::task::spawn_blocking(move || client.send(request)).await;
            sent.map_err(|error| Error::Other(Box::new(error)))?.map(BytesResponse::from)
        })
    }
}

fn other(reason: String) -> Error {
    Error::Other(reason.into())
}

/// Returns the instant of `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date.
fn instant(after: &str, now: Timestamp) -> Option<Timestamp> {
    let after = after.trim();
    match after.parse::<u32>() {
        Ok(seconds) => now.checked_add(Duration::from_secs(seconds.into())).ok(),
        Err(_) => Some(rfc2822::parse(after).ok()?.timestamp()),
    }
}

/// Returns the certificates of the file, or those that this machine trusts.
fn roots(file: Option<&Path>) -> Result<RootCerts, AcmeError> {
    let Some(path) = file else {
        let found = rustls_native_certs::load_native_certs().certs;
        let all: Vec<_> = found.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
        return Ok(RootCerts::from(all));
    };
    let pem =
        std::fs::read(path).map_err(|error| AcmeError::File { path: path.to_owned(), error })?;
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    let all: Vec<Certificate<'static>> = parse_pem(&pem).filter_map(certificate).collect();
    if all.is_empty() {
        let (key, expected) = ("acme.root", "a certificate in PEM form");
        return Err(AcmeError::Content { key, expected, path: path.to_owned() });
    }
    Ok(RootCerts::new_with_certs(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_to_come_back_have_two_forms() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let at = |text: &str| instant(text, now).map(|at| at.to_string());
        assert_eq!(at(" 120 ").as_deref(), Some("2026-01-01T00:02:00Z"));
        let date = "Thu, 01 Jan 2026 05:00:00 GMT";
        assert_eq!(at(date).as_deref(), Some("2026-01-01T05:00:00Z"));
        for wrong in ["", "soon", "-1", "99999999999999999999", "Thu, 32 Jan 2026 05:00:00 GMT"] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_file_without_a_certificate_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = roots(Some(file.path())).unwrap_err().to_string();
        assert!(error.starts_with("acme.root: expected a certificate"), "{error}");
        let missing = roots(Some(Path::new("/nonexistent"))).unwrap_err().to_string();
        assert!(missing.contains("/nonexistent"), "{missing}");
    }
}
