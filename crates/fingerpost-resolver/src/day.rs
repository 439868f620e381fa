//! The day on which dates of products are judged.

use fingerpost_gs1::Date;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Returns the day of a time in UTC.
///
/// ```
/// let now = "2026-11-27T23:59:59Z".parse()?;
/// assert_eq!(fingerpost_resolver::day_of(now).to_string(), "2026-11-27");
/// # Ok::<(), jiff::Error>(())
/// ```
///
/// # Panics
///
/// Never: every day of jiff is a [`Date`].
pub fn day_of(now: Timestamp) -> Date {
    let date = now.to_zoned(TimeZone::UTC).date();
    let part = |number: i8| number.unsigned_abs();
    Date::new(date.year().unsigned_abs(), part(date.month()), part(date.day()))
        .expect("jiff and Date know the same days")
}
