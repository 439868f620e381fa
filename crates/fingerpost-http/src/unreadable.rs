//! Answers to requests that hyper cannot read (RFC 9112 section 2.2, RFC 9110 section 15.5).
//!
//! hyper refuses such a request by itself, with a head that says nothing but the status, and ends
//! the connection. The stream of the connection recognises that head when it is written, and sends
//! the answer of the handler instead. On HTTP/2 the stream of such a request is reset (RFC
//! 9113 section 8.1.1).

use std::fmt::Write as _;

use bytes::Bytes;
use http::{Response, StatusCode};

/// Returns where the answer of hyper begins, and its status, if `bytes` end with one.
///
/// Every other answer ends differently, in most cases within the first comparisons.
pub(crate) fn find(bytes: &[u8]) -> Option<(usize, StatusCode)> {
    let head = bytes.strip_suffix(b"\r\n\r\n")?;
    let head = &head[..head.len().checked_sub(DATE.len() + DATE_LEN)?];
    if !bytes[head.len()..].starts_with(DATE) {
        return None;
    }
    let line = head.strip_suffix(b"\r\nconnection: close\r\ncontent-length: 0\r\n")?;
    REFUSED.into_iter().find_map(|status| {
        let start = line.strip_suffix(status.canonical_reason()?.as_bytes())?;
        let start = start.strip_suffix(b" ")?.strip_suffix(status.as_str().as_bytes())?;
        let start = start.strip_suffix(b"HTTP/1.1 ").or(start.strip_suffix(b"HTTP/1.0 "))?;
        Some((start.len(), status))
    })
}

/// Returns an answer as it is sent instead of the `replaced` one of hyper: the connection ends
/// after it.
pub(crate) fn to_bytes(answer: &Response<Bytes>, replaced: &[u8]) -> Bytes {
    let status = answer.status();
    let body = answer.body();
    let mut head = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in answer.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        // Writing to a String cannot fail.
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let _ = write!(head, "connection: close\r\ncontent-length: {}\r\n", body.len());
    let date = replaced.len().saturating_sub(DATE.len() + DATE_LEN + 4);
    [head.as_bytes(), &replaced[date..], body].concat().into()
}

/// The statuses with which hyper refuses requests.
const REFUSED: [StatusCode; 3] = [
    StatusCode::BAD_REQUEST,
    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    StatusCode::URI_TOO_LONG,
];

/// The last header field of every answer of hyper.
const DATE: &[u8] = b"date: ";

/// The length of a date (RFC 9110 section 5.6.7).
const DATE_LEN: usize = "Sun, 06 Nov 1994 08:49:37 GMT".len();

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str =
        "\r\nconnection: close\r\ncontent-length: 0\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n";

    #[test]
    fn only_the_answer_of_hyper_is_found() {
        let bad = format!("HTTP/1.1 400 Bad Request{TAIL}");
        assert_eq!(find(bad.as_bytes()), Some((0, StatusCode::BAD_REQUEST)));
        let after = format!("HTTP/1.1 200 OK\r\n\r\nbody{bad}");
        assert_eq!(find(after.as_bytes()), Some((23, StatusCode::BAD_REQUEST)));
        let long = format!("HTTP/1.1 414 URI Too Long{TAIL}");
        assert_eq!(find(long.as_bytes()), Some((0, StatusCode::URI_TOO_LONG)));
        for other in [
            "",
            "\r\n\r\n",
            TAIL,
            &bad[1..],
            &bad[..bad.len() - 1],
            &bad.replace("close", "keep-alive"),
            &bad.replace("400 Bad Request", "307 Temporary Redirect"),
            &bad.replace("connection", "vary: Accept\r\nconnection"),
        ] {
            assert_eq!(find(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn an_answer_keeps_the_date() {
        let replaced = format!("HTTP/1.1 400 Bad Request{TAIL}");
        let answer = Response::builder().status(400).header("vary", "Accept");
        let answer = answer.body(Bytes::from_static(b"{}")).unwrap();
        let expected = "HTTP/1.1 400 Bad Request\r\nvary: Accept\r\nconnection: close\r\ncontent-length: 2\r\n\
                        date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n{}";
        assert_eq!(to_bytes(&answer, replaced.as_bytes()), expected);
    }
}
