//! Bit sequences, written six bits at a time in the URL-safe base64 alphabet (RFC 4648 section 5),
//! without padding characters.

use alloc::string::String;

/// `A` is 0, `_` is 63.
pub(super) const ALPHABET: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Returns the index of a character in [`ALPHABET`].
#[inline]
pub(super) fn index_of(character: u8) -> Option<u8> {
    let index = INDEX[usize::from(character)];
    (index < 64).then_some(index)
}

/// Collects bits.
#[derive(Default)]
pub(super) struct BitWriter {
    text: String,
    pending: u32,
    /// The number of valid bits in `pending`; fewer than six between calls.
    count: u32,
}

impl BitWriter {
    /// Appends the low `bits` bits of `value`, at most 16.
    pub(super) fn push(&mut self, value: u32, bits: u32) {
        debug_assert!(bits <= 16 && value >> bits == 0);
        self.pending = self.pending << bits | value;
        self.count += bits;
        while self.count >= 6 {
            self.count -= 6;
            self.push_symbol(self.pending >> self.count);
            self.pending &= (1 << self.count) - 1;
        }
    }

    /// Returns the text, padded with zero bits.
    pub(super) fn finish(mut self) -> String {
        if self.count > 0 {
            self.push_symbol(self.pending << (6 - self.count));
        }
        self.text
    }

    fn push_symbol(&mut self, symbol: u32) {
        self.text.push(char::from(ALPHABET[symbol as usize & 63]));
    }
}

/// Reads bits from a text of [`ALPHABET`], forward only.
pub(super) struct BitReader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    /// # Errors
    ///
    /// The position of the first character that is not in the alphabet.
    pub(super) fn new(text: &'a str) -> Result<BitReader<'a>, usize> {
        let text = text.as_bytes();
        match text.iter().position(|&character| index_of(character).is_none()) {
            Some(at) => Err(at),
            None => Ok(BitReader { text, at: 0 }),
        }
    }

    /// Returns the number of bits read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of bits left.
    pub(super) fn left(&self) -> usize {
        self.text.len() * 6 - self.at
    }

    /// Returns the next bits, at most 16, as a number; `None` if fewer are left.
    pub(super) fn take(&mut self, bits: u32) -> Option<u32> {
        debug_assert!(bits <= 16);
        if self.left() < bits as usize {
            return None;
        }
        let (mut value, mut needed) = (0, bits as usize);
        while needed > 0 {
            let symbol = self.text.get(self.at / 6).copied().and_then(index_of)?;
            let available = 6 - self.at % 6;
            let count = available.min(needed);
            let part = u32::from(symbol) >> (available - count) & ((1 << count) - 1);
            value = value << count | part;
            self.at += count;
            needed -= count;
        }
        Some(value)
    }

    /// Moves back four bits, which belong to the next field.
    pub(super) fn put_nibble_back(&mut self) {
        self.at = self.at.saturating_sub(4);
    }
}

static INDEX: [u8; 256] = {
    let (mut index, mut at) = ([u8::MAX; 256], 0_u8);
    while at < 64 {
        index[ALPHABET[at as usize] as usize] = at;
        at += 1;
    }
    index
};

#[cfg(test)]
mod tests {
    use super::*;

    // GS1-LC-01: six bits a character, `A` = 0, `_` = 63, no padding characters.
    #[test]
    fn what_is_written_is_read() {
        let mut writer = BitWriter::default();
        for bits in 1..=16 {
            writer.push((1 << bits) - 2, bits);
        }
        let text = writer.finish();
        let mut reader = BitReader::new(&text).unwrap();
        for bits in 1..=16 {
            assert_eq!(reader.take(bits), Some((1 << bits) - 2), "{bits}");
        }
        assert_eq!(reader.left(), 2);
        assert_eq!(reader.take(6), None);
        assert_eq!(BitReader::new("AB-_.").map(|_| ()), Err(4));
        assert_eq!((index_of(b'A'), index_of(b'_'), index_of(b'=')), (Some(0), Some(63), None));
    }
}
