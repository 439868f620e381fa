//! Character classes of a GS1 Digital Link URI: GS1 Digital Link URI Syntax 1.4.1, section 4.11,
//! and RFC 3986.
//!
//! One table contains all classes of a byte, so that the parser looks each byte up once.

/// `uri-character`: `unreserved / gen-delims / sub-delims / "%"`. A strict parser accepts only
/// these.
pub(super) const URI: u8 = 1;
/// `reg-name` without `pct-encoded`: `unreserved / sub-delims`.
pub(super) const REG_NAME: u8 = 1 << 1;
/// Ends the authority: `"/" / "?" / "#"`.
pub(super) const AFTER_AUTHORITY: u8 = 1 << 2;
/// Ends the path: `"?" / "#"`.
pub(super) const AFTER_PATH: u8 = 1 << 3;
/// Separates the pieces of a query: `"&" / ";"`.
pub(super) const SEPARATOR: u8 = 1 << 4;
/// A value that contains one of these differs from its written text: triplets, `+` in a query,
/// FNC1, NUL, and bytes above 0x7F.
pub(super) const NOT_PLAIN: u8 = 1 << 5;

/// Returns whether `byte` belongs to one of `classes`.
#[inline]
pub(super) fn is(byte: u8, classes: u8) -> bool {
    CLASSES[usize::from(byte)] & classes != 0
}

/// The results of one scan over a whole URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overview {
    /// Every byte is in [`URI`].
    pub(super) legal: bool,
    /// No byte is in [`NOT_PLAIN`]: every value is the text as written.
    pub(super) plain: bool,
}

/// Examines every byte, sixteen at a time, which the compiler can vectorise. The last sixteen
/// overlap those before them, so that there is no remainder.
#[inline]
pub(super) fn overview(bytes: &[u8]) -> Overview {
    let (mut illegal, mut not_plain) = ([0; LANES], [0; LANES]);
    let chunks = bytes.chunks_exact(LANES);
    let rest = chunks.remainder();
    // A chunk always has so many bytes.
    for chunk in chunks.filter_map(|chunk| chunk.try_into().ok()) {
        look(chunk, &mut illegal, &mut not_plain);
    }
    if !rest.is_empty() {
        let mut short = [b'/'; LANES];
        let last = bytes.last_chunk().unwrap_or_else(|| {
            short[..rest.len()].copy_from_slice(rest);
            &short
        });
        look(last, &mut illegal, &mut not_plain);
    }
    // Of the bytes that are not plain, only two are legal.
    let legal = illegal == [0; LANES];
    Overview { legal, plain: legal && not_plain == [0; LANES] }
}

/// Marks the lanes with a byte outside [`URI`], and those with `%` or `+`.
#[inline]
fn look(bytes: &[u8; LANES], illegal: &mut [u8; LANES], not_plain: &mut [u8; LANES]) {
    for lane in 0..LANES {
        let b = bytes[lane];
        illegal[lane] |= if is_illegal(b) { 0xFF } else { 0 };
        not_plain[lane] |= if (b == b'%') | (b == b'+') { 0xFF } else { 0 };
    }
}

/// The size in bytes of the vector registers that every processor of the target has.
const LANES: usize = 16;

/// Returns the complement of [`URI`], by comparison instead of table look-up.
#[inline]
const fn is_illegal(b: u8) -> bool {
    // After a range is shifted to start at zero, one comparison tests both of its ends; `<` and `>`
    // differ in one bit, and so do backslash and `^`.
    const BIT: u8 = b'<' ^ b'>';
    (b.wrapping_sub(b'!') > b'~' - b'!')
        | (b == b'"')
        | (b | BIT == b'>')
        | (b | BIT == b'^')
        | (b == b'`')
        | (b.wrapping_sub(b'{') <= b'}' - b'{')
}

/// Computes [`NOT_PLAIN`] by comparison instead of table look-up.
const fn is_not_plain(b: u8) -> bool {
    matches!(b, b'%' | b'+' | b'^' | 0 | GS | 0x80..)
}

/// FNC1 as scanners send it.
pub(super) const GS: u8 = 0x1D;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        let unreserved = crate::percent::is_unreserved(b);
        let sub_delim = holds(b"!$&'()*+,;=", b);
        let mut class = 0;
        if unreserved || sub_delim {
            class |= REG_NAME | URI;
        }
        if holds(b":/?#[]@%", b) {
            class |= URI;
        }
        if holds(b"/?#", b) {
            class |= AFTER_AUTHORITY;
        }
        if holds(b"?#", b) {
            class |= AFTER_PATH;
        }
        if holds(b"&;", b) {
            class |= SEPARATOR;
        }
        if is_not_plain(b) {
            class |= NOT_PLAIN;
        }
        table[byte] = class;
        byte += 1;
    }
    table
}

const fn holds(set: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < set.len() {
        if set[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_and_table_agree() {
        let accepted = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\
                        -._~:/?#[]@!$&'()*+,;=%";
        for byte in 0..=u8::MAX {
            assert_eq!(is(byte, URI), !is_illegal(byte), "{byte}");
            assert_eq!(is(byte, URI), accepted.as_bytes().contains(&byte), "{byte}");
            let plain = is(byte, URI) && !is(byte, NOT_PLAIN);
            let expected = Overview { legal: is(byte, URI), plain };
            for len in 1..50 {
                for at in 0..len {
                    let mut bytes = [b'a'; 50];
                    bytes[at] = byte;
                    assert_eq!(overview(&bytes[..len]), expected);
                }
            }
        }
    }
}
