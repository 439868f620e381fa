//! Dates and times (linters yyyymmd0, yyyymmdd, yymmd0, yymmdd, hh, mi, ss, hhmi).

use super::{Lint, LintFault, charset};
use crate::error::LintError;

pub(super) fn yyyymmd0(text: &[u8]) -> Lint {
    date(text, 8, true)
}

pub(super) fn yyyymmdd(text: &[u8]) -> Lint {
    date(text, 8, false)
}

pub(super) fn yymmd0(text: &[u8]) -> Lint {
    date(text, 6, true)
}

pub(super) fn yymmdd(text: &[u8]) -> Lint {
    date(text, 6, false)
}

pub(super) fn hh(text: &[u8]) -> Lint {
    let wrong = [LintError::HourTooShort, LintError::HourTooLong, LintError::IllegalHour];
    two_digits(text, 23, wrong)
}

pub(super) fn mi(text: &[u8]) -> Lint {
    let wrong = [LintError::MinuteTooShort, LintError::MinuteTooLong, LintError::IllegalMinute];
    two_digits(text, 59, wrong)
}

pub(super) fn ss(text: &[u8]) -> Lint {
    let wrong = [LintError::SecondTooShort, LintError::SecondTooLong, LintError::IllegalSecond];
    two_digits(text, 59, wrong)
}

pub(super) fn hhmi(text: &[u8]) -> Lint {
    let (short, long) = (LintError::HourWithMinuteTooShort, LintError::HourWithMinuteTooLong);
    exact_length(text, 4, short, long)?;
    charset::digits(text)?;
    hh(&text[..2])?;
    mi(&text[2..]).map_err(|fault| fault.shifted(2))
}

/// Checks a date of 6 or 8 digits. `day_00` allows day 00, which means "some day of the month".
fn date(text: &[u8], length: usize, day_00: bool) -> Lint {
    exact_length(text, length, LintError::DateTooShort, LintError::DateTooLong)?;
    charset::digits(text)?;
    let (year, month_day) = text.split_at(length - 4);
    let (month, day) = (number(&month_day[..2]), number(&month_day[2..]));
    if !(1..=12).contains(&month) {
        return Err(LintFault::new(LintError::IllegalMonth, length - 4, 2));
    }
    let year = match (length, number(year)) {
        (8, year) => year,
        // The century window of the dictionary, fixed around 2021. It affects leap days only.
        (_, year @ 72..) => 1900 + year,
        (_, year) => 2000 + year,
    };
    if day > days_in(year, month) || (day == 0 && !day_00) {
        return Err(LintFault::new(LintError::IllegalDay, length - 2, 2));
    }
    Ok(())
}

/// Returns the number of days of a month, Gregorian. `month` is 1 to 12.
pub(crate) fn days_in(year: u32, month: u32) -> u32 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Checks two digits up to `last`; the three codes are for too short, too long, too large.
fn two_digits(text: &[u8], last: u32, [short, long, illegal]: [LintError; 3]) -> Lint {
    exact_length(text, 2, short, long)?;
    charset::digits(text)?;
    if number(text) > last { Err(LintFault::whole(illegal, text)) } else { Ok(()) }
}

fn exact_length(text: &[u8], length: usize, short: LintError, long: LintError) -> Lint {
    match text.len() {
        found if found < length => Err(LintFault::whole(short, text)),
        found if found > length => Err(LintFault::whole(long, text)),
        _ => Ok(()),
    }
}

/// Returns the number of these digits; at most four, so it cannot overflow.
fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |number, &digit| number * 10 + u32::from(digit & 0xf))
}
