//! Why an operation was refused. Nothing was changed then, and nothing is told about what the caller may not see.

use std::time::Duration;

use fingerpost_store::{Revision, StoreError};

use crate::Precondition;
use crate::fault::{Fault, Lines};

/// Why an operation was refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Who asks is not known: no credential, a wrong one, or one that no longer counts. Which of these is not told.
    #[error("missing or invalid credential")]
    Unauthenticated,
    /// The caller is known and may not do this.
    #[error("{0}")]
    Forbidden(Denial),
    /// There is no such thing, or the caller may not know of it.
    #[error("not found")]
    NotFound,
    /// The level is not as the caller took it to be: somebody else changed it.
    #[error("the level was expected {expected}, but has {}", Found(*found))]
    PreconditionFailed {
        /// What was asked for.
        expected: Precondition,
        /// The revision that the level has; `None` if nothing is registered there.
        found: Option<Revision>,
    },
    /// What was asked contradicts what is there.
    #[error("{}", Lines(.0))]
    Conflict(Vec<Fault>),
    /// What was given breaks rules.
    #[error("{}", Lines(faults))]
    Invalid {
        /// Every fault, at least one.
        faults: Vec<Fault>,
        /// Warnings found beside them.
        warnings: Vec<Fault>,
    },
    /// A level would be left without a default link at it or above it (RES-2.5.9-1). Each fault says how to fix it.
    #[error("{}", Lines(.0))]
    MissingDefault(Vec<Fault>),
    /// The idempotency key was used for another request.
    #[error("this idempotency key was used for a different request")]
    IdempotencyReused,
    /// Too many attempts.
    #[error("too many attempts; try again in {} s", seconds(*retry_after))]
    Throttled {
        /// How long to wait.
        retry_after: Duration,
    },
    /// More was given than one operation takes.
    #[error("too large: at most {limit} {what} are allowed")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: u64,
    },
    /// The operating system gives no random bits.
    #[error("the operating system gives no random bits: repeat, or restart the machine")]
    NoRandomness,
    /// A document of the registry cannot be read.
    #[error(
        "the document `{id}` of `{collection}` is damaged: run `fingerpost fsck`, or restore a backup"
    )]
    Damaged {
        /// The collection.
        collection: &'static str,
        /// The document.
        id: String,
    },
    /// The store cannot do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a known caller may not do something. It depends on what was asked alone, never on what exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Denial {
    /// The level belongs to none of the caller's organisations, or is outside the prefix of the key.
    #[error("you do not have permission for this level")]
    Level,
    /// The caller's role or key does not permit the operation.
    #[error("you do not have permission to do this")]
    Operation,
    /// A change is released by another person than the one who proposed it.
    #[error("a change must be approved by another person than the one who proposed it")]
    SamePerson,
    /// Nobody gives away more rights than they have.
    #[error("you cannot grant more permissions than you have")]
    Escalation,
}

impl RegistryError {
    pub(crate) fn invalid(faults: Vec<Fault>) -> RegistryError {
        RegistryError::Invalid { faults, warnings: Vec::new() }
    }

    /// The faults, for errors that have some.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        match self {
            RegistryError::Conflict(faults)
            | RegistryError::MissingDefault(faults)
            | RegistryError::Invalid { faults, .. } => faults,
            _ => &[],
        }
    }
}

impl From<Denial> for RegistryError {
    fn from(denial: Denial) -> RegistryError {
        RegistryError::Forbidden(denial)
    }
}

/// Rounded up: an earlier attempt would be refused again.
fn seconds(duration: Duration) -> u64 {
    (duration.as_secs() + u64::from(duration.subsec_nanos() > 0)).max(1)
}

struct Found(Option<Revision>);

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(revision) => write!(f, "revision {revision}"),
            None => f.write_str("nothing registered"),
        }
    }
}
