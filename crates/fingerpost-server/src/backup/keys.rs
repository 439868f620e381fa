//! The keys of backups: public ones to encrypt, private ones to restore. The format is that of age
//! (age-encryption.org/v1).

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use fingerpost_resolver::excerpt;

use super::cipher::{self, OpenError, PrivateKey, PublicKey};
use crate::config::BackupOptions;
use crate::failure::Failure;
use crate::limits::{MAX_BACKUP_KEY_FILE, MAX_RECIPIENTS};
use crate::text::printable;

/// The public keys to which backups are encrypted; none if they are not encrypted.
#[derive(Debug, Default)]
pub(crate) struct Recipients {
    keys: Vec<PublicKey>,
}

impl Recipients {
    /// Reads these keys.
    pub(crate) fn parse(keys: &[String]) -> Result<Self, Failure> {
        let keys = keys.iter().map(|key| parse(key, "recipient"));
        Ok(Self { keys: keys.collect::<Result<_, _>>()? })
    }

    /// Reads the configured keys.
    pub(super) fn of(options: &BackupOptions) -> Result<Self, Failure> {
        let mut keys = Vec::new();
        for key in options.recipients.iter() {
            keys.push(parse(key, "backup.recipients")?);
        }
        if let Some(path) = &options.recipients_file {
            let name = printable(&path.to_string_lossy());
            let mut text = String::new();
            let read = File::open(path)
                .and_then(|file| file.take(MAX_BACKUP_KEY_FILE).read_to_string(&mut text));
            read.map_err(|error| {
                Failure::advise(
                    format!("cannot read the recipients of backups in `{name}`: {error}"),
                    "check backup.recipients_file and its permissions",
                )
            })?;
            let lines = text.lines().map(str::trim).enumerate();
            for (number, line) in
                lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            {
                keys.push(parse(line, &format!("{name}:{}", number + 1))?);
            }
            if keys.is_empty() {
                return Err(Failure::advise(
                    format!("`{name}` has no public key"),
                    "write one age1… per line, or remove backup.recipients_file to write backups unencrypted",
                ));
            }
        }
        if keys.len() > MAX_RECIPIENTS {
            return Err(Failure::new(format!("more than {MAX_RECIPIENTS} recipients of backups")));
        }
        Ok(Self { keys })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the keys as text.
    pub(super) fn texts(&self) -> Vec<String> {
        self.keys.iter().map(ToString::to_string).collect()
    }

    /// Writes everything of `from` to `out`, encrypted if there are keys.
    pub(crate) fn seal(&self, mut from: impl Read, out: &mut dyn Write) -> io::Result<()> {
        if self.keys.is_empty() {
            return io::copy(&mut from, out).map(drop);
        }
        cipher::seal(&self.keys, &mut from, out)
    }
}

/// Parses a public key.
fn parse(text: &str, source: &str) -> Result<PublicKey, Failure> {
    text.trim().parse().map_err(|error| {
        let shown = printable(text);
        let shown = excerpt(&shown, 32);
        Failure::advise(
            format!("{source}: expected a public key of age (age1…), found `{shown}`: {error}"),
            "`age-keygen -o identity.txt` creates a pair of keys and prints the public one; keep the private one elsewhere",
        )
    })
}

/// The private keys that restore encrypted backups.
#[derive(Default)]
pub struct Identities {
    keys: Vec<PrivateKey>,
}

impl Identities {
    /// Reads the private keys in a file, if one is given.
    pub fn of(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::default()) };
        let name = printable(&path.to_string_lossy());
        let wrong = |what: &dyn fmt::Display| {
            Failure::advise(
                format!("cannot read private keys from `{name}`: {what}"),
                "it has lines AGE-SECRET-KEY-1…, as `age-keygen` writes them; decrypt a file with a passphrase first",
            )
        };
        let file = File::open(path).map_err(|error| wrong(&error))?;
        let keys = cipher::private_keys(BufReader::new(file.take(MAX_BACKUP_KEY_FILE)));
        let keys = keys.map_err(|error| wrong(&error))?;
        if keys.is_empty() {
            return Err(wrong(&"it has none"));
        }
        Ok(Self { keys })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the contents of a file, which is decrypted if it is encrypted.
    pub fn open<'r>(
        &self,
        name: &str,
        sealed: impl Read + Send + 'r,
    ) -> Result<Box<dyn BufRead + Send + 'r>, Failure> {
        let mut sealed = BufReader::with_capacity(1 << 16, sealed);
        // A pipe may give less than that at once.
        let mut begin = Vec::with_capacity(AGE.len());
        let read = sealed.by_ref().take(AGE.len() as u64).read_to_end(&mut begin);
        read.map_err(|error| unreadable(name, &error))?;
        let is_sealed = begin == AGE;
        let sealed = io::Cursor::new(begin).chain(sealed);
        if !is_sealed {
            return Ok(Box::new(sealed));
        }
        if self.is_empty() {
            return Err(Failure::advise(
                format!("`{name}` is encrypted, and no private key is given; nothing was restored"),
                "give the file with the private key of a recipient with --identity",
            ));
        }
        let opened = cipher::open(&self.keys, sealed).map_err(|error| refused(name, &error))?;
        Ok(Box::new(BufReader::with_capacity(1 << 16, opened)))
    }
}

/// The beginning of an encrypted file.
const AGE: &[u8] = b"age-encryption.org/";

fn refused(name: &str, error: &OpenError) -> Failure {
    match error {
        OpenError::OtherKeys => Failure::advise(
            format!("`{name}` is encrypted to other keys than those given; nothing was restored"),
            "the manifest of the backup names its recipients; give the private key of one of them with --identity",
        ),
        OpenError::Read(error) => unreadable(name, error),
        OpenError::Damaged(error) => Failure::advise(
            format!("the encryption of `{name}` is damaged ({error}); nothing was restored"),
            "use another backup",
        ),
    }
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot read `{name}`: {error}; nothing was restored"),
        "use another backup if the file is damaged or cut off",
    )
}
