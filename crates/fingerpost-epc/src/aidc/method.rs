//! The encoding methods of values: EPC Tag Data Standard 2.3, section 14.5.

/// The encoding of a value, or of a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Method {
    /// Four bits per digit (14.5.4).
    FixedDigits(usize),
    /// This many digits as one integer (14.5.2).
    FixedBits { digits: usize, bits: usize },
    /// Digits preceded by their count (14.5.13).
    VarNum { len_bits: usize, max: usize, may_be_empty: bool },
    /// Four bits per digit, then optional text (14.5.5).
    DelimNum { len_bits: usize, max: usize },
    /// Text in the shortest of six forms (14.5.6).
    VarAlnum { len_bits: usize, max: usize, may_be_empty: bool },
    /// `0` or `1` (14.5.7).
    Bit1,
    /// `YYMMDD` (14.5.8).
    Date6,
    /// `YYMMDDhhmm` (14.5.9).
    Datetime10,
    /// One or two `YYMMDD` (14.5.10).
    DateOrRange,
    /// `YYMMDD`, then optional `hh`, `mm`, `ss` (14.5.11).
    DatetimeVar,
    /// Two letters (14.5.12).
    Country2,
    /// Empty or `-` (14.5.14).
    OptMinus,
    /// Two digits separated by `/` (14.5.15).
    Seq,
}

impl Method {
    /// Returns the number of characters, if it is fixed; the methods of first parts are among
    /// these.
    pub(super) const fn width(self) -> Option<usize> {
        match self {
            Method::FixedDigits(digits) | Method::FixedBits { digits, .. } => Some(digits),
            _ => None,
        }
    }
}

/// A row: Application Identifiers as numbers, and the parts of their values.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) first: u16,
    pub(super) last: u16,
    pub(super) parts: &'static [Method],
}
