//! The interface of what a listener serves.

use std::net::IpAddr;
use std::time::SystemTime;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use hyper::body::{Body, Incoming};

use crate::host::HostFault;

/// Where a request comes from, and when it arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The address of the client, or of a proxy in front.
    pub peer: IpAddr,
    /// The time, which the listener has read: an answer that depends on the time needs no other.
    pub at: SystemTime,
    /// Whether an observer gets the request, so that the response should have a [`Route`].
    ///
    /// [`Route`]: crate::Route
    pub is_observed: bool,
}

/// A service that answers the requests of a listener.
pub trait Handler: Send + Sync + 'static {
    /// The body of a response. Its size must be known from the beginning, because it is counted
    /// until it has been sent.
    type Body: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
        + Send
        + Unpin
        + 'static;
    /// The future of a response; a response that is ready costs nothing.
    type Future: Future<Output = Response<Self::Body>> + Send + Unpin + 'static;

    /// Answers a request.
    fn handle(&self, request: Request<Incoming>, arrival: Arrival) -> Self::Future;

    /// Refuses a request for its `Host`, with 400 (RFC 9112 section 3.2).
    fn refuse_host(
        &self,
        request: Request<Incoming>,
        arrival: Arrival,
        fault: HostFault,
    ) -> Self::Future;

    /// Returns the answer to a request while the server, or this connection, has too much to do:
    /// 503 with `Retry-After`, without a body.
    fn busy() -> Response<Self::Body>;

    /// Returns the answer to a request that cannot be read, with the status that HTTP has for it,
    /// instead of one without a body. `None` leaves it as it is. The request is unknown, so the
    /// answer depends on nothing in it.
    fn unreadable(&self, _: StatusCode) -> Option<Response<Bytes>> {
        None
    }

    /// Returns whether a request is answered even if the server has too much to do.
    fn is_vital(request: &Request<Incoming>) -> bool;
}
