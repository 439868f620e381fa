//! Sign-in with an identity provider: the relying party of OpenID Connect Core 1.0, section 3.1 (authorization code flow), with
//! PKCE (RFC 7636), the provider's description (OpenID Connect Discovery 1.0) and its name in answers (RFC 9207).
//!
//! The data of an attempt stay here, in memory; the browser has a random ticket for it, which is valid once. Requests to the provider run
//! on blocking threads, a few at a time.

mod attempts;
mod claims;
mod http_client;
mod protocol;
mod verified;

use std::sync::Arc;
use std::time::Duration;

use fingerpost_http::ServeError;
use fingerpost_registry::{Federated, Secret};
use http::StatusCode;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::config::Config;
use crate::notice::Notice;
use protocol::Protocol;

/// Maximum number of sign-ins that wait for the provider: it may be slow, and threads are few.
pub(crate) const MAX_CALLS: usize = 8;

/// Maximum time to wait for a place among them.
const PATIENCE: Duration = Duration::from_secs(10);

/// The identity provider.
#[derive(Debug)]
pub(crate) struct Provider {
    protocol: Arc<Protocol>,
    places: Arc<Semaphore>,
}

/// The address to which the browser is redirected, and the cookie that it brings back.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) location: String,
    pub(crate) ticket: Secret,
}

impl Provider {
    /// Creates the configured provider. It is not contacted yet, so that the server starts even if it does not answer.
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
        Ok(Some(Self { protocol, places: Arc::new(Semaphore::new(MAX_CALLS)) }))
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
        let answer = protocol::ProviderAnswer::parse(query)?;
        let protocol = Arc::clone(&self.protocol);
        self.ask(move || protocol.finish(attempt, answer)).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Notice> {
        let place = timeout(PATIENCE, Arc::clone(&self.places).acquire_owned()).await;
        let place = place.ok().and_then(Result::ok).ok_or(Failure::Busy)?;
        // The call holds the permit, because it continues when the browser no longer waits.
        let called = tokio::task::spawn_blocking(move || {
            let _place = place;
            call()
        });
        let called = called.await;
        let failed =
            |_| Failure::Provider("the request to the provider failed unexpectedly".to_owned());
        Ok(called.map_err(failed)??)
    }
}

/// The reason why a sign-in failed. The texts are for the log and contain no secrets.
#[derive(Debug)]
enum Failure {
    /// The browser did not begin this attempt, or began it too long ago.
    Stale,
    /// The attempt is not the one of this browser.
    Foreign(&'static str),
    /// The user cancelled, or the provider refused.
    Declined(String),
    /// The provider does not answer, or not according to the standard.
    Provider(String),
    /// The provider's claims about the user cannot be trusted.
    Untrusted(String),
    /// There are too many attempts at a time.
    Busy,
}

impl From<Failure> for Notice {
    fn from(failure: Failure) -> Self {
        let title = "You could not be signed in";
        let again = "This sign-in was started in another window, or too long ago. Start again from the console.";
        match failure {
            Failure::Stale => Self::new(StatusCode::BAD_REQUEST, title, again)
                .because("the attempt is unknown, used or too old"),
            Failure::Foreign(reason) => {
                Self::new(StatusCode::BAD_REQUEST, title, again).because(reason)
            }
            Failure::Declined(reason) => {
                let text = "The identity provider of your organisation did not sign you in. Start again from the console.";
                Self::new(StatusCode::FORBIDDEN, title, text).because(reason)
            }
            Failure::Provider(reason) => {
                let text = "The identity provider of your organisation does not respond as expected. Try again later, or contact the \
                    administrator of this service.";
                Self::new(StatusCode::BAD_GATEWAY, title, text).because(reason)
            }
            Failure::Untrusted(reason) => {
                let text = "The response of the identity provider of your organisation is not valid. Start again from the console, \
                    or contact the administrator of this service.";
                Self::new(StatusCode::BAD_GATEWAY, title, text).because(reason)
            }
            Failure::Busy => {
                let text = "Too many users are signing in. Try again in a moment.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, title, text)
                    .because("too many sign-ins are waiting for the provider")
            }
        }
    }
}

fn setting(key: &'static str, expected: impl Into<String>) -> ServeError {
    ServeError::Setting { key, expected: expected.into() }
}
