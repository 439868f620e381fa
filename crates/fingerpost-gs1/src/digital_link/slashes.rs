//! The slashes of a path, found eight bytes at a time.

use alloc::vec::Vec;

use super::words;

/// The positions of the slashes of a path, and its end.
pub(super) struct Slashes {
    few: [u16; FEW],
    /// All slashes, if there are more than [`FEW`].
    many: Vec<u16>,
    count: usize,
    pub(super) path_end: usize,
}

impl Slashes {
    /// Searches from `start`, the start of the path, to the query, the fragment or the end; eight
    /// bytes at a time.
    #[inline]
    pub(super) fn of_path(uri: &[u8], start: usize) -> Slashes {
        let mut slashes =
            Slashes { few: [0; FEW], many: Vec::new(), count: 0, path_end: uri.len() };
        let (words, rest) = words::split(&uri[start..]);
        let mut at = start;
        for word in words {
            if slashes.look(word, at) {
                return slashes;
            }
            at += 8;
        }
        // Scheme and host make a URI longer than a word, so the rest is the end of its last word.
        if let Some(last) = uri.last_chunk().filter(|_| !rest.is_empty()) {
            slashes.look(u64::from_le_bytes(*last) >> (64 - 8 * rest.len()), at);
        }
        slashes
    }

    /// Records the slashes among the eight bytes of `word`, the first one lowest, which start at
    /// `at`. Returns whether the path ends there.
    #[inline]
    fn look(&mut self, word: u64, at: usize) -> bool {
        // `/` and `?` differ only in this bit.
        const BIT: u8 = b'/' ^ b'?';
        let mut hits =
            words::equal(word | words::repeat(BIT), b'/' | BIT) | words::equal(word, b'#');
        while hits != 0 {
            let bit = hits.trailing_zeros();
            let index = at + (bit / 8) as usize;
            if (word >> (bit - 7)) as u8 != b'/' {
                self.path_end = index;
                return true;
            }
            self.push(index);
            hits &= hits - 1;
        }
        false
    }

    #[inline]
    fn push(&mut self, at: usize) {
        // The maximum length of a URI is far below.
        let at = u16::try_from(at).unwrap_or(u16::MAX);
        match self.few.get_mut(self.count) {
            Some(slot) => *slot = at,
            None => self.push_beyond(at),
        }
        self.count += 1;
    }

    #[cold]
    fn push_beyond(&mut self, at: u16) {
        if self.many.is_empty() {
            self.many.extend(self.few);
        }
        self.many.push(at);
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u16] {
        if self.many.is_empty() { &self.few[..self.count] } else { &self.many }
    }
}

/// A pair of AI and value has two; the longest valid path has four, after some stem.
const FEW: usize = 16;
