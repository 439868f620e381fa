//! The admin API for registering links over HTTP: `/v1`, its sessions and its description.
//!
//! Each handler reads the request, makes one call of the [registry](fingerpost_registry), and
//! answers. The registry decides on permissions and rules. HTTP semantics are those of RFC 9110,
//! problem documents those of RFC 9457, the description is OpenAPI 3.1.
//!
//! # Terminology
//!
//! - *Admin side*: the listener for registering links, separate from the public side; by default
//!   only reachable from this machine.
//! - *Level*: everything registered about one primary key with its qualifiers; identified by its
//!   path, such as `01/09506000134352/10/ABC`.
//! - *Caller*: the sender of a request, identified by a key in `Authorization` or a session in a
//!   cookie.
//!
//! # Examples
//!
//! - [`AdminServer`]: the listener, until shutdown.
//! - [`openapi_document`]: the API description, as checked in.
//!
//! # Features
//!
//! - `oidc`: users can also sign in with an identity provider (OpenID Connect Core 1.0).

#![forbid(unsafe_code)]

// Bottom layer, which every part uses.
mod config;
mod etag;
mod exposition;
mod extra;
mod page;
mod problem;
// Reading of requests.
mod body;
mod commits;
mod conditions;
mod query;
mod upload;
// Sign-in with an identity provider.
mod notice;
#[cfg(feature = "oidc")]
mod oidc;
#[cfg(not(feature = "oidc"))]
#[path = "oidc/absent.rs"]
mod oidc;
// The state of the service, and the layers around all handlers.
mod admission;
mod credential;
mod finish;
mod hashing;
mod limits;
mod state;
// The handlers, and the texts derived from them.
mod console;
mod manual;
mod model;
mod openapi;
mod response;
mod role_issuers;
mod routes;
mod stream;
// The listener.
mod router;
mod server;

use fingerpost_registry::RegistryOptions;

pub use config::{AdminOptions, Config, OidcGrant, OidcOptions, Site};
pub use exposition::{Exposition, Series, Status, StatusPeriod, Unit};
pub use extra::{AdminCalls, ExtraRoutes};
pub use oidc::RoleTokens;
pub use problem::AdminProblem;
pub use role_issuers::{RoleIssuerParts, RoleOptions};
pub use server::{AdminServer, Api};

/// Returns the description of the API (OpenAPI 3.1) as JSON text, as checked in at
/// `docs/reference/openapi.json`.
///
/// ```
/// let document = fingerpost_admin::openapi_document();
/// assert!(document.contains("\"openapi\": \"3.1.0\""));
/// ```
pub fn openapi_document() -> String {
    openapi::text(&openapi::document())
}

/// Returns the registry options from the configuration.
pub fn registry_options(config: &Config) -> RegistryOptions {
    let (site, options) = (config.site(), config.options());
    let registry = match &options.oidc {
        Some(oidc) => RegistryOptions::new().federated_keys(days(oidc.key_days.get())),
        None => RegistryOptions::new(),
    };
    registry
        .vocabulary(site.vocabulary.clone())
        .resolver_root(site.settings.root().clone())
        .context_values(site.settings.context_values().to_vec())
        .primary_keys(site.settings.primary_keys().clone())
        .default_by_record(site.settings.default_by_record())
        .roles(site.settings.roles().clone())
        .session_lifetime(options.session_lifetime.get())
        .session_idle(options.session_idle.get())
        .quotas(config.quotas())
        .require_second_factor(options.require_second_factor)
        .invitation_lifetime(options.invitation_lifetime.get())
        .reset_lifetime(options.reset_lifetime.get())
        .terms(config.terms().map(|terms| terms.version.clone()))
}

fn days(count: usize) -> std::time::Duration {
    let days = u64::try_from(count).unwrap_or(u64::MAX);
    std::time::Duration::from_secs(days.saturating_mul(24 * 60 * 60))
}
