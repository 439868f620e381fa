//! The reason why a command could not be carried out.

use std::fmt;
use std::io;

use fingerpost_engine::EngineError;
use fingerpost_server as server;
use fingerpost_store::{BackupError, StoreError};

/// A command that failed as a whole (exit status 2), as opposed to invalid input (status 1).
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of the output has closed it (`| head`), so there is nothing to report.
    ClosedPipe,
    /// The error, with advice on what to do next.
    Error(server::Failure),
}

impl Failure {
    /// Creates a failure without advice, for messages that contain their own.
    pub(crate) fn new(what: impl fmt::Display) -> Self {
        Self::Error(server::Failure::new(what))
    }

    /// Creates a failure with advice on what to do next.
    pub(crate) fn advise(what: impl fmt::Display, next: impl Into<String>) -> Self {
        Self::Error(server::Failure::advise(what, next))
    }
}

impl From<server::Failure> for Failure {
    fn from(failure: server::Failure) -> Self {
        Self::Error(failure)
    }
}

/// For errors of our own output only; errors of input name the file.
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

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        StoreError::from(error).into()
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error)
    }
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        match error {
            BackupError::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            other => Self::new(other),
        }
    }
}
