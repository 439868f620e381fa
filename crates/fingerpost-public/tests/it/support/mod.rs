//! A server on a free port of 127.0.0.1 and clients of it, for the tests over sockets.

use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use bytes::Bytes;
use fingerpost_http::{ServeError, Shutdown};
use fingerpost_options::Document;
use fingerpost_public::{Config, Server};
use fingerpost_resolver::Rules;
use fingerpost_store::Store;
use fingerpost_testkit::{Answer, Ask, PATIENCE, UNHURRIED, all_cases, store_with};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;

/// A running server; told to stop and waited for when dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) redirect_address: Option<SocketAddr>,
    pub(crate) pem: Option<String>,
    pub(crate) shutdown: Shutdown,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Running {
    /// Serves a store with a configuration; `listen` and two threads are added.
    pub(crate) fn start(toml: &str, store: Store) -> Self {
        Self::start_with(toml, store, &Shutdown::new())
    }

    /// The same, stopped by this handle.
    pub(crate) fn start_with(toml: &str, store: Store, shutdown: &Shutdown) -> Self {
        let toml = format!("listen = \"127.0.0.1:0\"\nthreads = 2\n{toml}");
        let sections = Config::sections().map(|(_, section)| section);
        let mut document = Document::parse("configuration", &toml, &sections).expect("TOML");
        let (key, value) = UNHURRIED;
        document.overlay_flag("tests", key, value, &[]).expect("an option");
        let config = Config::read(&document).expect("a configuration");
        let server = Server::bind(config, store).expect("a free port");
        let shutdown = shutdown.clone();
        let (address, redirect_address) =
            (server.local_addrs()[0], server.redirect_addrs().first().copied());
        let pem = server.self_signed_pem().map(str::to_owned);
        let order = shutdown.clone();
        let thread = Some(std::thread::spawn(move || server.run(&order)));
        Self { address, redirect_address, pem, shutdown, thread }
    }

    /// Serves the data of the standard's own examples (T24) over TLS with a self-signed
    /// certificate.
    pub(crate) fn standard_over_tls() -> Self {
        Self::start(
            "resolver_root = \"https://id.example.org\"\ntls_self_signed = true",
            standard_store(),
        )
    }

    /// As [`Running::standard_over_tls`], with records of the company prefix, of any variant and of
    /// a range beside those of the product.
    pub(crate) fn mixed_over_tls() -> Self {
        Self::start(
            "resolver_root = \"https://id.example.org\"\ntls_self_signed = true",
            mixed_store(),
        )
    }

    /// Waits for the end after an order to stop.
    pub(crate) fn join(self) {
        self.shutdown.trigger();
        self.ended();
    }

    /// Waits for the end.
    pub(crate) fn ended(mut self) {
        self.thread
            .take()
            .expect("not joined yet")
            .join()
            .expect("no panic")
            .expect("an orderly end");
    }

    /// A plain connection for what no HTTP library would send.
    pub(crate) fn raw(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream
    }

    pub(crate) fn client(&self, version: Version) -> Client {
        Client::connect(self.address, self.pem.as_deref(), version).expect("a connection")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.trigger();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.expect("no panic").expect("an orderly end");
            }
        }
    }
}

/// What the case file stores for the standard's Table 2-4 and a lot of it.
pub(crate) fn standard_store() -> Store {
    standard_store_with(&[])
}

pub(crate) fn mixed_store() -> Store {
    let anchors =
        ["/gcp/9520123", "/01/09520123456788/-any/22", "/01/09520123456788/-range/21/3/100/199"];
    let record = |anchor| {
        let links = ["gs1:defaultLink", "gs1:pip", "gs1:hasRetailers", "gs1:traceability"].map(|link_type| {
            serde_json::json!({ "linkType": link_type, "href": "https://brand.example/all", "title": "All" })
        });
        serde_json::json!({ "anchor": anchor, "itemDescription": "All products", "links": links })
    };
    standard_store_with(&anchors.map(record))
}

fn standard_store_with(more: &[serde_json::Value]) -> Store {
    let cases = all_cases();
    let case = cases.iter().find(|case| case.id == "C-2.5.9-e").expect("the case with a lot");
    let config = Config::from_toml(&case.config_toml()).expect("the configuration of the case");
    let rules = Rules::new(config.vocabulary()).with_resolver_root(config.settings().root());
    store_with(&[&case.stored, more].concat(), &rules)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Http1,
    Http2,
}

pub(crate) const BOTH: [Version; 2] = [Version::Http1, Version::Http2];

/// A client on one connection.
pub(crate) struct Client {
    runtime: Runtime,
    sender: Sender,
}

enum Sender {
    Http1(http1::SendRequest<Empty<Bytes>>),
    Http2(http2::SendRequest<Empty<Bytes>>),
}

impl Client {
    /// Connects; over TLS if there is a certificate to trust, with only this version in ALPN.
    pub(crate) fn connect(
        address: SocketAddr,
        pem: Option<&str>,
        version: Version,
    ) -> Result<Self, String> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let sender = runtime.block_on(async {
            let stream =
                tokio::net::TcpStream::connect(address).await.map_err(|e| e.to_string())?;
            match pem {
                None => Sender::over(stream, version).await,
                Some(pem) => {
                    let name = ServerName::try_from("id.example.org").expect("a name");
                    let connector = TlsConnector::from(Arc::new(trusting(pem, version)));
                    let stream =
                        connector.connect(name, stream).await.map_err(|e| e.to_string())?;
                    let agreed = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
                    assert_eq!(agreed, Some(alpn(version)), "ALPN");
                    Sender::over(stream, version).await
                }
            }
        })?;
        Ok(Self { runtime, sender })
    }

    /// Whether the server has ended the connection.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn try_send(&mut self, ask: &Ask) -> Result<Answer, String> {
        let mut request = http::Request::builder().method(ask.method.as_str());
        request = match self.sender {
            Sender::Http1(_) => request.uri(&ask.target).header("Host", "id.example.org"),
            Sender::Http2(_) => request.uri(format!("https://id.example.org{}", ask.target)),
        };
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        let request = request.body(Empty::new()).map_err(|error| error.to_string())?;
        self.runtime.block_on(async {
            let response = match &mut self.sender {
                Sender::Http1(sender) => match sender.ready().await {
                    Ok(()) => sender.send_request(request).await,
                    Err(error) => Err(error),
                },
                Sender::Http2(sender) => sender.send_request(request).await,
            };
            let (parts, body) = response.map_err(|error| error.to_string())?.into_parts();
            let headers = parts.headers.iter().map(|(name, value)| {
                (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            });
            let headers = headers.collect();
            let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes().to_vec();
            Ok(Answer { status: parts.status.as_u16(), headers, body })
        })
    }

    pub(crate) fn send(&mut self, ask: &Ask) -> Answer {
        self.try_send(ask).unwrap_or_else(|error| panic!("{}: {error}", ask.target))
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.send(&Ask::get(target))
    }
}

/// A client on one HTTP/2 connection that lets no body through (window 0), and keeps its requests
/// open.
pub(crate) struct Unread {
    runtime: Runtime,
    sender: http2::SendRequest<Empty<Bytes>>,
    answers: Mutex<Vec<http::Response<hyper::body::Incoming>>>,
}

impl Unread {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let sender = runtime.block_on(async {
            let stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
            let handshake = http2::Builder::new(TokioExecutor::new())
                .initial_stream_window_size(0)
                .handshake(TokioIo::new(stream));
            let (sender, connection) = handshake.await.expect("HTTP/2");
            tokio::spawn(connection);
            sender
        });
        Self { runtime, sender, answers: Mutex::default() }
    }

    /// Sends a request; returns the status of the answer, and when to try again.
    pub(crate) fn ask(&self, ask: &Ask) -> Result<(u16, Option<String>), String> {
        let mut request = http::Request::get(format!("http://id.example.org{}", ask.target));
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        let request = request.body(Empty::new()).map_err(|error| error.to_string())?;
        let mut sender = self.sender.clone();
        let answer = self.runtime.block_on(sender.send_request(request));
        let answer = answer.map_err(|error| error.to_string())?;
        let retry_after = answer.headers().get(http::header::RETRY_AFTER);
        let retry_after = retry_after.map(|value| value.to_str().expect("text").to_owned());
        let status = answer.status().as_u16();
        self.answers.lock().expect("no panic").push(answer);
        Ok((status, retry_after))
    }
}

impl Sender {
    async fn over<T>(stream: T, version: Version) -> Result<Self, String>
    where
        T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let io = TokioIo::new(stream);
        match version {
            Version::Http1 => {
                let (sender, connection) = http1::handshake(io).await.map_err(|e| e.to_string())?;
                tokio::spawn(connection);
                Ok(Self::Http1(sender))
            }
            Version::Http2 => {
                let handshake = http2::handshake(TokioExecutor::new(), io).await;
                let (sender, connection) = handshake.map_err(|e| e.to_string())?;
                tokio::spawn(connection);
                Ok(Self::Http2(sender))
            }
        }
    }
}

fn alpn(version: Version) -> Vec<u8> {
    match version {
        Version::Http1 => b"http/1.1".to_vec(),
        Version::Http2 => b"h2".to_vec(),
    }
}

fn trusting(pem: &str, version: Version) -> rustls::ClientConfig {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(certificate.expect("PEM")).expect("a certificate");
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().expect("versions");
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![alpn(version)];
    config
}
