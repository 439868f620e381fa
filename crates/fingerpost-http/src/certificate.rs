//! A certificate with its key, and the time for which it is valid (RFC 5280 section 4.1.2.5).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use x509_parser::prelude::{ASN1Time, FromDer, X509Certificate};

use crate::error::TlsError;

/// A certificate chain with its private key.
#[derive(Clone)]
pub struct Certificate(pub(crate) Arc<CertifiedKey>);

impl Certificate {
    /// Reads a chain, leaf first, and the key that belongs to it, from text in PEM form (RFC 7468);
    /// `path` is its file, for errors.
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
    pub fn from_der(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, TlsError> {
        Ok(Self(Arc::new(CertifiedKey::from_der(chain, key, &provider())?)))
    }

    /// Combines a certificate that proves a name (RFC 8737 section 3) with its key. That they
    /// belong together is not checked: the extension by which it proves the name is critical, so
    /// nothing but an authority reads the certificate.
    pub fn proving(
        certificate: CertificateDer<'static>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, TlsError> {
        let key = provider().key_provider.load_private_key(key)?;
        Ok(Self(Arc::new(CertifiedKey::new(vec![certificate], key))))
    }

    /// Returns the certificate of the server itself.
    pub fn leaf(&self) -> Option<&CertificateDer<'static>> {
        self.0.cert.first()
    }

    /// Returns the time for which it is valid.
    pub fn validity(&self) -> Option<Validity> {
        Validity::of(self.leaf()?)
    }

    /// Returns whether it is for a host (RFC 9525).
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

/// The time for which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// From when on.
    pub not_before: Timestamp,
    /// Until when.
    pub not_after: Timestamp,
}

impl Validity {
    /// Returns the validity of a certificate in DER form; `None` if it is no certificate.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
        let time = |time: ASN1Time| Timestamp::from_second(time.timestamp()).ok();
        let validity = parsed.validity();
        Some(Self { not_before: time(validity.not_before)?, not_after: time(validity.not_after)? })
    }
}

pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> Vec<u8> {
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2026, 1, 31);
        params.not_after = rcgen::date_time_ymd(2051, 12, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn both_times_are_read_in_both_forms() {
        // Before 2050 a time has two digits for the year, later four.
        let validity = Validity::of(&made()).unwrap();
        assert_eq!(validity.not_before.to_string(), "2026-01-31T00:00:00Z");
        assert_eq!(validity.not_after.to_string(), "2051-12-01T00:00:00Z");
    }

    #[test]
    fn other_bytes_are_no_certificate() {
        let der = made();
        for end in 0..der.len().min(200) {
            assert_eq!(Validity::of(&der[..end]), None, "{end}");
        }
        for at in 0..der.len() {
            for byte in [0, 0x30, 0x7F, 0x84, 0xFF] {
                let mut changed = der.clone();
                changed[at] = byte;
                let _ = Validity::of(&changed);
            }
        }
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
