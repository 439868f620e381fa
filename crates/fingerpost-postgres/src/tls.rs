//! TLS to the database, by rustls: certificates are always verified.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Config;
use tokio_postgres::config::Host;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;

use crate::fault::Fault;

/// Encrypts connections.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

impl Tls {
    /// Creates a connector that trusts the certificates in a file, or those of the operating
    /// system.
    pub(crate) fn new(roots: Option<&Path>) -> io::Result<Self> {
        let mut trusted = RootCertStore::empty();
        let certificates = match roots {
            Some(file) => CertificateDer::pem_file_iter(file)
                .and_then(Iterator::collect)
                .map_err(|error| unreadable(file, &error))?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        let (added, _) = trusted.add_parsable_certificates(certificates);
        if added == 0 {
            let source = roots.map_or("of the operating system".into(), Path::to_string_lossy);
            return Err(io::Error::other(format!("no certificate authority found in {source}")));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(trusted)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    /// Returns what encrypts a connection to the host of a configuration.
    pub(crate) fn handshake(&self, config: &Config) -> Result<Handshake, Fault> {
        let name = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.as_str(),
            _ => "",
        };
        let name = ServerName::try_from(name.to_owned()).map_err(|error| {
            Fault::Unreachable(format!("error performing TLS handshake: {error}"))
        })?;
        Ok(Handshake(self.0.clone(), name))
    }
}

fn unreadable(file: &Path, error: &rustls::pki_types::pem::Error) -> io::Error {
    io::Error::other(format!("cannot read the certificates in `{}`: {error}", file.display()))
}

/// A connection that is about to be encrypted.
pub(crate) struct Handshake(TlsConnector, ServerName<'static>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.0.connect(self.1, stream).await.map(Encrypted) })
    }
}

/// An encrypted connection.
pub(crate) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// Binds no password exchange to the connection: the verified certificate authenticates the server.
impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}
