//! Secrets: shown once, wiped from memory, never printed; only a SHA-256 digest is stored.

use std::fmt;

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

    /// Returns 256 random bits as 43 letters, digits, `-` and `_` (RFC 4648, section 5, without padding).
    pub(crate) fn random() -> Result<Secret, RegistryError> {
        let bytes: Zeroizing<[u8; 32]> = random_bytes()?;
        Ok(Secret(Zeroizing::new(base64url(bytes.as_slice()))))
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

/// Returns the SHA-256 of a text with at least 80 random bits, as hexadecimal digits. (Passwords have less entropy; [`crate::password`]
/// hashes them.)
pub(crate) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Compares two digests in constant time.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

/// Formats bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(nibble)]));
        }
    }
    text
}

fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let padded = [chunk[0], *chunk.get(1).unwrap_or(&0), *chunk.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for place in 0..=chunk.len() {
            let digit = usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap_or_default();
            text.push(char::from(ALPHABET[digit]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_bytes() {
        // RFC 4648, section 10
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")]
        {
            assert_eq!(base64url(bytes.as_bytes()), text);
        }
        assert_eq!(base64url(&[0xff, 0xef]), "_-8");
        assert_eq!(hex(&[0x0f, 0xa0]), "0fa0");
    }

    #[test]
    fn random_secrets_are_long_and_differ() {
        let secrets = [Secret::random().unwrap(), Secret::random().unwrap()];
        assert_eq!(secrets[0].expose().len(), 43);
        assert_ne!(secrets[0].expose(), secrets[1].expose());
        assert!(same(&digest("a"), &digest("a")) && !same(&digest("a"), &digest("b")));
    }
}
