//! What an installation adds to the settings of the resolver.

use std::time::Duration;

/// What the operator configured about the public side besides the resolver itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicSide {
    /// Whether there is a page about privacy.
    pub has_privacy: bool,
    /// Whether there is a logo.
    pub has_logo: bool,
    /// The longest request target that is read, in bytes.
    pub max_target_bytes: usize,
    /// How long a complete linkset may be cached; zero: revalidate each time.
    pub linkset_max_age: Duration,
}

impl Default for PublicSide {
    fn default() -> Self {
        Self {
            has_privacy: false,
            has_logo: false,
            max_target_bytes: usize::MAX,
            linkset_max_age: Duration::ZERO,
        }
    }
}
