//! Requests to hosts that somebody else chose: one HTTP/1.1 exchange on a connection of its own,
//! behind the [address guard](AddressGuard), with limits of time and size. Redirects are not
//! followed: the caller sends the next request, which the guard checks again.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::HOST;
use http::response::Parts;
use http::{HeaderValue, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use jiff::Timestamp;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::certificate::Validity;
use crate::limits::{MAX_ANSWER_FIELDS, MAX_ANSWER_HEAD, NAME_THREADS, OUTGOING_CONNECT_TIME};
use crate::{AddressGuard, TlsError};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum OutgoingError {
    /// The address is not one that can be requested.
    #[error("the address is not an HTTP address with a host")]
    Address,
    /// The name cannot be resolved.
    #[error("the name {host} cannot be resolved: {error}")]
    Name {
        /// The name.
        host: String,
        /// What the resolver says.
        error: io::Error,
    },
    /// The guard permits none of the addresses of the host.
    #[error("the addresses of {0} are in networks that are not allowed")]
    Refused(String),
    /// There is no connection.
    #[error("cannot connect: {0}")]
    Connect(io::Error),
    /// TLS failed, most often because of the certificate.
    #[error("TLS failed: {0}")]
    Tls(io::Error),
    /// The answer is not HTTP, or too large.
    #[error("the answer cannot be read: {0}")]
    Answer(hyper::Error),
    /// The answer did not arrive in time.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
}

/// Sends requests.
#[derive(Clone)]
pub struct Outgoing {
    guard: AddressGuard,
    tls: TlsConnector,
    limit: Duration,
}

/// An answer whose body has not been read. Dropping it closes the connection.
pub struct OutgoingAnswer {
    /// Status and header fields.
    pub head: Parts,
    /// When the certificate of the server ends; `None` without TLS.
    pub certificate_ends: Option<Timestamp>,
    body: Incoming,
    _connection: Connection,
}

/// The task that moves the bytes of a connection.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Outgoing {
    /// Creates a client with a time limit for the head of each answer. It trusts the authorities
    /// of this machine, and those of a file in PEM form.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or TLS cannot be set up.
    pub fn new(
        guard: AddressGuard,
        limit: Duration,
        ca_file: Option<&Path>,
    ) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(path) = ca_file {
            let text = fs::read(path)
                .map_err(|error| TlsError::Unreadable { path: path.to_owned(), error })?;
            let added = CertificateDer::pem_slice_iter(&text);
            roots.add_parsable_certificates(added.filter_map(Result::ok));
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { guard, tls: TlsConnector::from(Arc::new(config)), limit })
    }

    /// Creates a runtime for requests: one thread, and few for resolving names.
    ///
    /// # Errors
    ///
    /// If the operating system gives no thread or descriptors.
    pub fn runtime() -> io::Result<Runtime> {
        Builder::new_current_thread().enable_all().max_blocking_threads(NAME_THREADS).build()
    }

    /// Sends a request with an absolute address; returns the head of the answer as soon as it has
    /// arrived. Must be called in a Tokio runtime.
    ///
    /// # Errors
    ///
    /// If there is no answer within the time limit, see [`OutgoingError`].
    pub async fn send(&self, request: Request<Bytes>) -> Result<OutgoingAnswer, OutgoingError> {
        let sent = timeout(self.limit, self.exchange(request)).await;
        sent.unwrap_or(Err(OutgoingError::Timeout(self.limit)))
    }

    async fn exchange(&self, request: Request<Bytes>) -> Result<OutgoingAnswer, OutgoingError> {
        let uri = request.uri().clone();
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(OutgoingError::Address),
        };
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(OutgoingError::Address)?;
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let found = self.guard.resolve(host, port).await;
        let addresses =
            found.map_err(|error| OutgoingError::Name { host: host.to_owned(), error })?;
        let stream = connect(&addresses, host).await?;
        if !is_tls {
            return over(stream, request, None).await;
        }
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name).map_err(|_| OutgoingError::Address)?;
        let stream = self.tls.connect(name, stream).await.map_err(OutgoingError::Tls)?;
        let leaf = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
        let ends = leaf.and_then(|leaf| Validity::of(leaf)).map(|validity| validity.not_after);
        over(stream, request, ends).await
    }
}

/// Connects to the first address that accepts.
async fn connect(addresses: &[SocketAddr], host: &str) -> Result<TcpStream, OutgoingError> {
    let mut last = OutgoingError::Refused(host.to_owned());
    for address in addresses {
        last = match timeout(OUTGOING_CONNECT_TIME, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => OutgoingError::Connect(error),
            Err(_) => OutgoingError::Timeout(OUTGOING_CONNECT_TIME),
        };
    }
    Err(last)
}

async fn over(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Bytes>,
    certificate_ends: Option<Timestamp>,
) -> Result<OutgoingAnswer, OutgoingError> {
    let (mut parts, body) = request.into_parts();
    let authority = parts.uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = HeaderValue::from_str(host).map_err(|_| OutgoingError::Address)?;
    parts.headers.insert(HOST, host);
    let path = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    parts.uri = path.parse::<Uri>().map_err(|_| OutgoingError::Address)?;
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_ANSWER_HEAD).max_headers(MAX_ANSWER_FIELDS);
    let shaken = builder.handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await;
    let (mut sender, connection) = shaken.map_err(OutgoingError::Answer)?;
    let connection = Connection(tokio::spawn(async move {
        let _ = connection.await; // the sender and the body report the error
    }));
    let request = Request::from_parts(parts, Full::new(body));
    let answer = sender.send_request(request).await.map_err(OutgoingError::Answer)?;
    let (head, body) = answer.into_parts();
    Ok(OutgoingAnswer { head, certificate_ends, body, _connection: connection })
}

impl OutgoingAnswer {
    /// Reads at most `most` bytes of the body, and returns what has arrived by the end of the time
    /// limit.
    pub async fn body(&mut self, most: usize, limit: Duration) -> Bytes {
        let mut read = BytesMut::new();
        let reading = async {
            while read.len() < most
                && let Some(Ok(frame)) = self.body.frame().await
            {
                if let Some(data) = frame.data_ref() {
                    read.extend_from_slice(&data[..data.len().min(most - read.len())]);
                }
            }
        };
        let _ = timeout(limit, reading).await; // what has arrived is enough
        read.freeze()
    }
}
