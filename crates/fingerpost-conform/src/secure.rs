//! TLS: which certificate a server presents, and requests over HTTP/2, which `ureq` does not speak.

use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use ureq::http::{Request, Uri};

use crate::limits::{MAX_BODY, MAX_HEADER};
use crate::message::{ConformOptions, USER_AGENT, WebRequest, WebResponse};

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TlsFault {
    /// The certificate was not issued by a trusted authority, or not as the authority signed it.
    Authority(String),
    /// The certificate is for another host.
    Host(String),
    /// The certificate has expired, or is not valid yet.
    Validity(String),
    /// There is no server, or it does not speak TLS.
    NoTls(String),
}

impl TlsFault {
    /// Returns the message.
    pub(crate) fn detail(&self) -> &str {
        match self {
            Self::Authority(text) | Self::Host(text) | Self::Validity(text) | Self::NoTls(text) => {
                text
            }
        }
    }
}

/// Returns the trusted certificates: those of a PEM text, otherwise those of the machine.
pub(crate) fn authorities(pem: Option<&[u8]>) -> Result<Vec<CertificateDer<'static>>, String> {
    let Some(pem) = pem else { return Ok(rustls_native_certs::load_native_certs().certs) };
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok).collect();
    if certificates.is_empty() {
        return Err("expected certificates in PEM, found none".to_owned());
    }
    Ok(certificates)
}

/// Connects to the host of a URL; returns whether the server offers HTTP/2.
pub(crate) fn handshake(
    options: &ConformOptions,
    trusted: &[CertificateDer<'static>],
    url: &str,
) -> Result<bool, TlsFault> {
    let stream = within(options.timeout, connect(options, trusted, url));
    let stream = stream.unwrap_or_else(|text| Err(TlsFault::NoTls(text)))?;
    Ok(stream.get_ref().1.alpn_protocol() == Some(b"h2"))
}

/// Sends a request over HTTP/2, on a connection of its own.
pub(crate) fn exchange(
    options: &ConformOptions,
    trusted: &[CertificateDer<'static>],
    request: &WebRequest,
) -> Result<WebResponse, String> {
    let exchanged = async {
        let stream = connect(options, trusted, &request.url).await;
        let stream = stream.map_err(|fault| fault.detail().to_owned())?;
        over_http2(stream, options, request).await
    };
    within(options.timeout, exchanged).and_then(|result| result)
}

/// Runs a future with a time limit, on a runtime of its own.
fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let result = runtime.block_on(async { timeout(limit, future).await });
    result.map_err(|_| format!("no answer within {} s", limit.as_secs_f32()))
}

async fn connect(
    options: &ConformOptions,
    trusted: &[CertificateDer<'static>],
    url: &str,
) -> Result<TlsStream<TcpStream>, TlsFault> {
    let no_tls = |what: &dyn ToString| TlsFault::NoTls(what.to_string());
    let uri: Uri = url.parse().map_err(|error| no_tls(&error))?;
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let addresses = match &options.connect {
        Some(connect) => connect.to_socket_addrs(),
        None => (&*host, uri.port_u16().unwrap_or(443)).to_socket_addrs(),
    };
    let addresses: Vec<_> = addresses.map_err(|error| no_tls(&error))?.collect();
    let stream = TcpStream::connect(&*addresses).await.map_err(|error| no_tls(&error))?;
    let name = ServerName::try_from(host).map_err(|error| no_tls(&error))?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted.iter().cloned());
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| no_tls(&error))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    stream.map_err(|error| {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match inner {
            Some(rustls::Error::InvalidCertificate(fault)) => certificate_fault(fault),
            _ => no_tls(&error),
        }
    })
}

fn certificate_fault(fault: &CertificateError) -> TlsFault {
    let text = fault.to_string();
    match fault {
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => TlsFault::Validity(text),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFault::Host(text)
        }
        _ => TlsFault::Authority(text),
    }
}

async fn over_http2(
    stream: TlsStream<TcpStream>,
    options: &ConformOptions,
    request: &WebRequest,
) -> Result<WebResponse, String> {
    let message = |error: h2::Error| error.to_string();
    let limit = u32::try_from(MAX_HEADER).unwrap_or(u32::MAX);
    let mut builder = h2::client::Builder::new();
    let client = builder.max_header_list_size(limit).handshake::<_, &[u8]>(stream).await;
    let (sender, connection) = client.map_err(message)?;
    tokio::spawn(connection);
    let mut head = Request::builder().method(request.method).uri(&request.url);
    head = head.header("user-agent", USER_AGENT);
    let own = request.headers.iter().map(|(name, value)| (*name, value));
    let added = options.headers.iter().map(|(name, value)| (&**name, value));
    for (name, value) in own.chain(added) {
        head = head.header(name, value);
    }
    let head = head.body(()).map_err(|error| error.to_string())?;
    let mut sender = sender.ready().await.map_err(message)?;
    let (response, _) = sender.send_request(head, true).map_err(message)?;
    let (parts, mut stream) = response.await.map_err(message)?.into_parts();
    let mut body = Vec::new();
    while let Some(chunk) = stream.data().await {
        let chunk = chunk.map_err(message)?;
        body.extend_from_slice(&chunk);
        if body.len() as u64 > MAX_BODY {
            return Err(format!("the body is longer than {MAX_BODY} bytes"));
        }
        stream.flow_control().release_capacity(chunk.len()).map_err(message)?;
    }
    let headers = parts.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.as_str().to_owned(), value)
    });
    let (status, headers) = (parts.status.as_u16(), headers.collect());
    Ok(WebResponse { status, is_http_1_1: true, headers, body })
}
