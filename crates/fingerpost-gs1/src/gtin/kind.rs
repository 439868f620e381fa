//! Numbers in the form of a GTIN that do not identify a product everywhere, or belong to another
//! standard.

use core::fmt;

use table::RANGES;

mod table;

/// What a number in the form of a GTIN is, if not the number of any product.
///
/// ```
/// use fingerpost_gs1::gtin::GtinKind;
///
/// assert_eq!(GtinKind::of("02412345006786"), Some(GtinKind::Region));
/// assert_eq!(GtinKind::of("09780141036144"), Some(GtinKind::Isbn));
/// assert_eq!(GtinKind::of("09520123456788"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GtinKind {
    /// A GTIN-8, which small packages carry.
    Gtin8,
    /// A restricted circulation number within a company.
    Company,
    /// A restricted circulation number within a country or region, such as of variable weight or
    /// price.
    Region,
    /// An ISSN (ISO 3297).
    Issn,
    /// An ISBN (ISO 2108).
    Isbn,
    /// An ISMN (ISO 10957).
    Ismn,
    /// A refund receipt.
    Refund,
    /// A coupon.
    Coupon,
}

impl GtinKind {
    /// Returns the kind of a GTIN of fourteen digits; `None` for that of an ordinary product, and
    /// for other texts.
    #[must_use]
    pub fn of(gtin: &str) -> Option<Self> {
        let digits = gtin.get(1..).filter(|digits| digits.len() == 13 && gtin.is_ascii())?;
        if let Some(short) = gtin.strip_prefix("000000") {
            let is_restricted = short.starts_with(['0', '2']);
            return Some(if is_restricted { Self::Company } else { Self::Gtin8 });
        }
        let within = |(first, last, _): &&(&str, &str, Self)| {
            let begin = &digits[..first.len()];
            *first <= begin && begin <= *last
        };
        RANGES.iter().find(within).map(|(_, _, kind)| *kind)
    }

    /// Returns whether such a number never identifies a product in the world, so that no Digital
    /// Link URI should be published for it.
    #[must_use]
    pub fn is_restricted(self) -> bool {
        matches!(self, Self::Company | Self::Region | Self::Refund | Self::Coupon)
    }

    /// Returns the machine-readable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Gtin8 => "gtin-8",
            Self::Company => "restricted-company",
            Self::Region => "restricted-region",
            Self::Issn => "issn",
            Self::Isbn => "isbn",
            Self::Ismn => "ismn",
            Self::Refund => "refund",
            Self::Coupon => "coupon",
        }
    }
}

impl fmt::Display for GtinKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gtin8 => "GTIN-8",
            Self::Company => "number for use within a company",
            Self::Region => "number for use within a country, such as of variable weight or price",
            Self::Issn => "ISSN of a serial publication",
            Self::Isbn => "ISBN of a book",
            Self::Ismn => "ISMN of printed music",
            Self::Refund => "number of a refund receipt",
            Self::Coupon => "number of a coupon",
        })
    }
}
