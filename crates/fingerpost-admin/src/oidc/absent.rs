//! What stands in for sign-in by a provider in builds without the feature `oidc`: nothing, and a word on how to have it.

use std::net::IpAddr;

use fingerpost_http::ServeError;
use fingerpost_registry::{Federated, Secret};

use crate::config::Config;
use crate::notice::Notice;

/// Sign-ins at a time.
pub(crate) const MAX_CALLS: usize = 0;

/// Nobody.
#[derive(Debug)]
pub(crate) enum Provider {}

/// Nothing begins.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) location: String,
    pub(crate) ticket: Secret,
}

impl Provider {
    /// Refuses a configured provider: somebody counts on it.
    pub(crate) fn new(config: &Config) -> Result<Option<Self>, ServeError> {
        match config.options().oidc {
            None => Ok(None),
            Some(_) => Err(ServeError::Setting {
                key: "admin.oidc",
                expected: "expected a build that signs people in by a provider, found one without: build with \
                    `cargo build --release --features oidc`, or remove the table admin.oidc"
                    .to_owned(),
            }),
        }
    }

    pub(crate) async fn begin(&self, _: String, _: Option<IpAddr>) -> Result<Begun, Notice> {
        match *self {}
    }

    pub(crate) async fn finish(&self, _: Option<Secret>, _: &str) -> Result<Federated, Notice> {
        match *self {}
    }
}
