//! The text of an entry without its repetitions: the targets of a record begin alike, contain its
//! key, and have the media types that most records have.
//!
//! ```text
//! packed = *(literal-length copy-length copy-start literal)
//! ```
//!
//! A literal is followed by a copy of bytes that begin at an offset into [`WORDS`], followed by the
//! key, followed by the text so far; they are in one of the three. Lengths are bytes, and the start
//! has two bytes, the lower one first.
//!
//! Reading entries is part of most requests, so copies are few and long: a general compressor (LZ4)
//! saves more, but its shorter copies take longer to read. And what is written must not change with
//! the version of a library: an import finds unchanged records, and a node the differences of its
//! copy, by their bytes.

use std::mem;

use super::DecodeError;

/// What texts of records often contain. Never change it: stored entries refer to it.
const WORDS: &[u8] = b"https://www.text/html.com/products/application/pdfProduct information page\
application/jsonapplication/ld+jsonimage/jpegid.gs1.org/01/?gtin={01}&lot={10}&serial={21}\
InstructionsTraceabilityCertificationSafety data sheetNutritional informationPatient information";

/// The shortest copy, in bytes. Shorter ones save little and take time.
const SHORTEST: usize = 9;

/// Repetitions are found by so many bytes.
const FOUND_BY: usize = 8;

/// The longest text that is packed, in bytes; positions in it and before it fit into 16 bits.
const LONGEST: usize = 32 << 10;

/// The longest literal and copy, in bytes.
const PART_BYTES: usize = 255;

/// The longest part of a key that copies refer to, in bytes.
const KEY_BYTES: usize = 256;

/// What packing has to save, in bytes.
const SAVED: usize = 16;

/// Number of positions that are remembered for each entry that is packed, as a power of two.
const TABLE_BITS: u32 = 11;

/// Where bytes have occurred, by their hash; the positions of [`WORDS`] at first.
type Table = [u16; 1 << TABLE_BITS];

static TABLE_OF_WORDS: Table = {
    let (mut table, mut at) = ([0; 1 << TABLE_BITS], 0);
    while at + FOUND_BY <= WORDS.len() {
        table[slot(WORDS, at)] = at as u16;
        at += 1;
    }
    table
};

/// Returns the slot of the [`FOUND_BY`] bytes at a position.
const fn slot(bytes: &[u8], at: usize) -> usize {
    let (_, rest) = bytes.split_at(at);
    let number = match rest.first_chunk() {
        Some(next) => u64::from_le_bytes(*next),
        None => 0,
    };
    (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - TABLE_BITS)) as usize
}

/// Packs a text; `None` if that saves too little.
pub(super) fn pack(key: &str, text: &str) -> Option<Vec<u8>> {
    if text.len() < SHORTEST + SAVED || text.len() > LONGEST {
        return None;
    }
    let key = beginning(key);
    let begin = WORDS.len() + key.len();
    let all = [WORDS, key, text.as_bytes()].concat();
    let mut table = TABLE_OF_WORDS;
    // The positions of all parts together fit into 16 bits.
    let mut earlier = |at| usize::from(mem::replace(&mut table[slot(&all, at)], at as u16));
    for at in WORDS.len()..begin {
        earlier(at);
    }
    let (mut packed, mut literal, mut at) = (Vec::with_capacity(text.len()), begin, begin);
    while at + FOUND_BY <= all.len() {
        let earlier = earlier(at);
        let end = end_of_part(earlier, key.len(), at);
        let pairs = all[earlier..end].iter().zip(&all[at..]).take(PART_BYTES);
        let length = pairs.take_while(|(one, other)| one == other).count();
        if length < SHORTEST {
            at += 1;
            continue;
        }
        put_parts(&mut packed, &all[literal..at], length, earlier);
        at += length;
        literal = at;
    }
    if literal < all.len() {
        put_parts(&mut packed, &all[literal..], 0, 0);
    }
    (packed.len() + SAVED <= text.len()).then_some(packed)
}

/// Writes a literal, in several parts if it is long, and the copy after it.
fn put_parts(packed: &mut Vec<u8>, mut literal: &[u8], copied: usize, start: usize) {
    while literal.len() > PART_BYTES {
        let (part, rest) = literal.split_at(PART_BYTES);
        packed.extend([PART_BYTES as u8, 0, 0, 0]);
        packed.extend_from_slice(part);
        literal = rest;
    }
    let [low, high] = (start as u16).to_le_bytes();
    packed.extend([literal.len() as u8, copied as u8, low, high]);
    packed.extend_from_slice(literal);
}

/// Returns where the words, the key or the text before `at` ends, whichever has this position.
fn end_of_part(position: usize, key_length: usize, at: usize) -> usize {
    let ends = [WORDS.len(), WORDS.len() + key_length];
    ends.into_iter().find(|&end| position < end).unwrap_or(at)
}

/// Reads what [`pack`] has returned for a text of `length` bytes. Any bytes give a text or an
/// error.
pub(super) fn unpack(key: &str, length: usize, packed: &[u8]) -> Result<String, DecodeError> {
    if length > LONGEST {
        return Err(DecodeError::BadNumber);
    }
    let text = put_together(beginning(key), length, packed).ok_or(DecodeError::BadText)?;
    String::from_utf8(text).map_err(|_| DecodeError::NotText)
}

/// Returns the literals and copies one after the other; `None` if they are not `length` bytes.
fn put_together(key: &[u8], length: usize, mut packed: &[u8]) -> Option<Vec<u8>> {
    let (in_key, in_text) = (WORDS.len(), WORDS.len() + key.len());
    let (mut text, mut at) = (vec![0; length], 0);
    while !packed.is_empty() {
        let (&[literal, copied, low, high], rest) = packed.split_first_chunk()?;
        let (literal, copied) = (usize::from(literal), usize::from(copied));
        put(text.get_mut(at..)?, rest, literal)?;
        packed = rest.get(literal..)?;
        at += literal;
        let (before, after) = text.split_at_mut_checked(at)?;
        let start = usize::from(u16::from_le_bytes([low, high]));
        let from = if start >= in_text {
            before.get(start - in_text..)?
        } else if start >= in_key {
            &key[start - in_key..]
        } else {
            &WORDS[start..]
        };
        put(after, from, copied)?;
        at += copied;
    }
    (at == length).then_some(text)
}

/// Copies `length` bytes to the begin; `None` if they are not all there or have no room. May change
/// what comes after them.
#[inline]
fn put(to: &mut [u8], from: &[u8], length: usize) -> Option<()> {
    // Copies of a known length are a few instructions.
    match (to.first_chunk_mut::<16>(), from.first_chunk::<16>()) {
        (Some(to), Some(from)) if length <= 16 => {
            *to = *from;
            return Some(());
        }
        _ => {}
    }
    match (to.first_chunk_mut::<64>(), from.first_chunk::<64>()) {
        (Some(to), Some(from)) if length <= 64 => *to = *from,
        _ => to.get_mut(..length)?.copy_from_slice(from.get(..length)?),
    }
    Some(())
}

/// Returns the part of a key that copies refer to.
fn beginning(key: &str) -> &[u8] {
    &key.as_bytes()[..key.len().min(KEY_BYTES)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::*;

    const KEY: &str = "01/09520123456788/10/A";

    #[test]
    fn the_packed_form_is_pinned() {
        // A change of these bytes needs a new version number of the stored form.
        let text = "Teahttps://www.e.example/09520123456788/en\
https://www.e.example/09520123456788/frtext/html";
        let [page, _] = ((WORDS.len() + KEY.len() + 3) as u16).to_le_bytes();
        let mut expected = vec![3, 12, 0, 0];
        expected.extend(b"Tea");
        expected.extend([9, 16, WORDS.len() as u8 + 2, 1]);
        expected.extend(b"e.example");
        expected.extend([2, 37, page, 1]);
        expected.extend(b"en");
        expected.extend([2, 9, 12, 0]);
        expected.extend(b"fr");
        assert_eq!(pack(KEY, text), Some(expected.clone()));
        assert_eq!(unpack(KEY, text.len(), &expected).as_deref(), Ok(text));
        assert_eq!(Sha256::digest(WORDS)[..4], [33, 136, 92, 183]);
    }

    proptest! {
        #[test]
        fn texts_come_back(parts in prop::collection::vec(
            prop_oneof![
                "[a-c]{0,12}", "https://www.[a-z]{1,9}/09520123456788", "[é日😀\n]{0,5}",
                Just("application/pdf".to_owned()), Just(KEY.repeat(40)),
            ], 0..30))
        {
            let text = parts.concat();
            if let Some(packed) = pack(KEY, &text) {
                prop_assert!(packed.len() + SAVED <= text.len());
                prop_assert_eq!(unpack(KEY, text.len(), &packed), Ok(text));
            }
        }

        #[test]
        fn any_bytes_give_a_text_or_an_error(
            length in prop_oneof![0_usize..200, 0_usize..2 * LONGEST],
            bytes in prop::collection::vec(prop_oneof![0_u8..12, any::<u8>()], 0..60),
        ) {
            if let Ok(text) = unpack(KEY, length, &bytes) {
                prop_assert_eq!(text.len(), length);
            }
        }
    }

    #[test]
    fn long_texts_come_back() {
        let words = "0123456789abcdef".repeat(2000) + &"x".repeat(300);
        for text in [words.clone(), words.replace('0', "é"), format!("{words}{words}")] {
            let text = &text[..text.floor_char_boundary(LONGEST)];
            let packed = pack(KEY, text).unwrap();
            assert_eq!(unpack(KEY, text.len(), &packed).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_saves_little_or_is_long_is_not_packed() {
        assert_eq!(pack(KEY, ""), None);
        assert_eq!(pack(KEY, "https://www.text/html"), None);
        assert_eq!(pack(KEY, "https://www.example.com/one/two/three"), None);
        assert_eq!(pack(KEY, &"0123456789abcdef".repeat(LONGEST / 16 + 1)), None);
    }

    #[test]
    fn damaged_copies_are_refused() {
        let text =
            "https://www.example.com/products/09520123456788 https://www.example.com/products/";
        let packed = pack(KEY, text).unwrap();
        for length in (0..text.len()).chain([text.len() + 1]) {
            assert_eq!(unpack(KEY, length, &packed), Err(DecodeError::BadText), "{length}");
        }
        for end in 0..packed.len() {
            assert!(unpack(KEY, text.len(), &packed[..end]).is_err(), "{end}");
        }
        // Copies of what comes later, and beyond the end of a part.
        let [low, high] = ((WORDS.len() + KEY.len()) as u16).to_le_bytes();
        let key = ((WORDS.len() + KEY.len() - 1) as u16).to_le_bytes();
        for (length, bytes) in [
            (9, &[1, 8, low, high, b'a'][..]),
            (2, &[0, 2, key[0], key[1]]),
            (255, &[0, 255, 10, 0]),
            (4, &[0, 4, 0xFF, 0xFF]),
        ] {
            assert_eq!(unpack(KEY, length, bytes), Err(DecodeError::BadText), "{bytes:?}");
        }
        assert_eq!(unpack(KEY, 1, &[1, 0, 0, 0, 0xFF]), Err(DecodeError::NotText));
        assert_eq!(unpack(KEY, LONGEST + 1, &[]), Err(DecodeError::BadNumber));
    }
}
