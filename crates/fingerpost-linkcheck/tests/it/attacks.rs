//! Targets that try to lead the checker into private networks, to hold it, or to fill its memory.

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_http::AddressGuard;
use fingerpost_registry::{LinkFault, LinkState, TargetHealth};

use crate::support::*;

/// Failed, or undecided, for this reason.
fn fault(health: &TargetHealth) -> (LinkState, Option<LinkFault>) {
    (health.state, health.answer.fault)
}

const REFUSED: (LinkState, Option<LinkFault>) = (LinkState::Unchecked, Some(LinkFault::Address));

/// A server where no request may arrive, at an address that is not allowed.
fn trap() -> Site {
    Site::at([127, 0, 0, 3], |_, stream| say(stream, "200 OK"))
}

#[test]
fn private_addresses_are_refused_by_literal_name_and_redirect() {
    let trap = trap();
    let port = trap.address.port();
    let names = |name: &str| match name {
        "trap.example" => vec![IpAddr::from([127, 0, 0, 3])],
        "mapped.example" => vec!["::ffff:127.0.0.3".parse().unwrap()],
        "metadata.example" => vec![IpAddr::from([169, 254, 169, 254])],
        _ => vec![IpAddr::from([127, 0, 0, 1])],
    };
    let guard = || AddressGuard::new(vec!["127.0.0.1".parse().unwrap()]).with_names(names);
    let private = [
        format!("http://127.0.0.3:{port}/"),
        format!("http://2130706435:{port}/"), // the same in one number
        format!("http://0x7f.3:{port}/"),
        format!("http://[::ffff:7f00:3]:{port}/"),
        format!("http://trap.example:{port}/"),
        format!("http://mapped.example:{port}/"),
        "http://metadata.example/latest/meta-data/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
    ];
    for target in private {
        assert_eq!(fault(&health_with(&target, guard())), REFUSED, "{target}");
        let answer = format!("302 Found\r\nLocation: {target}");
        let site = Site::new(move |_, stream| say(stream, &answer));
        let health = health_with(&site.url("/"), guard());
        assert_eq!(fault(&health), REFUSED, "redirected to {target}");
        assert_eq!(health.answer.redirects, 1);
    }
    assert_eq!(trap.heads(), [""; 0]);
}

#[test]
fn a_name_whose_address_changes_after_the_first_request_is_refused() {
    let trap = trap();
    let port = trap.address.port();
    // The same port, at the address that is allowed.
    let _first =
        Site::listening(([127, 0, 0, 1], port).into(), |_, stream| say(stream, "404 Not Found"));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let guard = AddressGuard::new(vec!["127.0.0.1".parse().unwrap()]).with_names(move |_| {
        let last = if count.fetch_add(1, SeqCst) == 0 { 1 } else { 3 };
        vec![IpAddr::from([127, 0, 0, last])]
    });
    let health = health_with(&format!("http://rebinding.example:{port}/"), guard);
    assert_eq!(fault(&health), REFUSED);
    assert!(asked.load(SeqCst) >= 2, "each connection resolves the name again");
    assert_eq!(trap.heads(), [""; 0]);
}

#[test]
fn of_several_addresses_only_those_allowed_are_tried() {
    let site = Site::fixed(&[("HEAD /", "200 OK")]);
    let guard = AddressGuard::new(vec!["127.0.0.1".parse().unwrap()])
        .with_names(|_| vec![IpAddr::from([127, 0, 0, 3]), IpAddr::from([127, 0, 0, 1])]);
    assert_eq!(health_with(&site.url("/"), guard).state, LinkState::Ok);
}

#[test]
fn endless_bodies_are_not_read() {
    let site = Site::new(|line, stream| {
        let is_head = line.starts_with("HEAD");
        let status = if is_head { "405 Method Not Allowed" } else { "200 OK" };
        let _ = write!(stream, "HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n");
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        while !is_head && stream.write_all(chunk.as_bytes()).is_ok() {}
    });
    let started = Instant::now();
    let health = health(&site.url("/"));
    assert_eq!((health.state, health.answer.status), (LinkState::Ok, Some(200)));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn a_body_that_trickles_holds_the_checker_for_its_time_limit() {
    let site = Site::new(|line, stream| {
        if !line.ends_with("/robots.txt") {
            return say(stream, "200 OK");
        }
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while stream.write_all(b"#").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let started = Instant::now();
    let health = health_by(&checker(&impatient(), guard()), &site.url("/"));
    assert_eq!(health.state, LinkState::Ok);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn slow_heads_end_at_the_time_limit() {
    let site = Site::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let started = Instant::now();
    let health = health_by(&checker(&impatient(), guard()), &site.url("/"));
    assert_eq!(fault(&health), (LinkState::Failing, Some(LinkFault::Timeout)));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn heads_that_are_too_large_are_refused() {
    let one = |stream: &mut std::net::TcpStream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nX-Large: ");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    };
    let many = |stream: &mut std::net::TcpStream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X: y\r\n").is_ok() {}
    };
    for site in [Site::new(move |_, stream| one(stream)), Site::new(move |_, stream| many(stream))]
    {
        let found = fault(&health(&site.url("/")));
        assert_eq!(found, (LinkState::Failing, Some(LinkFault::Answer)));
    }
}

#[test]
fn redirect_loops_and_long_chains_end() {
    let site = Site::new(|line, stream| {
        let path = line.split(' ').nth(1).unwrap_or_default();
        let next = match path {
            "/a" => "/b#x".to_owned(),
            "/b" => "/a".to_owned(),
            "/self" => "/self#again".to_owned(),
            "/file" => "file:///etc/passwd".to_owned(),
            "/password" => "http://a:b@site.example/".to_owned(),
            "/long" => format!("/{}", "x".repeat(9_000)),
            "/none" => return say(stream, "302 Found"),
            path => format!("{path}x"),
        };
        say(stream, &format!("302 Found\r\nLocation: {next}"));
    });
    for (path, expected) in [
        ("/a", LinkFault::Loop),
        ("/self", LinkFault::Loop),
        ("/file", LinkFault::Redirect),
        ("/password", LinkFault::Redirect),
        ("/long", LinkFault::Redirect),
        ("/none", LinkFault::Redirect),
        ("/x", LinkFault::Redirects),
    ] {
        assert_eq!(fault(&health(&site.url(path))), (LinkState::Failing, Some(expected)), "{path}");
    }
    let chain = site.requests().iter().filter(|line| line.starts_with("HEAD /x")).count();
    assert_eq!(chain, 11, "ten redirects are followed");
}

#[test]
fn this_server_is_not_requested() {
    let own = Site::fixed(&[("HEAD /", "200 OK"), ("HEAD /01/09506000134352", "200 OK")]);
    let port = own.address.port();
    // By the address of a listener, also with a name, whatever address it is bound to.
    for listener in [format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}"), format!("[::]:{port}")]
    {
        let guard = guard().refusing(vec![listener.parse().unwrap()]);
        assert_eq!(fault(&health_with(&own.url("/"), guard)), REFUSED, "{listener}");
    }
    // By the address that printed codes carry: its Digital Links, and nothing else.
    let link = format!("{ROOT}/01/09506000134345");
    let answer = format!("302 Found\r\nLocation: {link}");
    let site = Site::new(move |_, stream| say(stream, &answer));
    let back = health(&site.url("/"));
    assert_eq!(fault(&back), (LinkState::Failing, Some(LinkFault::OwnServer)));
    let direct = health(&link);
    assert_eq!(fault(&direct), (LinkState::Unchecked, Some(LinkFault::OwnServer)));
    assert_ne!(health(&format!("{ROOT}/about")).answer.fault, Some(LinkFault::OwnServer));
    assert_eq!(own.heads(), [""; 0]);
}

mod tls {
    use std::io::Read;
    use std::net::{TcpListener, TcpStream};
    use std::sync::Arc;
    use std::{fs, thread};

    use fingerpost_registry::{LinkFault, LinkState};
    use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    use rustls::{ServerConfig, ServerConnection, StreamOwned};

    use crate::support::*;

    /// A server with a certificate for a name; returns its port and the certificate in PEM.
    fn server(name: &str, year: i32) -> (u16, String) {
        let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let pem = certificate.pem();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
            )
            .unwrap();
        let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let config = Arc::clone(&config);
                thread::spawn(move || answer(stream, config));
            }
        });
        (port, pem)
    }

    fn answer(stream: TcpStream, config: Arc<ServerConfig>) {
        use std::io::{Read, Write};
        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
        let mut head = [0; 4096];
        if stream.read(&mut head).is_ok() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.flush();
        }
    }

    #[test]
    fn certificates_are_verified_and_their_end_is_noted() {
        let dir = tempfile::tempdir().unwrap();
        for (name, year, is_trusted, state) in [
            ("site.example", 2099, true, LinkState::Ok),
            ("site.example", 2099, false, LinkState::Failing),
            ("other.example", 2099, true, LinkState::Failing),
            ("site.example", 2021, true, LinkState::Failing),
        ] {
            let (port, pem) = server(name, year);
            let file = dir.path().join("authority.pem");
            fs::write(&file, pem).unwrap();
            let mut options = options();
            options.ca_file = is_trusted.then_some(file);
            let registry = registry();
            put(&registry, "/01/09506000134352", &[&format!("https://site.example:{port}/")]);
            check(&registry, &checker(&options, guard()));
            let health = links(&registry, false).remove(0).links.remove(0).health.unwrap();
            assert_eq!(health.state, state, "{name} {year} {is_trusted}: {:?}", health.answer);
            if state == LinkState::Ok {
                let ends = health.answer.certificate_ends.unwrap().to_string();
                assert_eq!(ends, "2099-01-01T00:00:00Z");
            } else {
                assert_eq!(health.answer.fault, Some(LinkFault::Tls));
            }
        }
    }

    #[test]
    fn a_server_without_tls_is_no_https() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                // A server that closes with bytes unread resets the connection, and the answer may
                // be lost.
                let _ = stream.read(&mut [0; 4096]);
                say(&mut stream, "400 Bad Request");
            }
        });
        let health = health(&format!("https://site.example:{port}/"));
        assert_eq!(health.answer.fault, Some(LinkFault::Tls));
    }
}
