//! Settings of an installation in addition to those of the resolver.

use std::time::Duration;

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

/// How long shared caches, such as a CDN, may keep redirects and linksets; zero: as clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedCaching {
    /// The time for which they are fresh, never beyond the next edge of a validity window.
    pub max_age: Duration,
    /// The time after that for which they may be used while they are revalidated (RFC 5861).
    pub stale_while_revalidate: Duration,
    /// The time after that for which they may be used if revalidation fails (RFC 5861).
    pub stale_if_error: Duration,
}

/// Where the country of the client comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountryOrigin {
    /// From the client address: answers that depend on it are for this client only.
    Address,
    /// From this request header, in lower case, which a trusted proxy writes.
    Header(String),
}
