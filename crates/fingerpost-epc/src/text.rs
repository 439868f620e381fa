//! Bit strings as text: hexadecimal, base64url, and the path segments of GS1 Digital Link URI:
//! Compression Technical Standard for EPC binary strings 1.0.0.
//!
//! ```text
//! segment   = "eh" 1*( DIGIT / %x61-66 )             ; lower case only
//!           / "ex" 1*( ALPHA / DIGIT / "-" / "_" )
//! hex       = 1*HEXDIG                               ; 4 bits each
//! base64url = 1*( ALPHA / DIGIT / "-" / "_" )        ; 6 bits each, no "="
//! raw       = "urn:epc:raw:" bits "." [ "x" afi "." ] "x" 1*HEXDIG
//! ```
//!
//! The last character is padded with zero bits, so a text does not determine the exact length.

use alloc::string::String;
use alloc::vec::Vec;

use crate::bits::Bits;
use crate::error::{Error, ErrorKind, ErrorSpan};

/// The prefix of a path segment with hexadecimal digits.
pub(crate) const HEX_SEGMENT: &str = "eh";

/// The prefix of a path segment with base64url characters.
const BASE64_SEGMENT: &str = "ex";

const RAW: &str = "urn:epc:raw:";

impl Bits {
    /// Reads hexadecimal digits of either case, four bits each.
    ///
    /// # Errors
    ///
    /// `EMPTY` or `INVALID_HEX`.
    #[inline]
    pub fn from_hex(text: &str) -> Result<Bits, Error> {
        let mut bits = Bits::new();
        bits.read_hex(text.as_bytes(), 0)?;
        Ok(bits)
    }

    /// Parses any number of base64url characters, six bits each.
    ///
    /// ```
    /// use fingerpost_epc::Bits;
    ///
    /// // 198 bits are 33 characters, which readers of base64 for bytes refuse.
    /// let bits = Bits::from_base64url("NmbEQJBH4Vmywr8QAAAAAAAAAAAAAAAAA")?;
    /// assert_eq!(bits.len(), 198);
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `EMPTY` or `INVALID_BASE64`.
    pub fn from_base64url(text: &str) -> Result<Bits, Error> {
        read_base64url(text.as_bytes(), 0)
    }

    /// Reads the path segment of a compressed Digital Link URI: `eh` and hexadecimal digits in
    /// lower case, or `ex` and base64url.
    ///
    /// # Errors
    ///
    /// `NOT_AN_EPC_SEGMENT`, `EMPTY`, `INVALID_HEX` or `INVALID_BASE64`.
    pub fn from_segment(segment: &str) -> Result<Bits, Error> {
        if let Some(digits) = segment.strip_prefix(HEX_SEGMENT) {
            if let Some(at) = digits.bytes().position(|byte| byte.is_ascii_uppercase()) {
                let at = HEX_SEGMENT.len() + at;
                return Err(Error::new(ErrorKind::InvalidHex, ErrorSpan::text(at, at + 1)));
            }
            let mut bits = Bits::new();
            bits.read_hex(digits.as_bytes(), HEX_SEGMENT.len())?;
            return Ok(bits);
        }
        match segment.strip_prefix(BASE64_SEGMENT) {
            Some(text) => read_base64url(text.as_bytes(), BASE64_SEGMENT.len()),
            None => Err(Error::new(ErrorKind::NotAnEpcSegment, ErrorSpan::text(0, segment.len()))),
        }
    }

    /// Returns whether this path segment has the form of an EPC: `eh[0-9a-f]*` or
    /// `ex[A-Za-z0-9_-]*`.
    ///
    /// ```
    /// use fingerpost_epc::Bits;
    ///
    /// assert!(Bits::is_segment("eh3066c4409047e14000001a85"));
    /// assert!(!Bits::is_segment("ehello"));
    /// ```
    #[must_use]
    pub fn is_segment(segment: &str) -> bool {
        if let Some(digits) = segment.strip_prefix(HEX_SEGMENT) {
            return digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        }
        segment.strip_prefix(BASE64_SEGMENT).is_some_and(|text| {
            text.bytes().all(|byte| BASE64_VALUES[usize::from(byte)] != INVALID)
        })
    }

    /// Returns the bits as hexadecimal digits in lower case.
    #[must_use]
    pub fn to_hex(&self) -> String {
        hex(self.as_bytes(), self.len())
    }

    /// Returns the bits as base64url without `=`.
    #[must_use]
    pub fn to_base64url(&self) -> String {
        let mut text = Vec::new();
        self.write_base64url(&mut text);
        into_string(text)
    }

    /// Returns the path segment `eh…` of a compressed Digital Link URI.
    #[must_use]
    pub fn to_segment_hex(&self) -> String {
        alloc::format!("{HEX_SEGMENT}{}", self.to_hex())
    }

    /// Returns the path segment `ex…` of a compressed Digital Link URI, which is shorter than
    /// `eh…`.
    #[must_use]
    pub fn to_segment_base64url(&self) -> String {
        let mut text = Vec::from(BASE64_SEGMENT);
        self.write_base64url(&mut text);
        into_string(text)
    }

    /// Returns the URN for bits that are not an EPC: `urn:epc:raw:…` (EPC Tag Data Standard 2.3,
    /// section 12).
    ///
    /// ```
    /// use fingerpost_epc::Bits;
    ///
    /// let bits = Bits::from_hex("00b0")?;
    /// assert_eq!(bits.to_raw_uri(), "urn:epc:raw:16.x00B0");
    /// assert_eq!(Bits::from_raw_uri("urn:epc:raw:16.x00B0")?, bits);
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    #[must_use]
    pub fn to_raw_uri(&self) -> String {
        let digits = self.to_hex().to_ascii_uppercase();
        alloc::format!("{RAW}{}.x{digits}", digits.len() * 4)
    }

    /// Parses `urn:epc:raw:…` with hexadecimal digits; an application family identifier is ignored.
    ///
    /// # Errors
    ///
    /// `BAD_URN_SYNTAX`: also for the decimal form, which the standard deprecates, and if the
    /// number of bits does not match the number of digits.
    pub fn from_raw_uri(urn: &str) -> Result<Bits, Error> {
        let wrong = Error::new(ErrorKind::BadUrnSyntax, ErrorSpan::text(0, urn.len()));
        let (count, digits) =
            urn.strip_prefix(RAW).and_then(|rest| rest.split_once(".x")).ok_or(wrong)?;
        let digits = match digits.split_once(".x") {
            Some((afi, digits)) if afi.len() == 2 && is_upper_hex(afi) => digits,
            Some(_) => return Err(wrong),
            None => digits,
        };
        let is_count = crate::digits::read(count.as_bytes()) == Some(digits.len() as u64 * 4);
        if digits.is_empty() || !is_upper_hex(digits) || !is_count || count.starts_with('0') {
            return Err(wrong);
        }
        Bits::from_hex(digits)
    }

    /// Parses the digits at `start` of the input into an empty string.
    pub(crate) fn read_hex(&mut self, digits: &[u8], start: usize) -> Result<(), Error> {
        if digits.is_empty() {
            return Err(Error::new(ErrorKind::Empty, ErrorSpan::text(start, start)));
        }
        self.set_zeros(digits.len() * 4);
        let out = self.as_mut_bytes();
        let mut seen = 0;
        let value = |digit: u8| HEX_VALUES[usize::from(digit)];
        let pairs = digits.chunks_exact(2);
        let last = pairs.remainder();
        for (pair, byte) in pairs.zip(&mut *out) {
            let (high, low) = (value(pair[0]), value(pair[1]));
            seen |= high | low;
            *byte = high << 4 | low & 15;
        }
        if let [digit] = last {
            seen |= value(*digit);
            out[digits.len() / 2] = value(*digit) << 4;
        }
        if seen == INVALID {
            return Err(foreign(digits, &HEX_VALUES, start, ErrorKind::InvalidHex));
        }
        Ok(())
    }

    fn write_base64url(&self, out: &mut Vec<u8>) {
        let (start, characters) = (out.len(), self.len().div_ceil(6));
        // Four characters for three bytes, of which up to three may be removed again.
        out.resize(start + 4 * self.as_bytes().len().div_ceil(3), 0);
        for (four, three) in out[start..].chunks_exact_mut(4).zip(self.as_bytes().chunks(3)) {
            let mut group = [0; 4];
            group[1..=three.len()].copy_from_slice(three);
            let group = u32::from_be_bytes(group);
            let character = |shift: u32| BASE64[(group >> shift) as usize & 63];
            [four[0], four[1], four[2], four[3]] =
                [character(18), character(12), character(6), character(0)];
        }
        out.truncate(start + characters);
    }
}

/// Returns the first `len` bits of the bytes, which contain no more than them, as hexadecimal
/// digits in lower case.
#[inline]
pub(crate) fn hex(bytes: &[u8], len: usize) -> String {
    let pairs: Vec<[u8; 2]> = bytes.iter().map(|byte| HEX_PAIRS[usize::from(*byte)]).collect();
    let mut text = pairs.into_flattened();
    // Two digits for each byte, of which the last may be too many.
    text.truncate(len.div_ceil(4));
    into_string(text)
}

fn is_upper_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'))
}

/// Parses the characters at `start` of the input.
fn read_base64url(characters: &[u8], start: usize) -> Result<Bits, Error> {
    if characters.is_empty() {
        return Err(Error::new(ErrorKind::Empty, ErrorSpan::text(start, start)));
    }
    let mut bits = Bits::zeros(characters.len() * 6);
    let mut seen = 0;
    for (four, bytes) in characters.chunks(4).zip(bits.as_mut_bytes().chunks_mut(3)) {
        let mut group = 0;
        for &character in four {
            let value = BASE64_VALUES[usize::from(character)];
            seen |= value;
            group = group << 6 | u32::from(value & 63);
        }
        let group = (group << (6 * (4 - four.len()))).to_be_bytes();
        bytes.copy_from_slice(&group[1..=bytes.len()]);
    }
    if seen == INVALID {
        return Err(foreign(characters, &BASE64_VALUES, start, ErrorKind::InvalidBase64));
    }
    Ok(bits)
}

/// Returns the error about the first invalid character.
#[cold]
fn foreign(text: &[u8], values: &[u8; 256], start: usize, kind: ErrorKind) -> Error {
    let at = text.iter().position(|byte| values[usize::from(*byte)] == INVALID).unwrap_or(0);
    Error::new(kind, ErrorSpan::text(start + at, start + at + 1))
}

/// Converts the output of the writers, which is always ASCII, so the conversion cannot fail.
pub(crate) fn into_string(ascii: Vec<u8>) -> String {
    String::from_utf8(ascii).unwrap_or_default()
}

/// The value of an invalid character. All bits are set, so that a union of values shows it.
const INVALID: u8 = u8::MAX;

static HEX_VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let (digits, mut at) = (b"0123456789abcdef", 0);
    while at < digits.len() {
        // Sixteen values: the conversion loses nothing.
        values[digits[at] as usize] = at as u8;
        values[digits[at].to_ascii_uppercase() as usize] = at as u8;
        at += 1;
    }
    values
};

/// The two digits of every byte.
static HEX_PAIRS: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let (mut pairs, mut byte) = ([[0; 2]; 256], 0);
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
};

/// RFC 4648, section 5.
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static BASE64_VALUES: [u8; 256] = {
    let (mut values, mut at) = ([INVALID; 256], 0);
    while at < BASE64.len() {
        // 64 values: the conversion loses nothing.
        values[BASE64[at] as usize] = at as u8;
        at += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_survives() {
        let mut bits = Bits::new();
        for width in 1..700_usize {
            bits.push(u64::from(width % 3 == 0), 1);
            let hex = Bits::from_hex(&bits.to_hex()).unwrap();
            let base64 = Bits::from_base64url(&bits.to_base64url()).unwrap();
            assert_eq!((hex.len(), base64.len()), (width.div_ceil(4) * 4, width.div_ceil(6) * 6));
            let mut padded = bits.clone();
            padded.push(0, hex.len() - width);
            assert_eq!(hex, padded);
            padded.push(0, 6);
            let mut base64 = base64;
            base64.push(0, padded.len() - base64.len().min(padded.len()));
            assert_eq!(
                base64.as_bytes()[..width.div_ceil(8)],
                padded.as_bytes()[..width.div_ceil(8)]
            );
            assert_eq!(Bits::from_segment(&bits.to_segment_hex()), Ok(hex));
            assert_eq!(
                Bits::from_segment(&bits.to_segment_base64url()).unwrap().len(),
                width.div_ceil(6) * 6
            );
            assert!(Bits::is_segment(&bits.to_segment_base64url()));
        }
    }

    #[test]
    fn foreign_characters_are_named() {
        for (error, code, span) in [
            (Bits::from_hex(""), "EMPTY", ErrorSpan::text(0, 0)),
            (Bits::from_hex("30g6"), "INVALID_HEX", ErrorSpan::text(2, 3)),
            (Bits::from_hex("306é"), "INVALID_HEX", ErrorSpan::text(3, 4)),
            (Bits::from_base64url("MB+"), "INVALID_BASE64", ErrorSpan::text(2, 3)),
            (Bits::from_base64url("MB=="), "INVALID_BASE64", ErrorSpan::text(2, 3)),
            (Bits::from_segment("eh3A"), "INVALID_HEX", ErrorSpan::text(3, 4)),
            (Bits::from_segment("exMB+"), "INVALID_BASE64", ErrorSpan::text(4, 5)),
            (Bits::from_segment("eh"), "EMPTY", ErrorSpan::text(2, 2)),
            (Bits::from_segment("EH30"), "NOT_AN_EPC_SEGMENT", ErrorSpan::text(0, 4)),
        ] {
            let error = error.unwrap_err();
            assert_eq!((error.code(), error.span), (code, span));
        }
    }

    // EPC-URN-07
    #[test]
    fn raw_uris() {
        let bits = Bits::from_hex("1e30").unwrap();
        assert_eq!(Bits::from_raw_uri("urn:epc:raw:16.xC1.x1E30"), Ok(bits));
        for wrong in [
            "urn:epc:raw:16.x1e30",
            "urn:epc:raw:12.x1E30",
            "urn:epc:raw:016.x1E30",
            "urn:epc:raw:16.1",
            "urn:epc:raw:16.xC.x1E30",
            "urn:epc:raw:0.x",
            "urn:epc:raw:",
            "urn:epc:id:16.x1E30",
        ] {
            assert_eq!(Bits::from_raw_uri(wrong).unwrap_err().code(), "BAD_URN_SYNTAX", "{wrong}");
        }
    }
}
