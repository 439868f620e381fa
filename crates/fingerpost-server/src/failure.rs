//! The reason why an operation failed, with advice on what to do next.

use std::fmt;

use fingerpost_store::{BackupError, StoreError};

/// Why an operation failed as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub what: String,
    /// Advice on what to do next; `None` if the message contains it.
    pub next: Option<String>,
}

impl Failure {
    /// Creates a failure without advice, for messages that contain their own.
    pub fn new(what: impl fmt::Display) -> Self {
        Self { what: what.to_string(), next: None }
    }

    /// Creates a failure with advice on what to do next.
    pub fn advise(what: impl fmt::Display, next: impl Into<String>) -> Self {
        Self { what: what.to_string(), next: Some(next.into()) }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error)
    }
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        Self::new(error)
    }
}
