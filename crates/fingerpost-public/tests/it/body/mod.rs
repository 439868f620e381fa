//! Reads the body of an answer that a router gave without a connection.

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt, Full};

/// The body, which is in memory already.
pub(crate) fn bytes(body: Full<Bytes>) -> Bytes {
    let mut body = std::pin::pin!(body.collect());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match body.as_mut().poll(&mut context) {
        std::task::Poll::Ready(Ok(bytes)) => bytes.to_bytes(),
        _ => panic!("a body in memory"),
    }
}

/// The body, a text.
pub(crate) fn text(response: Response<Full<Bytes>>) -> String {
    String::from_utf8(bytes(response.into_body()).to_vec()).expect("UTF-8")
}
