//! Dates and times (GS1 General Specifications, section 7.12: determination of the century).

use core::fmt;

use crate::linters::Linter;
use crate::linters::days_in;

/// A day of the Gregorian calendar.
///
/// Years with two digits are those from 49 years before today's to 50 years after it (GS1 General
/// Specifications, section 7.12). Day 00 is the last day of the month; such a date equals no date
/// with a day.
///
/// ```
/// use fingerpost_gs1::{Ai, Date, Meaning};
///
/// let today = Date::new(2026, 11, 27).ok_or("a date")?;
/// let Some(Meaning::Date(date)) = Ai::new("15").and_then(|ai| ai.meaning("280200", today))
/// else { return Err("a date") };
/// assert_eq!((date.year(), date.month(), date.day()), (2028, 2, 29));
/// assert!(!date.states_day() && today < date);
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
    /// Only the month is stated.
    is_month: bool,
}

/// A day and a time of it, as precise as the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    date: Date,
    hour: u8,
    minute: Option<u8>,
    second: Option<u8>,
}

impl Date {
    /// Creates a date; `None` if there is no such day, or the year is over 9999.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let is_day = (1..=12).contains(&month) && (1..=last_day(year, month)).contains(&day);
        (is_day && year <= 9999).then_some(Self { year, month, day, is_month: false })
    }

    /// Creates the last day of a month of which only the month is stated.
    #[must_use]
    pub fn last_of_month(year: u16, month: u8) -> Option<Self> {
        let last = (1..=12).contains(&month).then(|| last_day(year, month))?;
        Self::new(year, month, last).map(|date| Self { is_month: true, ..date })
    }

    /// Returns the year with its century.
    #[must_use]
    pub fn year(self) -> u16 {
        self.year
    }

    /// Returns the month, 1 to 12.
    #[must_use]
    pub fn month(self) -> u8 {
        self.month
    }

    /// Returns the day, or the last day of the month if the value states none.
    #[must_use]
    pub fn day(self) -> u8 {
        self.day
    }

    /// Returns whether the value states a day, and not only a month (day 00).
    #[must_use]
    pub fn states_day(self) -> bool {
        !self.is_month
    }
}

impl DateTime {
    /// Creates a time; `None` if there is no such time, or a second without a minute.
    #[must_use]
    pub fn new(date: Date, hour: u8, minute: Option<u8>, second: Option<u8>) -> Option<Self> {
        let is_time = hour < 24
            && minute.is_none_or(|minute| minute < 60)
            && second.is_none_or(|second| second < 60 && minute.is_some());
        is_time.then_some(Self { date, hour, minute, second })
    }

    /// Returns the day.
    #[must_use]
    pub fn date(self) -> Date {
        self.date
    }

    /// Returns the hour, 0 to 23.
    #[must_use]
    pub fn hour(self) -> u8 {
        self.hour
    }

    /// Returns the minute, if it is stated.
    #[must_use]
    pub fn minute(self) -> Option<u8> {
        self.minute
    }

    /// Returns the second, if it is stated.
    #[must_use]
    pub fn second(self) -> Option<u8> {
        self.second
    }

    /// Reads `HH`, `HHMM` or `HHMMSS`.
    pub(super) fn of_digits(date: Date, digits: &str) -> Option<Self> {
        let pair = |at: usize| digits.get(at..at + 2).and_then(|pair| pair.parse().ok());
        Self::new(date, pair(0)?, pair(2), pair(4))
    }
}

/// How a date is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// `YYMMDD`.
    SixDigits,
    /// `YYYYMMDD`.
    EightDigits,
}

impl Written {
    pub(super) fn of(linter: Linter) -> Option<Self> {
        match linter {
            Linter::YyMmDd | Linter::YyMmD0 => Some(Self::SixDigits),
            Linter::YyyyMmDd | Linter::YyyyMmD0 => Some(Self::EightDigits),
            _ => None,
        }
    }

    pub(super) fn read(self, digits: &str, today: Date) -> Option<Date> {
        let number = |text: &str| text.parse::<u16>().ok();
        let (year, rest) = digits.split_at_checked(digits.len().checked_sub(4)?)?;
        let (month, day) = rest.split_at_checked(2)?;
        let year = match self {
            Self::SixDigits => with_century(number(year)?, today.year),
            Self::EightDigits => number(year)?,
        };
        let month = month.parse().ok()?;
        match day.parse().ok()? {
            0 => Date::last_of_month(year, month),
            day => Date::new(year, month, day),
        }
    }
}

/// Returns the year that two digits stand for in `current`.
fn with_century(year: u16, current: u16) -> u16 {
    let (century, ahead) = (current / 100, i32::from(year) - i32::from(current % 100));
    let century = match ahead {
        51..=99 => century.saturating_sub(1),
        -99..=-50 => century + 1,
        _ => century,
    };
    century * 100 + year
}

fn last_day(year: u16, month: u8) -> u8 {
    // A month has at most 31 days.
    u8::try_from(days_in(u32::from(year), u32::from(month))).unwrap_or(31)
}

impl fmt::Display for Date {
    /// Formats the date as in ISO 8601: `2026-02-28`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for DateTime {
    /// Formats the time as in ISO 8601, as precise as the value: `2026-02-28T14:30`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{:02}", self.date, self.hour)?;
        for part in [self.minute, self.second].into_iter().flatten() {
            write!(f, ":{part:02}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GS1-MEAN-02: the century of every year is the one of the window around today.
    #[test]
    fn centuries_follow_the_current_year() {
        for current in [1999, 2000, 2026, 2049, 2050, 2051, 2099] {
            for year in 0..100 {
                let found = with_century(year, current);
                assert_eq!(found % 100, year);
                let ahead = i32::from(found) - i32::from(current);
                assert!((-49..=50).contains(&ahead), "{year} in {current} is {found}");
            }
        }
        assert_eq!(with_century(76, 2026), 2076);
        assert_eq!(with_century(77, 2026), 1977);
        assert_eq!(with_century(0, 2050), 2100);
    }
}
