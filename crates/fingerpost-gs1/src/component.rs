//! The parts of a value: character set, length, content rules (GS1 Barcode Syntax Dictionary).

use crate::linters::{Linter, charset};

/// One part of the value of an Application Identifier, such as the thirteen digits of a GLN.
#[derive(Debug, PartialEq, Eq)]
pub struct ValueComponent {
    pub(crate) charset: CharacterSet,
    pub(crate) min: u8,
    pub(crate) max: u8,
    pub(crate) optional: bool,
    pub(crate) linters: &'static [Linter],
}

impl ValueComponent {
    /// Returns the allowed characters.
    #[must_use]
    pub fn character_set(&self) -> CharacterSet {
        self.charset
    }

    /// Returns the minimum length if present, in characters.
    #[must_use]
    pub fn min_length(&self) -> usize {
        usize::from(self.min)
    }

    /// Returns the maximum length, in characters.
    #[must_use]
    pub fn max_length(&self) -> usize {
        usize::from(self.max)
    }

    /// Returns whether it can be absent.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.optional
    }

    /// Returns the content rules, checked in this order after the character set.
    #[must_use]
    pub fn linters(&self) -> &'static [Linter] {
        self.linters
    }
}

/// The character sets of the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CharacterSet {
    /// `N`: digits.
    Digits,
    /// `X`: the 82 characters of CSET 82.
    Cset82,
    /// `Y`: the 39 characters of CSET 39.
    Cset39,
    /// `Z`: the 64 characters of the URL-safe base64 alphabet, and trailing `=`.
    Cset64,
}

impl CharacterSet {
    /// Returns whether `byte` is in the character set; `=` never is.
    ///
    /// ```
    /// use fingerpost_gs1::CharacterSet;
    ///
    /// assert!(CharacterSet::Cset82.contains(b'%') && !CharacterSet::Cset82.contains(b'#'));
    /// ```
    #[must_use]
    #[inline]
    pub const fn contains(self, byte: u8) -> bool {
        let set = match self {
            Self::Digits => charset::DIGITS,
            Self::Cset82 => charset::CSET82,
            Self::Cset39 => charset::CSET39,
            Self::Cset64 => charset::CSET64,
        };
        charset::SETS[byte as usize] & set != 0
    }
}
