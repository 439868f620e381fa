//! Character sets of EPC values: EPC Tag Data Standard 2.3, annex A.

use fingerpost_gs1::CharacterSet;

/// CSET 82: the characters of serial numbers, lots and asset references.
pub(crate) const CSET82: u8 = 1;
/// CSET 39: the characters of part references and the texts of ADI.
pub(crate) const CSET39: u8 = 2;
/// Digits and capital letters without I and O.
pub(crate) const CAGE: u8 = 4;
/// Characters of CSET 82 that URNs percent-encode.
pub(crate) const ESCAPED82: u8 = 8;
/// Characters of CSET 39 that URNs percent-encode.
pub(crate) const ESCAPED39: u8 = 16;

/// Characters that a Digital Link URI does not encode: RFC 3986, section 2.3.
pub(crate) const UNRESERVED: u8 = 32;

/// Returns whether `byte` is in one of these sets.
#[inline]
pub(crate) const fn is(byte: u8, sets: u8) -> bool {
    SETS[byte as usize] & sets != 0
}

static SETS: [u8; 256] = {
    let mut sets = [0; 256];
    add(&mut sets, b"0123456789ABCDEFGHJKLMNPQRSTUVWXYZ", CAGE);
    add(&mut sets, b"\"%&/<>?", ESCAPED82);
    add(&mut sets, b"#/", ESCAPED39);
    let mut byte = 0;
    while byte < 128 {
        if CharacterSet::Cset82.contains(byte) {
            sets[byte as usize] |= CSET82;
        }
        if CharacterSet::Cset39.contains(byte) {
            sets[byte as usize] |= CSET39;
        }
        if fingerpost_gs1::percent::is_unreserved(byte) {
            sets[byte as usize] |= UNRESERVED;
        }
        byte += 1;
    }
    sets
};

const fn add(sets: &mut [u8; 256], members: &[u8], set: u8) {
    let mut at = 0;
    while at < members.len() {
        sets[members[at] as usize] |= set;
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_sizes() {
        let count = |set| (0..=u8::MAX).filter(|&byte| is(byte, set)).count();
        assert_eq!((count(CSET82), count(CSET39), count(CAGE)), (82, 39, 34));
        assert_eq!((count(ESCAPED82), count(ESCAPED39)), (7, 2));
        assert_eq!(count(UNRESERVED), 66);
    }
}
