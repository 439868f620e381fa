//! A dump of the database (`mongodump`): BSON documents one after the other, each with its length.

#[cfg(not(feature = "bson"))]
use {
    serde_json::Value,
    std::io::{self, Read},
};

#[cfg(feature = "bson")]
mod documents;

#[cfg(feature = "bson")]
pub(crate) use documents::next;

/// Bytes by which a dump is told from JSON, which has no zero bytes: the length of the first
/// document, at most 16 MiB, as four bytes with the lowest one first.
pub(crate) const LENGTH_BYTES: usize = 4;

/// Returns whether a file with this beginning is a dump.
pub(crate) fn is_dump(begin: &[u8]) -> bool {
    begin.len() == LENGTH_BYTES && begin.contains(&0)
}

/// Refuses a dump.
#[cfg(not(feature = "bson"))]
pub(crate) fn next(_: &mut dyn Read) -> io::Result<Option<Value>> {
    let message = "this fingerpost was built without BSON";
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}
