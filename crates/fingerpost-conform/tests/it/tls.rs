//! The resolver of the tests over TLS, with HTTP/1.1 and HTTP/2, and certificates that a client
//! must not accept.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use fingerpost_conform::{ConformOptions, ConformReport, examine};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::resolver::{KEY, Resolver};
use crate::server::{Received, read};

/// A resolver over TLS, which runs until the tests end.
struct TlsServer {
    address: SocketAddr,
    /// The authority of the certificate, in PEM.
    authority: String,
    /// The number of requests.
    requests: Arc<AtomicUsize>,
}

impl TlsServer {
    /// Starts a resolver with a fault, for a certificate with these properties.
    fn start(fault: &'static str, change: impl FnOnce(&mut CertificateParams)) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
        let mut leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("an address");
        change(&mut leaf);
        let key = KeyPair::generate().expect("a key");
        let leaf = leaf.signed_by(&key, &authority).expect("a certificate");
        let secret = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], secret);
        let mut config = config.expect("a configuration");
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(serve(listener, config, fault, count));
        });
        Self { address, authority: authority.pem(), requests }
    }

    fn report(&self, options: ConformOptions) -> ConformReport {
        let uris = ["", "/10/LOT1"].map(|rest| format!("https://{}{KEY}{rest}", self.address));
        let timeout = Duration::from_secs(20);
        examine(&uris, ConformOptions { rate: 0, timeout, ..options }).expect("a report")
    }

    /// The options of a client that trusts the authority.
    fn trusting(&self) -> ConformOptions {
        let authorities = Some(self.authority.clone().into_bytes());
        ConformOptions { authorities, ..ConformOptions::default() }
    }
}

async fn serve(
    listener: TcpListener,
    config: ServerConfig,
    fault: &'static str,
    requests: Arc<AtomicUsize>,
) {
    listener.set_nonblocking(true).expect("not blocking");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    while let Ok((stream, _)) = listener.accept().await {
        // A client that refuses the certificate ends the handshake.
        if let Ok(stream) = acceptor.accept(stream).await {
            let resolver = Resolver { fault };
            match stream.get_ref().1.alpn_protocol() {
                Some(b"h2") => over_http2(stream, &resolver, &requests).await,
                _ => over_http1(stream, &resolver, &requests).await,
            }
        }
    }
}

async fn over_http1(mut stream: TlsStream<TcpStream>, resolver: &Resolver, requests: &AtomicUsize) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    requests.fetch_add(1, Ordering::SeqCst);
    let request = read(&head[..]).expect("a request");
    let mut answer = Vec::new();
    resolver.answer(&request).write(request.method != "HEAD", &mut answer);
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
}

async fn over_http2(stream: TlsStream<TcpStream>, resolver: &Resolver, requests: &AtomicUsize) {
    // A client that only looks at the handshake sends nothing.
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        requests.fetch_add(1, Ordering::SeqCst);
        let uri = request.uri();
        let target = uri.path_and_query().expect("a path").as_str();
        let mut received =
            Received::get(target, &[("host", uri.authority().expect("a host").as_str())]);
        received.method = request.method().to_string();
        for (name, value) in request.headers() {
            received.headers.push((name.to_string(), value.to_str().expect("text").to_owned()));
        }
        let mut reply = resolver.answer(&received);
        match resolver.fault {
            "h2-404" => reply.status = 404,
            "h2-without-link" => reply.set("link", None),
            "h2-endless" => reply.body = "x".repeat(3 << 20),
            _ => {}
        }
        let mut response = http::Response::builder().status(reply.status);
        for (name, value) in &reply.headers {
            response = response.header(*name, value);
        }
        let has_body = received.method != "HEAD" && !reply.body.is_empty();
        let head = response.body(()).expect("a response");
        let mut body = respond.send_response(head, !has_body).expect("a stream");
        if has_body {
            let _ = body.send_data(Bytes::from(reply.body), true);
        }
    }
}

/// Returns the checks with a result, each with what was found.
fn with_result(report: &ConformReport, result: &str) -> Vec<String> {
    let those = report.results.iter().filter(|it| it.judgement.as_str() == result);
    those.map(|it| format!("{}: {}", it.check.id, it.judgement.detail())).collect()
}

/// RES-2.2-1, RES-2.2-4: an authority of the user, and the same answers in both versions of HTTP.
#[test]
fn a_resolver_over_tls_passes_every_check() {
    let server = TlsServer::start("", |_| {});
    let report = server.report(server.trusting());
    assert_eq!(with_result(&report, "fail"), Vec::<String>::new());
    for id in ["transport-https", "certificate-host", "http2-answers"] {
        let result = report.results.iter().find(|it| it.check.id == id).expect("a check");
        assert_eq!(result.judgement.as_str(), "pass", "{id}");
    }
}

/// Each fault of a certificate, and of HTTP/2, is found by its check alone.
#[test]
fn each_fault_of_tls_is_found_by_its_check_alone() {
    let expired = TlsServer::start("", |leaf| leaf.not_after = date_time_ymd(2020, 1, 1));
    let early = TlsServer::start("", |leaf| leaf.not_before = date_time_ymd(2999, 1, 1));
    let host = TlsServer::start("", |leaf| {
        *leaf = CertificateParams::new(vec!["id.example.org".to_owned()]).expect("a name");
    });
    let h2 = TlsServer::start("h2-404", |_| {});
    let link = TlsServer::start("h2-without-link", |_| {});
    let endless = TlsServer::start("h2-endless", |_| {});
    for (server, check, found) in [
        (&expired, "certificate-validity", "expired"),
        (&early, "certificate-validity", "not valid yet"),
        (&host, "certificate-host", "id.example.org"),
        (&h2, "http2-answers", "status 404, over HTTP/1.1 307"),
        (&link, "http2-answers", "link "),
        (&endless, "http2-answers", "the body is longer"),
    ] {
        let failed = with_result(&server.report(server.trusting()), "fail");
        assert!(failed.len() == 1 && failed[0].starts_with(&format!("{check}: ")), "{failed:#?}");
        assert!(failed[0].contains(found), "{failed:#?}");
    }
    // An authority that is not trusted.
    let options = ConformOptions {
        authorities: Some(expired.authority.clone().into_bytes()),
        ..ConformOptions::default()
    };
    let failed = with_result(&h2.report(options), "fail");
    assert!(failed.len() == 1 && failed[0].starts_with("certificate-authority: "), "{failed:#?}");
}

/// Header fields of the user, which can be secret, are not sent to a server that is not the right
/// one.
#[test]
fn no_header_of_the_user_is_sent_in_spite_of_an_invalid_certificate() {
    let server = TlsServer::start("", |leaf| leaf.not_after = date_time_ymd(2020, 1, 1));
    let headers = vec![("authorization".to_owned(), "Bearer secret".to_owned())];
    let report = server.report(ConformOptions { headers, ..server.trusting() });
    assert!(!with_result(&report, "fail").is_empty());
    assert_eq!(server.requests.load(Ordering::SeqCst), 0);
}

#[test]
fn a_server_that_never_ends_the_handshake_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let uris = [format!("https://{address}{KEY}")];
    let timeout = Duration::from_millis(200);
    let options = ConformOptions { rate: 0, timeout, ..ConformOptions::default() };
    let failed = with_result(&examine(&uris, options).expect("a report"), "fail");
    assert!(failed.iter().any(|it| it.starts_with("transport-https: no answer")), "{failed:#?}");
}
