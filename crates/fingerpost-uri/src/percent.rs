//! Percent-encoding (RFC 3986, section 2).
//!
//! `pct-encoded = "%" HEXDIG HEXDIG`
//!
//! Decoding is offered for components and their parts, never for a whole URI: a URI is split first
//! and decoded afterwards (section 2.4).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::Utf8Error;

use crate::class::{self, IS_UNRESERVED};

/// A part of a valid URI, still percent-encoded.
///
/// Two views are equal if their texts are equal; for other comparisons see
/// [`normalise`](crate::UriRef::normalise).
///
/// ```
/// use fingerpost_uri::UriRef;
///
/// let uri = UriRef::parse("http://h/caf%C3%A9")?;
/// let segment = uri.path().segments().next().expect("a path with a segment");
/// assert_eq!(segment.as_str(), "caf%C3%A9");
/// assert_eq!(segment.decode_utf8().as_deref(), Ok("café"));
/// # Ok::<(), fingerpost_uri::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoded<'a>(&'a str);

impl<'a> Encoded<'a> {
    /// Wraps a text; the caller guarantees that every `%` in `text` starts a triplet.
    pub(crate) const fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// Returns the text as written in the URI.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// Returns whether the text is empty.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the decoded octets; borrowed if there is no triplet. They need not be UTF-8.
    pub fn decode(self) -> Cow<'a, [u8]> {
        decode(self.0)
    }

    /// Returns the decoded octets as UTF-8 text.
    ///
    /// # Errors
    ///
    /// The octets are not UTF-8.
    pub fn decode_utf8(self) -> Result<Cow<'a, str>, Utf8Error> {
        match self.decode() {
            Cow::Borrowed(_) => Ok(Cow::Borrowed(self.0)),
            Cow::Owned(octets) => {
                String::from_utf8(octets).map(Cow::Owned).map_err(|error| error.utf8_error())
            }
        }
    }
}

impl fmt::Debug for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Decodes every triplet once; a `%` that does not start a triplet is kept (it cannot occur in a
/// valid URI).
pub(crate) fn decode(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    let Some(first) = bytes.iter().position(|&byte| byte == b'%') else {
        return Cow::Borrowed(bytes);
    };
    let mut octets = Vec::with_capacity(bytes.len());
    octets.extend_from_slice(&bytes[..first]);
    let mut rest = &bytes[first..];
    while let Some((&byte, tail)) = rest.split_first() {
        if let Some(octet) = triplet(rest) {
            octets.push(octet);
            rest = &rest[3..];
        } else {
            octets.push(byte);
            rest = tail;
        }
    }
    Cow::Owned(octets)
}

/// Returns whether `octet` is unreserved: it represents itself everywhere in a URI (section 2.3).
///
/// ```
/// use fingerpost_uri::percent::is_unreserved;
///
/// assert!(is_unreserved(b'~') && !is_unreserved(b'/'));
/// ```
#[inline]
pub const fn is_unreserved(octet: u8) -> bool {
    class::is(octet, IS_UNRESERVED)
}

/// Returns the octet of the triplet at the start of `bytes`; `None` if there is no whole triplet.
///
/// ```
/// use fingerpost_uri::percent::triplet;
///
/// assert_eq!(triplet(b"%2fx"), Some(b'/'));
/// assert_eq!(triplet(b"%2"), None);
/// ```
#[inline]
pub fn triplet(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => Some(class::hex_value(*high)? << 4 | class::hex_value(*low)?),
        _ => None,
    }
}

/// Appends `octet` as a triplet with upper-case digits.
#[inline]
pub fn push_triplet(octet: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(octet >> 4)]));
    out.push(char::from(DIGITS[usize::from(octet & 15)]));
}

/// Encodes data: every octet of the UTF-8 form that is not unreserved becomes a triplet (section
/// 2.5). A percent sign in the data becomes `%25`, so encoding twice is always visible.
///
/// ```
/// assert_eq!(fingerpost_uri::encode("À"), "%C3%80");
/// assert_eq!(fingerpost_uri::encode("50% a/b"), "50%25%20a%2Fb");
/// assert_eq!(fingerpost_uri::encode("plain-text"), "plain-text");
/// ```
pub fn encode(data: &str) -> Cow<'_, str> {
    encode_except(data, is_unreserved)
}

/// Encodes data except for the octets in `keep`.
pub(crate) fn encode_except(data: &str, keep: impl Fn(u8) -> bool) -> Cow<'_, str> {
    let Some(first) = data.bytes().position(|byte| !keep(byte)) else {
        return Cow::Borrowed(data);
    };
    let mut out = String::with_capacity(data.len() + 8);
    out.push_str(&data[..first]);
    for byte in data.bytes().skip(first) {
        if keep(byte) {
            out.push(char::from(byte));
        } else {
            push_triplet(byte, &mut out);
        }
    }
    Cow::Owned(out)
}
