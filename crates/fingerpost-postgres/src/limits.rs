//! The limits of this crate. `docs/operations/limits.md` lists them.
//!
//! No call waits for the server without a time limit. A server that does not answer is detected
//! within [`ANSWER`] if a call reads, and within [`COMMIT`] or [`TURN`] if it writes. Then the call
//! repeats its attempts for the patience of the engine, and fails at most [`MAX_CALL`] after its
//! patience: after 40 s by default, plus [`CONNECT`] for a last attempt to connect to a host.

use std::time::Duration;

/// How long the server may be silent: before it answers a statement that waits for no other
/// session, and between the rows of an answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);

/// How long the server may take for a statement. Only counting rows, which no request of a client
/// needs, may be silent for as long.
pub(crate) const STATEMENT: Duration = Duration::from_secs(120);

/// How much longer the client waits than the server, to receive the error of the server.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// How long a commit may take, with the changes sent just before it.
pub(crate) const COMMIT: Duration = Duration::from_secs(20);

/// How long a write waits for the writes of other nodes.
pub(crate) const TURN: Duration = Duration::from_secs(20);

/// How long a session that writes may be idle within a transaction: it blocks the writes of all
/// nodes.
pub(crate) const IDLE_WRITER: Duration = Duration::from_secs(30);

/// How long a session that reads may be idle within a transaction. It only delays the removal of
/// replaced rows, and may wait for a slow client of an export.
pub(crate) const IDLE_READER: Duration = Duration::from_secs(3600);

/// Sessions that read at the same time, by default; one more writes.
pub(crate) const CONNECTIONS: usize = 16;

/// How long a call repeats attempts that an outage prevents, by default: a server that restarts is
/// back within it, and most promotions of a replica are over.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// How long a server has to accept a connection.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// How long sent bytes may remain without an acknowledgement.
pub(crate) const UNACKNOWLEDGED: Duration = Duration::from_secs(10);

/// The longest name of a schema that PostgreSQL does not cut.
pub(crate) const MAX_SCHEMA: usize = 63;

/// How long a caller waits for a session that others use.
pub(crate) const SESSION_WAIT: Duration = Duration::from_secs(15);

/// How long a call may take, beside its patience, until the first fault. A longer call repeats
/// attempts for a shorter time.
pub(crate) const MAX_CALL: Duration = Duration::from_secs(25);

/// How long calls fail at once after an outage has exhausted the patience of a call, so that those
/// that queue behind a failed write need not each wait for the server.
pub(crate) const OUTAGE_MEMORY: Duration = Duration::from_secs(1);

/// Rows of the first page of a range: most ranges are short.
pub(crate) const FIRST_PAGE: usize = 16;

/// Rows of the largest page of a range.
pub(crate) const MAX_PAGE: usize = 2048;

/// Factor by which pages of a range grow.
pub(crate) const PAGE_GROWTH: usize = 4;

/// Bytes that a page should not exceed, estimated from the rows of the page before.
pub(crate) const PAGE_BYTES: usize = 4 << 20;

/// Keys in one query.
pub(crate) const MAX_KEYS: usize = 1000;

/// Changes that a write collects before it sends them.
pub(crate) const MAX_UNSENT_ROWS: usize = 4000;

/// Bytes of changes that a write collects before it sends them.
pub(crate) const MAX_UNSENT_BYTES: usize = 4 << 20;

/// Changes that a write sends as soon as the server has answered a read, because it has nothing
/// else to do.
pub(crate) const EARLY_ROWS: usize = 500;

/// Changes after which a write proceeds with those that it has begun to send.
pub(crate) const PROCEED_ROWS: usize = 32;

/// New rows of a table from which `COPY` is faster than a statement that is sent together with
/// others: it takes two more round trips.
pub(crate) const COPIED_ROWS: usize = 100;

/// Bytes of the row cache of the writer; a larger one is emptied.
pub(crate) const MAX_CACHE_BYTES: usize = 64 << 20;

/// Bytes of the longest value in the row cache.
pub(crate) const MAX_CACHED_VALUE: usize = 64 << 10;

/// Attempts to create the tables while other nodes do the same.
pub(crate) const SCHEMA_ATTEMPTS: usize = 20;

/// Silence after which a connection is probed.
pub(crate) const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);

/// Time between two probes of a silent connection.
pub(crate) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);

/// Unanswered probes after which a connection is closed.
pub(crate) const KEEPALIVE_PROBES: u32 = 3;

/// Pause before the first repetition of an attempt; each further one doubles it.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// Longest pause between two attempts.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Time between two queries for the last commit while commits arrive; doubled while none does.
pub(crate) const FIRST_POLL: Duration = Duration::from_millis(5);

/// Longest time between two queries for the last commit.
pub(crate) const MAX_POLL: Duration = Duration::from_millis(100);
