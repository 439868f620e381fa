//! Numbers of variable weight and price, whose layout each country decides.

use crate::meaning::{Currency, Decimal, Meaning};
use crate::quantity::UNITS;
use table::LAYOUTS;

mod table;

/// The weight codes of one country.
#[derive(Debug, PartialEq, Eq)]
pub struct WeightCodes {
    pub(super) country: &'static str,
    pub(super) currency: Option<&'static str>,
    pub(super) codes: &'static [Code],
}

/// The first two digits, what the value is, its digits before the check digit, and its decimals.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Code(pub(super) &'static str, pub(super) Value, pub(super) usize, pub(super) u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Price,
    Weight,
    Count,
}

impl WeightCodes {
    /// Returns the codes of a country by its ISO 3166 code of two letters; `None` if they are not
    /// known.
    #[must_use]
    pub fn of_country(alpha2: &str) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| layout.country.eq_ignore_ascii_case(alpha2))
    }

    /// Returns the ISO 3166 codes of the countries whose weight codes are known.
    pub fn countries() -> impl Iterator<Item = &'static str> {
        LAYOUTS.iter().map(|layout| layout.country)
    }

    /// Returns the digits of a GTIN of fourteen digits that identify the item, and its weight,
    /// price or count; `None` if it is not a weight code.
    ///
    /// ```
    /// use fingerpost_gs1::gtin::WeightCodes;
    ///
    /// let sweden = WeightCodes::of_country("SE").ok_or("known")?;
    /// let (item, weight) = sweden.read("02388060112344").ok_or("a weight code")?;
    /// assert_eq!((item, weight.to_string().as_str()), ("23880601", "1.234 kg"));
    /// assert_eq!(sweden.read("09520123456788"), None);
    /// # Ok::<(), &'static str>(())
    /// ```
    #[must_use]
    pub fn read<'g>(&self, gtin: &'g str) -> Option<(&'g str, Meaning<'static>)> {
        let number = gtin.strip_prefix('0').filter(|number| number.len() == 13)?;
        let Code(_, value, digits, decimals) =
            *self.codes.iter().find(|Code(prefix, ..)| number.starts_with(prefix))?;
        let (item, number) = number.get(..12)?.split_at_checked(12 - digits)?;
        let decimal = Decimal::new(number.parse().ok()?, decimals);
        let meaning = match value {
            Value::Price => Meaning::Amount(decimal, Currency::of_alpha3(self.currency?)),
            Value::Weight => Meaning::Measure(decimal, &UNITS[0]),
            Value::Count => Meaning::Count(number.parse().ok()?),
        };
        Some((item, meaning))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::{LAYOUTS, WeightCodes};

    // GS1-OTH-05
    #[test]
    fn weight_codes_are_read_by_the_table_of_the_country() {
        for (country, gtin, found) in [
            ("DE", "02811111068708", Some(("2811111", "6.870 kg"))),
            ("DE", "02211114002394", Some(("2211114", "2.39 EUR"))),
            ("DE", "02511119000129", Some(("2511119", "12"))),
            ("GB", "02011122912346", Some(("20111229", "12.34 GBP"))),
            ("SE", "02088060112343", Some(("20880601", "12.34 SEK"))),
            ("SE", "02288060112341", Some(("22880601", "1234 SEK"))),
            ("fi", "02311111112345", Some(("23111111", "1.234 kg"))),
            ("SE", "02988060112341", None),
            ("SE", "09520123456788", None),
            ("SE", "12088060112340", None),
        ] {
            let codes = WeightCodes::of_country(country).unwrap();
            let read = codes.read(gtin).map(|(item, meaning)| (item, meaning.to_string()));
            let read = read.as_ref().map(|(item, meaning)| (*item, meaning.as_str()));
            assert_eq!(read, found, "{country} {gtin}");
        }
        assert!(WeightCodes::of_country("XX").is_none());
        assert!(WeightCodes::countries().is_sorted());
        assert!(LAYOUTS.iter().all(|layout| !layout.codes.is_empty()));
    }
}
