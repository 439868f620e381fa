//! The state that all handlers share.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use fingerpost_registry::{Registry, RegistryError};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use utoipa::ToSchema;

use crate::config::Config;
use crate::oidc::Provider;
use crate::problem::AdminProblem;

/// Maximum number of concurrent registry calls. Writers that wait together share one commit, so the limit exceeds the number of cores.
pub(crate) const MAX_CALLS: usize = 64;

/// Maximum number of concurrent batches; each holds its body.
const MAX_BATCHES: usize = 2;

/// The state that all handlers share.
#[derive(Debug)]
pub(crate) struct App {
    registry: Registry,
    config: Config,
    tls: bool,
    origins: Vec<String>,
    oidc: Option<Provider>,
    calls: Arc<Semaphore>,
    batches: Arc<Semaphore>,
    texts: Texts,
}

/// The description of the API, in the forms that are served.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// The OpenAPI document.
    pub(crate) description: Bytes,
    /// The OpenAPI document as an HTML page.
    pub(crate) manual: Bytes,
}

/// The ways to sign in.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct SignInWays {
    /// Whether `POST /v1/session` takes a login and a password.
    pub(crate) password: bool,
    /// Whether `GET /v1/oidc/start` leads to an OpenID Connect provider.
    pub(crate) oidc: bool,
}

impl App {
    /// Creates the state. `bound` are the addresses in use, `texts` the description of the API.
    pub(crate) fn new(
        registry: Registry,
        config: Config,
        bound: &[SocketAddr],
        oidc: Option<Provider>,
        texts: Texts,
    ) -> Self {
        let tls = config.tls().is_some();
        Self {
            tls,
            origins: origins(&config.options().origins, tls, bound),
            oidc,
            calls: Arc::new(Semaphore::new(MAX_CALLS)),
            batches: Arc::new(Semaphore::new(MAX_BATCHES)),
            texts,
            registry,
            config,
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.tls
    }

    pub(crate) fn description(&self) -> Bytes {
        self.texts.description.clone()
    }

    pub(crate) fn manual(&self) -> Bytes {
        self.texts.manual.clone()
    }

    /// Returns whether browsers may only send the cookie over TLS, either to us or to the front end.
    pub(crate) fn is_secure(&self) -> bool {
        let in_front = self.config.options().origins.first();
        self.tls || in_front.is_some_and(|origin| origin.starts_with("https://"))
    }

    /// Returns the name of the cookie. Its prefix has browsers refuse it from other hosts and without TLS (RFC 6265bis section 4.1.3.2).
    pub(crate) fn cookie_name(&self) -> &'static str {
        if self.is_secure() { "__Host-fingerpost-session" } else { "fingerpost-session" }
    }

    /// Returns the name of the cookie that binds a sign-in with a provider to the browser that began it, as [`App::cookie_name`].
    pub(crate) fn ticket_name(&self) -> &'static str {
        if self.is_secure() { "__Host-fingerpost-oidc" } else { "fingerpost-oidc" }
    }

    pub(crate) fn oidc(&self) -> Option<&Provider> {
        self.oidc.as_ref()
    }

    pub(crate) fn sign_in_ways(&self) -> SignInWays {
        SignInWays { password: true, oidc: self.oidc.is_some() }
    }

    /// Returns the known origin with this host, else the first one: a client cannot make us use another.
    pub(crate) fn origin_of(&self, host: Option<&str>) -> &str {
        let is_asked = |origin: &&String| {
            let named = origin.split_once("://").map(|(_, named)| named);
            named.is_some() && named == host
        };
        let found = self.origins.iter().find(is_asked).or(self.origins.first());
        found.map_or("", String::as_str)
    }

    /// Returns whether a page of this origin is ours: a configured origin, or the host of the request.
    pub(crate) fn is_own_origin(&self, origin: &str, host: Option<&str>) -> bool {
        let scheme = if self.tls { "https://" } else { "http://" };
        let asked = origin.strip_prefix(scheme);
        self.origins.iter().any(|own| own == origin) || (asked.is_some() && asked == host)
    }

    pub(crate) fn is_trusted_proxy(&self, address: std::net::IpAddr) -> bool {
        self.config.site().trusted_proxies.iter().any(|network| network.contains(address))
    }

    /// Calls the registry on a thread that may block.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Registry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.try_call(call).await?.map_err(AdminProblem::from)
    }

    /// As [`App::call`], for callers that handle errors themselves.
    pub(crate) async fn try_call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Registry) -> T + Send + 'static,
    ) -> Result<T, AdminProblem> {
        let place = place(&self.calls).await?;
        let registry = self.registry.clone();
        let called = tokio::task::spawn_blocking(move || {
            let _place = place; // the call continues if the client disconnects
            call(&registry)
        });
        // A panic of the call is a bug that has been reported.
        called.await.map_err(|_| AdminProblem::internal())
    }

    /// Returns a permit for a batch, to be kept until the work is done.
    pub(crate) async fn batch_place(&self) -> Result<OwnedSemaphorePermit, AdminProblem> {
        place(&self.batches).await
    }
}

/// Waits for a permit of a semaphore, which is never closed.
async fn place(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, AdminProblem> {
    Arc::clone(places).acquire_owned().await.map_err(|_| AdminProblem::internal())
}

/// Returns the configured origins, followed by those of the bound addresses.
fn origins(configured: &[String], tls: bool, bound: &[SocketAddr]) -> Vec<String> {
    let scheme = if tls { "https" } else { "http" };
    let mut origins = configured.to_vec();
    for address in bound {
        origins.push(format!("{scheme}://{address}"));
        if address.ip().is_loopback() {
            origins.push(format!("{scheme}://localhost:{}", address.port()));
        }
    }
    origins
}
