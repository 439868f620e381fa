//! Lengths on paper, exact in micrometres.
//!
//! ```text
//! length = number [SP] [unit]       ; without a unit: millimetres
//! unit   = "mm" / "cm" / "m" / "in" / "mil" / "pt"
//! ```

use std::fmt;
use std::str::FromStr;

use crate::limits::{MAX_MICROMETRES, MAX_SHOWN_INPUT};

/// A length in whole micrometres.
///
/// ```
/// use fingerpost_label::Length;
///
/// let width: Length = "0.396mm".parse()?;
/// assert_eq!(width.micrometres(), 396);
/// assert_eq!("15.6 mil".parse::<Length>()?.to_string(), "0.396 mm");
/// # Ok::<(), fingerpost_label::NotALength>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Length(u32);

/// The reason a text is not a length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a length of at most {} such as 0.495mm, 1.2cm or 20mil, found {found:?}",
    Length::MAX
)]
pub struct NotALength {
    found: String,
}

impl Length {
    /// The longest length: the sides of a poster.
    pub const MAX: Length = Length(MAX_MICROMETRES);

    /// Creates a length of at most [`Length::MAX`] from micrometres.
    #[must_use]
    pub const fn from_micrometres(micrometres: u32) -> Length {
        if micrometres < Length::MAX.0 { Length(micrometres) } else { Length::MAX }
    }

    /// Returns the length in micrometres.
    #[must_use]
    pub const fn micrometres(self) -> u32 {
        self.0
    }

    /// Returns the length in millimetres.
    #[must_use]
    pub fn millimetres(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// Returns the length in points of 1/72 inch, the unit of PDF.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.0) * 72.0 / MICROMETRES_PER_INCH
    }

    /// Returns the length multiplied by a whole number.
    #[must_use]
    pub const fn times(self, factor: u32) -> Length {
        Length::from_micrometres(self.0.saturating_mul(factor))
    }
}

impl fmt::Display for Length {
    /// Writes the length in millimetres, with as many digits as it has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} mm", decimal(self.millimetres(), 3))
    }
}

impl FromStr for Length {
    type Err = NotALength;

    fn from_str(text: &str) -> Result<Length, NotALength> {
        let refused = || NotALength { found: text.chars().take(MAX_SHOWN_INPUT).collect() };
        let trimmed = text.trim();
        let end = trimmed
            .find(|char: char| !char.is_ascii_digit() && char != '.')
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        let factor = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "mm" => 1000.0,
            "cm" => 10_000.0,
            "m" => 1_000_000.0,
            "in" => MICROMETRES_PER_INCH,
            "mil" => MICROMETRES_PER_INCH / 1000.0,
            "pt" => MICROMETRES_PER_INCH / 72.0,
            _ => return Err(refused()),
        };
        let number: f64 = number.parse().map_err(|_| refused())?;
        let micrometres = (number * factor).round();
        if !(1.0..=f64::from(Length::MAX.0)).contains(&micrometres) {
            return Err(refused());
        }
        Ok(Length(micrometres as u32))
    }
}

/// Returns a number with at most this many decimal places, without zeros at its end.
pub(crate) fn decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Micrometres of an inch.
pub(crate) const MICROMETRES_PER_INCH: f64 = 25_400.0;

#[cfg(test)]
mod tests {
    use super::{Length, decimal};

    #[test]
    fn lengths_have_units() {
        for (text, micrometres) in [
            ("0.396", Some(396)),
            ("0.396mm", Some(396)),
            (" 0.495 MM ", Some(495)),
            ("5cm", Some(50_000)),
            ("1 m", Some(1_000_000)),
            ("1in", Some(25_400)),
            ("10mil", Some(254)),
            ("72pt", Some(25_400)),
            ("11m", None),
            ("0", None),
            ("", None),
            ("-1mm", None),
            ("1e9mm", None),
            ("1.2.3mm", None),
            (".", None),
            ("5 px", None),
            ("é", None),
        ] {
            let found = text.parse::<Length>().ok().map(Length::micrometres);
            assert_eq!(found, micrometres, "{text:?}");
        }
    }

    #[test]
    fn numbers_have_no_surplus_zeros() {
        assert_eq!(decimal(10.0, 3), "10");
        assert_eq!(decimal(0.3960, 4), "0.396");
        assert_eq!(decimal(100.0, 0), "100");
    }
}
