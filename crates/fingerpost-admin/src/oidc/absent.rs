//! Replacement of sign-in with a provider in builds without the feature `oidc`: an error that
//! explains how to get it.

use fingerpost_http::ServeError;
use fingerpost_registry::{Federated, Secret};
use fingerpost_resolver::Roles;
use jiff::Timestamp;

use crate::config::Config;
use crate::notice::Notice;
use crate::role_issuers::RoleIssuerParts;

/// The identity provider; cannot exist in this build.
#[derive(Debug)]
pub(crate) enum Provider {}

/// The issuers of tokens that prove roles; cannot exist in this build.
#[derive(Debug)]
pub enum RoleTokens {}

impl RoleTokens {
    /// Refuses configured issuers, because the operator relies on them.
    pub fn new(parts: &[RoleIssuerParts], _: &Roles) -> Result<Option<Self>, ServeError> {
        if parts.is_empty() {
            return Ok(None);
        }
        Err(ServeError::Setting {
            key: "role_issuers",
            expected: "this build verifies no tokens: build with `cargo build --release --features oidc`, or \
                       remove role_issuers"
                .to_owned(),
        })
    }

    /// Fetches keys; never called in this build.
    pub fn refresh(&self) -> Vec<String> {
        match *self {}
    }

    /// Verifies a token; never called in this build.
    pub fn verify(&self, _: &str, _: Timestamp) -> Result<Vec<String>, &'static str> {
        match *self {}
    }
}

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
