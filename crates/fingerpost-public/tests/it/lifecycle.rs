//! Starting, changing certificates, stopping.

use crate::support;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use fingerpost_public::{Config, Server};
use fingerpost_store::Store;
use fingerpost_testkit::{Ask, PATIENCE};
use support::{BOTH, Client, Running, Version, standard_store};

fn write_certificate(folder: &std::path::Path) -> String {
    let made = rcgen::generate_simple_self_signed(vec!["id.example.org".to_owned()])
        .expect("a certificate");
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    std::fs::write(folder.join("cert.pem"), made.cert.pem()).expect("written");
    made.cert.pem()
}

#[test]
fn certificates_are_read_again_when_they_change() {
    // RES-2.2-4
    let folder = tempfile::tempdir().expect("a folder");
    let old = write_certificate(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let toml = format!("tls_cert = {:?}\ntls_key = {:?}", path("cert.pem"), path("key.pem"));
    let server = Running::start(&toml, standard_store());
    let connect = |pem: &str, version| Client::connect(server.address, Some(pem), version);
    let mut kept = connect(&old, Version::Http2).expect("the first certificate");
    assert_eq!(kept.get("/health").status, 200);

    // A broken file changes nothing.
    std::fs::write(path("cert.pem"), "no certificate").expect("written");
    std::thread::sleep(Duration::from_secs(3));
    assert!(connect(&old, Version::Http1).is_ok());

    let new = write_certificate(folder.path());
    let start = Instant::now();
    while connect(&new, Version::Http1).is_err() {
        assert!(start.elapsed() < PATIENCE, "the new certificate is not used");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(connect(&old, Version::Http1).is_err());
    assert_eq!(kept.get("/health").status, 200, "open connections go on");
}

#[test]
fn wrong_certificates_stop_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    write_certificate(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("empty.pem"), "").expect("written");
    let other = rcgen::KeyPair::generate().expect("a key");
    std::fs::write(path("other.pem"), other.serialize_pem()).expect("written");
    for (cert, key, expected) in [
        ("cert.pem", "missing.pem", "cannot read"),
        ("empty.pem", "key.pem", "certificate chain"),
        ("cert.pem", "empty.pem", "private key"),
        ("cert.pem", "other.pem", "cannot use"),
    ] {
        let toml = format!(
            "listen = \"127.0.0.1:0\"\ntls_cert = {:?}\ntls_key = {:?}",
            path(cert),
            path(key)
        );
        let config = Config::from_toml(&toml).expect("a configuration");
        let error = Server::bind(config, Store::in_memory()).err().expect(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_second_server_on_the_same_address_is_refused() {
    let server = Running::start("", Store::in_memory());
    let toml = format!("listen = \"{}\"", server.address);
    let config = Config::from_toml(&toml).expect("a configuration");
    let error = Server::bind(config, Store::in_memory()).err().expect("in use").to_string();
    assert!(error.starts_with(&format!("cannot listen on {}", server.address)), "{error}");
}

#[test]
fn stopping_finishes_what_was_asked_and_takes_nothing_new() {
    let server = Running::start("", standard_store());
    let mut idle = BOTH.map(|version| server.client(version));
    for client in &mut idle {
        assert_eq!(client.get("/01/09520123456788").status, 307);
    }
    let silent = server.raw();
    let mut half = server.raw();
    half.write_all(b"GET /01/09520123456788 HTTP/1.1\r\nHost: x\r\n").expect("sent");
    std::thread::sleep(Duration::from_secs(2)); // it has been read by now
    let start = Instant::now();
    server.shutdown.trigger();
    std::thread::sleep(Duration::from_millis(300));
    // The request in progress gets its answer, and the connection ends with it.
    half.write_all(b"\r\n").expect("sent");
    let mut said = String::new();
    half.read_to_string(&mut said).expect("an answer, then the end");
    assert!(said.starts_with("HTTP/1.1 307"), "{said}");
    assert!(said.to_ascii_lowercase().contains("connection: close"), "{said}");
    for client in &mut idle {
        assert!(client.try_send(&Ask::get("/health")).is_err());
    }
    let address = server.address;
    server.join();
    assert!(start.elapsed() < Duration::from_secs(30), "nobody waited for idle connections");
    assert!(std::net::TcpStream::connect(address).is_err());
    drop(silent);
}

#[test]
fn the_grace_ends() {
    let server = Running::start(
        "[limits]\nshutdown_grace = \"1s\"\nheader_timeout = \"60s\"",
        standard_store(),
    );
    let mut half = server.raw();
    half.write_all(b"GET /01/0952").expect("sent");
    std::thread::sleep(Duration::from_secs(2)); // it has been read by now
    let start = Instant::now();
    server.join();
    let time = start.elapsed();
    assert!(time >= Duration::from_millis(900) && time < Duration::from_secs(40), "{time:?}");
}

#[test]
fn the_plain_listener_beside_tls_sends_to_https() {
    // RES-2.2-4
    let toml = "resolver_root = \"https://id.example.org\"\ntls_self_signed = true\n\
                http_redirect_listen = \"127.0.0.1:0\"";
    let server = Running::start(toml, standard_store());
    let plain = server.redirect_address.expect("a plain listener");
    let mut client = Client::connect(plain, None, Version::Http1).expect("a connection");
    let target = "/01/09520123456788/10/A%2FB?linkType=gs1:pip;x";
    let answer = client.get(target);
    assert_eq!(answer.status, 307);
    assert_eq!(answer.header("location"), Some(format!("https://id.example.org{target}")));
    assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some("*"));
    // The host that the client names has no say.
    let answer = client.send(&Ask::get("/x").header("X-Forwarded-Host", "evil.example"));
    assert_eq!(answer.header("location").as_deref(), Some("https://id.example.org/x"));
}

#[test]
fn http2_needs_no_tls() {
    let server = Running::start("", standard_store());
    let mut client = server.client(Version::Http2);
    assert_eq!(client.get("/01/09520123456788").status, 307);
    assert_eq!(client.get("/01/09520123456788/10/A%2FB").status, 307);
}

#[test]
fn requests_that_have_arrived_when_the_order_comes_are_answered() {
    let server = Running::start("", standard_store());
    let mut asked: Vec<_> = (0..20).map(|_| server.raw()).collect();
    for stream in &mut asked {
        stream.write_all(b"GET /01/09520123456788 HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
    }
    server.shutdown.trigger();
    for stream in &mut asked {
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("an answer, then the end");
        assert!(said.starts_with("HTTP/1.1 307"), "{said}");
    }
}

#[test]
fn http_1_1_wants_a_host_and_1_0_does_not() {
    let server = Running::start("", standard_store());
    for (request, expected) in [
        ("GET /01/09520123456788 HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 400"),
        ("GET /01/09520123456788 HTTP/1.0\r\n\r\n", "HTTP/1.0 307"),
        // The form that proxies use: the path counts, the host has no say.
        (
            "GET http://other.example/01/09520123456788 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 307",
        ),
    ] {
        let mut stream = server.raw();
        stream.write_all(request.as_bytes()).expect("sent");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("an answer");
        assert!(said.starts_with(expected), "{request:?}: {said}");
        assert!(said.contains("access-control-allow-origin: *"), "{said}");
    }
}
