//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

use jiff::SignedDuration;

/// Redirects of a target that are followed.
pub(crate) const MAX_REDIRECTS: usize = 10;

/// Bytes of an address that is requested.
pub(crate) const MAX_URL: usize = 8 << 10;

/// Bytes of a `robots.txt` that are read; RFC 9309 requires at least 500 KiB.
pub(crate) const MAX_ROBOTS: usize = 512 << 10;

/// Rules of a `robots.txt` that apply to the checker.
pub(crate) const MAX_ROBOTS_RULES: usize = 2_000;

/// The longest pause between two requests that the `Crawl-delay` of a `robots.txt` can demand.
pub(crate) const MAX_CRAWL_DELAY: Duration = Duration::from_secs(10);

/// Hosts whose `robots.txt` and pauses are in memory at a time.
pub(crate) const MAX_HOSTS: usize = 8_192;

/// Requests in a row without an answer, after which the further targets of a host fail without
/// requests until the next slice.
pub(crate) const MAX_SILENT_REQUESTS: u32 = 3;

/// Checks that are saved in one transaction.
pub(crate) const SAVED_AT_ONCE: usize = 500;

/// Pause between two saves during a round.
pub(crate) const SAVE_EVERY: Duration = Duration::from_secs(5);

/// How long a process that makes rounds keeps others of the same store from it without a sign of
/// life.
pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(30);
