//! Errors of anchors.

use std::fmt;

/// The reason a path is not an anchor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnchorError {
    pub(super) code: &'static str,
    pub(super) requirement: &'static str,
    pub(super) message: String,
}

impl AnchorError {
    pub(super) fn new(code: &'static str, message: String) -> Self {
        Self { code, requirement: "RES-2.4-1", message }
    }

    pub(super) fn of_key(error: &fingerpost_gs1::Error) -> Self {
        Self::new(error.code(), error.to_string())
    }

    /// Returns a name for programs: for keys, that of [`fingerpost_gs1::Error::code`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the requirement that is broken.
    #[must_use]
    pub fn requirement(&self) -> &'static str {
        self.requirement
    }
}

impl fmt::Display for AnchorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for AnchorError {}
