//! Connections that would hold a slot for nothing.

use crate::support;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use fingerpost_testkit::PATIENCE;
use socket2::{Domain, Socket, Type};
use support::{BOTH, Client, Running, Version, standard_store};

/// What the server said before it closed the connection, which it does within the time limit of
/// reading.
fn closed_after(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => said.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("not closed: {error}"),
        }
    }
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn slow_heads_are_cut_off() {
    let server = Running::start(
        "[limits]\nheader_timeout = \"1s\"\nidle_timeout = \"60s\"",
        standard_store(),
    );
    // Nothing at all; a part of the line; a drop every now and then; HTTP/2 that goes no further.
    let mut silent = server.raw();
    let mut half = server.raw();
    half.write_all(b"GET /01/0952012345").expect("sent");
    let mut preface = server.raw();
    preface.write_all(b"PRI * HTTP/2.0\r\n\r\nSM").expect("sent");
    let mut dripping = server.raw();
    dripping.set_read_timeout(Some(Duration::from_millis(200))).expect("a time limit");
    let start = Instant::now();
    for byte in b"GET /01/09520123456788 HTTP/1.1\r\nHost: x\r\nX-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".iter().cycle() {
        let mut buffer = [0; 64];
        match dripping.write_all(&[*byte]).and_then(|()| dripping.read(&mut buffer)) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
        assert!(start.elapsed() < PATIENCE, "still open");
    }
    for stream in [&mut silent, &mut half, &mut preface] {
        closed_after(stream);
    }
    // Others are served meanwhile and afterwards.
    assert_eq!(server.client(Version::Http1).get("/01/09520123456788").status, 307);
}

#[test]
fn idle_connections_are_closed_and_busy_ones_are_not() {
    let server = Running::start(
        "[limits]\nidle_timeout = \"4s\"\nheader_timeout = \"60s\"",
        standard_store(),
    );
    let mut clients = BOTH.map(|version| server.client(version));
    for _ in 0..6 {
        for client in &mut clients {
            assert_eq!(client.get("/01/09520123456788").status, 307);
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    let start = Instant::now();
    while !clients.iter().all(Client::is_closed) {
        assert!(start.elapsed() < PATIENCE, "still open");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn handshakes_have_a_time_limit() {
    let server = Running::start(
        "tls_self_signed = true\n[limits]\ntls_handshake_timeout = \"1s\"",
        standard_store(),
    );
    let mut silent = server.raw();
    assert_eq!(closed_after(&mut silent), "");
    // What is no TLS ends at once.
    let mut plain = server.raw();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
    closed_after(&mut plain);
    assert_eq!(server.client(Version::Http2).get("/health").status, 200);
}

#[test]
fn who_accepts_no_answer_is_cut_off() {
    let server = Running::start(
        "[limits]\nresponse_timeout = \"1s\"\nidle_timeout = \"60s\"",
        standard_store(),
    );
    // With a small buffer: the kernel would take megabytes for us first, at a pace of its own.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_recv_buffer_size(16 << 10).expect("a small buffer");
    socket.connect(&server.address.into()).expect("a connection");
    socket.set_nonblocking(true).expect("non-blocking");
    let mut stream = TcpStream::from(socket);
    let request =
        b"GET /01/09520123456788?linkType=linkset HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n";
    let start = Instant::now();
    // Ask without ever reading, until the answers have nowhere to go and the server gives up.
    let mut rest = &request[..];
    let ended = loop {
        match stream.write(rest) {
            Ok(taken) if taken < rest.len() => rest = &rest[taken..],
            Ok(_) => rest = request,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(_) => break true,
        }
        if start.elapsed() > PATIENCE {
            break false;
        }
    };
    assert!(ended, "still open");
}

#[test]
fn too_large_heads_get_an_answer() {
    let server = Running::start("", standard_store());
    for version in BOTH {
        let mut client = server.client(version);
        let long = format!("/01/09520123456788?q={}", "x".repeat(9000));
        let answer = client.get(&long);
        assert_eq!(answer.status, 414, "{version:?}");
        assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some("*"));
        let ask = fingerpost_testkit::Ask::get("/01/09520123456788")
            .header("X-Large", &"x".repeat(17_000));
        assert_eq!(client.send(&ask).status, 431, "{version:?}");
        assert_eq!(client.get("/01/09520123456788").status, 307, "{version:?}");
    }
    let mut endless = server.raw();
    let _ = endless.write_all(&[b'x'; 200_000]);
    let said = closed_after(&mut endless);
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
}
