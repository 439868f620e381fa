//! An address for metrics alone, without credentials: for the private network of the monitoring,
//! and for nodes without an admin listener.

use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use fingerpost_admin::Exposition;
use fingerpost_http::{
    Arrival, Handler, HostFault, Limits, ServeError, Shutdown, Sockets, Terms, Worker, refusal,
    run_workers,
};
use http::header::{self, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;

use super::Metrics;
use crate::limits::MAX_METRICS_CONNECTIONS;

/// The listener, with its sockets bound.
pub(crate) struct MetricsListener {
    sockets: Sockets,
    limits: Limits,
}

impl MetricsListener {
    /// Binds the addresses; `None` if there are none.
    pub(crate) fn bind(
        addresses: &[SocketAddr],
        limits: &Limits,
    ) -> Result<Option<Self>, ServeError> {
        if addresses.is_empty() {
            return Ok(None);
        }
        let sockets = Sockets::bind(addresses, 1, limits)?;
        Ok(Some(Self { sockets, limits: limits.clone() }))
    }

    pub(crate) fn local_addrs(&self) -> &[SocketAddr] {
        self.sockets.local_addrs()
    }

    /// Answers until shutdown.
    pub(crate) fn run(self, metrics: &Arc<Metrics>, shutdown: &Shutdown) -> Result<(), ServeError> {
        let terms = Terms::new(&self.limits, MAX_METRICS_CONNECTIONS, &[], shutdown);
        let mut worker = Worker::default();
        let page = Arc::new(MetricsPage(Arc::clone(metrics)));
        for socket in self.sockets.into_workers().into_iter().flatten() {
            worker.add(socket, &page, None, &terms);
        }
        run_workers(vec![worker], shutdown, std::future::pending())
    }
}

/// Answers `/metrics`.
struct MetricsPage(Arc<Metrics>);

impl Handler for MetricsPage {
    type Body = Full<Bytes>;
    type Future = Ready<Response<Self::Body>>;

    fn handle(&self, request: Request<Incoming>, _: Arrival) -> Self::Future {
        let mut response = Response::default();
        if request.uri().path() != "/metrics" {
            *response.status_mut() = StatusCode::NOT_FOUND;
        } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        } else {
            let form = HeaderValue::from_static(Exposition::MEDIA_TYPE);
            response.headers_mut().insert(header::CONTENT_TYPE, form);
            // The thread has nothing else to do, so it may wait for the store.
            *response.body_mut() = Full::from(self.0.text());
        }
        ready(response)
    }

    fn refuse_host(&self, _: Request<Incoming>, _: Arrival, _: HostFault) -> Self::Future {
        ready(refusal::wrong_host())
    }

    fn busy() -> Response<Self::Body> {
        refusal::busy()
    }

    fn is_vital(_: &Request<Incoming>) -> bool {
        false
    }
}
