//! Why a command could not be carried out: what went wrong, and what to do next.

use std::fmt;
use std::io;

/// A command that failed as a whole (exit status 2), as opposed to input it judged (status 1).
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of the output has closed it (`| head`): there is nothing to report.
    ClosedPipe,
    /// What went wrong, with what to do next.
    Told { what: String, next: Option<String> },
}

impl Failure {
    /// A failure without advice, for messages that hold their own.
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self::Told { what: what.to_string(), next: None }
    }

    /// A failure with the next thing to do.
    pub(crate) fn advise(what: impl fmt::Display, next: impl Into<String>) -> Self {
        Self::Told { what: what.to_string(), next: Some(next.into()) }
    }
}

/// For errors of our own output; input errors say which file they are about.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::advise(
                format!("cannot write the output: {error}"),
                "check the disk or device the output goes to",
            ),
        }
    }
}
