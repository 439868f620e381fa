//! The HTTP client: answers as they are, without redirects, limited in size, time and number.

use std::collections::HashMap;
use std::net::ToSocketAddrs;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustls::pki_types::CertificateDer;
use ureq::http::{Request, Uri, Version};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, config::Config};

use crate::check::Release;
use crate::limits::{MAX_BODY, MAX_FAILURES, MAX_HEADER, MAX_REQUESTS};
use crate::message::{ConformOptions, Trial, USER_AGENT, WebRequest, WebResponse};
use crate::secure::{self, TlsFault};

/// Sends requests, each of them once.
pub(crate) struct Client {
    agent: Agent,
    trusted: Vec<CertificateDer<'static>>,
    options: ConformOptions,
    sent: HashMap<WebRequest, Rc<Trial>>,
    began: Instant,
    last: Option<Instant>,
    failures: u32,
    /// Why no request is sent at all.
    refused: Option<String>,
}

impl Client {
    pub(crate) fn new(options: ConformOptions) -> Result<Self, String> {
        let trusted = secure::authorities(options.authorities.as_deref())?;
        let agent = agent(&options, &trusted, true);
        let (sent, began) = (HashMap::new(), Instant::now());
        Ok(Self { agent, trusted, options, sent, began, last: None, failures: 0, refused: None })
    }

    /// Connects to the host of a URL; returns whether the server offers HTTP/2.
    pub(crate) fn handshake(&mut self, url: &str) -> Result<bool, TlsFault> {
        self.pause();
        secure::handshake(&self.options, &self.trusted, url)
    }

    /// Sends a request over HTTP/2.
    pub(crate) fn send_over_http2(&mut self, request: WebRequest) -> Rc<Trial> {
        self.pause();
        let response = match self.refusal() {
            Some(refusal) => Err(refusal),
            None => secure::exchange(&self.options, &self.trusted, &request),
        };
        Rc::new(Trial { request, response })
    }

    /// Continues in spite of an invalid certificate, which is a finding of its own; but not with
    /// header fields of the user, which can be secret.
    pub(crate) fn ignore_certificates(&mut self) {
        if self.options.headers.is_empty() {
            self.agent = agent(&self.options, &self.trusted, false);
        } else {
            let refused =
                "not sent, because the certificate is not valid and --header can be secret";
            self.refused = Some(refused.to_owned());
        }
    }

    /// Returns the number of requests that were sent.
    pub(crate) fn count(&self) -> usize {
        self.sent.len()
    }

    pub(crate) fn standard(&self) -> Release {
        self.options.standard
    }

    /// Returns the answer, from memory if the same request was sent before.
    pub(crate) fn send(&mut self, request: WebRequest) -> Rc<Trial> {
        if let Some(trial) = self.sent.get(&request) {
            return Rc::clone(trial);
        }
        let response = match self.refusal() {
            Some(refusal) => Err(refusal),
            None => {
                self.pause();
                let response = exchange(&self.agent, &self.options.headers, &request);
                self.failures = if response.is_err() { self.failures + 1 } else { 0 };
                response
            }
        };
        let trial = Rc::new(Trial { request: request.clone(), response });
        self.sent.insert(request, Rc::clone(&trial));
        trial
    }

    /// Returns why no more requests are sent.
    fn refusal(&self) -> Option<String> {
        if self.refused.is_some() {
            self.refused.clone()
        } else if self.failures >= MAX_FAILURES {
            Some(format!("not sent, because {MAX_FAILURES} requests in succession failed"))
        } else if self.sent.len() >= MAX_REQUESTS {
            Some(format!("not sent, because a run has at most {MAX_REQUESTS} requests"))
        } else if self.began.elapsed() > self.options.total {
            let seconds = self.options.total.as_secs();
            Some(format!("not sent, because a run takes at most {seconds} s"))
        } else {
            None
        }
    }

    fn pause(&mut self) {
        if let (Some(last), true) = (self.last, self.options.rate > 0) {
            let interval = Duration::from_secs(1) / self.options.rate;
            thread::sleep(interval.saturating_sub(last.elapsed()));
        }
        self.last = Some(Instant::now());
    }
}

/// Sends requests as they are, from several threads.
pub(crate) struct WebClient {
    agent: Agent,
    fields: Vec<(String, String)>,
}

impl WebClient {
    pub(crate) fn new(options: ConformOptions) -> Result<Self, String> {
        let trusted = secure::authorities(options.authorities.as_deref())?;
        let agent = agent(&options, &trusted, true);
        Ok(Self { agent, fields: options.headers })
    }

    pub(crate) fn exchange(&self, request: &WebRequest) -> Result<WebResponse, String> {
        exchange(&self.agent, &self.fields, request)
    }
}

/// Sends a request, and reads its answer.
fn exchange(
    agent: &Agent,
    fields: &[(String, String)],
    request: &WebRequest,
) -> Result<WebResponse, String> {
    let mut builder = Request::builder().method(request.method).uri(&request.url);
    for (name, value) in &request.headers {
        builder = builder.header(*name, value);
    }
    for (name, value) in fields {
        builder = builder.header(name, value);
    }
    let message = |error: ureq::Error| error.to_string();
    let built = builder.body(()).map_err(|error| error.to_string())?;
    let mut answer = agent.run(built).map_err(message)?;
    let headers = answer.headers().iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    let headers = headers.collect();
    let (status, version) = (answer.status().as_u16(), answer.version());
    let body = answer.body_mut().with_config().limit(MAX_BODY).read_to_vec();
    let body = body.map_err(|error| match error {
        ureq::Error::BodyExceedsLimit(_) => format!("the body is longer than {MAX_BODY} bytes"),
        other => message(other),
    })?;
    Ok(WebResponse { status, is_http_1_1: version >= Version::HTTP_11, headers, body })
}

fn agent(
    options: &ConformOptions,
    trusted: &[CertificateDer<'static>],
    is_verified: bool,
) -> Agent {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let roots = trusted.iter().map(|der| Certificate::from_der(der).to_owned());
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::from(roots.collect::<Vec<_>>()))
        .disable_verification(!is_verified)
        .build();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(USER_AGENT)
        // Not sent unless a check asks for it.
        .accept("")
        .accept_encoding("")
        .proxy(None)
        .max_response_header_size(MAX_HEADER)
        .timeout_global(Some(options.timeout))
        .tls_config(tls)
        .build();
    let resolver = FixedResolver(options.connect.clone());
    Agent::with_parts(config, DefaultConnector::new(), resolver)
}

/// Resolves every name to one address, if there is one; otherwise as the system does.
#[derive(Debug)]
struct FixedResolver(Option<String>);

impl Resolver for FixedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let system = DefaultResolver::default();
        let Some(connect) = &self.0 else { return system.resolve(uri, config, timeout) };
        let mut found = self.empty();
        // As many as fit: 16.
        for address in connect.to_socket_addrs().map_err(ureq::Error::Io)?.take(16) {
            found.push(address);
        }
        if found.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(found) }
    }
}
