//! HTTP client of an admin listener: sends requests with the key and classifies the answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fingerpost_registry::Secret;
use ureq::config::ConfigBuilder;
use ureq::http::{Request, Response};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};
use ureq::typestate::AgentScope;
use ureq::{Agent, Body};

use super::address::Address;
use super::answer::ApiAnswer;
use super::problem::{ApiProblem, CallError};
use crate::failure::Failure;
use crate::limits::{API_ANSWER_TIME, API_CONNECT_TIME, MAX_API_ANSWER};

/// Name of this client, which the audit log records.
const USER_AGENT: &str = concat!("fingerpost/", env!("CARGO_PKG_VERSION"));

/// A server, and the key for it.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    address: Address,
    key: Option<Secret>,
}

/// How far a server is trusted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust<'t> {
    /// The file with the certificate of the authority (PEM); `None` for those that this machine
    /// trusts.
    pub ca: Option<&'t Path>,
    /// Whether a key may be sent to another machine without TLS.
    pub insecure: bool,
}

/// A request: method, path with query, further headers, body.
#[derive(Debug)]
pub struct Call<'c> {
    method: &'static str,
    target: String,
    headers: Vec<(&'static str, String)>,
    body: Option<(&'static str, &'c [u8])>,
}

impl Client {
    /// Creates a client without a key.
    pub fn new(address: Address, trust: Trust<'_>) -> Result<Self, Failure> {
        Self::with_limit(address, trust, None)
    }

    /// Creates a client without a key, whose requests end after a time limit, with their answers.
    pub fn hurried(address: Address, trust: Trust<'_>, limit: Duration) -> Result<Self, Failure> {
        Self::with_limit(address, trust, Some(limit))
    }

    fn with_limit(
        address: Address,
        trust: Trust<'_>,
        limit: Option<Duration>,
    ) -> Result<Self, Failure> {
        address.check(trust.insecure)?;
        let certificates = authorities(&address, trust.ca)?;
        let config = agent_config(certificates, address.is_loopback());
        let config = config.timeout_recv_response(Some(API_ANSWER_TIME)).timeout_global(limit);
        Ok(Self { agent: config.build().new_agent(), address, key: None })
    }

    /// Sets the key.
    pub fn with_key(self, key: Secret) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Returns the address of the server.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Sends a request and waits for the answer. A request with an `Idempotency-Key` is sent once
    /// more if its answer is lost.
    ///
    /// Returns the problem reported by the server, or the reason why the server cannot be reached.
    pub fn send(&self, call: &Call<'_>) -> Result<ApiAnswer, CallError> {
        let repeatable = call.headers.iter().any(|(name, _)| *name == "idempotency-key");
        let response = match self.exchange(call) {
            Err(ureq::Error::Io(_)) if repeatable => self.exchange(call),
            other => other,
        };
        let response = response.map_err(|error| self.unreachable(&error))?;
        let (parts, mut body) = response.into_parts();
        let body = body.with_config().limit(MAX_API_ANSWER).read_to_vec();
        let body = body.map_err(|error| self.unreachable(&error))?;
        let answer = ApiAnswer::new(Response::from_parts(parts, ()), body);
        if answer.is_success() {
            return Ok(answer);
        }
        Err(ApiProblem::of(&answer, &self.address).into_error(&self.address))
    }

    fn exchange(&self, call: &Call<'_>) -> Result<Response<Body>, ureq::Error> {
        let mut request =
            Request::builder().method(call.method).uri(format!("{}{}", self.address, call.target));
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {}", key.expose()));
        }
        match call.body {
            Some((media_type, bytes)) => {
                self.agent.run(request.header("content-type", media_type).body(bytes)?)
            }
            None => self.agent.run(request.body(())?),
        }
    }

    fn unreachable(&self, error: &ureq::Error) -> Failure {
        let is_of_tls = match error {
            ureq::Error::Rustls(_) | ureq::Error::Tls(_) => true,
            ureq::Error::Io(error) => {
                error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>())
            }
            _ => false,
        };
        let next = match error {
            _ if is_of_tls => {
                "name the authority of its certificate with --ca, or check address and clock"
            }
            ureq::Error::HostNotFound => "check the name of the host",
            ureq::Error::Timeout(_) => {
                "look at the server's log; a write may have happened: ask with `fingerpost history`"
            }
            _ => {
                "check the address, and that `fingerpost serve` runs there with its admin listener"
            }
        };
        Failure::advise(format!("cannot speak to {}: {error}", self.address), next)
    }
}

/// Returns the certificates of authorities: those in `ca`, else those of this machine.
fn authorities(address: &Address, ca: Option<&Path>) -> Result<RootCerts, Failure> {
    if let Some(file) = ca {
        let wrong = |what: String| {
            Failure::advise(
                format!("`{}`: {what}", file.display()),
                "give --ca a file with the authority's certificate (PEM)",
            )
        };
        let pem = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
        let certificates: Vec<Certificate<'static>> = parse_pem(&pem)
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(Ok(certificate)),
                Ok(_) => None,
                Err(error) => Some(Err(wrong(error.to_string()))),
            })
            .collect::<Result<_, _>>()?;
        if certificates.is_empty() {
            return Err(wrong("expected a certificate, found none".to_owned()));
        }
        return Ok(RootCerts::new_with_certs(&certificates));
    }
    // Reading a few hundred certificates takes some milliseconds, which plain HTTP does not need to
    // spend.
    if address.as_str().starts_with("http://") {
        return Ok(RootCerts::new_with_certs(&[]));
    }
    let found = rustls_native_certs::load_native_certs();
    Ok(found.certs.iter().map(|der| Certificate::from_der(der).to_owned()).into())
}

/// Returns an agent for a single request to any web address, with the certificates of this machine.
pub fn web_agent(url: &str) -> Agent {
    let certificates = match url.starts_with("http://") {
        true => Vec::new(),
        false => rustls_native_certs::load_native_certs().certs,
    };
    let certificates = certificates.iter().map(|der| Certificate::from_der(der).to_owned());
    let is_loopback = Address::parse(url).is_ok_and(|address| address.is_loopback());
    let config = agent_config(certificates.collect::<Vec<_>>().into(), is_loopback);
    config.timeout_global(Some(API_ANSWER_TIME)).build().new_agent()
}

/// Returns the configuration that all agents share: answers as they are, no redirects, TLS by
/// rustls, and no proxy to this machine.
fn agent_config(certificates: RootCerts, is_loopback: bool) -> ConfigBuilder<AgentScope> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(certificates)
        .build();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(USER_AGENT)
        .timeout_connect(Some(API_CONNECT_TIME))
        .tls_config(tls);
    if is_loopback { config.proxy(None) } else { config }
}

impl<'c> Call<'c> {
    /// Creates a request for a path, to which queries are added.
    pub fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self { method, target: path.into(), headers: Vec::new(), body: None }
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        let separator = if self.target.contains('?') { '&' } else { '?' };
        self.target.push(separator);
        self.target.push_str(name);
        self.target.push('=');
        self.target.push_str(&fingerpost_uri::encode(value));
        self
    }

    /// Adds a query parameter, if there is a value.
    pub fn query_if(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Sets the body.
    pub fn body(mut self, media_type: &'static str, body: &'c [u8]) -> Self {
        self.body = Some((media_type, body));
        self
    }
}
