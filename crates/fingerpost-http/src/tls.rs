//! TLS by rustls: certificates from PEM files (RFC 7468) that are reloaded when they change, those
//! that the program gives while it runs, or a self-signed one for development; ALPN `h2` and
//! `http/1.1` (RFC 7301). GS1-Conformant Resolver 1.2.0 section 2.2 (RES-2.2-4).

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fingerpost_options::ConfigError;
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::server::ResolvesServerCert;
use tokio_rustls::TlsAcceptor;

use crate::certificate::{Certificate, Validity, provider};
use crate::error::TlsError;
use crate::issued::{CHALLENGE_PROTOCOL, Current, Issued};

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
    /// Certificates that the program gives while the server runs ([`Identity::issued`]). Handshakes
    /// fail until there is one.
    Issued,
}

/// The keys that say where the certificate of a listener comes from.
#[derive(Clone, Copy, Debug, Default)]
pub struct TlsKeys<'k> {
    /// `tls_cert`
    pub cert: Option<&'k Path>,
    /// `tls_key`
    pub key: Option<&'k Path>,
    /// `tls_self_signed`
    pub self_signed: bool,
    /// `tls_acme`
    pub acme: bool,
}

impl TlsSource {
    /// Returns the source that the keys configure; `prefix` is the table of these keys, with a dot.
    pub fn configured(prefix: &str, keys: TlsKeys<'_>) -> Result<Option<Self>, ConfigError> {
        let fault = |key: &str, expected: String| {
            Err(ConfigError::value(format!("{prefix}{key}"), expected))
        };
        let has_files = keys.cert.is_some() || keys.key.is_some();
        for (is_set, key) in [(keys.self_signed, "tls_self_signed"), (keys.acme, "tls_acme")] {
            if is_set && has_files {
                let expected =
                    format!("expected either a certificate and key or {prefix}{key}, found both");
                return fault(key, expected);
            }
        }
        if keys.self_signed && keys.acme {
            let expected = format!("expected either it or {prefix}tls_self_signed, found both");
            return fault("tls_acme", expected);
        }
        match (keys.cert, keys.key) {
            (Some(cert), Some(key)) => {
                Ok(Some(Self::Files { cert: cert.to_owned(), key: key.to_owned() }))
            }
            (Some(_), None) => fault("tls_cert", format!("expected {prefix}tls_key with it")),
            (None, Some(_)) => fault("tls_key", format!("expected {prefix}tls_cert with it")),
            (None, None) if keys.acme => Ok(Some(Self::Issued)),
            (None, None) => Ok(keys.self_signed.then_some(Self::SelfSigned)),
        }
    }
}

/// Interval between checks of the certificate files.
const RELOAD_INTERVAL: Duration = Duration::from_secs(2);

/// The current certificate and its source.
pub struct Identity {
    current: Arc<Current>,
    is_issued: bool,
    files: Option<Files>,
    acceptor: TlsAcceptor,
    certificate_pem: Option<String>,
}

impl Identity {
    /// Loads or creates the certificate. `host` is the server's own host, for which a self-signed
    /// certificate is created.
    pub fn load(source: &TlsSource, host: &str) -> Result<Self, TlsError> {
        let (certificate, files, certificate_pem) = match source {
            TlsSource::Files { cert, key } => {
                let files = Files::new(cert, key);
                let content = files.read()?;
                let certificate = files.certificate(&content)?;
                *files.seen() = content;
                (Some(certificate), Some(files), None)
            }
            TlsSource::SelfSigned => {
                let (certificate, pem) = self_signed(host)?;
                (Some(certificate), None, Some(pem))
            }
            TlsSource::Issued => (None, None, None),
        };
        let current = Arc::new(Current::new(certificate));
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let is_issued = *source == TlsSource::Issued;
        if is_issued {
            config.alpn_protocols.push(CHALLENGE_PROTOCOL.to_vec());
        }
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Self { current, is_issued, files, acceptor, certificate_pem })
    }

    /// Returns the holder of certificates that the program gives; `None` if they come from
    /// elsewhere.
    pub fn issued(&self) -> Option<Issued> {
        self.is_issued.then(|| Issued(Arc::clone(&self.current)))
    }

    /// Returns an acceptor that uses the certificate current at each handshake.
    pub fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Returns the certificate that is presented at each time.
    pub fn presented(&self) -> Presented {
        Presented(Arc::clone(&self.current))
    }

    /// Returns the self-signed certificate that was created at start.
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

    /// Reloads the files if their content has changed. If they are invalid, the current certificate
    /// is kept; each invalid state of the files is logged once.
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
        match files.certificate(&content) {
            Ok(certificate) => {
                self.current.replace(certificate);
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
    pub fn validity(&self) -> Option<Validity> {
        self.0.certificate()?.validity()
    }

    /// Returns whether the certificate that is in use now is for a host (RFC 9525).
    pub fn is_for(&self, host: &str) -> bool {
        self.0.certificate().is_some_and(|certificate| certificate.is_for(host))
    }
}

/// The contents of the certificate file and the key file.
type Content = [Vec<u8>; 2];

struct Files {
    cert: PathBuf,
    key: PathBuf,
    /// The contents checked last, valid or not. Contents rather than times, because replaced
    /// symbolic links keep old times.
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

    fn certificate(&self, [cert, key]: &Content) -> Result<Certificate, TlsError> {
        Certificate::from_pem(cert, key, &self.cert).map_err(|error| match error {
            TlsError::Pem { expected: expected @ "a private key", .. } => {
                TlsError::Pem { expected, path: self.key.clone() }
            }
            error => error,
        })
    }
}

/// Creates a certificate for this machine and the server's own host, and returns it with its PEM
/// text.
fn self_signed(host: &str) -> Result<(Certificate, String), TlsError> {
    let host = match host.strip_prefix('[') {
        Some(literal) => literal.split(']').next().unwrap_or(literal),
        None => host.split(':').next().unwrap_or(host),
    };
    let names = ["localhost", "127.0.0.1", "::1", host];
    let made = rcgen::generate_simple_self_signed(names.map(str::to_owned).to_vec())?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let chain = vec![made.cert.der().clone()];
    Ok((Certificate::from_der(chain, key.into())?, made.cert.pem()))
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::ServerName;
    use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection};

    use super::*;

    /// Shakes hands in memory; returns the certificate that the client saw, and the protocol.
    fn shake(
        identity: &Identity,
        trusted: &[&Certificate],
        offered: &[&[u8]],
    ) -> Result<(Vec<u8>, Option<Vec<u8>>), rustls::Error> {
        let mut roots = RootCertStore::empty();
        for certificate in trusted {
            roots.add(certificate.leaf().expect("a certificate").clone())?;
        }
        let config = ClientConfig::builder_with_provider(provider());
        let config = config.with_safe_default_protocol_versions()?.with_root_certificates(roots);
        let mut config = config.with_no_client_auth();
        config.alpn_protocols = offered.iter().map(|protocol| protocol.to_vec()).collect();
        let name = ServerName::try_from("a.example").expect("a name");
        let mut client = ClientConnection::new(Arc::new(config), name)?;
        let mut server = ServerConnection::new(Arc::clone(identity.acceptor().config()))?;
        while client.is_handshaking() || server.is_handshaking() {
            let mut sent = Vec::new();
            while client.wants_write() {
                client.write_tls(&mut sent).expect("memory");
            }
            server.read_tls(&mut sent.as_slice()).expect("memory");
            let judged = server.process_new_packets();
            let mut sent = Vec::new();
            while server.wants_write() {
                server.write_tls(&mut sent).expect("memory");
            }
            client.read_tls(&mut sent.as_slice()).expect("memory");
            client.process_new_packets()?;
            judged?;
        }
        let seen = client.peer_certificates().and_then(<[_]>::first).expect("a certificate");
        Ok((seen.to_vec(), server.alpn_protocol().map(<[u8]>::to_vec)))
    }

    fn made() -> Certificate {
        let made = rcgen::generate_simple_self_signed(vec!["a.example".to_owned()]).unwrap();
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        Certificate::from_der(vec![made.cert.der().clone()], key.into()).unwrap()
    }

    #[test]
    fn handshakes_fail_until_there_is_a_certificate_and_then_have_the_latest() {
        let identity = Identity::load(&TlsSource::Issued, "localhost").unwrap();
        let issued = identity.issued().expect("certificates by the program");
        let (first, second) = (made(), made());
        let all = [&first, &second];
        assert!(shake(&identity, &all, &[b"h2"]).is_err(), "there is none");
        assert_eq!(identity.presented().validity(), None);
        for certificate in all {
            issued.present(certificate);
            let (seen, protocol) = shake(&identity, &all, &[b"h2", b"http/1.1"]).unwrap();
            assert_eq!(seen, certificate.leaf().unwrap().to_vec());
            assert_eq!(protocol.as_deref(), Some(&b"h2"[..]));
            assert!(identity.presented().validity().is_some());
        }
        let own = Identity::load(&TlsSource::SelfSigned, "localhost").unwrap();
        assert!(own.issued().is_none());
    }

    #[test]
    fn challenges_have_certificates_and_a_protocol_of_their_own() {
        let identity = Identity::load(&TlsSource::Issued, "localhost").unwrap();
        let issued = identity.issued().expect("certificates by the program");
        let (certificate, proof) = (made(), made());
        let all = [&certificate, &proof];
        issued.present(&certificate);
        assert!(shake(&identity, &all, &[CHALLENGE_PROTOCOL]).is_err(), "none is pending");
        issued.answer_challenges(&[("b.example".to_owned(), proof.clone())]);
        assert!(shake(&identity, &all, &[CHALLENGE_PROTOCOL]).is_err(), "for another name");
        issued.answer_challenges(&[("A.example".to_owned(), proof.clone())]);
        let (seen, protocol) = shake(&identity, &all, &[CHALLENGE_PROTOCOL]).unwrap();
        assert_eq!(seen, proof.leaf().unwrap().to_vec());
        assert_eq!(protocol.as_deref(), Some(CHALLENGE_PROTOCOL));
        // Other connections are served, also if they offer the protocol among others (RFC 8737
        // section 3).
        for offered in [&[&b"http/1.1"[..]][..], &[CHALLENGE_PROTOCOL, b"http/1.1"], &[]] {
            let (seen, protocol) = shake(&identity, &all, offered).unwrap();
            assert_eq!(seen, certificate.leaf().unwrap().to_vec());
            assert_ne!(protocol.as_deref(), Some(CHALLENGE_PROTOCOL));
        }
        issued.answer_challenges(&[]);
        assert!(shake(&identity, &all, &[CHALLENGE_PROTOCOL]).is_err());
    }
}
