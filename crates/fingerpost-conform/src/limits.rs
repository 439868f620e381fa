//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

/// Bytes that are read of a body: many times a linkset of a thousand links.
pub(crate) const MAX_BODY: u64 = 2 << 20;

/// Bytes of the header of an answer.
pub(crate) const MAX_HEADER: usize = 64 << 10;

/// Link types that are tried for a URI.
pub(crate) const MAX_TYPES: usize = 40;

/// Requests of one run.
pub(crate) const MAX_REQUESTS: usize = 1000;

/// Failed requests in succession after which no more are sent.
pub(crate) const MAX_FAILURES: u32 = 3;

/// Levels below an identifier that are compared with it.
pub(crate) const MAX_BELOW: usize = 50;

/// Requests for one identifier; the report says how many identifiers have more.
pub(crate) const MAX_CASES: usize = 200;

/// Examples of each difference.
pub(crate) const MAX_EXAMPLES: usize = 5;

/// Details of one kind that are counted apart.
pub(crate) const MAX_DETAILS: usize = 50;

/// Redirects inside a resolver that are followed for one request of a comparison.
pub(crate) const MAX_HOPS: usize = 5;

/// Requests for one answer of a comparison, if the resolver asks for pauses.
pub(crate) const MAX_TRIES: u32 = 3;

/// Longest pause that a resolver can ask for.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Failed requests in succession after which a comparison ends.
pub(crate) const MAX_SILENT_REQUESTS: u64 = 10;

/// Characters of an address in an example.
pub(crate) const MAX_SHOWN_ADDRESS: usize = 400;

/// Characters of the body of an answer in a report.
pub(crate) const MAX_EXCERPT: usize = 600;

/// Requests of a log that are remembered in order to send each only once.
pub(crate) const MAX_REMEMBERED: usize = 1 << 20;

/// Jobs of a batch for each thread.
pub(crate) const BATCH_PER_THREAD: usize = 4;
