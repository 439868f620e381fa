//! Rows of entries for readers that know neither their format nor their checksums, such as SQL.

use std::borrow::Cow;

use fingerpost_engine::Table;
use fingerpost_engine::checksum::verified;
use fingerpost_resolver::write_record;

use crate::format::Stored;

/// Returns the revision and the record, as JSON, of a row of [`Table::Entries`] as an engine stores
/// it: for engines that show records to others. Returns nothing for a damaged row.
pub fn stored_record(key: &[u8], stored: &[u8]) -> Option<(u64, String)> {
    let value = verified(Table::Entries, key, Cow::Borrowed(stored)).ok()?;
    let level = std::str::from_utf8(key).ok()?;
    let stored = Stored::parse(level, &value).ok()?;
    let entry = stored.decode(level).ok()?;
    Some((stored.revision.number(), write_record(&entry)))
}
