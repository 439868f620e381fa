//! Encryption by the crate `age`, which a build without the feature `encryption` does not have.

use std::io;

/// Why an encrypted file cannot be opened.
#[derive(Debug)]
pub(super) enum OpenError {
    /// It is encrypted to other keys.
    #[cfg_attr(not(feature = "encryption"), expect(dead_code, reason = "needs keys"))]
    OtherKeys,
    /// It cannot be read.
    #[cfg_attr(not(feature = "encryption"), expect(dead_code, reason = "needs keys"))]
    Read(io::Error),
    /// Its encryption is damaged, or this build has none.
    Damaged(String),
}

#[cfg(feature = "encryption")]
mod with_age {
    use std::io::{self, BufRead, Read, Write};

    use age::{DecryptError, Decryptor, Encryptor, Identity, IdentityFile, Recipient};

    use super::OpenError;

    pub(crate) type PublicKey = age::x25519::Recipient;
    pub(crate) type PrivateKey = Box<dyn Identity + Send + Sync>;

    /// Encrypts everything of `from`.
    pub(crate) fn seal(
        keys: &[PublicKey],
        from: &mut impl Read,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let keys = keys.iter().map(|key| key as &dyn Recipient);
        let encryptor = Encryptor::with_recipients(keys).map_err(io::Error::other)?;
        let mut sealed = encryptor.wrap_output(out)?;
        io::copy(from, &mut sealed)?;
        sealed.finish().map(drop)
    }

    /// Reads a file of private keys.
    pub(crate) fn private_keys(file: impl BufRead) -> Result<Vec<PrivateKey>, String> {
        let file = IdentityFile::from_buffer(file).map_err(|error| error.to_string())?;
        file.into_identities().map_err(|error| error.to_string())
    }

    /// Decrypts a file.
    pub(crate) fn open<R: BufRead>(
        keys: &[PrivateKey],
        sealed: R,
    ) -> Result<impl Read + use<R>, OpenError> {
        let opened = Decryptor::new_buffered(sealed).and_then(|decryptor| {
            decryptor.decrypt(keys.iter().map(|key| &**key as &dyn Identity))
        });
        opened.map_err(|error| match error {
            DecryptError::NoMatchingKeys => OpenError::OtherKeys,
            DecryptError::Io(error) => OpenError::Read(error),
            error => OpenError::Damaged(error.to_string()),
        })
    }
}

#[cfg(feature = "encryption")]
pub(super) use with_age::{PrivateKey, PublicKey, open, private_keys, seal};

#[cfg(not(feature = "encryption"))]
mod without {
    use std::fmt;
    use std::io::{self, BufRead, Read, Write};
    use std::str::FromStr;

    use super::OpenError;

    const MISSING: &str = "this build has no encryption: packages of fingerpost have it, and a build with `--features encryption`";

    /// No key can be read, so there is none.
    #[derive(Debug)]
    pub(crate) enum PublicKey {}
    pub(crate) type PrivateKey = PublicKey;

    impl FromStr for PublicKey {
        type Err = &'static str;

        fn from_str(_: &str) -> Result<Self, Self::Err> {
            Err(MISSING)
        }
    }

    impl fmt::Display for PublicKey {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            match *self {}
        }
    }

    pub(crate) fn seal(_: &[PublicKey], _: &mut impl Read, _: &mut dyn Write) -> io::Result<()> {
        Err(io::Error::other(MISSING))
    }

    pub(crate) fn private_keys(_: impl BufRead) -> Result<Vec<PrivateKey>, String> {
        Err(MISSING.to_owned())
    }

    pub(crate) fn open<R: BufRead>(_: &[PrivateKey], _: R) -> Result<io::Empty, OpenError> {
        Err(OpenError::Damaged(MISSING.to_owned()))
    }
}

#[cfg(not(feature = "encryption"))]
pub(super) use without::{PrivateKey, PublicKey, open, private_keys, seal};
