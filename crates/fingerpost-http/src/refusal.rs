//! Answers without a body: of a server that has too much to do (RFC 9110 sections 15.6.4 and
//! 10.2.3), and to a request that HTTP forbids.

use std::io::Write;
use std::net::Shutdown;

use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use tokio::net::TcpStream;

/// Seconds after which a client can try again.
pub const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");

/// The answer to a client without TLS whose connection is refused.
const TOO_MANY_CONNECTIONS: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\
    Content-Length: 0\r\n\r\n";

/// Returns the answer, without a body.
pub fn busy<B: Default>() -> Response<B> {
    let mut response = Response::new(B::default());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns the answer to a request that has to be refused for its `Host`, without a body.
pub fn wrong_host<B: Default>() -> Response<B> {
    let mut response = Response::new(B::default());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Refuses a connection: sends an answer without TLS, and closes it. A handshake would cost too
/// much.
pub(crate) fn too_many_connections(stream: TcpStream, has_tls: bool) {
    if has_tls {
        return;
    }
    // The socket buffer is empty, so the answer fits into it without waiting. If not, the client
    // finds the connection closed.
    let told = stream.into_std().and_then(|mut stream| {
        stream.write_all(TOO_MANY_CONNECTIONS)?;
        stream.shutdown(Shutdown::Write)
    });
    if let Err(error) = told {
        tracing::debug!(%error, "connection closed without an answer");
    }
}
