//! Certificates that the program gives to a listener while it runs, and the answers by which an authority sees that it may issue them:
//! key authorizations over HTTP (RFC 8555 section 8.3), and certificates in a handshake of their own (RFC 8737).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use rustls::client::verify_server_name;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::certificate::Validity;
use crate::tls::{TlsError, provider};

/// The protocol of handshakes in which an authority validates a name (RFC 8737 section 6.2). Nothing is ever sent over it.
pub(crate) const CHALLENGE_PROTOCOL: &[u8] = b"acme-tls/1";

/// Where an authority asks for key authorizations.
const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/";

/// A certificate chain with its private key.
#[derive(Clone)]
pub struct Certificate(Arc<CertifiedKey>);

impl Certificate {
    /// Reads a chain, leaf first, and the key that belongs to it, from text in PEM form (RFC 7468); `path` is its file, for errors.
    ///
    /// # Errors
    ///
    /// Fails if a part is missing, or the key does not belong to the chain.
    pub fn from_pem(chain: &[u8], key: &[u8], path: &Path) -> Result<Self, TlsError> {
        let missing = |expected| TlsError::Pem { expected, path: path.to_owned() };
        let chain: Vec<_> = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<_, _>>()
            .map_err(|_| missing("a certificate chain"))?;
        if chain.is_empty() {
            return Err(missing("a certificate chain"));
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| missing("a private key"))?;
        Self::from_der(chain, key)
    }

    /// Combines a chain, leaf first, with its key.
    ///
    /// # Errors
    ///
    /// Fails if the key cannot be used, or does not belong to the chain.
    pub fn from_der(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, TlsError> {
        Ok(Self(Arc::new(CertifiedKey::from_der(chain, key, &provider())?)))
    }

    /// Combines a certificate that proves a name (RFC 8737 section 3) with its key. That they belong together is not checked: the extension
    /// by which it proves the name is critical, so nothing but an authority reads the certificate.
    ///
    /// # Errors
    ///
    /// Fails if the key cannot be used.
    pub fn proving(
        certificate: CertificateDer<'static>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, TlsError> {
        let key = provider().key_provider.load_private_key(key)?;
        Ok(Self(Arc::new(CertifiedKey::new(vec![certificate], key))))
    }

    /// Returns the certificate of the server itself.
    #[must_use]
    pub fn leaf(&self) -> Option<&CertificateDer<'static>> {
        self.0.cert.first()
    }

    /// Returns the time for which it is valid.
    #[must_use]
    pub fn validity(&self) -> Option<Validity> {
        Validity::of(self.leaf()?)
    }

    /// Returns whether it is for a host (RFC 9525).
    #[must_use]
    pub fn is_for(&self, host: &str) -> bool {
        let Some(leaf) = self.leaf() else { return false };
        let Ok(name) = ServerName::try_from(host) else { return false };
        ParsedCertificate::try_from(leaf)
            .is_ok_and(|parsed| verify_server_name(&parsed, &name).is_ok())
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}

/// The place of a listener for a certificate that the program gives it. Clones are the same place.
#[derive(Clone, Debug)]
pub struct Issued(pub(crate) Arc<Current>);

impl Issued {
    /// Presents this certificate in each handshake from now on. Connections that are open stay as they are.
    pub fn present(&self, certificate: &Certificate) {
        self.0.replace(certificate.clone());
    }

    /// Answers handshakes by which an authority validates a name with these certificates, and no others.
    pub fn answer_challenges(&self, pending: &[(String, Certificate)]) {
        self.0.challenges.store(Arc::new(pending.to_vec()));
    }
}

/// The resolver that rustls calls at each handshake: the current certificate, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Current {
    certificate: ArcSwapOption<CertifiedKey>,
    challenges: ArcSwap<Vec<(String, Certificate)>>,
}

impl Current {
    pub(crate) fn new(certificate: Option<Certificate>) -> Self {
        let certificate = ArcSwapOption::new(certificate.map(|certificate| certificate.0));
        Self { certificate, challenges: ArcSwap::default() }
    }

    pub(crate) fn replace(&self, certificate: Certificate) {
        self.certificate.store(Some(certificate.0));
    }

    pub(crate) fn certificate(&self) -> Option<Certificate> {
        self.certificate.load_full().map(Certificate)
    }

    fn challenge(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let pending = self.challenges.load();
        let found = pending.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, certificate)| Arc::clone(&certificate.0))
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        // Whoever validates offers this protocol and no other (RFC 8737 section 3).
        if hello.alpn().is_some_and(|mut offered| {
            offered.next() == Some(CHALLENGE_PROTOCOL) && offered.next().is_none()
        }) {
            return self.challenge(hello.server_name()?);
        }
        self.certificate.load_full()
    }
}

/// The key authorizations that an authority can ask for at the moment. Clones are the same list.
#[derive(Clone, Debug, Default)]
pub struct Tokens(Arc<ArcSwap<Vec<(String, String)>>>);

impl Tokens {
    /// Answers these tokens with these key authorizations, and no others.
    pub fn answer_challenges(&self, pending: Vec<(String, String)>) {
        self.0.store(Arc::new(pending));
    }

    /// Returns the key authorization that is to be answered at a path, if the path is that of a pending challenge.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<String> {
        let token = path.strip_prefix(CHALLENGE_PATH)?;
        let pending = self.0.load();
        let (_, authorization) = pending.iter().find(|(own, _)| own == token)?;
        Some(authorization.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pending_tokens_are_answered() {
        let tokens = Tokens::default();
        let elsewhere = tokens.clone();
        assert_eq!(tokens.at("/.well-known/acme-challenge/a"), None);
        elsewhere.answer_challenges(vec![("a".to_owned(), "a.thumb".to_owned())]);
        assert_eq!(tokens.at("/.well-known/acme-challenge/a").as_deref(), Some("a.thumb"));
        for other in ["/.well-known/acme-challenge/", "/.well-known/acme-challenge/ab", "/a", "a"] {
            assert_eq!(tokens.at(other), None, "{other}");
        }
        elsewhere.answer_challenges(Vec::new());
        assert_eq!(tokens.at("/.well-known/acme-challenge/a"), None);
    }

    #[test]
    fn a_key_without_its_certificate_is_refused() {
        let made = |name: &str| rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        let (one, other) = (made("a.example"), made("b.example"));
        let (chain, key) = (one.cert.pem(), one.signing_key.serialize_pem());
        let read = |chain: &str, key: &str| {
            Certificate::from_pem(chain.as_bytes(), key.as_bytes(), Path::new("x"))
        };
        let whole = read(&chain, &key).unwrap();
        assert!(whole.is_for("a.example") && !whole.is_for("b.example") && !whole.is_for(""));
        assert!(whole.validity().is_some());
        // Both in one text, as they are kept.
        let both = format!("{key}{chain}");
        assert!(read(&both, &both).unwrap().is_for("a.example"));
        let error = |chain: &str, key: &str| read(chain, key).unwrap_err().to_string();
        assert!(error(&chain, &other.signing_key.serialize_pem()).contains("cannot use"));
        assert!(error("", &key).contains("a certificate chain"));
        assert!(error(&chain, "").contains("a private key"));
    }
}
