//! Search for a byte, eight bytes at a time, as fast as portable safe code allows.

/// Returns the position of the first `byte` from `start` on, or the end.
#[inline]
pub(super) fn find(bytes: &[u8], start: usize, byte: u8) -> usize {
    let (words, rest) = split(&bytes[start..]);
    let mut at = start;
    for word in words {
        let hits = equal(word, byte);
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + rest.iter().position(|&own| own == byte).unwrap_or(rest.len())
}

/// Returns eight bytes at a time, the first one lowest, and the rest.
#[inline]
pub(super) fn split(bytes: &[u8]) -> (impl Iterator<Item = u64> + '_, &[u8]) {
    let chunks = bytes.chunks_exact(8);
    let rest = chunks.remainder();
    // A chunk always has eight bytes.
    (chunks.map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap_or_default())), rest)
}

/// Returns the highest bit of each byte of `word` that equals `byte`.
#[inline]
pub(super) const fn equal(word: u64, byte: u8) -> u64 {
    const LOW_BITS: u64 = repeat(0x7F);
    let differs = word ^ repeat(byte);
    // A byte is zero if neither its low bits carry into the highest bit nor that bit is set.
    !((differs & LOW_BITS).wrapping_add(LOW_BITS) | differs | LOW_BITS)
}

/// Returns `byte` repeated eight times.
#[inline]
pub(super) const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_wherever_they_stand() {
        for other in [0, b'#' - 1, b'#' + 1, b'#' | 0x80, 0xFF] {
            for len in 0..40 {
                let mut text = [other; 40];
                assert_eq!(find(&text[..len], 0, b'#'), len);
                for at in 0..len {
                    text[at] = b'#';
                    assert_eq!(find(&text[..len], 0, b'#'), at);
                    assert_eq!(find(&text[..len], at, b'#'), at);
                    assert_eq!(find(&text[..len], at + 1, b'#'), len);
                    text[at] = other;
                }
            }
        }
    }
}
