//! The length of the company prefix within a key, which URNs and classic bits contain, but element
//! strings do not (EPC Tag Data Standard 2.3, section 7.2.2).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, ErrorKind, ErrorSpan};

/// A source of company prefix lengths, such as the list published by GS1.
pub trait CompanyPrefixes {
    /// Returns the length of the company prefix at the start of these digits, 4 to 12; `None` if it
    /// is unknown or not allocated.
    fn length(&self, digits: &str) -> Option<u8>;
}

/// Company prefix lengths, looked up by the longest matching prefix.
///
/// ```
/// use fingerpost_epc::{CompanyPrefixes, PrefixTable};
///
/// let table: PrefixTable = [("952", 7), ("9521", 0), ("95210", 9)].into_iter().collect();
/// assert_eq!(table.length("9520123456788"), Some(7));
/// assert_eq!(table.length("9521012345678"), Some(9));
/// // 0: not allocated. Not listed at all: not known.
/// assert_eq!(table.length("9521123456788"), None);
/// assert_eq!(table.length("4012345678901"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PrefixTable {
    /// Sorted by prefix.
    rows: Vec<(String, u8)>,
}

impl<P: Into<String>> FromIterator<(P, u8)> for PrefixTable {
    /// Creates a table from rows of prefix and length; the first of two rows with the same prefix
    /// is kept.
    fn from_iter<I: IntoIterator<Item = (P, u8)>>(rows: I) -> PrefixTable {
        let mut rows: Vec<(String, u8)> =
            rows.into_iter().map(|(prefix, length)| (prefix.into(), length)).collect();
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        rows.dedup_by(|later, earlier| later.0 == earlier.0);
        PrefixTable { rows }
    }
}

impl CompanyPrefixes for PrefixTable {
    fn length(&self, digits: &str) -> Option<u8> {
        let longest = digits.len().min(12);
        (1..=longest)
            .rev()
            .filter_map(|length| digits.get(..length))
            .find_map(|prefix| {
                let row = self.rows.binary_search_by(|(own, _)| own.as_str().cmp(prefix)).ok()?;
                Some(self.rows[row].1)
            })
            .filter(|length| *length != 0)
    }
}

/// Information about the length of the company prefix. The length is never guessed, because another
/// length gives another URN and other bits.
#[derive(Clone, Copy, Default)]
pub enum GcpLength<'a> {
    /// Unknown. Only a GTIN-8 can be split in this case.
    #[default]
    Unknown,
    /// This many digits, 6 to 12. 4 and 5 are treated as 6, filled up with digits after the prefix.
    Digits(u8),
    /// Looked up in this source.
    Table(&'a dyn CompanyPrefixes),
}

impl GcpLength<'_> {
    /// Returns the length for a key whose company prefix starts with `digits`.
    pub(crate) fn of(self, digits: &[u8]) -> Result<usize, Error> {
        let length = match self {
            GcpLength::Unknown => None,
            GcpLength::Digits(length) => Some(length),
            // Callers have checked that these are digits.
            GcpLength::Table(table) => {
                core::str::from_utf8(digits).ok().and_then(|digits| table.length(digits))
            }
        };
        let error = |kind| Error::new(kind, ErrorSpan::Nowhere);
        match length {
            None => Err(error(ErrorKind::GcpLengthRequired)),
            Some(4 | 5) => Ok(6),
            Some(length @ 6..=12) => Ok(usize::from(length)),
            Some(_) => Err(error(ErrorKind::BadGcpLength)),
        }
    }
}

impl fmt::Debug for GcpLength<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GcpLength::Unknown => f.write_str("Unknown"),
            GcpLength::Digits(length) => write!(f, "Digits({length})"),
            GcpLength::Table(_) => f.write_str("Table(..)"),
        }
    }
}
