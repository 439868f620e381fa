//! Clients that take more than their part: connections, bytes that they do not read, time.

use crate::support;

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use fingerpost_testkit::{Ask, PATIENCE};
use socket2::{Domain, Socket, Type};
use support::{BOTH, Client, Running, Unread, Version, standard_store};

const GTIN: &str = "/01/09520123456788";

/// A page, of some KiB.
fn page() -> Ask {
    Ask::get("/01/09520123456788?linkType=linkset").header("Accept", "text/html")
}

/// A connection from this address of the loopback network.
fn connect_from(address: [u8; 4], server: &Running) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let from = (IpAddr::from(Ipv4Addr::from(address)), 0);
    socket.bind(&std::net::SocketAddr::from(from).into()).expect("an address of this machine");
    socket.connect(&server.address.into()).expect("a connection");
    socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    socket.into()
}

/// Sends a request and returns the status of the answer; `None` if the connection was closed.
fn status(stream: &mut TcpStream, target: &str) -> Option<u16> {
    stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).ok()?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("a head is text");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
    stream.read_exact(&mut body).ok()?;
    head.split(' ').nth(1)?.parse().ok()
}

/// Whether the server closes the connection soon.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn the_longest_idle_connection_makes_room() {
    let server = Running::start("[limits]\nmax_connections = 3", standard_store());
    let [mut first, mut second, mut third] = [(); 3].map(|()| {
        let mut stream = server.raw();
        assert_eq!(status(&mut stream, GTIN), Some(307));
        // The clock of connections ticks four times a second.
        std::thread::sleep(Duration::from_millis(600));
        stream
    });
    // The oldest one is used again, so it is not idle longest.
    assert_eq!(status(&mut first, GTIN), Some(307));
    let mut newcomer = server.raw();
    assert_eq!(status(&mut newcomer, GTIN), Some(307));
    assert!(is_closed(&mut second));
    for kept in [&mut newcomer, &mut first, &mut third] {
        assert_eq!(status(kept, GTIN), Some(307));
    }
}

#[test]
fn holding_all_slots_shuts_nobody_out() {
    let server = Running::start("[limits]\nmax_connections = 50", standard_store());
    // Idle; with half a head; and silent.
    let mut hostile: Vec<_> = (0..50).map(|_| server.raw()).collect();
    for (at, stream) in hostile.iter_mut().enumerate() {
        match at % 3 {
            0 => assert_eq!(status(stream, GTIN), Some(307)),
            1 => stream.write_all(b"GET /01/0952").expect("sent"),
            _ => {}
        }
    }
    for version in BOTH {
        for _ in 0..20 {
            assert_eq!(server.client(version).get(GTIN).status, 307, "{version:?}");
        }
    }
}

#[test]
fn a_client_network_has_its_own_limit() {
    let server = Running::start("[limits]\nmax_connections_per_network = 2", standard_store());
    let [mut other, mut first, mut second, mut third] = [2, 1, 1, 1].map(|last| {
        let mut stream = connect_from([127, 0, 0, last], &server);
        assert_eq!(status(&mut stream, GTIN), Some(307));
        std::thread::sleep(Duration::from_millis(600));
        stream
    });
    assert!(is_closed(&mut first));
    for kept in [&mut other, &mut second, &mut third] {
        assert_eq!(status(kept, GTIN), Some(307), "others keep their connections");
    }
    let wide = "[limits]\nmax_connections_per_network = 1\nipv4_network = 24";
    let server = Running::start(wide, standard_store());
    let mut first = connect_from([127, 0, 0, 1], &server);
    assert_eq!(status(&mut first, GTIN), Some(307));
    // Refused as long as the server has not noticed the end of the first answer.
    let start = Instant::now();
    while status(&mut connect_from([127, 0, 0, 2], &server), GTIN) != Some(307) {
        assert!(start.elapsed() < PATIENCE, "never admitted");
    }
    assert!(is_closed(&mut first), "the same network of 24 bits");
}

#[test]
fn a_trusted_proxy_stands_for_many_clients() {
    let server = Running::start(
        "trusted_proxies = \"127.0.0.2\"\n[limits]\nmax_connections_per_network = 2",
        standard_store(),
    );
    let mut proxied: Vec<_> = (0..10).map(|_| connect_from([127, 0, 0, 2], &server)).collect();
    for stream in &mut proxied {
        assert_eq!(status(stream, GTIN), Some(307));
    }
}

#[test]
fn answers_that_are_not_read_have_a_deadline() {
    let server = Running::start(
        "[limits]\nresponse_timeout = \"3s\"\nidle_timeout = \"60s\"",
        standard_store(),
    );
    // With window 0, no body can be sent. Requests go on, which are no sign of reading.
    let unread = Unread::connect(server.address);
    assert_eq!(unread.ask(&page()).map(|(status, _)| status), Ok(200));
    let start = Instant::now();
    while unread.ask(&Ask::get(GTIN)).is_ok() {
        assert!(start.elapsed() < PATIENCE, "still open");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn a_connection_holds_no_more_than_it_may() {
    let length =
        Running::start("", standard_store()).client(Version::Http2).send(&page()).body.len();
    let toml = format!("[limits]\nmax_unsent_bytes_per_connection = {}", 4 * length);
    let server = Running::start(&toml, standard_store());
    let unread = Unread::connect(server.address);
    let answers: Vec<_> = (0..20).map(|_| unread.ask(&page()).expect("an answer")).collect();
    assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 4);
    for (status, retry_after) in &answers[4..] {
        assert_eq!((*status, retry_after.as_deref()), (503, Some("5")));
    }
    assert_eq!(unread.ask(&Ask::get(GTIN)), Ok((307, None)), "what has no body is answered");
    assert_eq!(server.client(Version::Http2).send(&page()).status, 200, "others are not affected");
}

#[test]
fn all_connections_together_hold_no_more_than_they_may() {
    let length =
        Running::start("", standard_store()).client(Version::Http2).send(&page()).body.len();
    let total = (40 * length).max(1 << 16);
    let toml = format!("[limits]\nmax_unsent_bytes = {total}");
    let server = Running::start(&toml, standard_store());
    let hostile: Vec<_> = (0..20).map(|_| Unread::connect(server.address)).collect();
    let mut held = 0;
    for _ in 0..20 {
        for unread in &hostile {
            let (status, _) = unread.ask(&page()).expect("an answer");
            held += if status == 200 { length } else { 0 };
        }
    }
    assert!(held <= total && held > total / 2, "{held} of {total}");
    for version in BOTH {
        assert_eq!(server.client(version).get(GTIN).status, 307, "{version:?}");
    }
    // What nobody waits for any more is given back.
    drop(hostile);
    let start = Instant::now();
    while server.client(Version::Http1).send(&page()).status != 200 {
        assert!(start.elapsed() < PATIENCE, "not given back");
    }
}

#[test]
fn a_body_that_nobody_wants_holds_nothing() {
    let server = Running::start("", standard_store());
    let mut slow = server.raw();
    let head = format!("POST {GTIN} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx");
    slow.write_all(head.as_bytes()).expect("sent");
    let mut said = String::new();
    slow.read_to_string(&mut said).expect("an answer, then the end, without the rest of the body");
    assert!(said.starts_with("HTTP/1.1 405"), "{said}");
}

#[test]
fn requests_taken_back_again_and_again_end_the_connection() {
    let server = Running::start("", standard_store());
    let mut stream = server.raw();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").expect("sent");
    let mut storm = Vec::new();
    for id in (1..4001_u32).step_by(2) {
        // HEADERS that end the stream: GET http / with the authority x; then RST_STREAM, CANCEL.
        storm.extend_from_slice(b"\0\0\x06\x01\x05");
        storm.extend_from_slice(&id.to_be_bytes());
        storm.extend_from_slice(b"\x82\x86\x84\x41\x01x");
        storm.extend_from_slice(b"\0\0\x04\x03\0");
        storm.extend_from_slice(&id.to_be_bytes());
        storm.extend_from_slice(&8_u32.to_be_bytes());
    }
    let _ = stream.write_all(&storm);
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    // GOAWAY (7) with ENHANCE_YOUR_CALM (11).
    let mut frames = &said[..];
    let mut goaway = None;
    while let [a, b, c, kind, _, _, _, _, _, rest @ ..] = frames {
        let (payload, next) = rest.split_at(u32::from_be_bytes([0, *a, *b, *c]) as usize);
        if *kind == 7 {
            goaway = Some(payload[7]);
        }
        frames = next;
    }
    assert_eq!(goaway, Some(11));
    assert_eq!(server.client(Version::Http2).get(GTIN).status, 307);
}

#[test]
fn load_balancers_have_time_to_notice_the_end() {
    const DRAIN: Duration = Duration::from_secs(12);
    let server = Running::start_with(
        "",
        standard_store(),
        &fingerpost_http::Shutdown::new().drain_for(DRAIN),
    );
    let mut client = server.client(Version::Http1);
    assert_eq!(client.get("/ready").status, 200);
    let start = Instant::now();
    server.shutdown.begin();
    let answer = loop {
        let answer = client.get("/ready");
        if answer.status != 200 {
            break answer;
        }
        assert!(start.elapsed() < DRAIN, "still ready");
    };
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after").as_deref(), Some("5"));
    // Everything else goes on, for new clients, too.
    for version in BOTH {
        let mut newcomer = Client::connect(server.address, None, version).expect("a connection");
        assert_eq!(newcomer.get(GTIN).status, 307);
        assert_eq!(newcomer.get("/health").status, 200);
    }
    assert!(start.elapsed() < DRAIN, "too slow to tell");
    server.ended();
    assert!(start.elapsed() >= DRAIN, "{:?}", start.elapsed());
}

#[test]
fn https_is_demanded_only_if_configured_and_only_over_tls() {
    let toml = "resolver_root = \"https://id.example.org\"\ntls_self_signed = true\n\
                http_redirect_listen = \"127.0.0.1:0\"";
    const POLICY: &str = "strict-transport-security";
    let server = Running::start(toml, standard_store());
    assert_eq!(server.client(Version::Http2).get(GTIN).header(POLICY), None);
    let server = Running::start(&format!("{toml}\nhsts_max_age = \"24h\""), standard_store());
    for version in BOTH {
        let mut client = server.client(version);
        for ask in [Ask::get(GTIN), page(), Ask::get("/01/1"), Ask::get("/health")] {
            let answer = client.send(&ask);
            assert_eq!(answer.header(POLICY).as_deref(), Some("max-age=86400"), "{}", ask.target);
        }
    }
    let plain = server.redirect_address.expect("a plain listener");
    let mut client = Client::connect(plain, None, Version::Http1).expect("a connection");
    assert_eq!(client.get(GTIN).header(POLICY), None, "RFC 6797 section 7.2");
    let error =
        |text: &str| fingerpost_public::Config::from_toml(text).expect_err(text).to_string();
    assert!(error("hsts_max_age = \"24h\"").contains("expected TLS"));
    // Subdomains and preload lists are asked for explicitly, and only as browsers accept it.
    let wider = format!("{toml}\nhsts_max_age = \"8760h\"\nhsts_include_subdomains = true");
    for (text, expected) in [
        (wider.clone(), "max-age=31536000; includeSubDomains"),
        (format!("{wider}\nhsts_preload = true"), "max-age=31536000; includeSubDomains; preload"),
    ] {
        let config = fingerpost_public::Config::from_toml(&text).expect("valid");
        assert_eq!(config.hsts().and_then(|policy| policy.to_str().ok()), Some(expected));
    }
    for (wrong, told) in [
        ("hsts_include_subdomains = true", "expected hsts_max_age with it"),
        ("hsts_preload = true", "expected hsts_max_age with it"),
        ("hsts_max_age = \"8760h\"\nhsts_preload = true", "browsers preload nothing else"),
        (
            "hsts_max_age = \"24h\"\nhsts_include_subdomains = true\nhsts_preload = true",
            "browsers preload nothing else",
        ),
    ] {
        let found = error(&format!("{toml}\n{wrong}"));
        assert!(found.contains(told), "{found}");
    }
}
