//! Routes that another crate adds to the admin listener. They pass the same layers as the others,
//! and call the registry by the same slots.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use bytes::Bytes;
use fingerpost_registry::{Caller, Registry, RegistryError};
use http::{Extensions, HeaderMap};
use serde_json::Value;

use crate::body;
use crate::credential::{self, Who};
use crate::problem::AdminProblem;
use crate::state::App;
use crate::{manual, openapi, routes};

/// Routes of another crate. Their paths must not be those of the console or the API.
pub trait ExtraRoutes: Send + Sync + fmt::Debug {
    /// Returns the routes.
    fn routes(&self, calls: &AdminCalls) -> Router;
}

/// What the routes of another crate can use of the admin side.
#[derive(Clone)]
pub struct AdminCalls(Arc<App>);

impl AdminCalls {
    pub(crate) fn new(app: &Arc<App>) -> AdminCalls {
        AdminCalls(Arc::clone(app))
    }

    /// Returns the routes of an OpenAPI document: `openapi.json` and its page, `docs`, below a
    /// path.
    pub fn description(path: &str, document: &Value) -> Router {
        let json = Bytes::from(openapi::text(document));
        let page = Bytes::from(manual::page(document));
        let documents = Bytes::from(manual::documents(document));
        let at = |name: &str| format!("{path}/{name}");
        Router::new()
            .route(&at("openapi.json"), get(|| async { routes::json(json) }))
            .route(&at("docs"), get(|| async { routes::html(page) }))
            .route(&at("docs/documents"), get(|| async { routes::html(documents) }))
            .route(&at("docs/style.css"), get(routes::style))
    }

    /// Requires a credential for these routes: a key in `Authorization: Bearer`, or a session of
    /// the console.
    pub fn authenticated(&self, routes: Router) -> Router {
        routes.route_layer(from_fn_with_state(Arc::clone(&self.0), credential::authenticate))
    }

    /// Returns the caller of an authenticated request.
    pub fn caller(extensions: &Extensions) -> Option<Caller> {
        extensions.get::<Who>().map(|Who(caller)| caller.clone())
    }

    /// Reads a body of JSON.
    pub async fn json(&self, fields: &HeaderMap, body: Body) -> Result<Bytes, AdminProblem> {
        body::read(fields, body, body::JSON).await
    }

    /// Calls the registry on a thread that may block.
    pub async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Registry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.0.call(call).await
    }

    /// As [`AdminCalls::call`], for calls that read many rows.
    pub async fn list<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Registry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.0.list(call).await
    }
}
