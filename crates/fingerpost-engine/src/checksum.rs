//! Checksums of rows: the last four bytes of each stored value.
//!
//! A checksum is the CRC-32 (of IEEE 802.3, as in gzip) of the number of the table, the key, and
//! the value before it, little endian. It detects each changed bit, and a row under another key or
//! in another table. It protects against damage, not against people. The rows with the format of a
//! store are the only ones without it, so that every release can read them.
//!
//! A value of `entries` or `history` can have a last part that only some readers may see
//! ([`divide`]). Its checksum is in the value, and the checksum of the row covers that one instead
//! of the last part, so that a reader of the first part does not spend time on the last one.
//!
//! ```text
//! value = first last last-length last-checksum ; 4 bytes each, little endian; DIVIDED is set in `first`
//! ```

use std::borrow::Cow;

use crc32fast::Hasher;

use crate::format::{FORMAT_KEY, UPGRADE_KEY};
use crate::{Bytes, EngineError, Table};

/// The first format whose rows have checksums.
pub const FIRST_WITH_CHECKSUMS: u32 = 3;

/// Length of a checksum, in bytes.
const LENGTH: usize = 4;

/// Set in the first byte of a value of [`Table::Entries`] or [`Table::History`] that has two parts.
pub const DIVIDED: u8 = 0x80;

/// Length of the length and the checksum of a last part, in bytes.
const TRAILER: usize = 8;

/// Makes the last bytes of a value a part of its own, which [`verified`] does not read.
///
/// A part that is longer than 4 GB remains a part of the whole.
pub fn divide(value: &mut Vec<u8>, last_length: usize) {
    let from = value.len().saturating_sub(last_length);
    let Ok(length) = u32::try_from(value.len() - from) else { return };
    let checksum = crc32fast::hash(&value[from..]);
    if let Some(first) = value.first_mut() {
        *first |= DIVIDED;
    }
    value.extend(length.to_le_bytes());
    value.extend(checksum.to_le_bytes());
}

/// Returns a divided value without what [`divide`] added at its end. `None`: it has too few bytes,
/// or the last part is not what was written.
pub fn undivided(value: &[u8]) -> Option<&[u8]> {
    let (parts, first) = parts(value)?;
    let found = value.last_chunk::<4>()?;
    (*found == crc32fast::hash(&parts[first..]).to_le_bytes()).then_some(parts)
}

/// Returns the first part of a divided value. `None`: it has too few bytes.
pub fn first_part(value: &[u8]) -> Option<&[u8]> {
    parts(value).map(|(parts, first)| &parts[..first])
}

/// Returns both parts of a divided value, and the length of the first one.
fn parts(value: &[u8]) -> Option<(&[u8], usize)> {
    let (parts, trailer) = value.split_last_chunk::<TRAILER>()?;
    let last = u32::from_le_bytes(*trailer.first_chunk()?) as usize;
    Some((parts, parts.len().checked_sub(last)?))
}

/// Returns whether a value has two parts.
#[inline]
fn is_divided(table: Table, value: &[u8]) -> bool {
    matches!(table, Table::Entries | Table::History)
        && value.first().is_some_and(|flags| flags & DIVIDED != 0)
}

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

/// Returns a stored value without its checksum, as [`verified`] does, and verifies the last part of
/// a divided one too.
pub fn verified_whole<'r>(
    table: Table,
    key: &[u8],
    stored: Bytes<'r>,
) -> Result<Bytes<'r>, EngineError> {
    let value = verified(table, key, stored)?;
    if is_divided(table, &value) && undivided(&value).is_none() {
        return Err(damaged(table, key));
    }
    Ok(value)
}

/// Returns a stored value without its checksum.
///
/// Fails with [`EngineError::Row`] if its checksum does not match. The last part of a divided value
/// is not read; its readers call [`undivided`].
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
    if is_divided(table, value)
        && let Some((parts, first)) = parts(value)
    {
        hasher.update(&parts[..first]);
        hasher.update(&value[parts.len()..]);
    } else {
        hasher.update(value);
    }
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

    /// 36.1: what only some roles see costs the public no time.
    #[test]
    fn the_last_part_of_a_divided_value_is_not_read() {
        let (table, key) = (Table::Entries, b"01/1");
        for last in [0, 1, 4, 300_u32] {
            let whole: Vec<u8> = (0..40 + last).map(|n| n.to_le_bytes()[0] & 0x7f).collect();
            let mut value = whole.clone();
            divide(&mut value, last as usize);
            let stored = with_checksum(table, key, &value).into_owned();
            assert_eq!(verified_whole(table, key, Cow::Borrowed(&stored)).unwrap(), value);
            assert_eq!(undivided(&value).unwrap()[1..], whole[1..]);
            assert_eq!(first_part(&value).unwrap()[1..], whole[1..40]);
            for bit in 0..stored.len() * 8 {
                let mut changed = stored.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                let is_last = (40..whole.len()).contains(&(bit / 8));
                let found = verified(table, key, Cow::Borrowed(&changed));
                assert_eq!(found.is_ok(), is_last, "{last} {bit}");
                assert!(verified_whole(table, key, Cow::Borrowed(&changed)).is_err());
            }
        }
        for short in [&[0x80][..], &[0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0]] {
            let stored = with_checksum(table, key, short);
            assert!(verified(table, key, stored.clone()).is_ok());
            assert!(verified_whole(table, key, stored).is_err());
        }
    }
}
