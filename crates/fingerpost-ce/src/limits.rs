//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Bytes of a text from a document in a message.
pub(crate) const MAX_SHOWN_TEXT: usize = 32;

#[cfg(feature = "bson")]
/// Bytes of a document of a dump, as MongoDB limits it, with what it adds.
pub(crate) const MAX_BSON_DOCUMENT: i32 = (16 << 20) + (16 << 10);

/// Bytes of documents that are sorted in memory; more are sorted in a temporary file.
pub(crate) const SORT_BYTES: usize = 32 << 20;

/// Levels of one page of a list of the data-entry API.
pub(crate) const PAGE_LEVELS: usize = 1_000;

/// Attempts to write while others write the same levels.
pub(crate) const WRITE_ATTEMPTS: usize = 5;

/// Largest document of Resolver CE as JSON, in bytes: MongoDB stores at most 16 MiB, which escapes
/// and indentation enlarge.
pub(crate) const MAX_DOCUMENT: usize = 32 << 20;

/// Maximum number of bytes of the documents of one anchor that are merged; later ones are
/// quarantined.
pub(crate) const MAX_MERGED_BYTES: usize = 32 << 20;
