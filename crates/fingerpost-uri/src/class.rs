//! Character classes of RFC 3986, section 2 and Appendix A.
//!
//! Every class is a constant whose doc is its ABNF rule. One table of bit flags, computed from them
//! at compile time, tests any class with a single look-up per byte.

/// A set of ASCII characters, computed at compile time.
#[derive(Clone, Copy)]
pub(crate) struct Class(u128);

impl Class {
    /// Returns the set of the bytes in `chars`, which must be ASCII.
    const fn new(chars: &[u8]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < chars.len() {
            bits |= 1_u128 << chars[i];
            i += 1;
        }
        Self(bits)
    }

    /// Returns the set of the bytes from `first` to `last`, both included.
    const fn range(first: u8, last: u8) -> Self {
        let mut bits = 0;
        let mut byte = first;
        while byte <= last {
            bits |= 1_u128 << byte;
            byte += 1;
        }
        Self(bits)
    }

    /// Returns the union of both sets.
    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }
}

/// `ALPHA = %x41-5A / %x61-7A`
const ALPHA: Class = Class::range(b'A', b'Z').or(Class::range(b'a', b'z'));
/// `DIGIT = %x30-39`
const DIGIT: Class = Class::range(b'0', b'9');
/// `HEXDIG`, in either case (ABNF strings have none)
const HEXDIG: Class = DIGIT.or(Class::range(b'A', b'F')).or(Class::range(b'a', b'f'));
/// The digits that triplets are normalised to (section 6.2.2.1)
const UPPER_HEXDIG: Class = DIGIT.or(Class::range(b'A', b'F'));
/// First digits of triplets whose octets are not ASCII, and therefore never unreserved; in normal
/// form
const PLAIN_HIGH: Class = Class::new(b"89").or(Class::range(b'A', b'F'));
/// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"`
const UNRESERVED: Class = ALPHA.or(DIGIT).or(Class::new(b"-._~"));
/// `gen-delims = ":" / "/" / "?" / "#" / "[" / "]" / "@"`
const GEN_DELIMS: Class = Class::new(b":/?#[]@");
/// `sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="`
const SUB_DELIMS: Class = Class::new(b"!$&'()*+,;=");
/// Characters allowed after the first letter of a scheme: `ALPHA / DIGIT / "+" / "-" / "."`
const SCHEME: Class = ALPHA.or(DIGIT).or(Class::new(b"+-."));
/// `reg-name`, except for triplets: `unreserved / sub-delims`
const REG_NAME: Class = UNRESERVED.or(SUB_DELIMS);
/// `userinfo`, except for triplets: `unreserved / sub-delims / ":"`; also the part of `IPvFuture`
/// after its dot
const USERINFO: Class = REG_NAME.or(Class::new(b":"));
/// `pchar`, except for triplets: `unreserved / sub-delims / ":" / "@"`
const PCHAR: Class = USERINFO.or(Class::new(b"@"));
/// A path, except for triplets: `pchar / "/"`
const PATH: Class = PCHAR.or(Class::new(b"/"));
/// `query` and `fragment`, except for triplets: `pchar / "/" / "?"`
const QUERY: Class = PATH.or(Class::new(b"?"));

/// A bit of [`TABLE`], set if a byte belongs to one class, or several bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flag(u16);

impl Flag {
    /// All classes.
    pub(crate) const ALL: Self = Self(u16::MAX);

    /// Returns those of these classes that a byte belongs to.
    #[inline]
    pub(crate) const fn of(self, byte: u8) -> Self {
        Self(self.0 & TABLE[byte as usize])
    }

    /// Returns whether these classes contain one.
    #[inline]
    pub(crate) const fn has(self, class: Self) -> bool {
        self.0 & class.0 != 0
    }
}

pub(crate) const IS_ALPHA: Flag = Flag(1);
pub(crate) const IS_DIGIT: Flag = Flag(1 << 1);
pub(crate) const IS_HEXDIG: Flag = Flag(1 << 2);
pub(crate) const IS_UNRESERVED: Flag = Flag(1 << 3);
pub(crate) const IS_GEN_DELIM: Flag = Flag(1 << 4);
pub(crate) const IS_SUB_DELIM: Flag = Flag(1 << 5);
pub(crate) const IS_SCHEME: Flag = Flag(1 << 6);
pub(crate) const IS_REG_NAME: Flag = Flag(1 << 7);
pub(crate) const IS_USERINFO: Flag = Flag(1 << 8);
pub(crate) const IS_PCHAR: Flag = Flag(1 << 9);
pub(crate) const IS_PATH: Flag = Flag(1 << 10);
pub(crate) const IS_QUERY: Flag = Flag(1 << 11);
pub(crate) const IS_UPPER_HEXDIG: Flag = Flag(1 << 12);
pub(crate) const IS_PLAIN_HIGH: Flag = Flag(1 << 13);

const CLASSES: [(Class, Flag); 14] = [
    (ALPHA, IS_ALPHA),
    (DIGIT, IS_DIGIT),
    (HEXDIG, IS_HEXDIG),
    (UNRESERVED, IS_UNRESERVED),
    (GEN_DELIMS, IS_GEN_DELIM),
    (SUB_DELIMS, IS_SUB_DELIM),
    (SCHEME, IS_SCHEME),
    (REG_NAME, IS_REG_NAME),
    (USERINFO, IS_USERINFO),
    (PCHAR, IS_PCHAR),
    (PATH, IS_PATH),
    (QUERY, IS_QUERY),
    (UPPER_HEXDIG, IS_UPPER_HEXDIG),
    (PLAIN_HIGH, IS_PLAIN_HIGH),
];

static TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let mut i = 0;
        while i < CLASSES.len() {
            if CLASSES[i].0.has(byte as u8) {
                table[byte] |= CLASSES[i].1.0;
            }
            i += 1;
        }
        byte += 1;
    }
    table
};

/// Returns whether `byte` belongs to the class of `flag`.
#[inline]
pub(crate) const fn is(byte: u8, flag: Flag) -> bool {
    TABLE[byte as usize] & flag.0 != 0
}

/// Returns the index of the first byte from `start` on that does not belong to the class of `flag`,
/// or the end.
#[inline]
pub(crate) fn skip(bytes: &[u8], start: usize, flag: Flag) -> usize {
    let mut at = start;
    while at < bytes.len() && is(bytes[at], flag) {
        at += 1;
    }
    at
}

/// Works like [`skip`], but is faster for texts longer than a word: it tests eight bytes at a time,
/// then four, with few unpredictable branches.
#[inline]
pub(crate) fn skip_many(bytes: &[u8], start: usize, flag: Flag) -> usize {
    let mut rest = &bytes[start..];
    while let Some((eight, tail)) = rest.split_first_chunk::<8>() {
        if !flags(eight).has(flag) {
            break;
        }
        rest = tail;
    }
    while let Some((four, tail)) = rest.split_first_chunk::<4>() {
        if !flags(four).has(flag) {
            let one = is(four[0], flag);
            let two = one & is(four[1], flag);
            let three = two & is(four[2], flag);
            let skipped = usize::from(one) + usize::from(two) + usize::from(three);
            return bytes.len() - rest.len() + skipped;
        }
        rest = tail;
    }
    skip(bytes, bytes.len() - rest.len(), flag)
}

/// Returns the classes that all these bytes belong to.
#[inline]
fn flags<const N: usize>(bytes: &[u8; N]) -> Flag {
    bytes.iter().fold(Flag::ALL, |flags, &byte| flags.of(byte))
}

/// Returns the value of a hexadecimal digit of either case.
#[inline]
pub(crate) fn hex_value(byte: u8) -> Option<u8> {
    let value = HEX_VALUES[usize::from(byte)];
    (value != NO_HEXDIG).then_some(value)
}

const NO_HEXDIG: u8 = 0xFF;

static HEX_VALUES: [u8; 256] = {
    let mut table = [NO_HEXDIG; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u8;
        table[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// URI-CHR-05: reserved is the union of gen-delims and sub-delims; URI-CHR-09: unreserved.
    #[test]
    fn the_delimiters_and_unreserved_characters_share_nothing() {
        for byte in 0..=255_u8 {
            let gen_delim = b":/?#[]@".contains(&byte);
            let sub_delim = b"!$&'()*+,;=".contains(&byte);
            let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            assert_eq!(is(byte, IS_GEN_DELIM), gen_delim, "{byte:#x}");
            assert_eq!(is(byte, IS_SUB_DELIM), sub_delim, "{byte:#x}");
            assert_eq!(is(byte, IS_UNRESERVED), unreserved, "{byte:#x}");
            assert!(u8::from(gen_delim) + u8::from(sub_delim) + u8::from(unreserved) <= 1);
        }
    }

    /// URI-CHR-01: nothing outside ASCII, no control, no space and none of the ten excluded
    /// characters is in any class.
    #[test]
    fn excluded_characters_are_in_no_class() {
        for byte in (0..=b' ').chain(0x7F..=0xFF).chain(*b"\"<>\\^`{|}") {
            assert_eq!(TABLE[usize::from(byte)], 0, "{byte:#x}");
        }
    }
}
