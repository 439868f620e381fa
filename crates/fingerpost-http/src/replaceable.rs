//! A handler that is replaced while the server runs, for a changed configuration.

use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;

use crate::handler::{Arrival, Handler};
use crate::host::HostFault;

/// A handler that can be replaced. Each request is handled by one handler only: requests in
/// progress by the old one to their end, later ones by the new one.
#[derive(Debug)]
pub struct Replaceable<H>(ArcSwap<H>);

impl<H: Handler> Replaceable<H> {
    /// Begins with this handler.
    pub fn new(handler: impl Into<Arc<H>>) -> Self {
        Self(ArcSwap::new(handler.into()))
    }

    /// Returns the handler of new requests.
    pub fn current(&self) -> Arc<H> {
        self.0.load_full()
    }

    /// Lets this handler handle all requests that come from now on.
    pub fn replace(&self, handler: impl Into<Arc<H>>) {
        self.0.store(handler.into());
    }
}

impl<H: Handler> Handler for Replaceable<H> {
    type Body = H::Body;
    type Future = H::Future;

    fn handle(&self, request: Request<Incoming>, arrival: Arrival) -> Self::Future {
        self.0.load().handle(request, arrival)
    }

    fn refuse_host(
        &self,
        request: Request<Incoming>,
        arrival: Arrival,
        fault: HostFault,
    ) -> Self::Future {
        self.0.load().refuse_host(request, arrival, fault)
    }

    fn busy() -> Response<Self::Body> {
        H::busy()
    }

    fn unreadable(&self, status: StatusCode) -> Option<Response<Bytes>> {
        self.0.load().unreadable(status)
    }

    fn is_vital(request: &Request<Incoming>) -> bool {
        H::is_vital(request)
    }
}
