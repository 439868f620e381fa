//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

use jiff::SignedDuration;

/// Bytes of a file that is read: chains and accounts have some KiB.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Bytes of an answer: the longest, certificate chains, have some KiB.
pub(crate) const MAX_ANSWER_BYTES: u64 = 1 << 20;

/// Time for a request.
pub(crate) const REQUEST_TIME: Duration = Duration::from_secs(30);

/// Bytes of a text of an authority that a message repeats.
pub(crate) const MAX_SHOWN_TEXT: usize = 400;

/// Names in one certificate: the limit of Let's Encrypt.
pub(crate) const MAX_NAMES: usize = 100;

/// Time in which an authority validates all names, and in which it then issues.
pub(crate) const VALIDATION_TIME: Duration = Duration::from_secs(120);

/// Longest time without a look at the clock, which may be set.
pub(crate) const MAX_SLEEP: Duration = Duration::from_secs(60);

/// Time for an attempt, for authorities that answer slowly enough to reach no other limit.
pub(crate) const ATTEMPT_TIME: Duration = Duration::from_secs(15 * 60);

/// Shortest sleep, so that rounding does not make the loop busy.
pub(crate) const MIN_SLEEP: Duration = Duration::from_millis(10);

/// Longest pause between attempts that fail.
pub(crate) const MAX_DELAY: Duration = Duration::from_secs(6 * 60 * 60);

/// Longest `Retry-After` that is respected: the longest limits of Let's Encrypt are those of a
/// week.
pub(crate) const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Shortest time between two requests for the renewal window (RFC 9773 section 4.3.2).
pub(crate) const MIN_POLL: Duration = Duration::from_secs(60);

/// Longest time between two requests for the renewal window.
pub(crate) const MAX_POLL: Duration = Duration::from_secs(24 * 60 * 60);

/// Pause after a request for the renewal window that was not answered (RFC 9773 section 4.3.3).
pub(crate) const POLL_AFTER_FAILURE: Duration = Duration::from_secs(6 * 60 * 60);
