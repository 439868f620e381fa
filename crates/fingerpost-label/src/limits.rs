//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Characters of any symbol: 7089 digits in a QR Code.
pub(crate) const MAX_SYMBOL_CHARACTERS: usize = 7089;

/// Characters of an input that an error shows.
pub(crate) const MAX_SHOWN_INPUT: usize = 32;

/// Digits in the largest Data Matrix, which holds fewer of other characters.
pub(crate) const MAX_DATA_MATRIX_BYTES: usize = 3116;

/// Pixels of a picture: 12.5 MB of memory.
pub(crate) const MAX_PIXELS: u64 = 100_000_000;

/// Characters of an element string in one GS1-128 symbol, with its separators.
pub(crate) const MAX_GS1_128_CHARACTERS: usize = 48;

/// The last position that the ten digits of a reference in a PDF hold.
pub(crate) const MAX_PDF_OFFSET: u64 = 9_999_999_999;

/// Micrometres of a length: the sides of a poster.
pub(crate) const MAX_MICROMETRES: u32 = 10_000_000;

/// Minimum number of micrometres of a side of a label: the smallest Data Matrix at the least width
/// of a module.
pub(crate) const MIN_LABEL_MICROMETRES: u32 = 4_000;
