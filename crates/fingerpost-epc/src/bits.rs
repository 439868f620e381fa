//! Bit strings, most significant bit first: EPC Tag Data Standard 2.3, section 14.
//!
//! A string has its exact length, which need not be a multiple of 4, 6 or 8. The unused bits of its
//! last byte are zero, which pads its text forms.

use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, ErrorKind, ErrorSpan};

/// The number of bytes stored inline: 512 bits, more than the 496 of the largest EPC memory in use.
const INLINE: usize = 64;

/// The number of bytes that are read and written at once.
const WINDOW: usize = 16;

/// A bit string of any length.
///
/// ```
/// use fingerpost_epc::Bits;
///
/// let bits = Bits::from_hex("3066c4409047e14000001a85")?;
/// assert_eq!(bits.len(), 96);
/// assert_eq!(bits.to_base64url(), "MGbEQJBH4UAAABqF");
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone)]
pub struct Bits {
    inline: [u8; INLINE],
    /// All bytes if there are too many for `inline`; otherwise empty.
    spill: Vec<u8>,
    len: usize,
}

impl Bits {
    /// Creates an empty sequence of bits.
    #[must_use]
    pub const fn new() -> Bits {
        Bits { inline: [0; INLINE], spill: Vec::new(), len: 0 }
    }

    /// Creates `len` zero bits.
    pub(crate) fn zeros(len: usize) -> Bits {
        let mut bits = Bits::new();
        bits.set_zeros(len);
        bits
    }

    /// Extends an empty string to this many zero bits.
    pub(crate) fn set_zeros(&mut self, len: usize) {
        debug_assert!(self.is_empty());
        let bytes = len.div_ceil(8);
        if bytes > INLINE {
            self.spill.resize(bytes, 0);
        }
        self.len = len;
    }

    /// Returns the number of bits.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether it is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bits, eight to a byte, padded with zero bits.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        let bytes = self.len.div_ceil(8);
        if self.spill.is_empty() { &self.inline[..bytes] } else { &self.spill[..bytes] }
    }

    /// Returns the first bytes, with zeros after the end.
    pub(crate) fn first_bytes<const N: usize>(&self) -> [u8; N] {
        // Unused bytes of the inline part are zero.
        let bytes = if self.spill.is_empty() { &self.inline[..] } else { &self.spill };
        bytes.first_chunk().copied().unwrap_or([0; N])
    }

    /// Returns the bytes to a writer, which must leave the bits after the last one zero.
    pub(crate) fn as_mut_bytes(&mut self) -> &mut [u8] {
        let bytes = self.len.div_ceil(8);
        if self.spill.is_empty() { &mut self.inline[..bytes] } else { &mut self.spill[..bytes] }
    }

    /// Appends the lowest `width` bits of `value`; `width` is at most 64.
    #[inline]
    pub(crate) fn push(&mut self, value: u64, width: usize) {
        debug_assert!(width <= 64 && (width == 64 || value >> width == 0));
        let first = self.len / 8;
        // Nine bytes contain any 64 bits, regardless of where in a byte they begin.
        match self.inline.get_mut(first..first + WINDOW) {
            Some(bytes) if self.spill.is_empty() && width > 0 => {
                let shifted = u128::from(value) << (128 - width - self.len % 8);
                // All bytes after the first are still zero; not reading them is faster.
                let filled = shifted | u128::from(bytes[0]) << 120;
                bytes.copy_from_slice(&filled.to_be_bytes());
                self.len += width;
            }
            _ => self.push_slowly(value, width),
        }
    }

    /// Works like [`Bits::push`], close to and beyond the end of the inline part.
    #[inline(never)]
    fn push_slowly(&mut self, value: u64, width: usize) {
        let mut left = width;
        while left > 0 {
            let room = 8 - self.len % 8;
            let take = room.min(left);
            // At most eight bits, so nothing is lost.
            let piece = ((value >> (left - take)) & ((1 << take) - 1)) as u8;
            let index = self.len / 8;
            *self.byte(index) |= piece << (room - take);
            self.len += take;
            left -= take;
        }
    }

    /// Appends this many zero bits.
    pub(crate) fn push_zeros(&mut self, count: usize) {
        let mut left = count;
        while left > 0 {
            let width = left.min(64);
            self.push(0, width);
            left -= width;
        }
    }

    /// Returns the byte at `index`, at most one after the last.
    fn byte(&mut self, index: usize) -> &mut u8 {
        if index < INLINE {
            if self.spill.is_empty() {
                return &mut self.inline[index];
            }
        } else if self.spill.is_empty() {
            self.spill.extend_from_slice(&self.inline);
        }
        if index >= self.spill.len() {
            self.spill.resize(index + 1, 0);
        }
        &mut self.spill[index]
    }

    /// Returns a cursor at the first bit.
    pub(crate) fn reader(&self) -> BitReader<'_> {
        let bytes = if self.spill.is_empty() { &self.inline[..] } else { &self.spill };
        BitReader { bytes, len: self.len, at: 0 }
    }
}

impl Default for Bits {
    fn default() -> Bits {
        Bits::new()
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        self.len == other.len && self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Bits {}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits({} bits, ", self.len)?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// Reads fields from a bit string. If too few bits are left, it consumes nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitReader<'a> {
    /// The bytes of the string, and possibly more.
    bytes: &'a [u8],
    len: usize,
    at: usize,
}

impl BitReader<'_> {
    /// Returns the number of bits read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Returns the number of bits left.
    pub(crate) fn remaining(&self) -> usize {
        self.len - self.at
    }

    /// Returns a cursor at the same position over a string that ends at `end`.
    pub(crate) fn first(mut self, end: usize) -> Result<Self, Error> {
        if end > self.len {
            return Err(self.truncated(end - self.at));
        }
        self.len = end;
        Ok(self)
    }

    /// Checks that `needed` bits are left.
    pub(crate) fn require(&self, needed: usize) -> Result<(), Error> {
        if needed > self.remaining() { Err(self.truncated(needed)) } else { Ok(()) }
    }

    /// Moves forward, at most to the end.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.len);
    }

    /// Reads an unsigned integer of `width` bits, at most 64.
    #[inline]
    pub(crate) fn read(&mut self, width: usize) -> Result<u64, Error> {
        let value = self.peek(width)?;
        self.at += width;
        Ok(value)
    }

    /// Returns the result of [`BitReader::read`] without consuming bits.
    #[inline]
    pub(crate) fn peek(&self, width: usize) -> Result<u64, Error> {
        debug_assert!(width <= 64);
        if width > self.remaining() {
            return Err(self.truncated(width));
        }
        if width == 0 {
            return Ok(0);
        }
        // Nine bytes contain any 64 bits, regardless of where in a byte they begin.
        let first = self.at / 8;
        let mut window = [0; WINDOW];
        match self.bytes.get(first..first + WINDOW) {
            Some(bytes) => window.copy_from_slice(bytes),
            None => {
                let bytes = &self.bytes[first..];
                window[..bytes.len()].copy_from_slice(bytes);
            }
        }
        let shifted = u128::from_be_bytes(window) << (self.at % 8);
        Ok((shifted >> (128 - width)) as u64)
    }

    /// Returns the number of bits left up to the last non-zero one, without consuming bits.
    pub(crate) fn significant(&self) -> usize {
        // Bits after the end are zero in the bytes, so they are not counted.
        let last = self.bytes.iter().rposition(|byte| *byte != 0);
        let end =
            last.map_or(0, |last| 8 * (last + 1) - self.bytes[last].trailing_zeros() as usize);
        end.saturating_sub(self.at)
    }

    #[cold]
    fn truncated(&self, needed: usize) -> Error {
        let kind = ErrorKind::Truncated { needed, found: self.remaining() };
        Error::new(kind, ErrorSpan::bits(self.at, self.len))
    }

    /// Returns whether all remaining bits are zero, without consuming them.
    pub(crate) fn rest_is_zero(&self) -> bool {
        let mut rest = *self;
        loop {
            match rest.remaining().min(64) {
                0 => return true,
                width => {
                    if rest.read(width) != Ok(0) {
                        return false;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // EPC-BIT-01
    #[test]
    fn fields_come_back_wherever_they_begin() {
        for offset in 0..9 {
            for width in 1..=64 {
                let mut bits = Bits::new();
                bits.push(0, offset);
                let value = 0xA5A5_5A5A_C3C3_3C3C_u64 >> (64 - width);
                bits.push(value, width);
                bits.push(1, 1);
                let mut reader = bits.reader();
                assert_eq!(reader.read(offset), Ok(0));
                assert_eq!(reader.read(width), Ok(value), "{width} bits from {offset}");
                assert_eq!((reader.remaining(), reader.read(1)), (1, Ok(1)));
                assert_eq!(reader.read(0), Ok(0));
                assert!(matches!(
                    reader.read(1).unwrap_err().kind(),
                    ErrorKind::Truncated { needed: 1, found: 0 }
                ));
            }
        }
    }

    #[test]
    fn strings_longer_than_the_inline_part_are_kept_whole() {
        let mut bits = Bits::new();
        bits.push_zeros(100);
        for value in 0..100 {
            bits.push(value, 7);
        }
        bits.push_zeros(3);
        let mut reader = bits.reader();
        reader.skip(100);
        for value in 0..100 {
            assert!(!reader.rest_is_zero());
            assert_eq!(reader.read(7), Ok(value));
        }
        assert!(reader.rest_is_zero());
    }
}
