//! Hours, days and months in UTC, as text that sorts by time.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The length of the periods that scans are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Grain {
    /// `2026-11-27T16`
    Hour,
    /// `2026-11-27`
    Day,
    /// `2026-11`
    Month,
}

impl Grain {
    /// All of them, the shortest first.
    pub(crate) const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Month];

    /// Returns the collection of the documents with counts of this length. A document has the
    /// counts of a level in a day, a month or a year.
    pub(crate) fn collection(self) -> &'static str {
        match self {
            Self::Hour => "insightHours",
            Self::Day => "insightDays",
            Self::Month => "insightMonths",
        }
    }

    /// Returns the length of the text of a period.
    pub(crate) fn length(self) -> usize {
        match self {
            Self::Hour => 13,
            Self::Day => 10,
            Self::Month => 7,
        }
    }

    /// Returns the period of a time, which lies in years of four digits.
    pub(crate) fn period(self, at: Timestamp) -> String {
        let format = match self {
            Self::Hour => "%Y-%m-%dT%H",
            Self::Day => "%Y-%m-%d",
            Self::Month => "%Y-%m",
        };
        at.strftime(format).to_string()
    }
}

/// Splits a period into that of its document and its number in it.
pub(crate) fn split(period: &str) -> Option<(&str, u8)> {
    let (container, number) = period.split_at_checked(period.len().checked_sub(3)?)?;
    Some((container, number[1..].parse().ok()?))
}

/// Joins what [`split`] has split.
pub(crate) fn join(container: &str, number: u8) -> String {
    let separator = if container.len() == 10 { 'T' } else { '-' };
    format!("{container}{separator}{number:02}")
}

/// Returns the time so many days earlier.
pub(crate) fn days_before(now: Timestamp, days: usize) -> Timestamp {
    let hours = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(24);
    let period = SignedDuration::from_secs(hours.saturating_mul(3600));
    now.checked_sub(period).unwrap_or(Timestamp::UNIX_EPOCH).max(Timestamp::UNIX_EPOCH)
}

/// Returns the month so many months before that of a time.
pub(crate) fn months_before(now: Timestamp, months: usize) -> String {
    let text = Grain::Month.period(now);
    let (year, month) = split(&text).unwrap_or(("1970", 1));
    let number = year.parse::<usize>().unwrap_or(1970) * 12 + usize::from(month) - 1;
    let number = number.saturating_sub(months);
    format!("{:04}-{:02}", number / 12, number % 12 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_texts_that_sort_by_time() {
        let at = "2026-03-05T07:59:59Z".parse().unwrap();
        for (grain, text, container, number) in [
            (Grain::Hour, "2026-03-05T07", "2026-03-05", 7),
            (Grain::Day, "2026-03-05", "2026-03", 5),
            (Grain::Month, "2026-03", "2026", 3),
        ] {
            assert_eq!((&*grain.period(at), grain.length()), (text, text.len()));
            assert_eq!(split(text), Some((container, number)));
            assert_eq!(join(container, number), text);
        }
        assert_eq!(months_before(at, 3), "2025-12");
        assert_eq!(months_before(at, usize::MAX), "0000-01");
        assert_eq!(Grain::Day.period(days_before(at, 5)), "2026-02-28");
        assert_eq!(days_before(at, usize::MAX), Timestamp::UNIX_EPOCH);
        assert_eq!(split("x"), None);
    }
}
