//! Numbers with implied decimals.

use core::fmt;

use super::{Currency, Meaning, Part};
use crate::ai::Ai;
use crate::linters::Linter;
use crate::quantity::Number;

/// A decimal number that keeps its decimals: 1.50 and 1.5 differ.
///
/// ```
/// use fingerpost_gs1::Decimal;
///
/// let weight = Decimal::new(1250, 3);
/// assert_eq!((weight.to_string().as_str(), weight.digits()), ("1.250", 1250));
/// assert_eq!(Decimal::new(-5, 2).to_string(), "-0.05");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: i64,
    decimals: u8,
}

impl Decimal {
    /// Creates the number `digits` × 10⁻ᵈ, where d is `decimals`, at most 9.
    #[must_use]
    pub fn new(digits: i64, decimals: u8) -> Self {
        Self { digits, decimals: decimals.min(9) }
    }

    /// Returns the number without its decimal point.
    #[must_use]
    pub fn digits(self) -> i64 {
        self.digits
    }

    /// Returns the number of decimals, 0 to 9.
    #[must_use]
    pub fn decimals(self) -> u8 {
        self.decimals
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, digits) = (if self.digits < 0 { "-" } else { "" }, self.digits.unsigned_abs());
        let scale = 10_u64.pow(u32::from(self.decimals));
        write!(f, "{sign}{}", digits / scale)?;
        if self.decimals == 0 {
            return Ok(());
        }
        write!(f, ".{:0width$}", digits % scale, width = usize::from(self.decimals))
    }
}

impl Number {
    /// Returns what the parts of a value mean.
    pub(super) fn meaning<'a>(self, ai: Ai, parts: &[Part<'a>]) -> Option<Meaning<'a>> {
        let (_, first) = *parts.first()?;
        let implied = |digits: &str| Some(Decimal::new(digits.parse().ok()?, ai.last_digit()));
        Some(match (self, parts) {
            (Self::Count, _) => Meaning::Count(first.parse().ok()?),
            (Self::Amount, [(Linter::Iso4217, currency), (_, amount)]) => {
                Meaning::Amount(implied(amount)?, Some(Currency::of_digits(currency)?))
            }
            (Self::Amount, _) => Meaning::Amount(implied(first)?, None),
            (Self::Percentage, _) => Meaning::Percentage(implied(first)?),
            (Self::Measure(unit), _) => Meaning::Measure(implied(first)?, unit),
            (Self::Hundredths(unit), _) => {
                let digits: i64 = first.parse().ok()?;
                let digits = if parts.len() > 1 { -digits } else { digits };
                Meaning::Measure(Decimal::new(digits, 2), unit)
            }
            (Self::Whole(unit), _) => Meaning::Measure(Decimal::new(first.parse().ok()?, 0), unit),
        })
    }
}

impl Ai {
    fn last_digit(self) -> u8 {
        self.as_bytes().last().map_or(0, |digit| digit & 0xf)
    }
}
