//! The folder `acme` of the data directory: the account, the certificate with its key, and the
//! state of its renewal.
//!
//! Key and chain are in one file, because one file is replaced as a whole: a crash never leaves a
//! key beside the certificate of another.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fingerpost_http::Certificate;
use instant_acme::AccountCredentials;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::AcmeError;
use crate::limits::MAX_FILE_BYTES;
use crate::state::CertificateState;

/// Name of the folder in the data directory.
const NAME: &str = "acme";
const ACCOUNT: &str = "account.json";
const CERTIFICATE: &str = "certificate.pem";
const STATE: &str = "state.json";

/// Only the user of the server reads keys.
const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The account as it is kept: an account belongs to one authority.
#[derive(Serialize, Deserialize)]
struct Account {
    directory: String,
    credentials: AccountCredentials,
}

/// The folder in which everything about ACME is kept.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Returns the folder of a data directory, which need not exist.
    pub fn of(data: &Path) -> Self {
        Self(data.join(NAME))
    }

    /// Returns the file with the certificate and its key.
    pub fn certificate_path(&self) -> PathBuf {
        self.0.join(CERTIFICATE)
    }

    /// Creates the folder if it is missing.
    pub(crate) fn create(&self) -> Result<(), AcmeError> {
        let made = DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(&self.0);
        made.map_err(|error| AcmeError::File { path: self.0.clone(), error })
    }

    /// Returns the certificate; `None` if there is none.
    pub fn certificate(&self) -> Result<Option<Certificate>, AcmeError> {
        let Some(pem) = self.read(CERTIFICATE)? else { return Ok(None) };
        Ok(Some(Certificate::from_pem(&pem, &pem, &self.certificate_path())?))
    }

    /// Keeps a certificate chain and its key, both in PEM form.
    pub(crate) fn keep_certificate(&self, chain: &str, key: &str) -> Result<(), AcmeError> {
        let pem = Zeroizing::new(format!("{}\n{}\n", key.trim_end(), chain.trim_end()));
        self.write(CERTIFICATE, pem.as_bytes())
    }

    /// Returns the account at an authority, if there is one. A damaged file is as good as none:
    /// accounts are free.
    pub(crate) fn account(&self, directory: &str) -> Result<Option<AccountCredentials>, AcmeError> {
        let Some(text) = self.read(ACCOUNT)? else { return Ok(None) };
        match serde_json::from_slice::<Account>(&text) {
            Ok(account) if account.directory == directory => Ok(Some(account.credentials)),
            Ok(account) => {
                tracing::info!(
                    before = account.directory,
                    now = directory,
                    "another authority is configured: a new account is created there"
                );
                Ok(None)
            }
            Err(_) => {
                let file = self.0.join(ACCOUNT);
                tracing::warn!(file = %file.display(), "the account cannot be read: a new one is created");
                Ok(None)
            }
        }
    }

    pub(crate) fn keep_account(
        &self,
        directory: &str,
        credentials: AccountCredentials,
    ) -> Result<(), AcmeError> {
        let account = Account { directory: directory.to_owned(), credentials };
        let error = |error: serde_json::Error| AcmeError::File {
            path: self.0.join(ACCOUNT),
            error: error.into(),
        };
        let text = Zeroizing::new(serde_json::to_vec(&account).map_err(error)?);
        self.write(ACCOUNT, &text)
    }

    /// Returns the results of the last attempts; what cannot be read is unknown.
    pub fn state(&self) -> CertificateState {
        let text = self.read(STATE).ok().flatten();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    pub(crate) fn keep_state(&self, state: &CertificateState) -> Result<(), AcmeError> {
        // A document of texts, numbers and times can always be serialized.
        self.write(STATE, &serde_json::to_vec(state).unwrap_or_default())
    }

    fn read(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, AcmeError> {
        let path = self.0.join(name);
        let found = File::open(&path).and_then(|file| {
            let mut content = Zeroizing::new(Vec::new());
            io::Read::read_to_end(&mut io::Read::take(file, MAX_FILE_BYTES), &mut content)?;
            Ok(content)
        });
        match found {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(AcmeError::File { path, error }),
        }
    }

    /// Replaces a file as a whole, durably.
    fn write(&self, name: &str, content: &[u8]) -> Result<(), AcmeError> {
        self.create()?;
        let path = self.0.join(name);
        let temporary = self.0.join(format!(".{name}.new"));
        let written = || {
            // One that an interrupted process left may have another owner or mode.
            match fs::remove_file(&temporary) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(FILE_MODE).open(&temporary)?;
            file.write_all(content)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            File::open(&self.0)?.sync_all()
        };
        written().map_err(|error| AcmeError::File { path: path.clone(), error })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_owner_reads_what_is_kept() {
        let data = tempfile::tempdir().unwrap();
        let folder = Folder::of(data.path());
        assert!(folder.certificate().unwrap().is_none());
        assert_eq!(folder.state(), CertificateState::default());
        let made = rcgen::generate_simple_self_signed(vec!["a.example".to_owned()]).unwrap();
        // What an interrupted process left is no obstacle.
        folder.create().unwrap();
        fs::write(data.path().join("acme/.certificate.pem.new"), "x").unwrap();
        folder.keep_certificate(&made.cert.pem(), &made.signing_key.serialize_pem()).unwrap();
        assert!(folder.certificate().unwrap().expect("kept").is_for("a.example"));
        folder
            .keep_state(&CertificateState { failures: 3, ..CertificateState::default() })
            .unwrap();
        assert_eq!(folder.state().failures, 3);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data.path().join("acme")), 0o700);
        for entry in fs::read_dir(data.path().join("acme")).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }

    #[test]
    fn damaged_files_are_no_panic() {
        let data = tempfile::tempdir().unwrap();
        let folder = Folder::of(data.path());
        folder.create().unwrap();
        for text in ["", "{", "null", "-----BEGIN CERTIFICATE-----", "\u{0}\u{1}"] {
            for name in [ACCOUNT, CERTIFICATE, STATE] {
                fs::write(data.path().join("acme").join(name), text).unwrap();
            }
            assert!(folder.certificate().is_err(), "{text:?}");
            assert!(folder.account("https://a.example").unwrap().is_none(), "{text:?}");
            assert_eq!(folder.state(), CertificateState::default(), "{text:?}");
        }
    }
}
