//! The time for which a certificate is valid, read from its DER form (RFC 5280 section 4.1, ITU-T X.690).
//!
//! ```text
//! Certificate    ::= SEQUENCE { tbsCertificate, ... }
//! TBSCertificate ::= SEQUENCE { version [0] OPTIONAL, serialNumber, signature, issuer, validity, ... }
//! Validity       ::= SEQUENCE { notBefore Time, notAfter Time }
//! Time           ::= UTCTime "YYMMDDHHMMSSZ" | GeneralizedTime "YYYYMMDDHHMMSSZ"
//! ```

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xA0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

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
        let (mut rest, _) = inside(certificate, SEQUENCE)?;
        (rest, _) = inside(rest, SEQUENCE)?;
        if rest.first() == Some(&VERSION) {
            (_, rest) = inside(rest, VERSION)?;
        }
        for _ in ["serialNumber", "signature", "issuer"] {
            (_, _, rest) = element(rest)?;
        }
        let (validity, _) = inside(rest, SEQUENCE)?;
        let (not_before, rest) = time(validity)?;
        let (not_after, _) = time(rest)?;
        Some(Self { not_before, not_after })
    }
}

/// Returns the tag and the content of the first element, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7F => (usize::from(first), rest),
        // Lengths of more than four bytes are those of no certificate.
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
            let length = digits.iter().fold(0_u64, |sum, digit| sum << 8 | u64::from(*digit));
            (usize::try_from(length).ok()?, rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// Returns the content of the first element, which has this tag, and what follows it.
fn inside(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = element(bytes)?;
    (found == tag).then_some((content, rest))
}

fn time(bytes: &[u8]) -> Option<(Timestamp, &[u8])> {
    let (tag, text, rest) = element(bytes)?;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (year, text) = match tag {
        UTC_TIME => {
            let (digits, text) = text.split_at_checked(2)?;
            let year: i16 = digits.parse().ok()?;
            (if year < 50 { 2000 + year } else { 1900 + year }, text)
        }
        GENERALIZED_TIME => {
            let (digits, text) = text.split_at_checked(4)?;
            (digits.parse().ok()?, text)
        }
        _ => return None,
    };
    let part = |at: usize| text.get(at..at + 2)?.parse::<i8>().ok();
    let (month, day) = (part(0)?, part(2)?);
    let (hour, minute, second) = (part(4)?, part(6)?, part(8)?);
    let civil = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    let instant = civil.to_zoned(TimeZone::UTC).ok()?.timestamp();
    (text.len() == 10).then_some((instant, rest))
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
