//! Keys: private ones from files, public ones as a JSON Web Key Set (RFC 7517, RFC 8037).

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use data_encoding::{BASE64_MIME, BASE64URL_NOPAD};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::limits::MAX_KEYS;

/// What a public Ed25519 key begins with in its DER form (RFC 8410 section 4).
const PUBLIC_PREFIX: [u8; 12] = *b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";

/// Why a key cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text is not a private key.
    #[error(
        "expected a private Ed25519 key (PKCS#8, PEM), as `openssl genpkey -algorithm ed25519` writes it"
    )]
    Private,
    /// The text is not a public key.
    #[error("expected a public Ed25519 key (PEM), as `openssl pkey -pubout` writes it")]
    Public,
    /// The text is not a set of keys.
    #[error("expected a JSON Web Key Set with at most {MAX_KEYS} keys: {0}")]
    Directory(String),
    /// The system has no random bits.
    #[error("no random bits for a new key")]
    Random,
}

/// A private key that signs. Its `Debug` form shows the public part only.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SigningKey").field(&self.public).finish()
    }
}

impl SigningKey {
    /// Reads a private key in PEM form (PKCS#8, RFC 8410).
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(text).map_err(|_| KeyError::Private)?;
        Self::from_der(der.secret_pkcs8_der())
    }

    fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_pkcs8(der).map_err(|_| KeyError::Private)?;
        let public = pair.public_key().as_ref().try_into().map_err(|_| KeyError::Private)?;
        Ok(Self { pair, public: PublicKey(public) })
    }

    /// Makes a key; returns it with its PEM form.
    pub fn generate() -> Result<(Self, String), KeyError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| KeyError::Random)?;
        let der = pair.to_pkcs8v1().map_err(|_| KeyError::Random)?;
        let key = Self::from_der(der.as_ref())?;
        let text = BASE64_MIME.encode(der.as_ref());
        let text = text.replace("\r\n", "\n");
        Ok((key, format!("-----BEGIN PRIVATE KEY-----\n{text}-----END PRIVATE KEY-----\n")))
    }

    /// Returns the public part.
    pub fn public(&self) -> PublicKey {
        self.public
    }

    pub(crate) fn sign(&self, text: &[u8]) -> Vec<u8> {
        self.pair.sign(text).as_ref().to_vec()
    }
}

/// A public Ed25519 key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Reads a public key in PEM form.
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        let der = SubjectPublicKeyInfoDer::from_pem_slice(text).map_err(|_| KeyError::Public)?;
        let key = der.as_ref().strip_prefix(&PUBLIC_PREFIX).ok_or(KeyError::Public)?;
        key.try_into().map(Self).map_err(|_| KeyError::Public)
    }

    /// Returns the PEM form.
    pub fn to_pem(&self) -> String {
        let der = [&PUBLIC_PREFIX[..], &self.0].concat();
        let text = data_encoding::BASE64.encode(&der);
        format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n")
    }

    /// Returns the name of the key: its thumbprint (RFC 7638; RFC 8037 appendix A.3).
    pub fn id(&self) -> String {
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.coordinate());
        BASE64URL_NOPAD.encode(&Sha256::digest(members))
    }

    fn coordinate(&self) -> String {
        BASE64URL_NOPAD.encode(&self.0)
    }

    pub(crate) fn verifies(&self, text: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(text, signature).is_ok()
    }
}

/// Public keys of a resolver: the one that signs, and those that signed before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyDirectory(Vec<PublicKey>);

/// A JSON Web Key Set.
#[derive(Deserialize, Serialize)]
struct KeySet {
    keys: Vec<Jwk>,
}

/// A JSON Web Key; keys of other kinds are skipped.
#[derive(Deserialize, Serialize)]
struct Jwk {
    kty: String,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    x: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    #[serde(default, rename = "use", skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
}

impl KeyDirectory {
    /// The path at which a resolver publishes its keys
    /// (draft-meunier-http-message-signatures-directory).
    pub const PATH: &str = "/.well-known/http-message-signatures-directory";

    /// The media type of the directory.
    pub const MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";

    /// Creates a directory of these keys, each once.
    pub fn new(keys: impl IntoIterator<Item = PublicKey>) -> Self {
        let mut all = Vec::new();
        for key in keys {
            if !all.contains(&key) {
                all.push(key);
            }
        }
        Self(all)
    }

    /// Returns the keys, the current one first.
    pub fn keys(&self) -> &[PublicKey] {
        &self.0
    }

    /// Writes a JSON Web Key Set.
    pub fn to_json(&self) -> String {
        let keys = self.0.iter().map(|key| Jwk {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            x: key.coordinate(),
            kid: Some(key.id()),
            usage: Some("sig".to_owned()),
        });
        serde_json::to_string(&KeySet { keys: keys.collect() }).unwrap_or_default()
    }

    /// Reads a JSON Web Key Set. Keys that are not of Ed25519 are skipped.
    pub fn from_json(text: &[u8]) -> Result<Self, KeyError> {
        let wrong = |reason: &dyn ToString| KeyError::Directory(reason.to_string());
        let set: KeySet = serde_json::from_slice(text).map_err(|error| wrong(&error))?;
        if set.keys.len() > MAX_KEYS {
            return Err(wrong(&format!("{} keys", set.keys.len())));
        }
        let of_ed25519 = set.keys.iter().filter(|key| key.kty == "OKP" && key.crv == "Ed25519");
        let keys = of_ed25519.map(|key| {
            let bytes = BASE64URL_NOPAD.decode(key.x.as_bytes()).ok();
            let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
            bytes.map(PublicKey).ok_or_else(|| wrong(&"a member `x` is not 32 bytes in base64url"))
        });
        Ok(Self::new(keys.collect::<Result<Vec<_>, _>>()?))
    }

    pub(crate) fn find(&self, id: &str) -> Option<&PublicKey> {
        self.0.iter().find(|key| key.id() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of RFC 9421 appendix B.1.4.
    pub(crate) const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
-----END PUBLIC KEY-----
";

    /// The thumbprint is that of draft-meunier-http-message-signatures-directory for this key.
    #[test]
    fn keys_of_the_standard_are_read() {
        let key = SigningKey::from_pem(PRIVATE.as_bytes()).unwrap();
        let public = PublicKey::from_pem(PUBLIC.as_bytes()).unwrap();
        assert_eq!(key.public(), public);
        assert_eq!(public.to_pem(), PUBLIC);
        assert_eq!(public.id(), "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U");
        assert!(!format!("{key:?}").contains("PRIVATE"));
    }

    #[test]
    fn directories_are_read_back_and_other_keys_skipped() {
        let keys = KeyDirectory::new([0, 1, 0].map(|byte| PublicKey([byte; 32])));
        assert_eq!(keys.keys().len(), 2);
        assert_eq!(KeyDirectory::from_json(keys.to_json().as_bytes()), Ok(keys));
        let other = br#"{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}"#;
        assert_eq!(KeyDirectory::from_json(other), Ok(KeyDirectory::default()));
        let short = br#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AQAB"}]}"#;
        assert!(KeyDirectory::from_json(short).is_err());
        let many =
            format!(r#"{{"keys": [{}]}}"#, vec![r#"{"kty": "RSA"}"#; MAX_KEYS + 1].join(","));
        assert!(KeyDirectory::from_json(many.as_bytes()).is_err());
    }

    #[test]
    fn new_keys_are_read_back_and_faults_say_what_is_expected() {
        let (key, pem) = SigningKey::generate().unwrap();
        assert_eq!(SigningKey::from_pem(pem.as_bytes()).unwrap().public(), key.public());
        assert_eq!(SigningKey::from_pem(PUBLIC.as_bytes()).unwrap_err(), KeyError::Private);
        assert_eq!(PublicKey::from_pem(pem.as_bytes()).unwrap_err(), KeyError::Public);
    }
}
