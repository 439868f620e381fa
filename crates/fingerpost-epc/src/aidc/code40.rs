//! URN Code 40, three characters in sixteen bits: EPC Tag Data Standard 2.3, section 14.5.6.5.

use crate::bits::{BitReader, Bits};
use crate::error::{Error, ErrorKind, ErrorSpan};

/// The characters from index 1 on; index 0 pads the last group.
const ALPHABET: &[u8; 39] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ-.:0123456789";

/// The maximum value of the sixteen bits of a group.
const LAST_GROUP: u64 = 64_000;

/// Returns the number of bits of this many characters.
pub(crate) const fn bits_for(characters: usize) -> usize {
    16 * characters.div_ceil(3)
}

/// Returns the index of a character, if it has one.
pub(crate) fn index(character: u8) -> Option<u64> {
    let index = ALPHABET.iter().position(|member| *member == character)?;
    Some(index as u64 + 1)
}

/// Reads this many characters.
pub(crate) fn read(
    from: &mut BitReader<'_>,
    characters: usize,
    mut push: impl FnMut(u8),
) -> Result<(), Error> {
    from.require(bits_for(characters))?;
    for first in (0..characters).step_by(3) {
        let start = from.position();
        let group = from.read(16)?;
        let error = Error::new(ErrorKind::BadCode40, ErrorSpan::bits(start, start + 16));
        if group == 0 || group > LAST_GROUP {
            return Err(error);
        }
        let group = group - 1;
        for (at, index) in [group / 1600, group / 40 % 40, group % 40].into_iter().enumerate() {
            match (first + at < characters, index) {
                (true, 0) => return Err(error),
                // Below 40, so it is in the alphabet.
                (true, _) => push(ALPHABET[index as usize - 1]),
                (false, 0) => {}
                (false, _) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Writes characters that all have an index.
pub(crate) fn write(text: &[u8], out: &mut Bits) {
    for group in text.chunks(3) {
        let index = |at: usize| group.get(at).and_then(|byte| index(*byte)).unwrap_or(0);
        out.push(1600 * index(0) + 40 * index(1) + index(2) + 1, 16);
    }
}
