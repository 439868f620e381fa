//! Content rules of components: the linters of the GS1 Barcode Syntax Dictionary.
//!
//! A linter checks one component's text and returns the position of an error. None of them
//! allocates, and all are safe on any bytes.

use crate::error::LintError;
use crate::lookups::Lookups;

pub(crate) use check_digit::check_pair;
pub(crate) use dates::days_in;
pub(crate) use digits::are_checked_digits;

pub(crate) mod charset;
mod check_digit;
mod codes;
mod coupon;
mod dates;
mod digits;
mod iban;
mod numbers;
mod text;

/// The content rule that a text violates, and the position in that text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LintFault {
    error: LintError,
    start: usize,
    length: usize,
}

impl LintFault {
    /// Creates a fault at `length` bytes from `start`.
    #[cold]
    pub(crate) const fn new(error: LintError, start: usize, length: usize) -> LintFault {
        LintFault { error, start, length }
    }

    /// Creates a fault that covers the whole text.
    #[cold]
    const fn whole(error: LintError, text: &[u8]) -> LintFault {
        LintFault { error, start: 0, length: text.len() }
    }

    /// Returns the same fault in a text that has `by` more bytes before.
    const fn shifted(self, by: usize) -> LintFault {
        LintFault { start: self.start + by, ..self }
    }

    /// Returns the rule.
    #[must_use]
    pub const fn error(self) -> LintError {
        self.error
    }

    /// Returns the offset of the first wrong byte.
    #[must_use]
    pub const fn start(self) -> usize {
        self.start
    }

    /// Returns the number of wrong bytes; 0 if something is missing.
    #[must_use]
    pub const fn length(self) -> usize {
        self.length
    }
}

type Lint = Result<(), LintFault>;

macro_rules! linters {
    ($($(#[$doc:meta])* $name:ident = $text:literal: $check:expr;)*) => {
        /// A content rule, by its name in the dictionary.
        ///
        /// ```
        /// use fingerpost_gs1::{LintError, Linter};
        ///
        /// let fault = Linter::PieceOfTotal.check(b"0302").unwrap_err();
        /// assert_eq!(fault.error(), LintError::PieceNumberExceedsTotal);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Linter {
            $($(#[$doc])* $name,)*
        }

        impl Linter {
            /// Every linter.
            pub const ALL: &'static [Linter] = &[$(Linter::$name),*];

            /// Returns its name in the dictionary, such as `csum`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Linter::$name => $text,)* }
            }

            /// Checks `text`; `lookups` may replace the built-in lists.
            #[inline]
            pub(crate) fn check_with(self, text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
                match self { $(Linter::$name => $check(text, lookups),)* }
            }
        }
    };
}

linters! {
    /// Digits only.
    CsetNumeric = "csetnumeric": |text, _| charset::digits(text);
    /// Characters of CSET 82 only.
    Cset82 = "cset82": |text, _| charset::cset82(text);
    /// Characters of CSET 39 only.
    Cset39 = "cset39": |text, _| charset::cset39(text);
    /// URL-safe base64 with at most two trailing `=`.
    Cset64 = "cset64": |text, _| charset::cset64(text);
    /// The last digit is the check digit.
    Csum = "csum": |text, _| check_digit::csum(text);
    /// The last two characters are the check pair.
    CsumAlpha = "csumalpha": |text, _| check_digit::csumalpha(text);
    /// A GS1 Company Prefix starts at the first character.
    GcpPos1 = "gcppos1": text::gcppos1;
    /// A GS1 Company Prefix starts at the second character.
    GcpPos2 = "gcppos2": text::gcppos2;
    /// At least one character is not a digit.
    HasNonDigit = "hasnondigit": |text, _| text::hasnondigit(text);
    /// A date `YYYYMMDD` whose day may be 00.
    YyyyMmD0 = "yyyymmd0": |text, _| dates::yyyymmd0(text);
    /// A date `YYYYMMDD`.
    YyyyMmDd = "yyyymmdd": |text, _| dates::yyyymmdd(text);
    /// A date `YYMMDD` whose day may be 00.
    YyMmD0 = "yymmd0": |text, _| dates::yymmd0(text);
    /// A date `YYMMDD`.
    YyMmDd = "yymmdd": |text, _| dates::yymmdd(text);
    /// Hours.
    Hh = "hh": |text, _| dates::hh(text);
    /// Minutes.
    Mi = "mi": |text, _| dates::mi(text);
    /// Seconds.
    Ss = "ss": |text, _| dates::ss(text);
    /// Hours and minutes.
    HhMi = "hhmi": |text, _| dates::hhmi(text);
    /// An ISO 3166 numeric country code.
    Iso3166 = "iso3166": codes::iso3166;
    /// An ISO 3166 numeric country code, or 999.
    Iso3166Or999 = "iso3166999": codes::iso3166999;
    /// An ISO 3166 alpha-2 country code.
    Iso3166Alpha2 = "iso3166alpha2": codes::iso3166alpha2;
    /// An ISO 4217 numeric currency code.
    Iso4217 = "iso4217": codes::iso4217;
    /// A package type.
    PackageType = "packagetype": codes::packagetype;
    /// An AIDC media type.
    MediaType = "mediatype": codes::mediatype;
    /// Biological sex by ISO/IEC 5218.
    Iso5218 = "iso5218": |text, _| codes::iso5218(text);
    /// Winding direction of a roll.
    Winding = "winding": |text, _| codes::winding(text);
    /// 0 or 1.
    YesNo = "yesno": |text, _| codes::yesno(text);
    /// Zeros only.
    Zero = "zero": |text, _| numbers::zero(text);
    /// A number other than zero.
    NonZero = "nonzero": |text, _| numbers::nonzero(text);
    /// A number without leading zero.
    NoZeroPrefix = "nozeroprefix": |text, _| numbers::nozeroprefix(text);
    /// A hyphen.
    Hyphen = "hyphen": |text, _| text::hyphen(text);
    /// An importer index.
    ImporterIndex = "importeridx": |text, _| text::importeridx(text);
    /// A latitude.
    Latitude = "latitude": |text, _| numbers::latitude(text);
    /// A longitude.
    Longitude = "longitude": |text, _| numbers::longitude(text);
    /// A piece number and the total of pieces.
    PieceOfTotal = "pieceoftotal": |text, _| numbers::pieceoftotal(text);
    /// A position and the end of a sequence, separated by a slash.
    PositionInSequence = "posinseqslash": |text, _| numbers::posinseqslash(text);
    /// Percent-encoded text.
    PercentEncoded = "pcenc": |text, _| text::pcenc(text);
    /// An International Bank Account Number.
    Iban = "iban": iban::iban;
    /// The coupon data of 8110.
    CouponCode = "couponcode": coupon::couponcode;
    /// The coupon data of 8112.
    CouponPositiveOffer = "couponposoffer": coupon::couponposoffer;
}

impl Linter {
    /// Returns the linter with this name in the dictionary.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Linter> {
        Linter::ALL.iter().copied().find(|linter| linter.name() == name)
    }

    /// Checks the text of one component with the built-in lists.
    ///
    /// # Errors
    ///
    /// The first rule that `text` violates, with the position in `text`.
    pub fn check(self, text: &[u8]) -> Result<(), LintFault> {
        self.check_with(text, None)
    }
}
