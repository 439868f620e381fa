//! The time for which a certificate is valid (RFC 5280 section 4.1.2.5).

use jiff::Timestamp;
use x509_parser::prelude::{ASN1Time, FromDer, X509Certificate};

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
    #[must_use]
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
        let time = |time: ASN1Time| Timestamp::from_second(time.timestamp()).ok();
        let validity = parsed.validity();
        Some(Self { not_before: time(validity.not_before)?, not_after: time(validity.not_after)? })
    }
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
}
