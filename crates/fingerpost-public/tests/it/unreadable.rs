//! Requests that HTTP refuses before they are read, over sockets.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{Running, standard_store};

/// Everything that the server sends until it ends the connection.
fn sent(server: &Running, request: &[u8]) -> String {
    let mut stream = server.raw();
    stream.write_all(request).expect("a connection");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an end");
    String::from_utf8(answer).expect("text")
}

fn head_and_body(answer: &str) -> (&str, Value) {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head, serde_json::from_str(body).expect("a problem document"))
}

/// RES-2.2-5, RES-2.4.1-1, ER-25: the same headers and body as any other 400.
#[test]
fn section_2_4_1_no_characters_outside_a_uri() {
    let server = Running::start("", standard_store());
    for target in [
        "/01/<script>",
        "/01/09520123456788?<a>",
        "/01/09520123456788?a=\"b\"",
        "/01/09520123456788/10/a`b",
        "/a\u{1}b",
    ] {
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: text/html\r\n\r\n"
        );
        let answer = sent(&server, request.as_bytes());
        let (head, problem) = head_and_body(&answer);
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{target}: {head}");
        for field in [
            "access-control-allow-origin: *",
            "access-control-expose-headers: Link, ETag",
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "cache-control: no-cache",
            "content-type: application/problem+json",
            "connection: close",
            "date: ",
        ] {
            assert!(head.contains(&format!("\r\n{field}")), "{target}: {field} in {head}");
        }
        assert_eq!(problem["code"], "malformed-request", "{target}");
        assert_eq!(problem["status"], 400, "{target}");
        assert!(problem["detail"].as_str().is_some_and(|text| text.contains("percent-encoded")));
    }
    // A request with a bad method, and one that is too large.
    let (bad, large) = ("GE T / HTTP/1.1\r\n\r\n".to_owned(), "x".repeat(200_000));
    let large = format!("GET / HTTP/1.1\r\nHost: x\r\nX-Large: {large}\r\n\r\n");
    for (request, status, code) in [(bad, 400, "malformed-request"), (large, 431, "too-large")] {
        let answer = sent(&server, request.as_bytes());
        let (head, problem) = head_and_body(&answer);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        assert_eq!((&problem["status"], &problem["code"]), (&json!(status), &json!(code)));
    }
}

/// IN-17, RFC 9112 section 3.2: whatever is asked for, and on a connection whose other requests are
/// answered.
#[test]
fn a_host_that_is_not_exactly_one_is_refused() {
    let server = Running::start("", standard_store());
    let (good, missing, invalid) = ("Host: x:80\r\n", "missing-host", "invalid-host");
    for (hosts, code) in [
        ("", missing),
        ("Host: x\r\nHost: x\r\n", invalid),
        ("Host: x\r\nhost: y\r\n", invalid),
        ("Host: a b\r\n", invalid),
        ("Host: a/b\r\n", invalid),
        ("Host: a:x\r\n", invalid),
        ("Host: [::1\r\n", invalid),
        ("Host: user@a\r\n", invalid),
        ("Host: \u{e9}\r\n", invalid),
    ] {
        for target in ["/01/09520123456788", "/", "/health", "http://x/01/09520123456788"] {
            let request = |hosts: &str| format!("GET {target} HTTP/1.1\r\n{hosts}\r\n");
            let last = format!("GET {target} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n");
            let answer = sent(&server, format!("{}{last}", request(good)).as_bytes());
            let (first, refused) = answer.rsplit_once("HTTP/1.1 400 ").expect("a refusal");
            assert!(
                !first.starts_with("HTTP/1.1 400") && first.starts_with("HTTP/1.1 "),
                "{first}"
            );
            let (head, problem) = head_and_body(refused);
            assert!(head.contains("\r\naccess-control-allow-origin: *"), "{head}");
            assert_eq!(problem["code"], code, "{hosts:?} {target}");
            assert!(problem["detail"].as_str().is_some_and(|text| text.contains("expected")));
        }
    }
    // An older version needs none, and may have no wrong one either.
    let old = |hosts: &str| sent(&server, format!("GET / HTTP/1.0\r\n{hosts}\r\n").as_bytes());
    assert!(old("").starts_with("HTTP/1.0 200 "), "{}", old(""));
    assert!(old("Host: a/b\r\n").starts_with("HTTP/1.0 400 "), "{}", old("Host: a/b\r\n"));
    let page = "GET / HTTP/1.1\r\nHost: a/b\r\nAccept: text/html\r\nConnection: close\r\n\r\n";
    let page = sent(&server, page.as_bytes());
    assert!(page.contains("\r\ncontent-type: text/html"), "{page}");
    assert!(page.contains("names its host more than once"), "{page}");
}

/// RFC 9112 section 9.3.2: answers to earlier requests of the same connection stay as they are.
#[test]
fn earlier_answers_are_untouched() {
    let server = Running::start("", standard_store());
    let request = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    let answer = sent(&server, format!("{request}{request}GET /< HTTP/1.1\r\n\r\n").as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 200 OK\r\n").count(), 2, "{answer}");
    assert_eq!(answer.matches("{\"status\":\"ok\"}").count(), 2, "{answer}");
    let (_, refused) = answer.rsplit_once("HTTP/1.1 400 ").expect("a refusal");
    assert_eq!(head_and_body(refused).1["code"], "malformed-request");
}

/// RFC 9113 section 4.1.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A HEADERS frame with a whole GET request: static fields of RFC 7541 appendix A, and a literal
/// path and authority.
fn get(stream: u32, path: &str) -> Vec<u8> {
    let text = |index: u8, text: &str| {
        [&[index, u8::try_from(text.len()).expect("short")], text.as_bytes()].concat()
    };
    frame(1, 0x5, stream, &[vec![0x82, 0x86], text(0x04, path), text(0x01, "x")].concat())
}

/// Reads frames up to the first of a kind that concerns a stream; returns its payload.
fn until(connection: &mut TcpStream, kind: u8, stream: u32) -> Vec<u8> {
    loop {
        let mut head = [0; 9];
        connection.read_exact(&mut head).expect("a frame");
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        connection.read_exact(&mut payload).expect("its payload");
        let of = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        if (head[3], of) == (kind, stream) {
            return payload;
        }
    }
}

/// ER-25: RFC 9113 section 8.1.1, a malformed request is an error of its stream only.
#[test]
fn rfc_9113_8_1_1_the_stream_is_reset() {
    let server = Running::start("", standard_store());
    let mut connection = server.raw();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let start = [preface.as_slice(), &frame(4, 0, 0, &[]), &get(1, "/01/<a>")].concat();
    connection.write_all(&start).expect("a connection");
    const PROTOCOL_ERROR: [u8; 4] = [0, 0, 0, 1];
    assert_eq!(until(&mut connection, 3, 1), PROTOCOL_ERROR);
    connection.write_all(&get(3, "/health")).expect("a connection");
    assert_eq!(until(&mut connection, 0, 3), b"{\"status\":\"ok\"}");
}
