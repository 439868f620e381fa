//! Time limits: nothing waits for the server without one.
//!
//! Together they bound a call. A server that has vanished, or was frozen, is noticed within [`ANSWER`] if a call reads, and within
//! [`COMMIT`] or [`TURN`] if it writes. Then the call tries again for the patience of the engine, and gives up 25 s after its patience
//! at the latest (`MOST` in `pool.rs`): after 40 s by default, and the 5 s that a last attempt to connect to a host takes.

use std::time::Duration;

/// How long the server may be silent: before it answers what waits for nobody, and between the rows of an answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);

/// How long the server may take for a statement. Only the counting of rows, which no request of a client needs, may be silent as long.
pub(crate) const STATEMENT: Duration = Duration::from_secs(120);

/// How much longer the client waits than the server, for the message of the server.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// How long a commit may take, with the changes sent just before it.
pub(crate) const COMMIT: Duration = Duration::from_secs(20);

/// How long a write waits for its turn, which writes of other nodes have.
pub(crate) const TURN: Duration = Duration::from_secs(20);

/// How long a session may leave the server waiting within a transaction. A writer holds the turn of all nodes; a reader only delays
/// the removal of replaced rows, and may wait for a slow client of an export.
pub(crate) const IDLE_WRITER: Duration = Duration::from_secs(30);
pub(crate) const IDLE_READER: Duration = Duration::from_secs(3600);
