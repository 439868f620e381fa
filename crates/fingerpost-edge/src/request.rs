//! Requests and responses as bytes, which is how a worker in WebAssembly receives and returns them.
//!
//! ```text
//! request  = method LF target *(LF name ":" value)
//! response = status *(LF name ":" value) LF LF body
//! ```

use bytes::Bytes;
use fingerpost_response::Body;
use http::{HeaderName, HeaderValue, Method, Request, Response, Uri};

/// Reads a request; `None` if it is none that a server of HTTP accepts.
pub fn read_request(bytes: &[u8]) -> Option<Request<()>> {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let method = Method::from_bytes(lines.next()?).ok()?;
    let target = Uri::try_from(lines.next()?).ok()?;
    let mut request = Request::new(());
    *request.method_mut() = method;
    *request.uri_mut() = target;
    for line in lines {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let name = HeaderName::from_bytes(&line[..colon]).ok()?;
        let value = HeaderValue::from_bytes(&line[colon + 1..]).ok()?;
        request.headers_mut().try_append(name, value).ok()?;
    }
    Some(request)
}

/// Writes a response.
pub fn write_response(response: Response<Body>) -> Vec<u8> {
    let (head, body) = response.into_parts();
    let body: Bytes = body.into_inner().unwrap_or_default();
    let mut out = head.status.as_str().as_bytes().to_vec();
    for (name, value) in &head.headers {
        for part in [b"\n", name.as_str().as_bytes(), b":", value.as_bytes()] {
            out.extend_from_slice(part);
        }
    }
    out.extend_from_slice(b"\n\n");
    out.extend_from_slice(&body);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 37.4
    #[test]
    fn only_requests_are_read() {
        let read =
            read_request(b"GET\n/01/09506000134352?a=b\naccept:text/html\naccept:*/*").unwrap();
        assert_eq!((read.method(), read.uri().path()), (&Method::GET, "/01/09506000134352"));
        assert_eq!(read.headers().get_all("accept").iter().count(), 2);
        for wrong in ["", "GET", "G T\n/", "GET\n/ x", "GET\n/\nno colon", "GET\n/\na:b\x01"] {
            assert!(read_request(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}
