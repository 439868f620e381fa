//! Keeps the keys of the issuers whose tokens prove roles on the public side. Requests only verify
//! with what is here, and never wait for an issuer.

use std::sync::Arc;
use std::time::Duration;

use fingerpost_admin::RoleTokens;
use fingerpost_public::{TokenFault, VerifyToken};
use jiff::Timestamp;

use super::{Next, Service, Stop};
use crate::config::Config;
use crate::failure::Failure;
use crate::listen_error::{Side, cannot_serve};

/// How often it is looked at whether keys are needed; issuers are asked far less often.
const LOOK: Duration = Duration::from_secs(1);

/// The keys of the issuers.
#[derive(Clone, Debug)]
pub(crate) struct RoleKeys(Arc<RoleTokens>);

impl RoleKeys {
    /// Reads the configured issuers; `None` if there are none.
    pub(crate) fn new(config: &Config) -> Result<Option<Self>, Failure> {
        let tokens = RoleTokens::new(&config.roles.role_issuers, config.public.settings().roles());
        let tokens = tokens.map_err(|error| cannot_serve(error, Side::Public))?;
        Ok(tokens.map(|tokens| Self(Arc::new(tokens))))
    }
}

impl VerifyToken for RoleKeys {
    fn verify(&self, token: &str, now: Timestamp) -> Result<Vec<String>, TokenFault> {
        self.0.verify(token, now).map_err(TokenFault)
    }
}

impl Service for RoleKeys {
    fn name(&self) -> &'static str {
        "role keys"
    }

    /// Fetches what is missing or old. A failure is logged; it is tried again after a minute.
    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        for error in self.0.refresh() {
            tracing::error!(%error, "tokens of this issuer may be refused; it is tried again");
        }
        Ok(Next::After(LOOK))
    }
}
