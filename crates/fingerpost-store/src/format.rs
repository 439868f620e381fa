//! The storage format: the contents of the tables of a store.
//!
//! | table       | key                                        | value                                            |
//! |-------------|--------------------------------------------|--------------------------------------------------|
//! | `meta`      | `format`                                   | `fingerpost/3`                                   |
//! | `meta`      | `upgrade`                                  | the next step of an upgrade that is not finished; see [`crate::upgrade`] |
//! | `meta`      | `migration`                                | the location of the source while a store is copied into this one; see [`crate::migrate`] |
//! | `meta`      | `revision`                                 | revision of the last batch, 8 bytes, big endian  |
//! | `meta`      | `copy`                                     | only in a copy of another store: its state, JSON; see [`crate::copy`] |
//! | `entries`   | canonical text of the anchor               | flags (1 byte), revision of the last change (8 bytes, big endian), `Entry::encode` |
//! | `history`   | level, a zero byte, revision (8 bytes, BE) | the value of the level in `entries` from that revision until it was replaced; empty for a deletion |
//! | `changes`   | revision (8 bytes, BE), level              | SHA-256 of the new value of the level; empty for a deletion |
//! | `revisions` | revision (8 bytes, BE)                     | number of the audit record of the revision (8 bytes, BE) |
//! | `audit`     | number from 1 (8 bytes, BE)                | hash (32 bytes), JSON; see [`crate::audit`]       |
//! | `personal`  | number of an audit record (8 bytes, BE)    | salt (16 bytes), JSON                             |
//! | `documents` | collection, a zero byte, id                | the document of the caller                        |
//!
//! Bit 0 of the flags says whether the entry has a default link that is always valid, to check the
//! rule across levels (RES-2.5.9-1) without decoding. Bit 7 says that the value is divided: what
//! only some roles see is its last part, with a checksum of its own. The other bits are zero.
//!
//! Each value except those of `format`, `upgrade` and `migration` is followed by a checksum; see
//! [`fingerpost_engine::checksum`].
//!
//! Format 1 had `meta` and `entries` only, and format 2 had no checksums; [`crate::upgrade`] adds
//! the rest.

#[cfg(doc)]
use fingerpost_engine::Table;
use fingerpost_engine::checksum::{DIVIDED, divide, first_part, undivided};
use fingerpost_resolver::{Anchor, Entry, has_standing_default, restricted_length};
use sha2::{Digest, Sha256};

use crate::{Revision, StoreError};

/// Key of the state of a copy in [`Table::Meta`].
pub(crate) const COPY_KEY: &[u8] = b"copy";
/// Key of the origin of a migration that is not finished, in [`Table::Meta`].
pub(crate) const MIGRATION_KEY: &[u8] = b"migration";
/// Key of the revision in [`Table::Meta`].
pub(crate) const REVISION_KEY: &[u8] = b"revision";

const STANDING_DEFAULT: u8 = 1;
const HEADER: usize = 9;
/// Separates the two parts of a key; no level and no collection contains it.
const SEPARATOR: u8 = 0;

/// A SHA-256 value.
pub(crate) type Hash = [u8; 32];

/// Parses the value of [`REVISION_KEY`]; treats an unreadable value as absent.
pub(crate) fn parse_revision(bytes: &[u8]) -> Option<Revision> {
    Some(Revision::from_bytes(bytes.try_into().ok()?))
}

/// Returns the key in [`Table::History`] of the state that a level had from a revision on.
pub(crate) fn history_key(level: &str, revision: Revision) -> Vec<u8> {
    let mut key = history_prefix(level);
    key.extend_from_slice(&revision.to_bytes());
    key
}

/// Returns the common prefix of the keys of all states of a level in [`Table::History`].
pub(crate) fn history_prefix(level: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(level.len() + 9);
    key.extend_from_slice(level.as_bytes());
    key.push(SEPARATOR);
    key
}

/// Parses the level and the revision from a key in [`Table::History`].
pub(crate) fn parse_history_key(key: &[u8]) -> Option<(&str, Revision)> {
    let (rest, revision) = key.split_last_chunk::<8>()?;
    let (&SEPARATOR, level) = rest.split_last()? else { return None };
    Some((std::str::from_utf8(level).ok()?, Revision::from_bytes(*revision)))
}

/// Returns a key in [`Table::Changes`].
pub(crate) fn change_key(revision: Revision, level: &str) -> Vec<u8> {
    [&revision.to_bytes(), level.as_bytes()].concat()
}

/// Parses the revision and the level from a key in [`Table::Changes`].
pub(crate) fn parse_change_key(key: &[u8]) -> Option<(Revision, &str)> {
    let (revision, level) = key.split_first_chunk::<8>()?;
    Some((Revision::from_bytes(*revision), std::str::from_utf8(level).ok()?))
}

/// Returns a key in [`Table::Documents`].
pub(crate) fn document_key(collection: &str, id: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(collection.len() + 1 + id.len());
    key.extend_from_slice(collection.as_bytes());
    key.push(SEPARATOR);
    key.extend_from_slice(id.as_bytes());
    key
}

/// Parses the collection and the id from a key in [`Table::Documents`].
pub(crate) fn parse_document_key(key: &[u8]) -> Option<(&str, &str)> {
    std::str::from_utf8(key).ok()?.split_once(char::from(SEPARATOR))
}

/// Returns the value in [`Table::Changes`] for a state.
pub(crate) fn state_hash(value: &[u8]) -> Hash {
    Sha256::digest(value).into()
}

/// A digest of rows, in order. That in an audit record covers every row in [`Table::Changes`] of
/// the record's revisions; that of a copy, the entries of a span.
#[derive(Default)]
pub(crate) struct RowsDigest {
    hasher: Sha256,
    rows: u64,
}

impl RowsDigest {
    /// Adds the next row.
    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) {
        let part = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        self.hasher.update(part(key));
        self.hasher.update(key);
        self.hasher.update(part(value));
        self.hasher.update(value);
        self.rows += 1;
    }

    /// Returns the number of rows and their digest.
    pub(crate) fn finish(self) -> (u64, Hash) {
        (self.rows, self.hasher.finalize().into())
    }
}

/// The borrowed value of one level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'a> {
    flags: u8,
    pub(crate) revision: Revision,
    value: &'a [u8],
}

/// Returns the encoded entry in the value of a level.
pub(crate) fn encoded_entry(value: &[u8]) -> Option<&[u8]> {
    Stored::parse("", value).ok()?.encoded(undivided)
}

impl<'a> Stored<'a> {
    /// Splits a value; `key` is used only for the error.
    pub(crate) fn parse(key: &str, bytes: &'a [u8]) -> Result<Self, StoreError> {
        let short = || StoreError::Corrupt {
            key: key.to_owned(),
            detail: format!("expected at least {HEADER} bytes, found {}", bytes.len()),
        };
        let [flags, revision @ ..] = *bytes.first_chunk::<HEADER>().ok_or_else(short)?;
        Ok(Self { flags, revision: Revision::from_bytes(revision), value: bytes })
    }

    /// Returns the encoded entry, or what `part` returns of a divided one. `None`: it is damaged.
    #[inline]
    fn encoded(&self, part: fn(&[u8]) -> Option<&[u8]>) -> Option<&'a [u8]> {
        let is_divided = self.flags & DIVIDED != 0;
        let value = if is_divided { part(self.value)? } else { self.value };
        value.get(HEADER..)
    }

    pub(crate) fn has_standing_default(&self) -> bool {
        self.flags & STANDING_DEFAULT != 0
    }

    /// Returns whether the flags are those that [`encode`] sets for this entry.
    pub(crate) fn flags_fit(&self, entry: &Entry) -> bool {
        self.flags & !DIVIDED == flags_of(entry)
    }

    pub(crate) fn decode(&self, key: &str) -> Result<Entry, StoreError> {
        self.decode_at(key, Self::anchor(key)?)
    }

    /// Returns the anchor with this canonical text.
    pub(crate) fn anchor(key: &str) -> Result<Anchor, StoreError> {
        Anchor::from_canonical(key).ok_or_else(|| StoreError::Corrupt {
            key: key.to_owned(),
            detail: "its key is not the canonical text of a level".to_owned(),
        })
    }

    /// Decodes what the public sees of the entry of a level; `None` if that is nothing.
    #[inline]
    pub(crate) fn decode_public(
        &self,
        key: &str,
        level: Anchor,
    ) -> Result<Option<Entry>, StoreError> {
        let entry = self.encoded(first_part).ok_or_else(|| damaged_part(key))?;
        Entry::decode_public(level, entry)
            .map_err(|error| StoreError::Corrupt { key: key.to_owned(), detail: error.to_string() })
    }

    /// Decodes the entry of a level that the caller knows already, from its text `key`.
    pub(crate) fn decode_at(&self, key: &str, level: Anchor) -> Result<Entry, StoreError> {
        let entry = self.encoded(undivided).ok_or_else(|| damaged_part(key))?;
        Entry::decode(level, entry)
            .map_err(|error| StoreError::Corrupt { key: key.to_owned(), detail: error.to_string() })
    }
}

#[cold]
fn damaged_part(key: &str) -> StoreError {
    let detail = "the checksum of its restricted links does not match".to_owned();
    StoreError::Corrupt { key: key.to_owned(), detail }
}

/// Encodes the value of a level.
pub(crate) fn encode(entry: &Entry, revision: Revision) -> Vec<u8> {
    let encoded = entry.encode();
    let mut value = Vec::with_capacity(HEADER + encoded.len());
    value.push(flags_of(entry));
    value.extend_from_slice(&revision.to_bytes());
    value.extend_from_slice(&encoded);
    let restricted = restricted_length(&encoded);
    if restricted > 0 {
        divide(&mut value, restricted);
    }
    value
}

/// Returns the size of a record as stored: how much of the storage it takes besides its level.
pub fn stored_bytes(entry: &Entry) -> u64 {
    encode(entry, Revision::default()).len() as u64
}

fn flags_of(entry: &Entry) -> u8 {
    if has_standing_default(entry) { STANDING_DEFAULT } else { 0 }
}
