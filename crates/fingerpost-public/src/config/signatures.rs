//! Keys of signed answers.

use std::path::{Path, PathBuf};

use fingerpost_options::{ConfigError, Items, Period, options};
use fingerpost_signature::{KeyDirectory, KeyError, PublicKey, Signer, SigningKey};
use jiff::SignedDuration;

options! {
    /// Redirects and linksets can carry a signature (HTTP Message Signatures, RFC 9421, with
    /// Ed25519), so that anyone can verify where a kept answer came from
    /// ([guide](../guides/signed-answers.md)).
    pub struct SignatureOptions {
        /// File with the private key (PKCS#8, PEM), as `openssl genpkey -algorithm ed25519` writes
        /// it. Absent: nothing is signed. Read at start and when the configuration is reloaded.
        key: Option<PathBuf>, example r#""/etc/fingerpost/signing.pem""#;
        /// Files with public keys (PEM) that signed before. They stay published at
        /// `/.well-known/http-message-signatures-directory` beside that of `key`.
        former_keys: Items<PathBuf>, example r#"["/etc/fingerpost/signing-2026.pub"]"#;
        /// How long a signature is valid. It is sent again for half of this time.
        valid_for: Period<60> = "24h";
    }
}

/// What the public side signs with, and the keys it publishes.
#[derive(Debug)]
pub(crate) struct Signing {
    pub(crate) signer: Signer,
    pub(crate) directory: KeyDirectory,
}

impl Signing {
    /// Reads the keys; `None` without one.
    pub(super) fn new(options: SignatureOptions) -> Result<Option<Self>, ConfigError> {
        let former: Vec<_> = options.former_keys.into_vec();
        let Some(path) = options.key else {
            return match former.is_empty() {
                true => Ok(None),
                false => Err(ConfigError::value(
                    "signatures.former_keys",
                    "expected signatures.key with it",
                )),
            };
        };
        let wrong = |key: &str, path: &Path, error: KeyError| {
            ConfigError::value(key, format_args!("{}: {error}", path.display()))
        };
        let key = SigningKey::from_pem(&contents(&path)?)
            .map_err(|error| wrong("signatures.key", &path, error))?;
        let mut keys = vec![key.public()];
        for path in &former {
            let key = PublicKey::from_pem(&contents(path)?);
            keys.push(key.map_err(|error| wrong("signatures.former_keys", path, error))?);
        }
        let valid_for = SignedDuration::try_from(options.valid_for.get()).unwrap_or_default();
        let signer = Signer::new(key, valid_for);
        Ok(Some(Self { signer, directory: KeyDirectory::new(keys) }))
    }
}

fn contents(path: &Path) -> Result<Vec<u8>, ConfigError> {
    std::fs::read(path).map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })
}
