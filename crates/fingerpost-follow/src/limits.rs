//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

/// Comparisons of a level that differs: the copy can be behind its source.
pub(crate) const VERIFY_ATTEMPTS: usize = 20;

/// Pause before a level is compared again.
pub(crate) const VERIFY_PAUSE: Duration = Duration::from_millis(250);

/// Differences that a comparison names; the others are only counted.
pub(crate) const MAX_NAMED_DIFFERENCES: usize = 1000;

/// Longest wait for a commit of a database, so that the end of a node does not wait for it.
pub(crate) const COMMIT_WAIT: Duration = Duration::from_millis(500);

/// Time after which an idle follower looks at the source without being woken.
pub(crate) const IDLE_TIME: Duration = Duration::from_secs(30);

/// Longest wait for a change of the source in one call.
pub(crate) const CHANGE_WAIT: Duration = Duration::from_secs(20);

/// Time without news of the source after which a copy is not reported as up to date.
pub(crate) const MAX_SILENCE: Duration = Duration::from_secs(45);

/// Pause after a change before the next one is waited for: while changes follow each other, a query
/// for each of them would slow the source down.
pub(crate) const CHANGE_PAUSE: Duration = Duration::from_millis(5);

/// Shortest time between two waits that end without a change.
pub(crate) const MIN_WAIT: Duration = Duration::from_millis(200);

/// First pause after an error; each further one doubles it.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Longest pause after an error.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Time between two lines in the log about the same error.
pub(crate) const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Time for which the end of a node waits for a step. After that the step ends with the process,
/// which harms no copy.
pub(crate) const STOP_WAIT: Duration = Duration::from_secs(2);
