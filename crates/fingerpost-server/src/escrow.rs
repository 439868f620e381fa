//! Escrows: one encrypted file with all that another operator needs to answer the same.
//!
//! ```text
//! records.jsonl      every record
//! fingerpost.toml    the options that decide what is answered
//! files/…            the files that these options name
//! keys.json          the public keys of signed answers
//! site.tar           the resolver as static files (fingerpost export --static)
//! manifest.jws       digests of all of these, signed by the key of the resolver
//! ```
//!
//! All of it is one state of the store, in a tar archive, compressed by gzip and encrypted by age
//! to the trustee. Accounts, API keys, the audit log and private keys are not in it: anyone who
//! takes over appoints people and makes keys of their own.

mod unpack;
mod write;

use std::io::{self, Read, Write};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use unpack::unpack_escrow;
pub use write::write_escrow;

const RECORDS: &str = "records.jsonl";
const CONFIGURATION: &str = "fingerpost.toml";
const KEYS: &str = "keys.json";
const SITE: &str = "site.tar";
const MANIFEST: &str = "manifest.jws";

/// The folder of files that the configuration names.
const FILES: &str = "files";

/// The media type of the manifest inside its signature.
const MANIFEST_TYPE: &str = "application/json";

/// The format of this release.
const FORMAT: &str = "fingerpost-escrow/1";

/// What an escrow contains.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EscrowManifest {
    /// The format of the escrow.
    pub format: String,
    /// The time at which it was made (RFC 3339).
    pub made: String,
    /// The address of the resolver.
    pub resolver_root: String,
    /// The number of records.
    pub records: u64,
    /// The files, in the order of the archive.
    pub files: Vec<EscrowFile>,
}

/// A file of an escrow.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct EscrowFile {
    /// The path in the archive.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
}

impl EscrowFile {
    /// Copies a file, and describes it.
    fn copied(path: String, from: &mut impl Read, to: &mut impl Write) -> io::Result<Self> {
        let mut digest = Sha256::new();
        let mut bytes = 0;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = from.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            digest.update(&buffer[..read]);
            to.write_all(&buffer[..read])?;
            bytes += read as u64;
        }
        to.flush()?;
        Ok(Self { path, bytes, sha256: HEXLOWER.encode(&digest.finalize()) })
    }
}
