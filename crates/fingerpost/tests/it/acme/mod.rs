//! Certificates by ACME (RFC 8555), from an authority by others (`pebble`): both challenges, what
//! is kept, renewal, and authorities that refuse or are away.

mod authority;

use crate::support;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fingerpost_testkit::{Ask, PATIENCE};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use authority::{Authority, BINDING_KEY, Habits, Running};
use support::{Sandbox, Server, fingerpost, record, run, send};

/// An installation with a certificate from an authority for these names.
struct Installation<'a> {
    authority: &'a Authority,
    sandbox: Sandbox,
}

impl<'a> Installation<'a> {
    /// `further` are lines of the table `acme`, with tables after it.
    fn new(authority: &'a Authority, names: &[&str], top: &str, further: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
        fs::set_permissions(sandbox.data(), fs::Permissions::from_mode(0o700)).unwrap();
        let (http, tls) = (authority.http, authority.tls);
        let (directory, root) = (authority.directory(), authority.root());
        let config = format!(
            "resolver_root = \"https://{first}\"\nlisten = \"127.0.0.1:{tls}\"\nhttp_redirect_listen = \"127.0.0.1:{http}\"\n\
             tls_acme = true\n{top}\n[limits]\nmax_connections = 50\n[acme]\nnames = {names:?}\nterms_agreed = true\n\
             contact = \"admin@example.org\"\ndirectory = {directory:?}\nroot = {root:?}\nretry_delay = \"1s\"\n{further}\n",
            first = names[0],
        );
        sandbox.write("fingerpost.toml", &config);
        Self { authority, sandbox }
    }

    fn start(&self, further: &[&str]) -> Server {
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(self.sandbox.data()).args(further);
        command
            .arg("--config")
            .arg(self.sandbox.path("fingerpost.toml"))
            .env("NO_PROXY", "127.0.0.1");
        let log = File::options().create(true).append(true).open(self.sandbox.path("log")).unwrap();
        Server::logging(command, Stdio::from(log))
    }

    fn log(&self) -> String {
        fs::read_to_string(self.sandbox.path("log")).unwrap()
    }

    /// Waits until a handshake under this name succeeds; returns the connection.
    #[track_caller]
    fn connected(&self, running: &Running, name: &str) -> Tls {
        let roots = running.roots();
        let connect = || connect(self.authority.tls, name, &roots, b"http/1.1").ok();
        wait(connect, || self.log())
    }

    fn doctor(&self) -> support::Run {
        let (data, config) = (self.sandbox.data(), self.sandbox.path("fingerpost.toml"));
        run([
            "doctor".as_ref(),
            "--data".as_ref(),
            data.as_os_str(),
            "--config".as_ref(),
            config.as_os_str(),
        ])
    }
}

/// Waits until something is there.
#[track_caller]
fn wait<T>(mut found: impl FnMut() -> Option<T>, log: impl Fn() -> String) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "it takes too long; the log: {}", log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A connection over which requests can follow one another.
struct Tls(StreamOwned<ClientConnection, TcpStream>);

impl Tls {
    fn leaf(&self) -> CertificateDer<'static> {
        self.0.conn.peer_certificates().expect("a handshake")[0].clone().into_owned()
    }

    /// Sends a request, and returns the head of the answer; the connection stays open.
    fn ask(&mut self, path: &str) -> String {
        let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n");
        self.0.write_all(head.as_bytes()).expect("the connection is open");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).expect("a head");
        let length = answer.to_lowercase().split("content-length: ").nth(1).map_or(0, |rest| {
            rest.split("\r\n").next().and_then(|length| length.parse().ok()).expect("a length")
        });
        self.0.read_exact(&mut vec![0; length]).expect("a body");
        answer
    }
}

/// Connects to this machine under a name, offering one protocol.
fn connect(
    port: u16,
    name: &str,
    roots: &Arc<RootCertStore>,
    protocol: &[u8],
) -> Result<Tls, std::io::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("versions").with_root_certificates(Arc::clone(roots));
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let mut connection = ClientConnection::new(Arc::new(config), name).expect("a client");
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    Ok(Tls(StreamOwned::new(connection, stream)))
}

#[test]
fn http_01_for_two_names_is_issued_kept_and_used_again() {
    let test = "http_01_for_two_names_is_issued_kept_and_used_again";
    let Some(authority) = Authority::new(test, &Habits::default()) else { return };
    let running = authority.start();
    let names = ["id.example.org", "www.example.org"];
    let top = "hsts_max_age = \"8760h\"\nhsts_include_subdomains = true\nhsts_preload = true";
    let installation = Installation::new(&authority, &names, top, "");
    let server = installation.start(&["--no-admin"]);
    let mut connection = installation.connected(&running, names[0]);
    assert_eq!(installation.connected(&running, names[1]).leaf(), connection.leaf());
    let answer = connection.ask("/01/09520123456788");
    assert!(answer.starts_with("HTTP/1.1 307"), "{answer}");
    let policy = "strict-transport-security: max-age=31536000; includesubdomains; preload\r\n";
    assert!(answer.to_lowercase().contains(policy), "{answer}");
    // Everything else on the plain listener is redirected, without the policy (RFC 6797 section
    // 7.2).
    for path in ["/01/09520123456788?a=b", "/.well-known/acme-challenge/abc"] {
        let answer = send(&format!("127.0.0.1:{}", authority.http), &Ask::get(path));
        assert_eq!(answer.status, 307, "{path}");
        assert_eq!(answer.header("location"), Some(format!("https://id.example.org{path}")));
        assert_eq!(answer.header("strict-transport-security"), None);
    }
    // Over TLS it is a path like any other, and no identifier.
    assert!(connection.ask("/.well-known/acme-challenge/abc").starts_with("HTTP/1.1 404"));
    // A certificate is in use before it is kept.
    let kept = installation.sandbox.data().join("acme/certificate.pem");
    wait(|| kept.exists().then_some(()), || installation.log());
    for (file, mode) in [("", 0o700), ("account.json", 0o600), ("certificate.pem", 0o600)] {
        let path = installation.sandbox.data().join("acme").join(file);
        assert_eq!(fs::metadata(&path).expect(file).permissions().mode() & 0o777, mode, "{file}");
    }
    let log = installation.log();
    assert!(log.contains("no certificate yet") && log.contains("account created"), "{log}");
    assert!(!log.contains("PRIVATE KEY"), "{log}");
    let doctor = installation.doctor();
    assert!(doctor.stdout.contains("good    automatic certificate: "), "{doctor:?}");
    let (leaf, account) = (connection.leaf(), account(&installation));
    drop(connection);
    server.stop();

    let server = installation.start(&["--no-admin"]);
    assert_eq!(installation.connected(&running, names[0]).leaf(), leaf, "the kept one");
    server.stop();
    assert_eq!((running.issued(), account == self::account(&installation)), (1, true));

    // Another name needs another certificate, by the same account; the old one is presented until
    // then.
    let file = installation.sandbox.path("fingerpost.toml");
    let config = fs::read_to_string(&file).unwrap();
    let config = config.replace("\"www.example.org\"", "\"shop.example.org\"");
    fs::write(&file, config).unwrap();
    let server = installation.start(&["--no-admin"]);
    assert_ne!(installation.connected(&running, "shop.example.org").leaf(), leaf);
    server.stop();
    assert_eq!((running.issued(), account == self::account(&installation)), (2, true));
}

/// The account at the authority.
fn account(installation: &Installation) -> String {
    fs::read_to_string(installation.sandbox.data().join("acme/account.json")).unwrap()
}

#[test]
fn tls_alpn_01_serves_both_listeners() {
    let test = "tls_alpn_01_serves_both_listeners";
    let Some(authority) = Authority::new(test, &Habits::default()) else { return };
    let running = authority.start();
    let names = ["id.example.org", "admin.example.org"];
    let admin = "challenge = \"tls-alpn-01\"\n[admin]\nlisten = \"127.0.0.1:0\"\ntls_acme = true";
    let installation = Installation::new(&authority, &names, "", admin);
    let mut server = installation.start(&[]);
    let lines = server.lines_until("admin listening on ");
    let url = lines.last().and_then(|line| line.strip_prefix("admin listening on https://"));
    let port: u16 = url.and_then(|url| url.rsplit(':').next()?.parse().ok()).expect("a port");
    let public = installation.connected(&running, names[0]);
    let roots = running.roots();
    let mut admin =
        wait(|| connect(port, names[1], &roots, b"http/1.1").ok(), || installation.log());
    assert_eq!(admin.leaf(), public.leaf());
    let answer = admin.ask("/health").to_lowercase();
    assert!(answer.contains("strict-transport-security: "), "{answer}");
    // Without a pending challenge, a handshake for one fails.
    let refused = connect(authority.tls, names[0], &roots, b"acme-tls/1");
    assert!(refused.is_err(), "no certificate for challenges is left");
    drop((public, admin));
    server.stop();
    assert_eq!(running.issued(), 1);
}

#[test]
fn renewal_drops_no_connection() {
    let habits = Habits { validity: 12, ..Habits::default() };
    let Some(authority) = Authority::new("renewal_drops_no_connection", &habits) else { return };
    let running = authority.start();
    let top = "[metrics]\nlisten = \"127.0.0.1:0\"";
    let installation = Installation::new(&authority, &["id.example.org"], top, "");
    let mut server = installation.start(&["--no-admin"]);
    let lines = server.lines_until("metrics at http://");
    let metrics = lines.last().and_then(|line| line.strip_prefix("metrics at http://"));
    let metrics = metrics.and_then(|url| url.strip_suffix("/metrics")).expect("an address");
    let mut connection = installation.connected(&running, "id.example.org");
    assert!(connection.ask("/health").starts_with("HTTP/1.1 200"));
    let (first, roots) = (connection.leaf(), running.roots());
    let renewed = || {
        let other = connect(authority.tls, "id.example.org", &roots, b"http/1.1").ok()?.leaf();
        (other != first).then_some(())
    };
    wait(renewed, || installation.log());
    assert!(connection.ask("/health").starts_with("HTTP/1.1 200"), "the connection is the same");
    assert_eq!(connection.leaf(), first);
    let told = send(metrics, &Ask::get("/metrics")).text();
    let value = |name: &str| -> f64 {
        let line = told
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{name}: {told}"));
        line.rsplit(' ').next().and_then(|value| value.parse().ok()).expect("a number")
    };
    assert!(value("fingerpost_certificate_orders_total{result=\"issued\"}") >= 2.0);
    assert_eq!(value("fingerpost_certificate_failed_orders"), 0.0);
    assert!(value("fingerpost_certificate_next_order_timestamp_seconds") > 1e9);
    let start = value("fingerpost_certificate_start_timestamp_seconds");
    assert!(1e9 < start && start < value("fingerpost_certificate_expiry_timestamp_seconds"));
    server.stop();
}

#[test]
fn an_authority_that_is_away_is_asked_until_it_is_back() {
    let test = "an_authority_that_is_away_is_asked_until_it_is_back";
    let Some(authority) = Authority::new(test, &Habits::default()) else { return };
    let installation = Installation::new(&authority, &["id.example.org"], "", "");
    let server = installation.start(&["--no-admin"]);
    wait(|| installation.log().contains("cannot be reached").then_some(()), || installation.log());
    // It serves what it can, and presents no other certificate.
    let nobody = Arc::new(RootCertStore::empty());
    let refused = connect(authority.tls, "id.example.org", &nobody, b"http/1.1");
    let refused = refused.err().expect("no handshake").to_string();
    assert!(refused.contains("alert"), "{refused}");
    let answer = send(&format!("127.0.0.1:{}", authority.http), &Ask::get("/01/09520123456788"));
    assert_eq!(answer.status, 307);
    let doctor = installation.doctor().expect_status(2);
    assert!(doctor.stdout.contains("fault   automatic certificate: there is none"), "{doctor:?}");
    assert!(doctor.stdout.contains("the last attempt failed at"), "{doctor:?}");
    let running = authority.start();
    installation.connected(&running, "id.example.org");
    server.stop();
    assert_eq!(running.issued(), 1);
}

#[test]
fn accounts_are_bound_and_refused_nonces_are_overcome() {
    let test = "accounts_are_bound_and_refused_nonces_are_overcome";
    let habits = Habits { nonces_refused: 20, binding: true, ..Habits::default() };
    let Some(authority) = Authority::new(test, &habits) else { return };
    let running = authority.start();
    let installation = Installation::new(&authority, &["id.example.org"], "", "");
    // Without a binding, the authority refuses.
    let server = installation.start(&["--no-admin"]);
    let refused = || installation.log().contains("externalAccountRequired").then_some(());
    wait(refused, || installation.log());
    server.stop();
    let key = installation.sandbox.write("eab", &format!("{BINDING_KEY}\n"));
    let further = format!("eab_kid = \"kid-1\"\neab_key_file = {key:?}");
    let installation = Installation::new(&authority, &["id.example.org"], "", &further);
    let server = installation.start(&["--no-admin"]);
    installation.connected(&running, "id.example.org");
    server.stop();
}

#[test]
fn a_name_that_leads_elsewhere_is_named() {
    let Some(authority) =
        Authority::new("a_name_that_leads_elsewhere_is_named", &Habits::default())
    else {
        return;
    };
    let _running = authority.start();
    let names = ["id.example.org", "www.lost.example"];
    let installation = Installation::new(&authority, &names, "", "");
    let server = installation.start(&["--no-admin"]);
    let told = "did not reach this server under its names: www.lost.example: ";
    wait(|| installation.log().contains(told).then_some(()), || installation.log());
    server.stop();
    let doctor = installation.doctor().expect_status(2);
    assert!(doctor.stdout.contains("www.lost.example: "), "{doctor:?}");
}

#[test]
fn the_terms_must_be_agreed() {
    let sandbox = Sandbox::new();
    let config = "tls_acme = true\nhttp_redirect_listen = \"127.0.0.1:0\"\n[acme]\nnames = \"id.example.org\"\n";
    let file = sandbox.write("fingerpost.toml", config);
    let data = sandbox.data();
    let run = run([
        "serve".as_ref(),
        "--data".as_ref(),
        data.as_os_str(),
        "--config".as_ref(),
        file.as_os_str(),
    ]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("agree to the terms of service"), "{run:?}");
}
