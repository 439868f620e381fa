//! Checksums of rows: the last four bytes of each stored value.
//!
//! A checksum is the CRC-32 (of IEEE 802.3, as in gzip) of the number of the table, the key, and
//! the value before it, little endian. It detects each changed bit, and a row under another key or
//! in another table. It protects against damage, not against people. The rows with the format of a
//! store are the only ones without it, so that every release can read them.

use std::borrow::Cow;

use crc32fast::Hasher;

use crate::format::{FORMAT_KEY, UPGRADE_KEY};
use crate::{Bytes, EngineError, Table};

/// The first format whose rows have checksums.
pub const FIRST_WITH_CHECKSUMS: u32 = 3;

/// Length of a checksum, in bytes.
const LENGTH: usize = 4;

/// Returns a value with its checksum.
pub fn with_checksum<'v>(table: Table, key: &[u8], value: &'v [u8]) -> Cow<'v, [u8]> {
    if has_none(table, key) {
        return Cow::Borrowed(value);
    }
    let mut stored = Vec::with_capacity(value.len() + LENGTH);
    stored.extend_from_slice(value);
    stored.extend_from_slice(&checksum(table, key, value));
    Cow::Owned(stored)
}

/// Returns a value that is known to be damaged with a checksum that does not match, so that nobody
/// reads it.
pub fn with_wrong_checksum(table: Table, key: &[u8], value: &[u8]) -> Vec<u8> {
    let wrong = checksum(table, key, value).map(|byte| !byte);
    [value, &wrong].concat()
}

/// Returns a stored value without its checksum.
///
/// Fails with [`EngineError::Row`] if its checksum does not match.
#[inline]
pub fn verified<'r>(table: Table, key: &[u8], stored: Bytes<'r>) -> Result<Bytes<'r>, EngineError> {
    if has_none(table, key) {
        return Ok(stored);
    }
    let matches = |(value, found): (&[u8], &[u8; LENGTH])| *found == checksum(table, key, value);
    if !stored.split_last_chunk().is_some_and(matches) {
        return Err(damaged(table, key));
    }
    let length = stored.len() - LENGTH;
    Ok(match stored {
        Cow::Borrowed(stored) => Cow::Borrowed(&stored[..length]),
        Cow::Owned(mut stored) => {
            stored.truncate(length);
            Cow::Owned(stored)
        }
    })
}

/// Returns the length of a value without its checksum.
pub fn value_length(table: Table, key: &[u8], stored: usize) -> usize {
    if has_none(table, key) { stored } else { stored.saturating_sub(LENGTH) }
}

fn has_none(table: Table, key: &[u8]) -> bool {
    table == Table::Meta && (key == FORMAT_KEY || key == UPGRADE_KEY)
}

#[inline]
fn checksum(table: Table, key: &[u8], value: &[u8]) -> [u8; LENGTH] {
    let mut hasher = Hasher::new_with_initial(table as u32);
    hasher.update(key);
    hasher.update(value);
    hasher.finalize().to_le_bytes()
}

#[cold]
fn damaged(table: Table, key: &[u8]) -> EngineError {
    EngineError::Row { table, key: key.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_changed_bit_is_detected() {
        for length in [0, 1, 17, 300, 5000] {
            let value: Vec<u8> = (0..length).map(|n: u32| n.to_le_bytes()[0]).collect();
            let stored = with_checksum(Table::Entries, b"01/1", &value).into_owned();
            for bit in 0..stored.len() * 8 {
                let mut changed = stored.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                for changed in [Cow::Borrowed(&changed[..]), Cow::Owned(changed.clone())] {
                    let found = verified(Table::Entries, b"01/1", changed);
                    assert!(matches!(found, Err(EngineError::Row { .. })), "{bit}");
                }
            }
            for stored in [Cow::Borrowed(&stored[..]), Cow::Owned(stored.clone())] {
                assert_eq!(verified(Table::Entries, b"01/1", stored).unwrap(), value);
            }
            for (table, key) in [(Table::History, b"01/1"), (Table::Entries, b"01/2")] {
                assert!(verified(table, key, Cow::Borrowed(&stored)).is_err());
            }
            let wrong = with_wrong_checksum(Table::Entries, b"01/1", &value);
            assert!(verified(Table::Entries, b"01/1", Cow::Owned(wrong)).is_err());
        }
    }
}
