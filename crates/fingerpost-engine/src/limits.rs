//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

/// Bytes of the longest key: LMDB's limit.
pub const MAX_KEY: usize = 511;

/// Bytes of the longest value that every engine accepts; far more than a record or a document can
/// have.
pub const MAX_VALUE: usize = 16 << 20;

/// Pause between two checks for a commit, of engines that are not notified of commits.
pub(crate) const WAIT_POLL: Duration = Duration::from_millis(10);

/// Parts of a counter of hits and misses. More threads share them.
pub(crate) const COUNTER_PARTS: usize = 16;
