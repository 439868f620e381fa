//! Secrets: shown once, wiped from memory, never printed; only a SHA-256 digest is stored.

use std::fmt;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::RegistryError;

/// A password or token. `Debug` does not show it, and there is no `Display`.
///
/// ```
/// use fingerpost_registry::Secret;
///
/// let secret = Secret::new("correct horse battery staple");
/// assert_eq!(format!("{secret:?}"), "Secret(…)");
/// assert_eq!(secret.expose(), "correct horse battery staple");
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Creates a secret from a text.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(Zeroizing::new(text.into()))
    }

    /// Returns the text, which only the owner of the secret may see.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns 256 random bits as 43 letters, digits, `-` and `_` (RFC 4648, section 5, without
    /// padding).
    pub(crate) fn random() -> Result<Secret, RegistryError> {
        let bytes: Zeroizing<[u8; 32]> = random_bytes()?;
        Ok(Secret(Zeroizing::new(BASE64URL_NOPAD.encode(bytes.as_slice()))))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        String::deserialize(deserializer).map(Secret::new)
    }
}

/// Returns random bytes of the operating system.
pub(crate) fn random_bytes<const N: usize>() -> Result<Zeroizing<[u8; N]>, RegistryError> {
    let mut bytes = Zeroizing::new([0_u8; N]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|_| RegistryError::NoRandomness)?;
    Ok(bytes)
}

/// Returns the SHA-256 of a text with at least 80 random bits, as hexadecimal digits. (Passwords
/// have less entropy; [`crate::password`] hashes them.)
pub(crate) fn digest(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

/// Compares two digests in constant time.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_lower_case_hexadecimal_digits() {
        // FIPS 180-4: SHA-256 of the empty message.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(""), empty);
    }

    #[test]
    fn random_secrets_are_long_and_differ() {
        let secrets = [Secret::random().unwrap(), Secret::random().unwrap()];
        assert_eq!(secrets[0].expose().len(), 43);
        assert_ne!(secrets[0].expose(), secrets[1].expose());
        assert!(same(&digest("a"), &digest("a")) && !same(&digest("a"), &digest("b")));
    }
}
