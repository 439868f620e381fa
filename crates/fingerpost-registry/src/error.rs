//! Errors of operations. Nothing was changed then, and the errors reveal nothing that the caller
//! cannot see.

use std::time::Duration;

use fingerpost_store::{Revision, StoreError};

use crate::Precondition;
use crate::fault::{Fault, Lines};

/// Why an operation was refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The credential is missing, wrong or no longer valid. The error does not say which of these
    /// applies.
    #[error("missing or invalid credential")]
    Unauthenticated,
    /// The password is right, but a code of the second factor is required, too.
    #[error("a code of your authenticator application, or a recovery code, is required")]
    CodeRequired,
    /// The caller is known, but does not have permission.
    #[error("{0}")]
    Forbidden(Denial),
    /// The item does not exist, or the caller cannot see it.
    #[error("not found")]
    NotFound,
    /// The level does not match the precondition: another caller changed it.
    #[error("the level was expected {expected}, but has {}", CurrentRevision(*found))]
    PreconditionFailed {
        /// The precondition of the request.
        expected: Precondition,
        /// The revision of the level; `None` if nothing is registered there.
        found: Option<Revision>,
    },
    /// The request conflicts with existing data.
    #[error("{}", Lines(.0))]
    Conflict(Vec<Fault>),
    /// The input breaks rules.
    #[error("{}", Lines(faults))]
    Invalid {
        /// All faults, at least one.
        faults: Vec<Fault>,
        /// Warnings found together with them.
        warnings: Vec<Fault>,
    },
    /// A level would be left without a default link at it or above it (RES-2.5.9-1). Each fault
    /// says how to fix it.
    #[error("{}", Lines(.0))]
    MissingDefault(Vec<Fault>),
    /// The organisation would use more than its quota. Each fault says how much is in use and what
    /// to do.
    #[error("{}", Lines(.0))]
    QuotaExceeded(Vec<Fault>),
    /// The idempotency key was used for another request.
    #[error("this idempotency key was used for a different request")]
    IdempotencyReused,
    /// Too many attempts.
    #[error("too many attempts; try again in {} s", seconds(*retry_after))]
    Throttled {
        /// How long to wait.
        retry_after: Duration,
    },
    /// The input is larger than one operation accepts.
    #[error("too large: at most {limit} {what} are allowed")]
    TooLarge {
        /// The kind of items of which there are too many.
        what: &'static str,
        /// The maximum number.
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
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a known caller does not have permission. It depends on the request alone, never on existing
/// data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Denial {
    /// The level belongs to none of the caller's organisations, or is outside the prefix of the
    /// key.
    #[error("you do not have permission for this level")]
    Level,
    /// The caller's role or key does not permit the operation.
    #[error("you do not have permission to do this")]
    Operation,
    /// A change must be approved by another person than the one who proposed it.
    #[error("a change must be approved by another person than the one who proposed it")]
    SamePerson,
    /// A change must be approved by a person who does not control the account of the one who
    /// proposed it, nor the reverse.
    #[error(
        "one person may control both accounts, because one was set up by the other or both by the same administrator; someone \
         else must do this"
    )]
    Dependent,
    /// An organisation's own administrators cannot switch approval off.
    #[error("only an administrator of the installation can switch off approval by a second person")]
    FourEyes,
    /// Only the person who created a key gets its new secret.
    #[error(
        "only the person who created this key, or an administrator of the installation for a key of an organisation, can rotate \
         it; create a new key instead"
    )]
    OtherKey,
    /// The secret that a rotation replaced cannot change its key.
    #[error("this secret was replaced when the key was rotated; use the current secret of the key")]
    PreviousSecret,
    /// The organisation of the level is suspended.
    #[error(
        "this organisation is suspended, so it cannot be changed; ask the operator of this resolver"
    )]
    Suspended,
    /// Callers cannot grant more permissions than they have.
    #[error("you cannot grant more permissions than you have")]
    Escalation,
}

impl RegistryError {
    pub(crate) fn invalid(faults: Vec<Fault>) -> RegistryError {
        RegistryError::Invalid { faults, warnings: Vec::new() }
    }

    /// Returns the faults, for errors that have some.
    pub fn faults(&self) -> &[Fault] {
        match self {
            RegistryError::Conflict(faults)
            | RegistryError::MissingDefault(faults)
            | RegistryError::QuotaExceeded(faults)
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

/// Returns seconds, rounded up: an earlier attempt would be refused again.
fn seconds(duration: Duration) -> u64 {
    (duration.as_secs() + u64::from(duration.subsec_nanos() > 0)).max(1)
}

struct CurrentRevision(Option<Revision>);

impl std::fmt::Display for CurrentRevision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(revision) => write!(f, "revision {revision}"),
            None => f.write_str("nothing registered"),
        }
    }
}
