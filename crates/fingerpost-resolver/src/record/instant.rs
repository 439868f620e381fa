//! Instants of validity windows: RFC 3339 date-times (RES-2.5.7-2).
//!
//! ```text
//! date-time = 4DIGIT "-" 2DIGIT "-" 2DIGIT "T" 2DIGIT ":" 2DIGIT ":" 2DIGIT [ "." 1*9DIGIT ]
//!             ( "Z" / ( "+" / "-" ) 2DIGIT ":" 2DIGIT )
//! ```

use jiff::Timestamp;
use jiff::civil::DateTime;

/// Parses an RFC 3339 date-time. `None`: the text is not one, or the instant is out of range.
///
/// ```
/// use fingerpost_resolver::parse_instant;
///
/// assert!(parse_instant("2026-05-01T02:00:00+02:00").is_some());
/// assert!(parse_instant("2026-05-01").is_none());
/// assert!(parse_instant("9999-12-31T23:59:59Z").is_some());
/// ```
pub fn parse_instant(text: &str) -> Option<Timestamp> {
    if !has_shape(text.as_bytes()) {
        return None;
    }
    text.parse().ok().or_else(|| is_last_year(text).then_some(LATEST_INSTANT))
}

/// The last hour that is an instant: what the end of the year 9999 becomes, which many systems
/// write for "no end".
pub const LATEST_INSTANT: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// Returns whether a text is a time of the year 9999, of which the last two days are beyond what a
/// timestamp can hold.
fn is_last_year(text: &str) -> bool {
    let civil = text.get(..SHAPE.len()).and_then(|civil| civil.parse::<DateTime>().ok());
    civil.is_some_and(|civil| civil.year() == 9999)
}

/// Reads an instant from 1970 on. Earlier ones have no use in a window and would need signs in the
/// stored form.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    parse_instant(text).filter(|instant| *instant >= Timestamp::UNIX_EPOCH)
}

/// Checks the shape of a date-time before parsing, because the parser accepts more notations than
/// RFC 3339.
fn has_shape(text: &[u8]) -> bool {
    let Some((head, tail)) = text.split_at_checked(SHAPE.len()) else { return false };
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        shape => byte.eq_ignore_ascii_case(shape),
    };
    head.iter().zip(SHAPE).all(fits) && has_offset(after_fraction(tail))
}

/// Returns the text after a fraction of a second, if there is one.
fn after_fraction(tail: &[u8]) -> &[u8] {
    let Some(fraction) = tail.strip_prefix(b".") else { return tail };
    let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { tail } else { &fraction[digits..] }
}

fn has_offset(offset: &[u8]) -> bool {
    match offset {
        b"Z" | b"z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].iter().all(|b| b.is_ascii_digit()),
        _ => false,
    }
}

const SHAPE: &[u8] = b"0000-00-00T00:00:00";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rfc_3339_is_read() {
        // RES-2.5.7-2
        for (text, written) in [
            ("2026-05-01T00:00:00Z", "2026-05-01T00:00:00Z"),
            ("2026-05-01t02:00:00+02:00", "2026-05-01T00:00:00Z"),
            ("2026-05-01T00:00:00.25z", "2026-05-01T00:00:00.25Z"),
            ("1970-01-01T00:00:00-00:00", "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(read(text).map(|instant| instant.to_string()).as_deref(), Some(written));
        }
        for text in [
            "",
            "2026-05-01",
            "2026-05-01T00:00:00",
            "2026-05-01 00:00:00Z",
            "2026-05-01T00:00Z",
            "2026-05-01T00:00:00.Z",
            "2026-05-01T00:00:00+0200",
            "2026-05-01T00:00:00+02",
            "2026-05-01T00:00:00Z[UTC]",
            "2026-02-30T00:00:00Z",
            "2026-05-01T24:00:00Z",
            "1969-12-31T23:59:59Z",
            "+002026-05-01T00:00:00Z",
            "2026-05-01T00:00:00,5Z",
            "2026-05-01T00:00:00.1234567891Z",
            "20260501T000000Z",
            " 2026-05-01T00:00:00Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
