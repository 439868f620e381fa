//! Search for dots and slashes in paths, eight bytes at a time (RFC 3986, section 5.2).

/// Returns whether a segment begins with a dot: a fast test, because most paths contain no dot-segments.
pub(crate) fn may_hold_dots(path: &[u8]) -> bool {
    if path.first() == Some(&b'.') {
        return true;
    }
    let Some(last) = path.last_chunk() else {
        return path.windows(2).any(|pair| pair == b"/.");
    };
    let mut rest = path;
    while let Some(pairs) = rest.first_chunk() {
        if holds_slash_and_dot(pairs) {
            return true;
        }
        rest = &rest[8..];
    }
    // Some bytes are tested twice.
    holds_slash_and_dot(last)
}

/// Returns the directory of a path: the part up to its last slash, or nothing without a slash.
pub(crate) fn directory(path: &[u8]) -> &[u8] {
    last_slash(path).map_or(&[], |slash| &path[..=slash])
}

/// Returns the offset of the last slash.
fn last_slash(path: &[u8]) -> Option<usize> {
    let mut rest = path;
    while let Some((before, &word)) = rest.split_last_chunk() {
        // The last byte of the word has the lowest value.
        let found = lowest_zero(u64::from_be_bytes(word) ^ repeated(b'/'));
        if found != 0 {
            return Some(before.len() + 7 - found.trailing_zeros() as usize / 8);
        }
        rest = before;
    }
    rest.iter().rposition(|&byte| byte == b'/')
}

/// Returns whether one of eight adjacent pairs is `/.`.
fn holds_slash_and_dot(pairs: &[u8; 9]) -> bool {
    let ([before @ .., _], [_, after @ ..]) = (pairs, pairs);
    let slashes = u64::from_le_bytes(*before) ^ repeated(b'/');
    let dots = u64::from_le_bytes(*after) ^ repeated(b'.');
    lowest_zero(slashes | dots) != 0
}

const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns zero if no byte of `word` is zero. Otherwise the lowest set bit is in the lowest byte that is zero.
const fn lowest_zero(word: u64) -> u64 {
    // A byte borrows from the next one only if it is zero itself, so false positives occur only above a true one.
    word.wrapping_sub(repeated(0x01)) & !word & repeated(0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place in paths of every length around the words, beside bytes that differ in one bit.
    #[test]
    fn agrees_with_a_search_by_bytes() {
        for length in 0..27 {
            for at in 0..length {
                for around in [b'/', b'.', b'a', b'-', b'\x2E' ^ 1, b'\x2F' ^ 0x80, 0, 0xFF] {
                    let mut path = alloc::vec![around; length];
                    path[at] = b'/';
                    check(&path);
                    if let Some(next) = path.get_mut(at + 1) {
                        *next = b'.';
                    }
                    check(&path);
                }
            }
        }
    }

    fn check(path: &[u8]) {
        let dots = path.first() == Some(&b'.') || path.windows(2).any(|pair| pair == b"/.");
        assert_eq!(may_hold_dots(path), dots, "{path:?}");
        assert_eq!(last_slash(path), path.iter().rposition(|&byte| byte == b'/'), "{path:?}");
    }
}
