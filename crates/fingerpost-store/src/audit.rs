//! The audit chain: one record for every change, linked by hash to all records before it.
//!
//! The hash of a record is SHA-256 over the hash of the record before it (32 zero bytes for the
//! first) and its own JSON. With a head (number and hash) noted earlier, you can verify whether any
//! record up to it was changed, removed or added. The store alone cannot prove that the chain was
//! not rewritten completely; see `docs/decisions/0006-history-and-audit.md`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::Revision;
use crate::event::Personal;
use crate::format::Hash;

/// Length of the salt before the JSON of a personal row, in bytes.
pub(crate) const SALT: usize = 16;

/// The members of a record's JSON, in order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) action: String,
    pub(crate) actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) revision: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) revisions: Option<[u64; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) details: Map<String, Value>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) documents: BTreeMap<String, Option<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) personal: Option<String>,
}

impl Row {
    /// Returns the first and the last revision that the record covers.
    pub(crate) fn revisions(&self) -> Option<(Revision, Revision)> {
        let [from, to] = self.revision.map(|one| [one, one]).or(self.revisions)?;
        Some((Revision::new(from), Revision::new(to)))
    }
}

/// Returns the hash of a record.
pub(crate) fn record_hash(previous: &Hash, json: &[u8]) -> Hash {
    Sha256::new().chain_update(previous).chain_update(json).finalize().into()
}

/// Returns the salted hash of a personal row, which is `salt` followed by JSON.
pub(crate) fn commitment(personal: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(personal))
}

/// One record of the audit chain: the action, the actor and the time.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditRecord {
    /// The number.
    seq: u64,
    /// SHA-256 of the previous hash and the text of `record`.
    #[serde(serialize_with = "as_hex")]
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    hash: Hash,
    /// What happened, exactly as it was hashed.
    #[serde(rename = "record", serialize_with = "as_json")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    json: String,
    /// Personal data, unless they were erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    personal: Option<Personal>,
    #[serde(skip)]
    row: Row,
}

fn as_hex<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&HEXLOWER.encode(hash))
}

fn as_json<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let json: &RawValue = serde_json::from_str(json).map_err(serde::ser::Error::custom)?;
    json.serialize(serializer)
}

impl AuditRecord {
    /// Parses a stored record; returns `None` if it is damaged. `personal` is the corresponding
    /// personal row.
    pub(crate) fn parse(value: &[u8], personal: Option<&[u8]>) -> Option<Self> {
        let (hash, json) = value.split_first_chunk::<32>()?;
        let json = std::str::from_utf8(json).ok()?;
        let row: Row = serde_json::from_str(json).ok()?;
        let personal = match personal {
            Some(bytes) => Some(serde_json::from_slice(bytes.get(SALT..)?).ok()?),
            None => None,
        };
        Some(Self { seq: row.seq, hash: *hash, json: json.to_owned(), personal, row })
    }

    /// Returns the number of the record, from 1.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the time of the event.
    pub fn at(&self) -> Timestamp {
        self.row.at
    }

    /// Returns the action, such as `links.write`.
    pub fn action(&self) -> &str {
        &self.row.action
    }

    /// Returns the actor, such as `user:…` or `local:import`.
    pub fn actor(&self) -> &str {
        &self.row.actor
    }

    /// Returns the subject.
    pub fn subject(&self) -> Option<&str> {
        self.row.subject.as_deref()
    }

    /// Returns the first and the last revision that the record covers; they differ only in the
    /// record of an upgrade.
    pub fn revisions(&self) -> Option<(Revision, Revision)> {
        self.row.revisions()
    }

    /// Returns the number of levels that changed, if the record covers a revision.
    pub fn changes(&self) -> Option<u64> {
        self.row.changes
    }

    /// Returns the details.
    pub fn details(&self) -> &Map<String, Value> {
        &self.row.details
    }

    /// Returns the personal data, if recorded and not erased.
    pub fn personal(&self) -> Option<&Personal> {
        self.personal.as_ref()
    }

    /// Returns whether personal data was recorded and has been erased.
    pub fn is_erased(&self) -> bool {
        self.row.personal.is_some() && self.personal.is_none()
    }

    /// Returns the digests of the documents that the event changed, by collection and id; `None`
    /// for deleted ones.
    pub(crate) fn documents(&self) -> &BTreeMap<String, Option<String>> {
        &self.row.documents
    }

    pub(crate) fn commitment(&self) -> Option<&str> {
        self.row.personal.as_deref()
    }

    pub(crate) fn digest(&self) -> Option<&str> {
        self.row.digest.as_deref()
    }

    /// Returns the head of the chain up to this record.
    pub fn head(&self) -> AuditHead {
        AuditHead { seq: self.seq, hash: self.hash }
    }

    /// Returns the JSON that the hash is computed over.
    pub fn json(&self) -> &str {
        &self.json
    }
}

/// The end of an audit chain: the number of its last record, and a hash over the whole chain.
///
/// Note it outside of the store to verify later that the chain still begins with these records. Its
/// text form is `number:hash`; the number of an empty chain is 0.
///
/// ```
/// use fingerpost_store::AuditHead;
///
/// let text = format!("12:{}", "ab".repeat(32));
/// let head: AuditHead = text.parse()?;
/// assert_eq!((head.seq(), head.to_string()), (12, text));
/// # Ok::<(), fingerpost_store::InvalidAuditHead>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AuditHead {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

impl AuditHead {
    /// Returns the number of records in the chain.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the hash of the last record, in lower-case hexadecimal digits.
    pub fn hash(&self) -> String {
        HEXLOWER.encode(&self.hash)
    }
}

impl fmt::Display for AuditHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, HEXLOWER.encode(&self.hash))
    }
}

/// The error for a text that is not an [`AuditHead`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected the head of an audit chain, a number, `:` and 64 hexadecimal digits")]
pub struct InvalidAuditHead;

impl FromStr for AuditHead {
    type Err = InvalidAuditHead;

    fn from_str(text: &str) -> Result<Self, InvalidAuditHead> {
        let (seq, digits) = text.split_once(':').ok_or(InvalidAuditHead)?;
        let seq = seq.parse().map_err(|_| InvalidAuditHead)?;
        let hash = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).map_err(|_| InvalidAuditHead)?;
        Ok(Self { seq, hash: hash.try_into().map_err(|_| InvalidAuditHead)? })
    }
}
