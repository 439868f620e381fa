//! Revisions: the numbers of batches.

use std::fmt;

/// Number of a batch: 0 for a new store; each written batch adds one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Revision(u64);

impl Revision {
    /// Creates the revision with this number, such as one that a caller names.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Returns the next revision.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the stored form, whose byte order is the order of the numbers.
    pub(crate) const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    pub(crate) const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
