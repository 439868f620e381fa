//! Sign-in with an identity provider: the relying party of OpenID Connect Core 1.0, section 3.1
//! (authorization code flow), with PKCE (RFC 7636), the provider's description (OpenID Connect
//! Discovery 1.0) and its name in answers (RFC 9207).
//!
//! The data of an attempt stay here, in memory; the browser has a random ticket for it, which is
//! valid once. Requests to the provider run on blocking threads, a few at a time.

mod attempts;
mod claims;
mod failure;
mod http_client;
mod protocol;
mod role_tokens;
mod types;
mod verified;

use std::sync::Arc;

use fingerpost_http::ServeError;
use fingerpost_registry::{Federated, Secret};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::config::Config;
use crate::limits::MAX_SIGN_INS;
use crate::limits::oidc::MAX_SIGN_IN_WAIT;
use crate::notice::Notice;
use failure::{Failure, setting};
pub(crate) use protocol::Begun;
use protocol::{Protocol, ProviderAnswer};
pub use role_tokens::RoleTokens;

/// The identity provider.
#[derive(Debug)]
pub(crate) struct Provider {
    protocol: Arc<Protocol>,
    slots: Arc<Semaphore>,
}

impl Provider {
    /// Creates the configured provider. It is not contacted yet, so that the server starts even if
    /// it does not answer.
    pub(crate) fn new(config: &Config) -> Result<Option<Self>, ServeError> {
        let options = config.options();
        let Some(oidc) = &options.oidc else { return Ok(None) };
        let local = options.listen.iter().all(|address| address.ip().is_loopback());
        if options.origins.is_empty() && !local {
            return Err(setting(
                "admin.origins",
                "set the origin to which the provider redirects browsers",
            ));
        }
        let protocol = Arc::new(Protocol::new(oidc)?);
        Ok(Some(Self { protocol, slots: Arc::new(Semaphore::new(MAX_SIGN_INS)) }))
    }

    /// Begins an attempt of a browser in this network.
    pub(crate) async fn begin(
        &self,
        callback: String,
        network: Option<[u8; 8]>,
    ) -> Result<Begun, Notice> {
        let protocol = Arc::clone(&self.protocol);
        self.ask(move || protocol.begin(callback, network)).await
    }

    /// Ends an attempt: returns the user's verified identity.
    pub(crate) async fn finish(
        &self,
        ticket: Option<Secret>,
        query: &str,
    ) -> Result<Federated, Notice> {
        let attempt =
            ticket.and_then(|ticket| self.protocol.take(&ticket)).ok_or(Failure::Stale)?;
        let answer = ProviderAnswer::parse(query)?;
        let protocol = Arc::clone(&self.protocol);
        self.ask(move || protocol.finish(attempt, answer)).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Notice> {
        let slot = timeout(MAX_SIGN_IN_WAIT, Arc::clone(&self.slots).acquire_owned()).await;
        let slot = slot.ok().and_then(Result::ok).ok_or(Failure::Busy)?;
        // The call holds the permit, because it continues when the browser no longer waits.
        let called = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            call()
        });
        let called = called.await;
        let failed =
            |_| Failure::Provider("the request to the provider failed unexpectedly".to_owned());
        Ok(called.map_err(failed)??)
    }
}
