//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

use jiff::SignedDuration;

/// Events that are read at a time for a webhook, and sent in one request in batched mode.
pub(crate) const MAX_BATCH: usize = 100;

/// Batches of a webhook that are delivered before others have a turn.
pub(crate) const MAX_BATCHES_IN_A_ROW: usize = 10;

/// Time after which the position of a webhook is saved while its events are delivered one by one.
pub(crate) const SAVE_EVERY: Duration = Duration::from_secs(1);

/// Revisions without an event for a webhook after which its position is saved.
pub(crate) const SAVE_AFTER_REVISIONS: u64 = 1_000;

/// Pause between two looks for events.
pub(crate) const LOOK: Duration = Duration::from_secs(1);

/// How long a process that delivers keeps others of the same store from it without a sign of life.
pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(30);

/// Time after which the lease is renewed.
pub(crate) const RENEW_EVERY: SignedDuration = SignedDuration::from_secs(10);
