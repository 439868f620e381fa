//! Search for dots, slashes and percent signs, eight bytes at a time (RFC 3986, sections 2.1 and
//! 5.2).

/// Returns the offset of the first segment that begins with a dot: a fast test, because most paths
/// contain no dot-segments.
pub(crate) fn first_dots(path: &[u8]) -> Option<usize> {
    if path.first() == Some(&b'.') {
        return Some(0);
    }
    let Some(last) = path.last_chunk() else {
        return path.windows(2).position(|pair| pair == b"/.").map(|slash| slash + 1);
    };
    let mut rest = path;
    while let Some(pairs) = rest.first_chunk() {
        let found = slashes_and_dots(pairs);
        if found != 0 {
            return Some(path.len() - rest.len() + first_byte(found) + 1);
        }
        rest = &rest[8..];
    }
    // Some bytes are tested twice.
    let found = slashes_and_dots(last);
    (found != 0).then(|| path.len() - last.len() + first_byte(found) + 1)
}

/// Returns the offset of the first percent sign from `start` on, or the end.
pub(crate) fn next_percent(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&word) = bytes[at..].first_chunk() {
        let found = lowest_zero(u64::from_le_bytes(word) ^ repeated(b'%'));
        if found != 0 {
            return at + first_byte(found);
        }
        at += 8;
    }
    at + bytes[at..].iter().position(|&byte| byte == b'%').unwrap_or(bytes.len() - at)
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
            return Some(before.len() + 7 - first_byte(found));
        }
        rest = before;
    }
    rest.iter().rposition(|&byte| byte == b'/')
}

/// Returns zero if none of eight adjacent pairs is `/.`. Otherwise the lowest set bit is in the
/// byte of the first one.
fn slashes_and_dots(pairs: &[u8; 9]) -> u64 {
    let ([before @ .., _], [_, after @ ..]) = (pairs, pairs);
    let slashes = u64::from_le_bytes(*before) ^ repeated(b'/');
    let dots = u64::from_le_bytes(*after) ^ repeated(b'.');
    lowest_zero(slashes | dots)
}

/// Returns the index of the lowest byte with a set bit.
const fn first_byte(found: u64) -> usize {
    found.trailing_zeros() as usize / 8
}

const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns zero if no byte of `word` is zero. Otherwise the lowest set bit is in the lowest byte
/// that is zero.
const fn lowest_zero(word: u64) -> u64 {
    // A byte borrows from the next one only if it is zero itself, so false positives occur only
    // above a true one.
    word.wrapping_sub(repeated(0x01)) & !word & repeated(0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every position in paths of every length around the words, beside bytes that differ in one
    /// bit.
    #[test]
    fn agrees_with_a_search_by_bytes() {
        for length in 0..27 {
            for at in 0..length {
                for around in [b'%', b'/', b'.', b'a', b'-', b'\x2E' ^ 1, b'\x2F' ^ 0x80, 0, 0xFF] {
                    let mut path = alloc::vec![around; length];
                    path[at] = b'/';
                    check(&path);
                    path[at] = b'%';
                    check(&path);
                    path[at] = b'/';
                    if let Some(next) = path.get_mut(at + 1) {
                        *next = b'.';
                    }
                    check(&path);
                }
            }
        }
    }

    fn check(path: &[u8]) {
        let dots =
            (0..path.len()).find(|&at| path[at] == b'.' && (at == 0 || path[at - 1] == b'/'));
        assert_eq!(first_dots(path), dots, "{path:?}");
        assert_eq!(last_slash(path), path.iter().rposition(|&byte| byte == b'/'), "{path:?}");
        for start in 0..=path.len() {
            let percent = (start..path.len()).find(|&at| path[at] == b'%').unwrap_or(path.len());
            assert_eq!(next_percent(path, start), percent, "{path:?}");
        }
    }
}
