//! Traces for OpenTelemetry.

use crate::support;

use support::{Sandbox, fingerpost};

/// A receiver of OTLP over HTTP that keeps what it is sent.
mod receiver {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    /// Starts it; returns its address, and what it is sent: the head and the body of each request.
    pub(super) fn start() -> (String, Receiver<(String, Vec<u8>)>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (send, sent) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.expect("a connection"));
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).expect("text") > 0
                {
                }
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    name.eq_ignore_ascii_case("content-length").then(|| value.parse().ok())?
                });
                let mut body = vec![0; length.unwrap_or_default()];
                stream.read_exact(&mut body).expect("a whole body");
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                stream.get_mut().write_all(answer.as_bytes()).expect("it listens");
                if send.send((head, body)).is_err() {
                    return;
                }
            }
        });
        (format!("http://{address}/v1/traces"), sent)
    }
}

#[test]
fn spans_of_requests_reach_the_receiver_without_what_was_asked_for() {
    use fingerpost_testkit::{Ask, PATIENCE};
    use support::{Server, send};

    const SERIAL: &str = "SECRETSERIAL";
    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    let (endpoint, sent) = receiver::start();
    let (sandbox, _) = Sandbox::with_key();
    let config = format!("threads = 1\n[otel]\nendpoint = \"{endpoint}\"\nsample = 1\n");
    let config = sandbox.write("fingerpost.toml", &config);
    let mut command = fingerpost();
    command.arg("serve").arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    let mut server = Server::from_command(command);
    let lines = server.lines_until("admin listening on ");
    let admin =
        lines.last().and_then(|line| line.split("://").nth(1)).expect("an address").to_owned();
    let scan = Ask::get(&format!("/01/09520123456788/21/{SERIAL}?x={SERIAL}"));
    let scan = scan.header("traceparent", &format!("00-{TRACE}-b7ad6b7169203331-01"));
    assert_eq!(server.send(&scan).status, 307);
    assert_eq!(send(&admin, &Ask::get("/v1/levels")).status, 401);
    // What waits is sent at the end.
    server.stop();
    let mut spans = Vec::new();
    while let Ok((head, body)) = sent.recv_timeout(PATIENCE) {
        assert!(
            head.starts_with("POST /v1/traces ") && head.contains("application/x-protobuf"),
            "{head}"
        );
        spans.extend(body);
        if holds(&spans, b"GET /v1/levels") && holds(&spans, b"GET /01/") {
            break;
        }
    }
    for told in [
        "GET /01/{}/21/{}",
        "GET /v1/levels",
        "http.response.status_code",
        "redirect",
        "refused",
        "fingerpost.listener",
        "service.name",
    ] {
        assert!(holds(&spans, told.as_bytes()), "{told}: {}", String::from_utf8_lossy(&spans));
    }
    let trace: Vec<u8> = (0..16)
        .map(|at| u8::from_str_radix(&TRACE[2 * at..2 * at + 2], 16).expect("hex"))
        .collect();
    assert!(holds(&spans, &trace), "the span belongs to the trace of the request");
    for kept in [SERIAL, "09520123456788", "127.0.0.1"] {
        assert!(!holds(&spans, kept.as_bytes()), "{}", String::from_utf8_lossy(&spans));
    }
}

/// A receiver that does not answer delays nothing, neither scans nor the end.
#[test]
fn a_silent_receiver_delays_nothing() {
    use std::net::TcpListener;
    use std::time::{Duration, Instant};
    use support::Server;

    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let (sandbox, _) = Sandbox::with_key();
    let address = silent.local_addr().expect("an address");
    let config = sandbox.write(
        "fingerpost.toml",
        &format!("[otel]\nendpoint = \"http://{address}/\"\nsample = 1\n"),
    );
    let mut command = fingerpost();
    command.arg("serve").arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    command.args(["--listen", "127.0.0.1:0", "--no-admin"]);
    let server = Server::from_command(command);
    let begin = Instant::now();
    // More than the queue holds.
    for _ in 0..3_000 {
        assert_eq!(server.get("/01/09520123456788").status, 307);
    }
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    let begin = Instant::now();
    server.stop();
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
