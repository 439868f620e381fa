//! When backups are made and which are kept: the values of the table `backup`.

use std::str::FromStr;
use std::time::Duration;

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan};
use serde::{Deserialize, Deserializer};

use crate::limits::MIN_BACKUP_INTERVAL;

/// When full backups are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Again when this time has passed since the last one.
    Every(Duration),
    /// At this time of each day (UTC).
    Daily(Time),
    /// At this time of one day of each week (UTC).
    Weekly(Weekday, Time),
}

impl Schedule {
    /// Returns whether a full backup is due, the last one being made at `last`. A time that was
    /// missed is made up.
    pub fn is_due(&self, last: Timestamp, now: Timestamp) -> bool {
        match *self {
            Self::Every(interval) => has_passed(interval, last, now),
            Self::Daily(at) => self.latest(1.day(), now, at).is_none_or(|latest| last < latest),
            Self::Weekly(_, at) => {
                self.latest(1.week(), now, at).is_none_or(|latest| last < latest)
            }
        }
    }

    /// Returns the latest time of the schedule that is not after `now`.
    fn latest(&self, step: Span, now: Timestamp, at: Time) -> Option<Timestamp> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let day = match *self {
            Self::Weekly(weekday, _) if today.weekday() != weekday => {
                today.nth_weekday(-1, weekday).ok()?
            }
            _ => today,
        };
        let instant = |day: jiff::civil::Date| {
            day.to_datetime(at).to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
        };
        let latest = instant(day)?;
        if latest <= now { Some(latest) } else { instant(day.checked_sub(step).ok()?) }
    }
}

/// Returns whether an interval has passed since `last`.
pub(crate) fn has_passed(interval: Duration, last: Timestamp, now: Timestamp) -> bool {
    let interval = SignedDuration::try_from(interval).unwrap_or(SignedDuration::MAX);
    now.duration_since(last) >= interval
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "expected an interval such as \"24h\", or a time in UTC such as \"daily 02:30\" or \"sunday 02:30\", found {text:?}"
            )
        };
        if let Some((day, time)) = text.split_once(' ')
            && let Some(day) = parse_day(day)
        {
            let time = Time::strptime("%H:%M", time.trim()).map_err(|_| expected())?;
            return Ok(day.map_or(Self::Daily(time), |day| Self::Weekly(day, time)));
        }
        let interval = text.parse::<SignedDuration>().ok();
        let interval = interval.and_then(|interval| Duration::try_from(interval).ok());
        interval
            .filter(|interval| *interval >= MIN_BACKUP_INTERVAL)
            .map(Self::Every)
            .ok_or_else(expected)
    }
}

/// Parses `daily` (`Some(None)`) or the English name of a weekday.
fn parse_day(text: &str) -> Option<Option<Weekday>> {
    Some(match text.to_ascii_lowercase().as_str() {
        "daily" => None,
        "monday" => Some(Weekday::Monday),
        "tuesday" => Some(Weekday::Tuesday),
        "wednesday" => Some(Weekday::Wednesday),
        "thursday" => Some(Weekday::Thursday),
        "friday" => Some(Weekday::Friday),
        "saturday" => Some(Weekday::Saturday),
        "sunday" => Some(Weekday::Sunday),
        _ => return None,
    })
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Which backups are kept. A number counts the days, weeks or months that have a backup, so that
/// nothing is deleted because time has passed, or because a clock was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Number of days of which all backups are kept.
    #[serde(default)]
    pub days: u32,
    /// Number of weeks (Monday to Sunday) of which the last full backup is kept.
    #[serde(default)]
    pub weeks: u32,
    /// Number of months of which the last full backup is kept.
    #[serde(default)]
    pub months: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn schedules_are_intervals_or_times_of_day() {
        assert_eq!("24h".parse(), Ok(Schedule::Every(Duration::from_secs(86_400))));
        let time = Time::constant(2, 30, 0, 0);
        assert_eq!("daily 02:30".parse(), Ok(Schedule::Daily(time)));
        assert_eq!("Sunday 02:30".parse(), Ok(Schedule::Weekly(Weekday::Sunday, time)));
        for wrong in
            ["", "0s", "daily", "daily 25:00", "someday 02:30", "-1h", "02:30", "daily 2:30 x"]
        {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_time_is_due_once_and_made_up_when_it_was_missed() {
        // 2026-11-22 is a Sunday.
        let cases = [
            ("24h", "2026-11-22T02:30:00Z", "2026-11-23T02:29:59Z", false),
            ("24h", "2026-11-22T02:30:00Z", "2026-11-23T02:30:00Z", true),
            ("daily 02:30", "2026-11-22T02:30:07Z", "2026-11-23T02:29:59Z", false),
            ("daily 02:30", "2026-11-22T02:30:07Z", "2026-11-23T02:30:00Z", true),
            ("daily 02:30", "2026-11-22T12:00:00Z", "2026-11-23T02:30:00Z", true),
            ("daily 02:30", "2026-11-20T02:30:00Z", "2026-11-22T01:00:00Z", true),
            ("sunday 02:30", "2026-11-15T02:31:00Z", "2026-11-22T02:29:59Z", false),
            ("sunday 02:30", "2026-11-15T02:31:00Z", "2026-11-22T02:30:00Z", true),
            ("sunday 02:30", "2026-11-22T02:31:00Z", "2026-11-28T23:59:59Z", false),
            ("sunday 02:30", "2026-11-14T02:31:00Z", "2026-11-21T12:00:00Z", true),
        ];
        for (schedule, last, now, expected) in cases {
            let parsed: Schedule = schedule.parse().unwrap();
            assert_eq!(parsed.is_due(at(last), at(now)), expected, "{schedule} {last} {now}");
        }
    }
}
