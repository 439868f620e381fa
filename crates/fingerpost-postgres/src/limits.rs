//! Time limits: nothing waits for the server without one.

use std::time::Duration;

/// How long the server may take for what neither reads rows nor waits for others.
pub(crate) const ANSWER: Duration = Duration::from_secs(15);

/// How long the server may take for a statement.
pub(crate) const STATEMENT: Duration = Duration::from_secs(120);

/// How much longer the client waits than the server, for the message of the server.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// How long a commit may take, with the changes sent just before it.
pub(crate) const COMMIT: Duration = Duration::from_secs(30);

/// How long a write waits for its turn, which writes of other nodes have.
pub(crate) const TURN: Duration = Duration::from_secs(60);

/// How long a session may leave the server waiting within a transaction. A writer holds the turn of all nodes; a reader only delays
/// the removal of replaced rows, and may wait for a slow client of an export.
pub(crate) const IDLE_WRITER: Duration = Duration::from_secs(60);
pub(crate) const IDLE_READER: Duration = Duration::from_secs(3600);
