//! The HTTP client for the provider: over TLS, without following redirects, with limits on time and
//! size.

use std::sync::Arc;

use openidconnect::url::Url;
use openidconnect::{HttpRequest, HttpResponse};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use super::failure::setting;
use crate::limits::oidc::{MAX_PROVIDER_ANSWER, MAX_PROVIDER_TIME};
use fingerpost_http::ServeError;

const USER_AGENT: &str = concat!("fingerpost/", env!("CARGO_PKG_VERSION"));

/// An HTTP client for one provider.
#[derive(Debug)]
pub(super) struct HttpClient {
    agent: Agent,
    /// Whether plain HTTP is allowed, because the provider is on this machine.
    plain: bool,
}

/// The reason why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The address is not `https`.
    Insecure,
    Failed(Box<ureq::Error>),
}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoAnswer::Insecure => f.write_str("the address does not begin with https://"),
            NoAnswer::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoAnswer {}

impl From<ureq::Error> for NoAnswer {
    fn from(error: ureq::Error) -> Self {
        NoAnswer::Failed(Box::new(error))
    }
}

impl HttpClient {
    /// Creates a client for a provider with this issuer, which the key `key` configures.
    pub(super) fn new(key: &'static str, issuer: &Url) -> Result<Self, ServeError> {
        let local = is_local(issuer);
        let plain = issuer.scheme() == "http" && local;
        if issuer.scheme() != "https" && !plain {
            let message =
                "issuer must begin with https:// (http:// is allowed on this machine only)";
            return Err(setting(key, message));
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(USER_AGENT)
            .timeout_global(Some(MAX_PROVIDER_TIME));
        if plain {
            config = config.proxy(None);
        } else {
            config = config.tls_config(tls(key)?);
        }
        Ok(Self { agent: config.build().new_agent(), plain })
    }

    /// Sends a request and waits for the answer.
    pub(super) fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        if !self.may_ask(request.uri().scheme_str()) {
            return Err(NoAnswer::Insecure);
        }
        let (parts, body) = request.into_parts();
        let answer = if body.is_empty() {
            self.agent.run(http::Request::from_parts(parts, ()))?
        } else {
            self.agent.run(http::Request::from_parts(parts, body))?
        };
        let (parts, mut body) = answer.into_parts();
        let body = body.with_config().limit(MAX_PROVIDER_ANSWER).read_to_vec()?;
        Ok(http::Response::from_parts(parts, body))
    }

    /// Returns whether secrets may be sent to addresses of this scheme, which the provider names.
    pub(super) fn may_ask(&self, scheme: Option<&str>) -> bool {
        scheme == Some("https") || (self.plain && scheme == Some("http"))
    }
}

fn is_local(url: &Url) -> bool {
    use openidconnect::url::Host;
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Returns the certificates that this machine trusts.
fn tls(key: &'static str) -> Result<TlsConfig, ServeError> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        let message = "this machine trusts no certificate authorities: install ca-certificates, or \
            name a file of them in SSL_CERT_FILE";
        return Err(setting(key, message));
    }
    let roots = found.certs.iter().map(|one| Certificate::from_der(one).to_owned());
    let roots: Vec<_> = roots.collect();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::from(roots))
        .build())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(issuer: &str) -> Result<HttpClient, ServeError> {
        HttpClient::new("admin.oidc", &Url::parse(issuer).expect(issuer))
    }

    #[test]
    fn without_tls_only_this_machine_is_asked() {
        for local in ["http://127.0.0.1:1", "http://[::1]:1/realm", "http://localhost"] {
            assert!(client(local).expect(local).may_ask(Some("http")), "{local}");
        }
        for open in ["http://login.example.org", "http://192.0.2.1", "ftp://127.0.0.1"] {
            let error = client(open).expect_err(open).to_string();
            assert!(error.starts_with("admin.oidc: issuer must begin with https://"), "{error}");
        }
    }

    #[test]
    fn a_provider_with_tls_sends_us_nowhere_without() {
        // A machine without certificate authorities refuses earlier, which also passes.
        let Ok(client) = client("https://login.example.org") else { return };
        assert!(!client.may_ask(Some("http")) && !client.may_ask(None));
        let request = http::Request::post("http://127.0.0.1:1/token").body(vec![1]);
        let refused = client.send(request.expect("a request")).expect_err("refused");
        assert!(matches!(refused, NoAnswer::Insecure));
    }
}
