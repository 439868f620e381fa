//! Time-based one-time passwords (RFC 6238, over HOTP, RFC 4226): HMAC with SHA-1, 6 digits, steps
//! of 30 seconds, which every authenticator application supports. Recovery codes replace a lost
//! device, each once.

use data_encoding::BASE32_NOPAD;
use fingerpost_uri::encode;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha1::Sha1;
use subtle::ConstantTimeEq;

use crate::secret::{digest, random_bytes, same};
use crate::{RegistryError, Secret};

/// The second factor of a user. Computing codes needs the secret itself, so it is stored as it is:
/// anyone who can read the data directory can read it, unlike passwords.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Totp {
    secret: [u8; SECRET_BYTES],
    /// The last step whose code was used. Its code and earlier ones are refused (RFC 6238, section
    /// 5.2).
    used: u64,
    /// SHA-256 of the unused recovery codes, which have 80 random bits each.
    recovery: Vec<String>,
}

impl Totp {
    /// Creates a second factor with a random secret and no recovery codes.
    pub(crate) fn new() -> Result<Totp, RegistryError> {
        Ok(Totp { secret: *random_bytes()?, used: 0, recovery: Vec::new() })
    }

    /// Returns the secret as applications read it: base 32 without padding (RFC 4648, section 6).
    pub(crate) fn text(&self) -> Secret {
        Secret::new(BASE32_NOPAD.encode(&self.secret))
    }

    /// Returns whether this is the code of the present step, the one before or the one after, and
    /// not used before; then it is used.
    pub(crate) fn accepts_code(&mut self, typed: &str, now: Timestamp) -> bool {
        let typed = typed.replace(' ', "");
        let step = u64::try_from(now.as_second()).unwrap_or_default() / STEP_SECONDS;
        let mut found = None;
        for step in [step.saturating_sub(1), step, step + 1] {
            let is_same: bool = code(&self.secret, step).as_bytes().ct_eq(typed.as_bytes()).into();
            if is_same && step > self.used {
                found = Some(step);
            }
        }
        self.used = found.unwrap_or(self.used);
        found.is_some()
    }

    /// Returns whether this is such a code, or an unused recovery code; then it is used.
    pub(crate) fn accepts(&mut self, typed: &str, now: Timestamp) -> bool {
        if self.accepts_code(typed, now) {
            return true;
        }
        let digest = digest_of_recovery(typed);
        let before = self.recovery.len();
        self.recovery.retain(|stored| !same(stored, &digest));
        self.recovery.len() < before
    }

    /// Replaces the recovery codes; returns the new ones, which cannot be shown again.
    pub(crate) fn renew_recovery(&mut self) -> Result<Vec<Secret>, RegistryError> {
        let codes: Result<Vec<Secret>, _> = (0..RECOVERY_CODES).map(|_| recovery_code()).collect();
        let codes = codes?;
        self.recovery = codes.iter().map(|code| digest_of_recovery(code.expose())).collect();
        Ok(codes)
    }
}

/// Returns the address by which applications take over a secret, as a link or a QR code (Google
/// Authenticator's Key URI Format).
pub(crate) fn uri(issuer: &str, login: &str, secret: &Secret) -> Secret {
    let (issuer, login) = (encode(issuer), encode(login));
    let secret = secret.expose();
    Secret::new(format!(
        "otpauth://totp/{issuer}:{login}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits={DIGITS}&period={STEP_SECONDS}"
    ))
}

/// Returns the code of a step (RFC 4226, section 5.3).
fn code(secret: &[u8], step: u64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[hash.len() - 1] & 15);
    let bits = [hash[offset] & 0x7f, hash[offset + 1], hash[offset + 2], hash[offset + 3]];
    format!("{:06}", u32::from_be_bytes(bits) % 10_u32.pow(DIGITS))
}

fn recovery_code() -> Result<Secret, RegistryError> {
    let bytes: zeroize::Zeroizing<[u8; 16]> = random_bytes()?;
    let mut code = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 && index % 4 == 0 {
            code.push('-');
        }
        code.push(char::from(LETTERS[usize::from(byte & 31)]));
    }
    Ok(Secret::new(code))
}

/// Hyphens, spaces and letter case do not count.
fn digest_of_recovery(typed: &str) -> String {
    let typed: String = typed.chars().filter(char::is_ascii_alphanumeric).collect();
    digest(&format!("recovery {}", typed.to_ascii_lowercase()))
}

/// As long as the hash, which RFC 4226, section 4, recommends.
const SECRET_BYTES: usize = 20;
const DIGITS: u32 = 6;
const STEP_SECONDS: u64 = 30;

/// Number of recovery codes of a user.
const RECOVERY_CODES: usize = 10;

/// Letters of recovery codes, without those that are easily confused: i and l, o and 0.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz123456789";

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn totp() -> Totp {
        Totp { secret: *b"12345678901234567890", used: 0, recovery: Vec::new() }
    }

    // RFC 6238, appendix B, for SHA-1: the last six of its eight digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        for (second, expected) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(b"12345678901234567890", second / STEP_SECONDS), expected);
            let second = i64::try_from(second).unwrap();
            assert!(totp().accepts_code(expected, at(second)), "{second}");
        }
        // RFC 4226, appendix D.
        for (count, expected) in (0_u64..).zip([
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
            "399871", "520489",
        ]) {
            assert_eq!(code(b"12345678901234567890", count), expected);
        }
    }

    #[test]
    fn a_code_is_taken_one_step_early_or_late_and_once() {
        let now = 1_000_000_020;
        let current = code(b"12345678901234567890", 1_000_000_020 / STEP_SECONDS);
        for (late, accepted) in [(-60, false), (-30, true), (0, true), (30, true), (60, false)] {
            assert_eq!(totp().accepts_code(&current, at(now + late)), accepted, "{late}");
        }
        let mut totp = totp();
        assert!(totp.accepts_code(&format!("{} {}", &current[..3], &current[3..]), at(now)));
        assert!(!totp.accepts_code(&current, at(now)), "used");
        let before = code(b"12345678901234567890", 1_000_000_020 / STEP_SECONDS - 1);
        assert!(!totp.accepts_code(&before, at(now)), "an earlier one, after a later one was used");
        for wrong in ["", "12345", "1234567", "abcdef", "００００００"] {
            assert!(!totp.accepts_code(wrong, at(now)), "{wrong}");
        }
    }

    #[test]
    fn a_recovery_code_counts_once() {
        let mut totp = totp();
        assert!(!totp.accepts("", at(0)));
        let codes = totp.renew_recovery().unwrap();
        assert_eq!((codes.len(), codes[0].expose().len()), (10, 19));
        let typed = codes[3].expose().to_uppercase().replace('-', " ");
        assert!(totp.accepts(&typed, at(0)) && !totp.accepts(&typed, at(0)));
        assert_eq!(totp.recovery.len(), 9);
        let kept = serde_json::to_string(&totp).unwrap();
        assert!(codes.iter().all(|code| !kept.contains(code.expose())));
        totp.renew_recovery().unwrap();
        assert!(!totp.accepts(codes[0].expose(), at(0)), "the new ones replace the old ones");
    }

    // RFC 4648, section 10
    #[test]
    fn secrets_are_shown_in_base_32() {
        let uri = uri("id.example.org", "ada lovelace@x", &totp().text());
        assert_eq!(
            uri.expose(),
            "otpauth://totp/id.example.org:ada%20lovelace%40x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=id.example.org\
             &algorithm=SHA1&digits=6&period=30"
        );
        assert_ne!(Totp::new().unwrap().secret, Totp::new().unwrap().secret);
    }
}
