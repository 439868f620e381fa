//! The clock of the server and of the commands. Below them, `now` is an argument.

use jiff::Timestamp;

/// Returns the current time.
#[expect(
    clippy::disallowed_methods,
    reason = "below the server and the commands, `now` is an argument"
)]
pub fn now() -> Timestamp {
    Timestamp::now()
}
