//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

/// Bytes of a file of names that is read: a line for each of a hundred names is far shorter.
pub(crate) const MAX_NAMES_FILE: u64 = 1 << 20;

/// Bytes of a signed answer, or of a file with a signed linkset.
pub(crate) const MAX_SIGNED_ANSWER: u64 = 64 << 20;

/// Bytes of a file with keys.
pub(crate) const MAX_KEY_FILE: u64 = 1 << 20;

/// Bytes of a line that are read. Far more than any identifier has, so that a longer line is
/// reported as too long rather than truncated unnoticed.
pub(crate) const MAX_LINE: u64 = 64 * 1024;

/// Bytes of the list of keys of a Resolver CE, which is read one by one: 30 million.
pub(crate) const MAX_CE_INDEX: u64 = 1 << 30;

/// Bytes of the documents of a key of a Resolver CE.
pub(crate) const MAX_CE_ANSWER: u64 = 64 << 20;

/// Bytes of keys of a Resolver CE that are sorted in memory; more are sorted in a temporary file.
pub(crate) const CE_SORT_BYTES: usize = 16 << 20;

/// Concurrent requests to a Resolver CE.
pub(crate) const MAX_CE_REQUESTS: usize = 4;

/// Further requests for one key to a Resolver CE, if the first one fails.
pub(crate) const MAX_CE_RETRIES: usize = 4;

/// Pause before the first of these; each further one doubles it.
pub(crate) const FIRST_CE_PAUSE: Duration = Duration::from_millis(250);

/// Requests in a row without an answer after which an import from a resolver ends.
pub(crate) const MAX_UNREACHABLE: u32 = 10;

/// Longest pause that a resolver can ask for.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(120);

/// Requests for one identifier, unless they are redirected.
pub(crate) const MAX_TRIES: usize = 4;

/// Pause before the second of these; each further one doubles it.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Redirects of one request.
pub(crate) const MAX_REDIRECTS: usize = 3;

/// Bytes of an answer: some levels of the largest size, published with more letters than they are
/// stored.
pub(crate) const MAX_LINKSET: u64 = 8 << 20;

/// Bytes of a resolver's own text in a message.
pub(crate) const MAX_SHOWN_TEXT: usize = 200;

/// Bytes of a title that a report shows.
pub(crate) const MAX_SHOWN_TITLE: usize = 60;

/// Bytes of an anchor that a report shows: longer than any valid anchor.
pub(crate) const MAX_SHOWN_ANCHOR: usize = 200;

/// Bytes that an admin listener accepts in one batch.
pub(crate) const MAX_BATCH: u64 = 64 << 20;

/// Bytes that are read of a secret; longer than any valid key or password.
pub(crate) const MAX_SECRET: u64 = 1024;

/// Bytes that are read of a description file of a resolver: many times one with every member.
pub(crate) const MAX_DESCRIPTION_FILE: u64 = 256 << 10;

/// Time limit for the whole answer.
pub(crate) const DESCRIPTION_TIME: Duration = Duration::from_secs(15);

/// Number of levels requested at once.
pub(crate) const LIST_PAGE: u64 = 500;
