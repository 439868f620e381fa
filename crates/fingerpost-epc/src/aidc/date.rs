//! Dates and times: EPC Tag Data Standard 2.3, sections 14.5.8 to 14.5.11.
//!
//! Years have two digits, so 29 February is always accepted; day 00 means no particular day.

use super::text::Text;
use crate::bits::{BitReader, Bits};
use crate::error::{Error, ErrorKind, ErrorSpan};

/// The number of days of each month.
const DAYS: [u64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The precision of a date with an optional time, and the number of its two-digit fields after the
/// date.
const PRECISIONS: [(u64, usize); 4] = [(0b11, 0), (0b00, 1), (0b01, 2), (0b10, 3)];

/// The bits of hours, minutes and seconds.
const TIME_BITS: [usize; 3] = [5, 6, 6];

/// Reads `YYMMDD` from 16 bits.
pub(crate) fn read_date(from: &mut BitReader<'_>, out: &mut Text) -> Result<(), Error> {
    let start = from.position();
    let bits = from.read(16)?;
    let (year, month, day) = (bits >> 9, bits >> 5 & 15, bits & 31);
    if !is_date(year, month, day) {
        return Err(Error::new(ErrorKind::BadDate, ErrorSpan::bits(start, start + 16)));
    }
    [year, month, day].iter().for_each(|field| out.push_number(*field, 2));
    Ok(())
}

/// Writes `YYMMDD` as 16 bits. `offset` is the start of `digits` in the value.
pub(crate) fn write_date(digits: &[u8], offset: usize, out: &mut Bits) -> Result<(), Error> {
    let span = ErrorSpan::text(offset, offset + digits.len());
    let error = Error::new(ErrorKind::BadDate, span);
    let [year, month, day] = fields(digits).ok_or(error)?;
    if !is_date(year, month, day) {
        return Err(error);
    }
    out.push(year << 9 | month << 5 | day, 16);
    Ok(())
}

/// Reads this many fields of a time of day: hours, minutes, seconds.
pub(super) fn read_time(
    from: &mut BitReader<'_>,
    count: usize,
    out: &mut Text,
) -> Result<(), Error> {
    let start = from.position();
    let mut time = [0; 3];
    for (field, width) in time.iter_mut().zip(TIME_BITS).take(count) {
        *field = from.read(width)?;
    }
    if !is_time(time) {
        return Err(Error::new(ErrorKind::BadTime, ErrorSpan::bits(start, from.position())));
    }
    time[..count].iter().for_each(|field| out.push_number(*field, 2));
    Ok(())
}

/// Writes the fields of a time of day, one for each pair of digits.
pub(super) fn write_time(digits: &[u8], offset: usize, out: &mut Bits) -> Result<(), Error> {
    let mut padded = *b"000000";
    let error = Error::new(ErrorKind::BadTime, ErrorSpan::text(offset, offset + digits.len()));
    if digits.len() % 2 != 0 {
        return Err(error);
    }
    padded.get_mut(..digits.len()).ok_or(error)?.copy_from_slice(digits);
    let time = fields(&padded).filter(|time| is_time(*time)).ok_or(error)?;
    let count = digits.len() / 2;
    time.iter().zip(TIME_BITS).take(count).for_each(|(field, width)| out.push(*field, width));
    Ok(())
}

/// Parses one bit, then one or two dates.
pub(super) fn read_date_or_range(from: &mut BitReader<'_>, out: &mut Text) -> Result<(), Error> {
    let range = from.read(1)? == 1;
    read_date(from, out)?;
    if range { read_date(from, out) } else { Ok(()) }
}

pub(super) fn write_date_or_range(value: &[u8], out: &mut Bits) -> Result<(), Error> {
    let (first, second) = value.split_at_checked(6).unwrap_or((value, b""));
    out.push(u64::from(!second.is_empty()), 1);
    write_date(first, 0, out)?;
    if second.is_empty() { Ok(()) } else { write_date(second, first.len(), out) }
}

/// Parses two bits of precision, a date, and a time of day with that precision.
pub(super) fn read_datetime(from: &mut BitReader<'_>, out: &mut Text) -> Result<(), Error> {
    let precision = from.read(2)?;
    // All four values of two bits are in the table.
    let fields = PRECISIONS.iter().find(|(bits, _)| *bits == precision).map_or(0, |row| row.1);
    read_date(from, out)?;
    read_time(from, fields, out)
}

pub(super) fn write_datetime(value: &[u8], out: &mut Bits) -> Result<(), Error> {
    let (date, time) = value.split_at_checked(6).unwrap_or((value, b""));
    let found = PRECISIONS.iter().find(|(_, fields)| 2 * fields == time.len());
    let error = Error::new(ErrorKind::BadTime, ErrorSpan::text(date.len(), value.len()));
    out.push(found.ok_or(error)?.0, 2);
    write_date(date, 0, out)?;
    write_time(time, date.len(), out)
}

/// Parses three pairs of digits.
fn fields(digits: &[u8]) -> Option<[u64; 3]> {
    if digits.len() != 6 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let field = |at: usize| u64::from((digits[at] - b'0') * 10 + (digits[at + 1] - b'0'));
    Some([field(0), field(2), field(4)])
}

fn is_date(year: u64, month: u64, day: u64) -> bool {
    // Months are at most 99, so they fit.
    let last = month.checked_sub(1).and_then(|index| DAYS.get(index as usize));
    year <= 99 && last.is_some_and(|last| day <= *last)
}

/// Returns whether it is a valid time; hour 24 is valid only with zero minutes and seconds.
fn is_time([hours, minutes, seconds]: [u64; 3]) -> bool {
    (hours <= 23 || (hours == 24 && minutes == 0 && seconds == 0)) && minutes <= 59 && seconds <= 59
}
