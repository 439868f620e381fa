//! Settings of an installation in addition to those of the resolver.

use std::time::Duration;

use crate::SharedCaching;

/// The operator's options for the public side other than those of the resolver itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicSide {
    /// Whether there is a privacy page.
    pub has_privacy: bool,
    /// Whether there is a logo.
    pub has_logo: bool,
    /// Whether answers are signed, so that there are public keys.
    pub has_keys: bool,
    /// The longest accepted request target, in bytes.
    pub max_target_bytes: usize,
    /// How long a complete linkset may be cached; zero: revalidate each time.
    pub linkset_max_age: Duration,
    /// How long shared caches may keep redirects and linksets.
    pub shared: SharedCaching,
}

impl Default for PublicSide {
    fn default() -> Self {
        Self {
            has_privacy: false,
            has_logo: false,
            has_keys: false,
            max_target_bytes: usize::MAX,
            linkset_max_age: Duration::ZERO,
            shared: SharedCaching::default(),
        }
    }
}
