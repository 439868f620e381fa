//! A buffer for the text of one value while it is read: no allocation, one append at the end.

use core::str;

/// Capacity for the longest value: 90 characters, or a first part and 30.
const ROOM: usize = 96;

/// ASCII characters.
pub(crate) struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

impl Text {
    pub(crate) const fn new() -> Text {
        Text { bytes: [0; ROOM], len: 0 }
    }

    /// Appends an ASCII character. Every method limits its characters to the capacity.
    pub(crate) fn push(&mut self, byte: u8) {
        debug_assert!(byte.is_ascii() && self.len < ROOM);
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = byte;
            self.len += 1;
        }
    }

    /// Appends a number of this many digits.
    pub(crate) fn push_number(&mut self, number: u64, digits: usize) {
        let mut left = number;
        let Some(slot) = self.bytes.get_mut(self.len..self.len + digits) else { return };
        for digit in slot.iter_mut().rev() {
            // Below 10.
            *digit = b'0' + (left % 10) as u8;
            left /= 10;
        }
        self.len += digits;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn as_str(&self) -> &str {
        // Only ASCII is pushed, so the conversion cannot fail.
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}
