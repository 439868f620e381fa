//! The file with the keys of the servers signed in to:
//! `$XDG_CONFIG_HOME/fingerpost/credentials.toml` (XDG Base Directory Specification 0.8), readable
//! by its owner only.
//!
//! ```toml
//! default = "https://admin.id.example.org"
//!
//! [servers."https://admin.id.example.org"]
//! key = "fpk_…"
//! ca = "/home/ada/authority.pem"   # the authority that is trusted there
//! insecure = false                 # keys may go there without TLS
//! own = true                       # the key was made for this command line: logout revokes it
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fingerpost_registry::Secret;
use serde::{Deserialize, Serialize, Serializer};

use crate::failure::Failure;
use crate::output::{self, WARNING};

/// The stored data about all servers.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Credentials {
    /// The server of the last login.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default: Option<String>,
    /// Servers by address.
    #[serde(default)]
    pub(super) servers: BTreeMap<String, Saved>,
}

/// The stored data about one server.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    /// The key.
    #[serde(serialize_with = "expose")]
    pub(super) key: Secret,
    /// The authority that is trusted for this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ca: Option<PathBuf>,
    /// Whether keys may be sent without TLS.
    #[serde(default)]
    pub(super) insecure: bool,
    /// Whether the key was created for this command line.
    #[serde(default)]
    pub(super) own: bool,
}

impl Credentials {
    /// Reads the file; a missing file counts as empty.
    pub(super) fn load() -> Result<Self, Failure> {
        let Some(path) = path() else { return Ok(Self::default()) };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let mode = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?.permissions();
        if mode.mode() & 0o077 != 0 {
            let path = path.display();
            let _ = writeln!(
                anstream::stderr(),
                "{WARNING}warning{WARNING:#}: others can read `{path}`, which holds keys: chmod 600 {path}"
            );
        }
        // The parser's message quotes lines, and lines contain keys.
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            Failure::advise(
                format!("`{}`, line {line}: not as `fingerpost login` writes it", path.display()),
                "fix the line, or remove the file and sign in again",
            )
        })
    }

    /// Replaces the file atomically; the new one is readable by its owner only.
    ///
    /// Fails if the file cannot be written; the old one is then unchanged.
    pub(super) fn save(&self) -> Result<PathBuf, Failure> {
        let path = path().ok_or_else(|| {
            Failure::advise(
                "cannot store credentials: neither XDG_CONFIG_HOME nor HOME is set",
                "set HOME, or do without the file: FINGERPOST_SERVER and FINGERPOST_KEY",
            )
        })?;
        let text = toml::to_string(self).map_err(Failure::new)?;
        write(&path, &text).map_err(|error| {
            Failure::advise(
                format!("cannot write `{}`: {error}", path.display()),
                "check the folder and the disk; nothing was changed",
            )
        })?;
        Ok(path)
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Created with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn path() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("fingerpost").join("credentials.toml"))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot read `{}`: {error}", output::printable(&path.to_string_lossy())),
        "check its permissions, or remove it and sign in again",
    )
}

/// Serializes a key. Used for this file only.
fn expose<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose())
}
