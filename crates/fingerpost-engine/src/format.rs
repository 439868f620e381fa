//! The version of the tables, in the first row of a store. The crate `fingerpost-store` documents
//! the rows of each version.

/// Newest format that this release reads, and the one that it writes.
pub const FORMAT: u32 = 3;

/// Key of the format in [`Table::Meta`](crate::Table::Meta).
pub const FORMAT_KEY: &[u8] = b"format";

/// Key of the next step of an unfinished upgrade, in [`Table::Meta`](crate::Table::Meta).
pub const UPGRADE_KEY: &[u8] = b"upgrade";

const FORMAT_NAME: &str = "fingerpost/";

/// Returns the value of [`FORMAT_KEY`] for a version.
pub fn format_text(version: u32) -> String {
    format!("{FORMAT_NAME}{version}")
}

/// Parses the version from the value of [`FORMAT_KEY`].
pub fn parse_format(text: &[u8]) -> Option<u32> {
    std::str::from_utf8(text).ok()?.strip_prefix(FORMAT_NAME)?.parse().ok()
}
