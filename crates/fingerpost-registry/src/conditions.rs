//! Conditions of an operation: preconditions (RFC 9110, section 13.1), dry run, idempotency.

use std::fmt;

use fingerpost_store::Revision;
use sha2::{Digest, Sha256};

use crate::{ChangeSetKind, ChangeSetRequest};

/// The precondition of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precondition {
    /// The level has this revision (`If-Match: "7"`).
    Revision(Revision),
    /// Something is registered at the level (`If-Match: *`).
    Any,
    /// Nothing is registered at the level (`If-None-Match: *`).
    None,
}

impl Precondition {
    pub(crate) fn holds(self, found: Option<Revision>) -> bool {
        match self {
            Precondition::Revision(expected) => found == Some(expected),
            Precondition::Any => found.is_some(),
            Precondition::None => found.is_none(),
        }
    }
}

impl fmt::Display for Precondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Precondition::Revision(revision) => write!(f, "at revision {revision}"),
            Precondition::Any => f.write_str("to be registered"),
            Precondition::None => f.write_str("not to be registered"),
        }
    }
}

/// Identifies a request. A repetition gets the answer of the first request and changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Idempotency {
    pub(crate) key: String,
    pub(crate) fingerprint: [u8; 32],
}

impl Idempotency {
    /// Creates an identifier from the key that the caller chose, and from the parts of the request
    /// that it covers, such as method, path and body.
    ///
    /// ```
    /// use fingerpost_registry::Idempotency;
    ///
    /// let first = Idempotency::new("a", [b"PUT".as_slice(), b"/v1/levels/01/09506000134352", b"{}"]);
    /// let other = Idempotency::new("a", [b"PUT".as_slice(), b"/v1/levels/01/0950600013435", b"2{}"]);
    /// assert_ne!(first, other);
    /// ```
    pub fn new<'p>(key: &str, request: impl IntoIterator<Item = &'p [u8]>) -> Idempotency {
        let mut hash = Sha256::new();
        for part in request {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Idempotency { key: key.to_owned(), fingerprint: hash.finalize().into() }
    }
}

/// The conditions of an operation. Default: none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    pub(crate) precondition: Option<Precondition>,
    pub(crate) dry_run: bool,
    pub(crate) idempotency: Option<Idempotency>,
    pub(crate) set: Option<ChangeSetRequest>,
}

impl Conditions {
    /// Returns no conditions: the last writer wins.
    pub fn none() -> Conditions {
        Conditions::default()
    }

    /// Adds a precondition: the operation fails unless it is met. Batches have preconditions in
    /// their rows instead.
    pub fn precondition(self, precondition: Precondition) -> Conditions {
        Conditions { precondition: Some(precondition), ..self }
    }

    /// Adds the changes to an existing change set of the same caller. Batches and recalls only.
    pub fn change_set(self, set: Option<Revision>) -> Conditions {
        // The operation says of which kind a new set is.
        let joined = ChangeSetRequest::new(ChangeSetKind::Batch).joining(set);
        Conditions { set: set.map(|_| joined), ..self }
    }

    /// Returns the request for a change set of this kind, or for the one that exists already.
    pub(crate) fn set_of(&self, kind: ChangeSetKind) -> ChangeSetRequest {
        let given = self.set.unwrap_or(ChangeSetRequest::new(kind));
        if given.undoes.is_some() { given } else { ChangeSetRequest { kind, ..given } }
    }

    /// Requests a dry run: makes all checks, but changes nothing.
    pub fn dry_run(self, dry_run: bool) -> Conditions {
        Conditions { dry_run, ..self }
    }

    /// Makes the operation idempotent: repeats within a day are applied once.
    pub fn idempotency(self, idempotency: Idempotency) -> Conditions {
        Conditions { idempotency: Some(idempotency), ..self }
    }
}
