//! A hash with a random key. Clients choose user agents, so without a key they could choose texts
//! of equal hashes, too: one that passes for that of a phone, or many that slow down a table.

use std::hash::{BuildHasher, RandomState};

/// A hash of 16 bytes at a time by the two halves of a product, as in `wyhash` and `foldhash`,
/// small enough to be part of its callers.
#[derive(Debug)]
pub(crate) struct KeyedHash([u64; 2]);

impl Default for KeyedHash {
    fn default() -> Self {
        let random = RandomState::new();
        Self([random.hash_one(0), random.hash_one(1)])
    }
}

impl KeyedHash {
    /// Returns the hash of two numbers.
    #[inline]
    pub(crate) fn of_numbers(&self, first: u64, last: u64) -> u64 {
        fold(first ^ self.0[0], last ^ self.0[1])
    }

    /// Returns the hash of a text. The last piece of 16 bytes overlaps with the one before; the
    /// length turns the key, because what is added to the text could be cancelled by the text.
    #[inline]
    pub(crate) fn of(&self, text: &[u8]) -> u64 {
        let [first, last] = self.0;
        let add = |hash, piece: &[u8; 16]| {
            let piece = u128::from_ne_bytes(*piece);
            fold(hash ^ piece as u64, last ^ (piece >> 64) as u64)
        };
        let (pieces, rest) = text.as_chunks();
        let hash = pieces.iter().fold(first.rotate_left(text.len() as u32), add);
        if rest.is_empty() {
            return hash;
        }
        match text.last_chunk() {
            Some(piece) => add(hash, piece),
            None => {
                let mut piece = [0; 16];
                piece[..text.len()].copy_from_slice(text);
                add(hash, &piece)
            }
        }
    }
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_byte_and_the_length_are_hashed() {
        let hash = KeyedHash::default();
        let mut known = HashSet::new();
        for length in 0..70 {
            let mut text = vec![b'a'; length];
            assert!(known.insert(hash.of(&text)), "{length}");
            for changed in 0..length {
                text[changed] = b'b';
                assert!(known.insert(hash.of(&text)), "{length}: {changed}");
                text[changed] = b'a';
            }
        }
        assert_ne!(KeyedHash::default().of(b"phone"), KeyedHash::default().of(b"phone"));
    }
}
