//! Serves the registration of links over HTTP: the admin API under `/v1`, its sessions and its description.
//!
//! Each handler reads the request, makes one call of the [registry](fingerpost_registry), and answers. The registry decides
//! about rights and rules. HTTP semantics are those of RFC 9110, problem documents those of
//! RFC 9457, the description is OpenAPI 3.1.
//!
//! # Terminology
//!
//! - *Admin side*: the listener on which links are registered, apart from the public side; by default only this
//!   machine reaches it.
//! - *Level*: everything registered about one primary key with its qualifiers; named by its path, such as
//!   `01/09506000134352/10/ABC`.
//! - *Caller*: who asks: a key in `Authorization`, or a session in a cookie.
//!
//! # Examples
//!
//! - [`AdminServer`]: the listener, until told to stop.
//! - [`openapi_document`]: the description, as it is checked in.
//!
//! # Features
//!
//! - `oidc`: people sign in by a provider of identities too (OpenID Connect Core 1.0).

#![forbid(unsafe_code)]

// From the bottom: what every part uses.
mod config;
mod etag;
mod page;
mod problem;
// Reading requests.
mod body;
mod conditions;
mod query;
// Sign-in by a provider of identities.
mod notice;
#[cfg(feature = "oidc")]
mod oidc;
#[cfg(not(feature = "oidc"))]
#[path = "oidc/absent.rs"]
mod oidc;
// The state of the service, and the layers around all handlers.
mod credential;
mod finish;
mod state;
// The handlers, and the texts that they make up.
mod console;
mod manual;
mod model;
mod openapi;
mod response;
mod routes;
// The listener.
mod router;
mod server;

use fingerpost_registry::RegistryOptions;

pub use config::{AdminOptions, Config, OidcGrant, OidcOptions, Site};
pub use server::AdminServer;

/// Returns the description of the API (OpenAPI 3.1) as JSON text, as it is checked in at `docs/reference/openapi.json`.
///
/// ```
/// let document = fingerpost_admin::openapi_document();
/// assert!(document.contains("\"openapi\": \"3.1.0\""));
/// ```
#[must_use]
pub fn openapi_document() -> String {
    openapi::text(&openapi::document())
}

/// Returns the registry options from the configuration.
#[must_use]
pub fn registry_options(config: &Config) -> RegistryOptions {
    let (site, options) = (config.site(), config.options());
    RegistryOptions::new()
        .vocabulary(site.vocabulary.clone())
        .resolver_root(site.settings.root().clone())
        .context_values(site.settings.context_values().to_vec())
        .session_lifetime(options.session_lifetime.get())
        .session_idle(options.session_idle.get())
}
