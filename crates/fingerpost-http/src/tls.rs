//! TLS by rustls: certificates from PEM files (RFC 7468) that are reloaded when they change, or a self-signed one for
//! development; ALPN `h2` and `http/1.1` (RFC 7301). GS1-Conformant Resolver 1.2.0 section 2.2
//! (RES-2.2-4).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use fingerpost_options::ConfigError;
use rustls::ServerConfig;
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

use crate::certificate::Validity;

/// The source of the certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsSource {
    /// PEM files, reloaded when they change.
    Files {
        /// Certificate chain, leaf first.
        cert: PathBuf,
        /// Private key.
        key: PathBuf,
    },
    /// A self-signed certificate created at start, for development.
    SelfSigned,
}

impl TlsSource {
    /// Returns the source that the keys `tls_cert`, `tls_key` and `tls_self_signed` configure; `prefix` is the table of these keys,
    /// with a dot.
    ///
    /// # Errors
    ///
    /// Fails if only one file is configured, or both files and a self-signed certificate.
    pub fn configured(
        prefix: &str,
        files: (Option<&Path>, Option<&Path>),
        self_signed: bool,
    ) -> Result<Option<Self>, ConfigError> {
        let needs = |key: &str, other: &str| {
            let expected = format_args!("expected {prefix}{other} with it");
            Err(ConfigError::value(format!("{prefix}{key}"), expected))
        };
        match files {
            (Some(_), _) | (_, Some(_)) if self_signed => {
                let key = format!("{prefix}tls_self_signed");
                let expected =
                    format_args!("expected either a certificate and key or {key}, found both");
                Err(ConfigError::value(&key, expected))
            }
            (Some(cert), Some(key)) => {
                Ok(Some(Self::Files { cert: cert.to_owned(), key: key.to_owned() }))
            }
            (Some(_), None) => needs("tls_cert", "tls_key"),
            (None, Some(_)) => needs("tls_key", "tls_cert"),
            (None, None) => Ok(self_signed.then_some(Self::SelfSigned)),
        }
    }
}

/// Interval between checks of the certificate files.
const RELOAD_INTERVAL: Duration = Duration::from_secs(2);

/// The reason why no certificate can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file could not be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A file has no PEM block of the required kind.
    #[error("expected {expected} in PEM form in `{}`, found none that can be read", path.display())]
    Pem {
        /// What was expected.
        expected: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// The certificate or key cannot be used, or they do not match.
    #[error("cannot use the certificate and key: {0}")]
    Rustls(#[from] rustls::Error),
    /// The certificate could not be created.
    #[error("cannot make a certificate: {0}")]
    SelfSigned(#[from] rcgen::Error),
}

/// The current certificate and its source.
pub struct Identity {
    current: Arc<Current>,
    files: Option<Files>,
    acceptor: TlsAcceptor,
    certificate_pem: Option<String>,
}

impl Identity {
    /// Loads or creates the certificate. `host` is the server's own host, for which a self-signed certificate is created.
    ///
    /// # Errors
    ///
    /// Fails if the files cannot be read, or do not hold a certificate and its key.
    pub fn load(source: &TlsSource, host: &str) -> Result<Self, TlsError> {
        let (key, files, certificate_pem) = match source {
            TlsSource::Files { cert, key } => {
                let files = Files::new(cert, key);
                let content = files.read()?;
                let certified = files.certified(&content)?;
                *files.seen() = content;
                (certified, Some(files), None)
            }
            TlsSource::SelfSigned => {
                let (key, pem) = self_signed(host)?;
                (key, None, Some(pem))
            }
        };
        let current = Arc::new(Current(ArcSwap::from_pointee(key)));
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Self { current, files, acceptor, certificate_pem })
    }

    /// Returns an acceptor that uses the certificate current at each handshake.
    #[must_use]
    pub fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Returns the certificate that is presented at each time.
    #[must_use]
    pub fn presented(&self) -> Presented {
        Presented(Arc::clone(&self.current))
    }

    /// Returns the self-signed certificate that was created at start.
    #[must_use]
    pub fn self_signed_pem(&self) -> Option<&str> {
        self.certificate_pem.as_deref()
    }

    /// Checks for changed files every two seconds; never returns.
    pub async fn keep_current(&self) {
        if self.files.is_none() {
            return;
        }
        let mut ticks = tokio::time::interval(RELOAD_INTERVAL);
        loop {
            ticks.tick().await;
            self.reload();
        }
    }

    /// Reloads the files if their content has changed. If they are invalid, the current certificate is kept; each invalid state of the
    /// files is logged once.
    pub fn reload(&self) {
        let Some(files) = &self.files else { return };
        let content = match files.read() {
            Ok(content) => content,
            Err(error) => {
                // Renewal tools replace files in steps, so a file may be missing for milliseconds.
                tracing::debug!(%error, "certificate not read");
                return;
            }
        };
        let mut seen = files.seen();
        if *seen == content {
            return;
        }
        match files.certified(&content) {
            Ok(key) => {
                self.current.0.store(Arc::new(key));
                tracing::info!(file = %files.cert.display(), "certificate replaced");
            }
            Err(error) => {
                tracing::error!(%error, "certificate not replaced, the old one stays in use");
            }
        }
        *seen = content;
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").finish_non_exhaustive()
    }
}

/// The certificate that an [`Identity`] presents, also after it was replaced.
#[derive(Clone, Debug)]
pub struct Presented(Arc<Current>);

impl Presented {
    /// Returns the time for which the certificate is valid that is in use now.
    #[must_use]
    pub fn validity(&self) -> Option<Validity> {
        let key = self.0.0.load();
        Validity::of(key.cert.first()?)
    }

    /// Returns whether the certificate that is in use now is for a host (RFC 9525).
    #[must_use]
    pub fn is_for(&self, host: &str) -> bool {
        let key = self.0.0.load();
        let Some(certificate) = key.cert.first() else { return false };
        let parsed = ParsedCertificate::try_from(certificate);
        let Ok(name) = ServerName::try_from(host) else { return false };
        parsed.is_ok_and(|parsed| verify_server_name(&parsed, &name).is_ok())
    }
}

/// The resolver that rustls calls at each handshake.
#[derive(Debug)]
struct Current(ArcSwap<CertifiedKey>);

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

/// The contents of the certificate file and the key file.
type Content = [Vec<u8>; 2];

struct Files {
    cert: PathBuf,
    key: PathBuf,
    /// The contents checked last, valid or not. Contents rather than times, because replaced symbolic links keep old times.
    seen: Mutex<Content>,
}

impl Files {
    fn new(cert: &Path, key: &Path) -> Self {
        Self { cert: cert.to_owned(), key: key.to_owned(), seen: Mutex::default() }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Content> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<Content, TlsError> {
        let read = |path: &PathBuf| {
            std::fs::read(path).map_err(|error| TlsError::Unreadable { path: path.clone(), error })
        };
        Ok([read(&self.cert)?, read(&self.key)?])
    }

    fn certified(&self, [cert, key]: &Content) -> Result<CertifiedKey, TlsError> {
        let no_cert = || TlsError::Pem { expected: "a certificate chain", path: self.cert.clone() };
        let chain: Vec<_> = CertificateDer::pem_slice_iter(cert)
            .collect::<Result<_, _>>()
            .map_err(|_| no_cert())?;
        if chain.is_empty() {
            return Err(no_cert());
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| TlsError::Pem { expected: "a private key", path: self.key.clone() })?;
        Ok(CertifiedKey::from_der(chain, key, &provider())?)
    }
}

/// Creates a certificate for this machine and the server's own host, and returns it with its PEM text.
fn self_signed(host: &str) -> Result<(CertifiedKey, String), TlsError> {
    let host = match host.strip_prefix('[') {
        Some(literal) => literal.split(']').next().unwrap_or(literal),
        None => host.split(':').next().unwrap_or(host),
    };
    let names = ["localhost", "127.0.0.1", "::1", host];
    let made = rcgen::generate_simple_self_signed(names.map(str::to_owned).to_vec())?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let chain = vec![made.cert.der().clone()];
    Ok((CertifiedKey::from_der(chain, key.into(), &provider())?, made.cert.pem()))
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}
