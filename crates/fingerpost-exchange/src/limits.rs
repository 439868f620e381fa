//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::num::NonZeroUsize;
use std::time::Duration;

/// Bytes of a tag of a workbook that are looked at.
pub(crate) const MAX_TAG_BYTES: usize = 4096;

/// Letters of a title that are looked at.
pub(crate) const MAX_TITLE_LETTERS: usize = 100;

/// Words of a known title; in Japanese, each letter is a word.
pub(crate) const MAX_TITLE_WORDS: usize = 12;

/// Leading zeros that are restored in keys of a fixed length other than GTINs.
pub(crate) const MAX_DROPPED_ZEROS: usize = 3;

/// Digits that number cells keep.
pub(crate) const MAX_PRECISE_DIGITS: usize = 15;

/// The first number with more digits.
pub(crate) const MAX_PRECISE_NUMBER: f64 = 1e15;

/// Rows that a sheet of XLSX can have.
pub(crate) const MAX_XLSX_ROWS: u32 = 1_048_576;

/// UTF-16 units that a cell of XLSX can have.
pub(crate) const MAX_XLSX_TEXT: usize = 32_767;

/// Bytes of a cell that the meaning of columns shows.
pub(crate) const MAX_SAMPLE_BYTES: usize = 80;

/// Minimum number of letters of a title of a link type that is found among other words.
pub(crate) const MIN_TYPE_LETTERS: usize = 4;

/// Minimum number of letters of a title of the description that is found among other words.
pub(crate) const MIN_NAME_LETTERS: usize = 9;

/// Bytes of a cell in a message.
pub(crate) const MAX_SHOWN_CELL: usize = 40;

/// Titles that a message shows.
pub(crate) const MAX_SHOWN_TITLES: usize = 12;

/// Rows of a key that a report shows.
pub(crate) const MAX_SHOWN_CONFLICTS: usize = 20;

/// Rows of a template that offer lists of values.
pub(crate) const TEMPLATE_ROWS: u32 = 5_000;

/// Bytes that all sorted runs together hold in memory.
pub(crate) const MERGE_BYTES: usize = 32 << 20;

/// Minimum number of bytes that are read from a run at once.
pub(crate) const MIN_RUN_BYTES: usize = 64 << 10;

/// Bytes by which the format of a file is recognised.
pub(crate) const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// Bytes of a line of a list of redirects.
pub(crate) const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Bytes of an export of YOURLS: some hundred thousand links.
pub(crate) const MAX_YOURLS_BYTES: u64 = 64 << 20;

/// Hashes of linksets that are remembered.
pub(crate) const MAX_REMEMBERED: usize = 1 << 20;

/// Records that are handed over together.
pub(crate) const CHUNK_RECORDS: usize = 1024;

/// Bytes of records after which no more are handed over together.
pub(crate) const CHUNK_BYTES: usize = 512 * 1024;

/// Chunks on their way for each thread that checks.
pub(crate) const CHUNKS_PER_THREAD: usize = 4;

/// Time that a transaction of an import should take.
pub(crate) const TRANSACTION_TIME: Duration = Duration::from_millis(500);

/// Records of the first transaction of an import.
pub(crate) const FIRST_RECORDS: usize = 1000;

/// Fewest records of a transaction of an import: below that, the fixed costs of a transaction
/// dominate.
pub(crate) const MIN_RECORDS: usize = 100;

/// Records of a dry run that are compared with those that they would replace.
pub(crate) const MAX_COMPARED: usize = 10_000;

/// Batches that may wait to be written.
pub(crate) const MAX_WAITING_BATCHES: usize = 1;

/// Records of an import in one transaction, by default.
pub(crate) const BATCH_RECORDS: NonZeroUsize = NonZeroUsize::new(20_000).expect("not zero");

/// Bytes of an import in one transaction, by default: keeps memory use constant, and other writers
/// do not wait for long.
pub(crate) const BATCH_BYTES: usize = 16 << 20;

/// Bytes of the buffer of an import, by default.
pub(crate) const BUFFER_BYTES: usize = 64 << 20;

/// Bytes of a cell: more than the largest member of a link, 300 contexts of 128 bytes, needs.
pub(crate) const MAX_CELL_BYTES: usize = 64 * 1024;

/// Bytes of a row of a CSV file: as many as a record may have.
pub(crate) const MAX_ROW_BYTES: usize = fingerpost_resolver::MAX_RECORD_BYTES;

/// Columns: as many as XLSX allows.
pub(crate) const MAX_COLUMNS: usize = 16_384;

/// Rows before the titles, for a heading of the sheet.
pub(crate) const MAX_ROWS_BEFORE_TITLES: usize = 10;

/// Rows by which the meaning of columns is guessed.
pub(crate) const SAMPLED_ROWS: usize = 100;

/// Cells by which the meaning of columns is guessed, beyond those of the rows with titles.
pub(crate) const SAMPLED_CELLS: usize = 20_000;

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
