//! Percent-encoding of values: RFC 3986 section 2.1, with the set of characters that
//! GS1 Digital Link URI Syntax 1.4.1, section 4.2, wants encoded.
//!
//! ```text
//! pct-encoded = "%" HEXDIG HEXDIG        ; HEXDIG of either case when read, upper case when written
//! unreserved  = ALPHA / DIGIT / "-" / "." / "_" / "~"
//! ```
//!
//! Written values keep `unreserved` and encode every other byte, in both path and query. That
//! covers the list of section 4.2 and the double quote, which that list omits. The writer never
//! uses `+` for a space.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use fingerpost_uri::percent::push_triplet;
pub use fingerpost_uri::percent::{is_unreserved, triplet};

use crate::Span;

/// Appends the decoded form of `bytes` to `out`: every triplet becomes its byte, everything else
/// (including `+`) is unchanged.
///
/// # Errors
///
/// The offset of the first `%` that is not followed by two hexadecimal digits. `out` contains the
/// bytes decoded before it.
///
/// ```
/// use fingerpost_gs1::percent;
///
/// let mut out = Vec::new();
/// assert_eq!(percent::decode(b"A%2fB+C", &mut out), Ok(()));
/// assert_eq!(out, b"A/B+C");
/// assert_eq!(percent::decode(b"A%4g", &mut out), Err(1));
/// ```
pub fn decode(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), usize> {
    out.reserve(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            out.push(triplet(&bytes[at..]).ok_or(at)?);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    Ok(())
}

/// Decodes text that is known to be well-formed and to represent ASCII, such as the values of an
/// [`EntityKey`](crate::EntityKey). Otherwise returns `None`.
///
/// ```
/// use fingerpost_gs1::percent;
///
/// assert_eq!(percent::decode_ascii("A%2FB").as_deref(), Some("A/B"));
/// assert_eq!(percent::decode_ascii("%C3%A9"), None);
/// ```
#[must_use]
pub fn decode_ascii(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return text.is_ascii().then_some(Cow::Borrowed(text));
    }
    let mut out = Vec::new();
    decode(text.as_bytes(), &mut out).ok()?;
    if !out.is_ascii() {
        return None;
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

/// Appends `value` to `out`, with everything except `unreserved` as `%` and two upper-case
/// hexadecimal digits.
///
/// ```
/// use fingerpost_gs1::percent;
///
/// let mut out = String::from("10/");
/// percent::encode_value(b"A/B+C\"", &mut out);
/// assert_eq!(out, "10/A%2FB%2BC%22");
/// ```
pub fn encode_value(value: &[u8], out: &mut String) {
    // Nearly every value is written as it is.
    if encoded_len(value) == value.len() {
        if let Ok(text) = core::str::from_utf8(value) {
            out.push_str(text);
            return;
        }
    }
    for &byte in value {
        if is_unreserved(byte) {
            out.push(char::from(byte));
        } else {
            push_triplet(byte, out);
        }
    }
}

/// Returns the digits that `text` consists of, some perhaps percent-encoded; `None` if there is
/// anything else.
pub(crate) fn decoded_digits(text: &[u8]) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    decode(text, &mut digits).ok()?;
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(digits)
}

/// Returns how many bytes [`encode_value`] appends.
#[must_use]
pub(crate) fn encoded_len(value: &[u8]) -> usize {
    value.iter().map(|&byte| if is_unreserved(byte) { 1 } else { 3 }).sum()
}

/// Returns the decoded length of `encoded` in bytes. Malformed triplets are counted as literal
/// text.
pub(crate) fn decoded_len(encoded: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < encoded.len() {
        at += if triplet(&encoded[at..]).is_some() { 3 } else { 1 };
        count += 1;
    }
    count
}

/// Returns the range in `encoded` of a range of the decoded value; `encoded` starts at `base` in
/// the input. Malformed triplets are treated as literal text.
pub(crate) fn encoded_span(encoded: &[u8], decoded: Span, base: usize) -> Span {
    let (mut span, mut at) = (Span { start: 0, end: 0 }, 0);
    for count in 0..=decoded.end {
        if count == decoded.start {
            span.start = base + at;
        }
        if count == decoded.end {
            span.end = base + at;
        }
        at += if triplet(&encoded[at..]).is_some() { 3 } else { usize::from(at < encoded.len()) };
    }
    span
}

/// Returns whether `text` is the output of [`encode_value`] for some value: there is one encoding
/// per value.
pub(crate) fn is_canonical(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if is_unreserved(byte) {
            at += 1;
            continue;
        }
        match triplet(&text[at..]) {
            Some(decoded)
                if !is_unreserved(decoded)
                    && !text[at..at + 3].iter().any(u8::is_ascii_lowercase) =>
            {
                at += 3;
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_encoding() {
        for byte in 0..=u8::MAX {
            let mut text = String::new();
            encode_value(&[byte], &mut text);
            assert_eq!(text.len(), encoded_len(&[byte]));
            assert!(is_canonical(text.as_bytes()), "{text}");
            let mut back = Vec::new();
            assert_eq!(decode(text.as_bytes(), &mut back), Ok(()));
            assert_eq!(back, [byte]);
        }
    }

    #[test]
    fn other_spellings_are_not_canonical() {
        for text in ["%2f", "%41", "a/b", "%", "%2", "%2G", "a b", "é"] {
            assert!(!is_canonical(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn broken_triplets_name_their_position() {
        for (text, at) in [("%", 0), ("a%", 1), ("%2", 0), ("%41%4", 3), ("%%41", 0), ("%+1", 0)] {
            assert_eq!(decode(text.as_bytes(), &mut Vec::new()), Err(at), "{text}");
        }
    }
}
