//! Replacement of sign-in with a provider in builds without the feature `oidc`: an error that
//! explains how to get it.

use fingerpost_http::ServeError;
use fingerpost_registry::{Federated, Secret};

use crate::config::Config;
use crate::notice::Notice;

/// The identity provider; cannot exist in this build.
#[derive(Debug)]
pub(crate) enum Provider {}

/// The beginning of a sign-in; cannot exist in this build.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) location: String,
    pub(crate) ticket: Secret,
}

impl Provider {
    /// Refuses a configured provider, because the operator relies on it.
    pub(crate) fn new(config: &Config) -> Result<Option<Self>, ServeError> {
        match config.options().oidc {
            None => Ok(None),
            Some(_) => Err(ServeError::Setting {
                key: "admin.oidc",
                expected: "this build has no sign-in with an identity provider: build with \
                    `cargo build --release --features oidc`, or remove the table admin.oidc"
                    .to_owned(),
            }),
        }
    }

    pub(crate) async fn begin(&self, _: String, _: Option<[u8; 8]>) -> Result<Begun, Notice> {
        match *self {}
    }

    pub(crate) async fn finish(&self, _: Option<Secret>, _: &str) -> Result<Federated, Notice> {
        match *self {}
    }
}
