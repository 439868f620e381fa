//! The numbers in values, and their units.

mod table;

pub(crate) use table::UNITS;

/// A unit of measure.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct MeasureUnit {
    symbol: &'static str,
    code: Option<&'static str>,
}

impl MeasureUnit {
    pub(crate) const fn new(symbol: &'static str, code: Option<&'static str>) -> Self {
        Self { symbol, code }
    }

    /// Returns the symbol, such as `kg` or `m³`.
    #[must_use]
    pub fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// Returns the code of UN/ECE Recommendation 20, such as `KGM`; `None` for the ounce of 357n,
    /// by weight or by volume.
    #[must_use]
    pub fn code(&self) -> Option<&'static str> {
        self.code
    }
}

/// The number in the values of a row. Unless the kind says otherwise, the last digit of the
/// Application Identifier is its number of decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// Things, without decimals.
    Count,
    /// Money, after its currency if the value has one.
    Amount,
    /// A percentage.
    Percentage,
    /// A measure.
    Measure(&'static MeasureUnit),
    /// Hundredths of a unit; a hyphen after them makes them negative.
    Hundredths(&'static MeasureUnit),
    /// Whole units.
    Whole(&'static MeasureUnit),
}
