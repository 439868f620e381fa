//! Limits of spreadsheets: what a hostile file can cost. `docs/operations/limits.md` names their
//! tests.

/// Bytes of a cell: more than the largest member of a link, 300 contexts of 128 bytes, needs.
pub(crate) const MAX_CELL_BYTES: usize = 64 * 1024;

/// Bytes of a row of a CSV file: as many as a record may have.
pub(crate) const MAX_ROW_BYTES: usize = fingerpost_resolver::MAX_RECORD_BYTES;

/// Columns: as many as XLSX allows.
pub(crate) const MAX_COLUMNS: usize = 16_384;

/// Rows before the titles, for a heading of the sheet.
pub(crate) const MAX_ROWS_BEFORE_TITLES: usize = 10;

/// Bytes at the beginning of a file in which its titles must be found.
pub(crate) const PEEK_BYTES: usize = 256 * 1024;

/// Bytes of rows that are sorted in memory; more are sorted in a temporary file.
pub(crate) const SORT_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of the rows of one level: far more than a record may have.
pub(crate) const MAX_LEVEL_BYTES: usize = 4 * fingerpost_resolver::MAX_RECORD_BYTES;

/// Bytes of a workbook as a file.
pub(crate) const MAX_WORKBOOK_BYTES: u64 = 256 * 1024 * 1024;

/// Parts of a workbook: sheets, styles, pictures.
pub(crate) const MAX_PARTS: usize = 4096;

/// Bytes of all parts, unpacked: three times a sheet with every row and a dozen columns.
pub(crate) const MAX_UNPACKED_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Bytes of a part other than a sheet, unpacked: these are held in memory, above all the texts that
/// cells share.
pub(crate) const MAX_PART_BYTES: u64 = 64 * 1024 * 1024;

/// Tags of a part other than a sheet, each of which may become an object in memory.
pub(crate) const MAX_PART_TAGS: u64 = 8_000_000;

/// Texts that cells share, as a part says their number before them.
pub(crate) const MAX_SHARED_TEXTS: u64 = 2_000_000;

/// Bytes of a tag or of the text between two, and of a cell with all its tags.
pub(crate) const MAX_TOKEN_BYTES: usize = 256 * 1024;
