//! The stored form: what the two databases of a store hold, and its version.
//!
//! | database  | key                              | value                                            |
//! |-----------|----------------------------------|--------------------------------------------------|
//! | `meta`    | `format`                         | `fingerpost/1`                                   |
//! | `meta`    | `revision`                       | revision of the last batch, 8 bytes, big endian  |
//! | `entries` | canonical text of the level      | flags (1 byte), revision of the last change (8 bytes, big endian), `Entry::encode` |
//!
//! Bit 0 of the flags says that the entry has a standing default link, so that the rule across levels
//! (RES-2.5.9-1) is judged without decoding. The other bits are zero.

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, has_standing_default};

use crate::Revision;
use crate::error::StoreError;

/// Newest format this release reads, and the one it writes.
pub(crate) const FORMAT: u32 = 1;

/// Name of the database of levels.
pub(crate) const ENTRIES: &str = "entries";
/// Name of the database about the store itself.
pub(crate) const META: &str = "meta";
/// Key in [`META`] of the format.
pub(crate) const FORMAT_KEY: &str = "format";
/// Key in [`META`] of the revision.
pub(crate) const REVISION_KEY: &str = "revision";

const FORMAT_NAME: &str = "fingerpost/";
const STANDING_DEFAULT: u8 = 1;
const HEADER: usize = 9;

/// Text of [`FORMAT_KEY`] for a version.
pub(crate) fn format_text(version: u32) -> String {
    format!("{FORMAT_NAME}{version}")
}

/// Version in the text of [`FORMAT_KEY`].
pub(crate) fn parse_format(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.strip_prefix(FORMAT_NAME)?.parse().ok()
}

/// Value of [`REVISION_KEY`]; anything unreadable counts as absent.
pub(crate) fn parse_revision(bytes: &[u8]) -> Option<Revision> {
    Some(Revision::from_bytes(bytes.try_into().ok()?))
}

/// The value of one level, borrowed from the map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'a> {
    flags: u8,
    pub(crate) revision: Revision,
    entry: &'a [u8],
}

impl<'a> Stored<'a> {
    /// Splits a value; `key` is only for the error.
    pub(crate) fn parse(key: &str, bytes: &'a [u8]) -> Result<Self, StoreError> {
        let short = || StoreError::Corrupt {
            key: key.to_owned(),
            detail: format!("expected at least {HEADER} bytes, found {}", bytes.len()),
        };
        let (header, entry) = bytes.split_first_chunk::<HEADER>().ok_or_else(short)?;
        let [flags, revision @ ..] = *header;
        Ok(Self { flags, revision: Revision::from_bytes(revision), entry })
    }

    pub(crate) fn has_standing_default(&self) -> bool {
        self.flags & STANDING_DEFAULT != 0
    }

    pub(crate) fn decode(&self, key: &str) -> Result<Entry, StoreError> {
        let corrupt = |detail: String| StoreError::Corrupt { key: key.to_owned(), detail };
        let level = EntityKey::from_canonical(key)
            .ok_or_else(|| corrupt("its key is not the canonical text of a level".to_owned()))?;
        Entry::decode(level, self.entry).map_err(|error| corrupt(error.to_string()))
    }
}

/// Writes the value of a level into `buffer`, replacing what it holds.
pub(crate) fn encode(entry: &Entry, revision: Revision, buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.push(if has_standing_default(entry) { STANDING_DEFAULT } else { 0 });
    buffer.extend_from_slice(&revision.to_bytes());
    buffer.extend_from_slice(&entry.encode());
}
