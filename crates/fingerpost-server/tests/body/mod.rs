//! Reads the body of an answer that a router gave without a connection.

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt, Full};

/// The body, which is in memory already.
pub(crate) fn text(response: Response<Full<Bytes>>) -> String {
    let mut body = std::pin::pin!(response.into_body().collect());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match body.as_mut().poll(&mut context) {
        std::task::Poll::Ready(Ok(bytes)) => {
            String::from_utf8(bytes.to_bytes().to_vec()).expect("UTF-8")
        }
        _ => panic!("a body in memory"),
    }
}
