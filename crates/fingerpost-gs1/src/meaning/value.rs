//! The value that has a meaning: the inverse of [`Ai::meaning`].

use alloc::format;
use alloc::string::{String, ToString};

use super::date::Written;
use super::{Country, Date, Decimal, FULL_CIRCLE, Meaning, Roll, Sex};
use crate::ai::{Ai, AiEntry};
use crate::quantity::Number;

impl Meaning<'_> {
    /// Returns the value of `ai` with this meaning; `None` if it has none, such as for a date that
    /// is too far from `today` to be written with two digits of the year.
    ///
    /// Values of predefined length, dates and codes have exactly one spelling. Counts and amounts
    /// are written without leading zeros.
    ///
    /// ```
    /// use fingerpost_gs1::{Ai, Date, Meaning};
    ///
    /// let today = Date::new(2026, 11, 27).ok_or("a date")?;
    /// let expiry = Meaning::Date(Date::new(2027, 2, 28).ok_or("a date")?);
    /// let ai = Ai::new("17").ok_or("an AI")?;
    /// assert_eq!(expiry.value(ai, today).as_deref(), Some("270228"));
    /// assert_eq!(expiry.value(Ai::LOT, today), None);
    /// # Ok::<(), &'static str>(())
    /// ```
    #[must_use]
    pub fn value(&self, ai: Ai, today: Date) -> Option<String> {
        let value = self.written(ai.entry()?)?;
        (ai.meaning(&value, today) == Some(*self)).then_some(value)
    }

    fn written(&self, entry: &AiEntry) -> Option<String> {
        let day = |date: &Date| {
            let linter = entry.components.first()?.linters.first()?;
            Some(Written::of(*linter)?.write(*date))
        };
        Some(match self {
            Self::Date(date) => day(date)?,
            Self::DateTime(time) => {
                let rest = [time.minute(), time.second()].into_iter().flatten();
                let rest = rest.map(|part| format!("{part:02}")).collect::<String>();
                format!("{}{:02}{rest}", day(&time.date())?, time.hour())
            }
            Self::Period(from, to) => format!("{}{}", day(from)?, day(to)?),
            Self::Measure(number, _) | Self::Percentage(number) => {
                return measure(*number, entry);
            }
            Self::Amount(number, currency) => {
                let currency = currency.map(|it| format!("{:03}", it.numeric()));
                let width = entry.components.last()?.min_length();
                format!("{}{:0width$}", currency.unwrap_or_default(), number.digits())
            }
            Self::Count(count) => {
                let width = entry.components.last()?.min_length();
                format!("{count:0width$}")
            }
            Self::Countries(countries) => countries.iter().map(digits).collect(),
            Self::InCountry(Some(country), "") => country.to_string(),
            Self::InCountry(Some(country), text) => format!("{}{text}", digits(*country)),
            Self::InCountry(None, text) => format!("999{text}"),
            Self::Coordinates(latitude, longitude) => {
                let east = longitude.digits().rem_euclid(FULL_CIRCLE);
                format!("{:010}{east:010}", latitude.digits() + 900_000_000)
            }
            Self::Position(position, end) => format!("{position}/{end}"),
            Self::Piece(gtin, piece, total) => format!("{gtin}{piece:02}{total:02}"),
            Self::Sex(sex) => Sex::CODES.into_iter().find(|(one, _)| one == sex)?.1.to_string(),
            Self::Flag(flag) => u8::from(*flag).to_string(),
            Self::Roll(Roll { width, length, core, face_in, splices }) => {
                let winding = face_in.map_or(9, u8::from);
                let splices = splices.unwrap_or(9);
                format!("{width:04}{length:05}{core:03}{winding}{splices}")
            }
        })
    }
}

fn digits(country: Country) -> String {
    format!("{:03}", country.numeric())
}

/// Writes a number with the width of its component, and a hyphen after a negative one.
fn measure(number: Decimal, entry: &AiEntry) -> Option<String> {
    let (width, digits) = (entry.components.first()?.min_length(), number.digits());
    let is_signed = matches!(entry.number, Some(Number::Hundredths(_)));
    let sign = if is_signed && digits < 0 { "-" } else { "" };
    Some(format!("{:0width$}{sign}", if is_signed { digits.abs() } else { digits }))
}

impl Written {
    fn write(self, date: Date) -> String {
        let day = if date.states_day() { date.day() } else { 0 };
        match self {
            Self::SixDigits => format!("{:02}{:02}{day:02}", date.year() % 100, date.month()),
            Self::EightDigits => format!("{:04}{:02}{day:02}", date.year(), date.month()),
        }
    }
}
